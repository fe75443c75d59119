package advice

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// measured are the last words of names that are measured in a unit.
var measured = []string{"timeout", "duration", "interval", "delay", "ttl", "wait", "age", "expiry", "radius", "distance", "latency", "uptime", "elapsed", "period", "debounce", "backoff"}

// unit finds a unit in a name or a text.
var unit = lazy.Compile(`(?i)(?:\b|_|\d)(?:ms|msec|millis|milli\w*|micro\w*|nano\w*|s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?|ticks?|frames?|blocks?|epochs?|px|pixels?|km|kilomet\w*|met(?:er|re)s?|miles?|mi|feet|ft|cm|mm|inch\w*|degrees?|percent|%|candles?|bars?|iterations?|steps?|rounds?|iso|unix|cron|old|beats?|turns?)(?:\b|_)`)

// NoUnit finds numbers without a unit.
var NoUnit = &Rule{
	Name: "no_unit",
	Doc: `a duration or a length has no unit

A model has to guess whether a timeout is in seconds or in milliseconds.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for what an expert would know, such as units, in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "run", "description": "Run a program.", "parameters": {"type": "object", "properties": {"timeout": {"type": "integer", "description": "How long it may run."}}}}]`,
	Good: `[{"name": "run", "description": "Run a program.", "parameters": {"type": "object", "properties": {"timeout": {"type": "integer", "description": "How long it may run, in seconds."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			if !param.IsA("integer", "number") || param.IsClosed() {
				continue
			}
			name := words(param.Name)
			if len(name) == 0 || !slices.Contains(measured, name[len(name)-1]) {
				continue
			}
			if len(name) > 1 && name[len(name)-1] == "age" && name[len(name)-2] != "max" && name[len(name)-2] != "min" || len(name) == 1 && name[0] == "age" {
				continue // of a person, in years
			}
			last := name[len(name)-1]
			if isLength := last == "radius" || last == "distance"; isLength && !hasAny(tool.Lower+param.Lower, "latitude", "location", "nearby", "coordinates", "geo", "places", "address") || slices.ContainsFunc(name, isOfDrawing) || isRatio(param) || hasUnitBeside(tool, param) {
				continue
			}
			if isForeign(param.Text) || unit.MatchString(param.Text) || unit.MatchString(param.Schema.GetString("title")) || sentenceHasUnit(tool.Text, param.Name) {
				continue
			}
			at, node := param.descriptionOf()
			suffix, kinds := "ms", "seconds or milliseconds"
			if last == "radius" || last == "distance" {
				suffix, kinds = "meters", "meters or miles"
			}
			p.Report(at, node, param.Name+" is a number without a unit: say it in the text, such as "+kinds+", or in the name, such as "+withSuffix(param.Name, suffix))
		}
	},
}

// isOfDrawing reports whether a word of a name says that a length is on a screen, or an age
// in transactions.
func isOfDrawing(word string) bool {
	return slices.Contains([]string{"border", "corner", "blur", "inner", "outer", "shadow", "freeze", "multixact"}, word)
}

// isRatio reports whether a number is a part of 1.
func isRatio(param *Param) bool {
	maximum := param.Schema.Get("maximum")
	return maximum != nil && (maximum.Text == "1" || maximum.Text == "1.0") || hasAny(param.Lower, "between 0 and 1", "0-1", "0 to 1", "ratio", "fraction")
}

// hasUnitBeside reports whether another parameter, or the text, has the unit.
func hasUnitBeside(tool *Tool, param *Param) bool {
	return strings.Contains(param.Lower, "unit") || slices.ContainsFunc(tool.Params, func(other *Param) bool {
		name := words(other.Name)
		return other.Holder == param.Holder && len(name) > 0 && name[len(name)-1] == "unit"
	})
}

func sentenceHasUnit(text, name string) bool {
	return slices.ContainsFunc(sentences(text), func(line string) bool {
		return hasWord(strings.ToLower(line), strings.ToLower(name)) && unit.MatchString(line)
	})
}

// withSuffix adds a word to a name, in the style of the name.
func withSuffix(name, word string) string {
	if strings.Contains(name, "_") || strings.ToLower(name) == name {
		return name + "_" + word
	}
	return name + strings.ToUpper(word[:1]) + word[1:]
}

// dated are the words of names that hold a day or an instant.
var dated = []string{"date", "datetime", "timestamp", "day"}

// moment are whole names that hold a day or an instant.
var moment = []string{"since", "until", "start_time", "end_time", "starttime", "endtime", "from_time", "to_time", "created_after", "created_before", "updated_after", "updated_before", "deadline", "due", "expires_at"}

// dateForm finds a text that shows how a date is written.
var dateForm = lazy.Compile(`(?i)yy|iso|rfc|unix|epoch|timestamp|format|\d{2,4}[-/.:]\d{1,2}|\bmm\b|\bdd\b|milliseconds|seconds|e\.g|example|such as|like |natural|relative|"|'|today|tomorrow|\d{6,8}|utc|cron|xsd|w3c`)

// NoFormat finds dates without a format.
var NoFormat = &Rule{
	Name: "no_format",
	Doc: `a date has no format

A date is written in many ways. Without format, pattern or an example a model picks one.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for specialised query formats in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"start_date": {"type": "string", "description": "The first day."}}}}]`,
	Good: `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"start_date": {"type": "string", "description": "The first day, as YYYY-MM-DD.", "format": "date"}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			if !param.IsA("string") || param.IsClosed() || hasForm(param.Schema) {
				continue
			}
			name := words(param.Name)
			if len(name) == 0 || !slices.Contains(dated, name[len(name)-1]) && !slices.Contains(moment, strings.Join(name, "_")) {
				continue
			}
			if slices.Contains([]string{"track", "log", "enable", "use", "show", "include", "exclude", "sort"}, name[0]) || hasWord(param.Lower, "id") || hasAny(param.Lower, "token", "cursor", "commit") {
				continue
			}
			if isForeign(param.Text) || dateForm.MatchString(param.Text) || dateForm.MatchString(param.Schema.GetString("title")) || hasAny(tool.Lower, "yyyy", "iso 8601", "iso-8601", "rfc 3339", "rfc3339", "unix", "date format", "dates are", "iso date") {
				continue
			}
			at, node := param.descriptionOf()
			what := "such as 2026-01-31T12:00:00Z, and add the format date-time"
			if last := name[len(name)-1]; last == "date" || last == "day" { // a name alone does not say which of the two is meant
				what = "such as 2026-01-31 or 2026-01-31T12:00:00Z, and add the format that fits, date or date-time"
			}
			p.Report(at, node, param.Name+" does not say how a date is written: say it in the text, "+what)
		}
	},
}

// hasForm reports whether a schema, or a branch of it, says how its values are written.
func hasForm(node *schema.Node) bool {
	if slices.ContainsFunc([]string{"format", "pattern", "examples", "example"}, node.Has) {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := node.Get(keyword); branches != nil && slices.ContainsFunc(branches.Elements, hasForm) {
			return true
		}
	}
	return false
}

// paths are names that hold a path in a file system.
var paths = []string{
	"file_path", "filepath", "file_paths", "output_path", "input_path", "directory_path", "dir_path", "folder_path", "output_dir", "output_directory", "image_path", "save_path", "source_path", "destination_path", "target_path",
	"local_path", "project_path", "repo_path", "workspace_path",
}

// NoBase finds paths that do not say where they begin.
var NoBase = &Rule{
	Name: "no_base",
	Doc: `a path does not say where it begins

A model that works in a folder writes relative paths. A server that was started elsewhere
does not find them. The text says absolute, or relative to what, or shows an example.`,
	Source: Source{
		"Anthropic made a tool demand absolute paths, after a model had gone wrong with relative ones.",
		"https://www.anthropic.com/engineering/building-effective-agents", "2024-12-19",
	},
	Bad:  `[{"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {"file_path": {"type": "string", "description": "The file to read."}}}}]`,
	Good: `[{"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {"file_path": {"type": "string", "description": "The absolute path of the file to read."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			if !param.IsA("string") || param.IsClosed() || !slices.Contains(paths, strings.Join(words(param.Name), "_")) || param.Schema.Has("examples") || param.Schema.Has("pattern") {
				continue
			}
			if isForeign(param.Text) || hasAny(param.Lower, "absolute", "relative", "full path", "e.g", "example", "such as", "/", `\`, "root", "within", "inside", "under", "working directory", "current", "'", `"`, "`", "url", "workspace", "vault", "repo", "branch", "commit", "pull request", "instance", "storage", "bucket", "remote", "from ", "returned by") ||
				hasAny(tool.Lower, "absolute", "relative", "full path", "working directory", "project root", "repository root") {
				continue
			}
			at, node := param.descriptionOf()
			p.Report(at, node, param.Name+" does not say where the path begins: say absolute, or relative to what, and give an example")
		}
	},
}

// negations are the first words of flags that switch something off.
var negations = []string{"no", "not", "dont", "disable", "disabled", "without", "non", "never", "prevent", "suppress"}

// NegatedFlag finds flags whose false means yes.
var NegatedFlag = &Rule{
	Name: "negated_flag",
	Doc: `a flag negates, and no text says what it does

A flag such as no_cache set to false says twice no. A text says what each value does; a
positive flag with a default is read the way it is meant.`,
	Source: Source{
		"Google's style for APIs asks for positive names of booleans: disabled as a name makes a double negative.",
		"https://google.aip.dev/140", "2019-07-22",
	},
	Bad:  `[{"name": "build", "description": "Build an image.", "parameters": {"type": "object", "properties": {"no_cache": {"type": "boolean"}}}}]`,
	Good: `[{"name": "build", "description": "Build an image.", "parameters": {"type": "object", "properties": {"cache": {"type": "boolean", "description": "Whether layers that exist are used.", "default": true}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			name := words(param.Name)
			if len(name) < 2 || !param.IsA("boolean") || !slices.Contains(negations, name[0]) || strings.TrimSpace(param.Text) != "" {
				continue
			}
			positive := strings.Join(name[1:], "_")
			if slices.ContainsFunc(tool.Params, func(other *Param) bool {
				return other.Holder == param.Holder && strings.Join(words(other.Name), "_") == positive
			}) {
				continue
			}
			p.Report(param.At, param.Schema, param.Name+" is a flag that negates: name it "+positive+" with the default true, or say in the text what false does")
		}
	},
}
