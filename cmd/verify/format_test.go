package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness"
	"toolproof/harness/report"
)

// refusing are tools with many things to say: some are refused, some fit one surface and
// not another, and one cannot be read.
const refusing = `[{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"const": 1}, "b": {"type": "integer", "exclusiveMinimum": 0}}}},
{"name": "a b", "inputSchema": {"type": "object", "properties": {}}}, {"name": "f", "inputSchema": {"type": "object"}}, {"name": 3}]`

// runsOfFormats are runs of each command that has --format, and how they end. Where text
// is not empty it is what the run shows in every format.
func runsOfFormats(t *testing.T) map[string][]formatRun {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tools, good := write("tools.json", refusing), write("good.json", `{"name": "f", "inputSchema": {"type": "object", "properties": {}}}`)
	refused := write("refused.json", `{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"const": 1}}}}`)
	lines, _ := clitest.Output(t, run, "", cli.CodeFails, "check", "--json", refused)
	results := write("results.jsonl", lines)
	baseline := filepath.Join(folder, "baseline.jsonl")
	clitest.Output(t, run, "", cli.CodeConforms, "check", "--write-baseline", baseline, refused)
	answer := write("answer.json", `{"error":{"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field. "}}`)
	project := write("toolproof.json", `{"sources": ["refused.json"], "targets": ["gemini", "vertex"], "severity": {"vertex/parameters/unknown_name": "warning"}, "ignore": [
		{"tool": "f", "rule": "unknown_name", "target": "gemini", "reason": "known to us", "until": "9999-12-31"},
		{"tool": "g", "rule": "unknown_name", "reason": "unused", "until": "9999-12-31"}]}`)
	expired := write("expired.json", `{"sources": ["refused.json"], "targets": ["gemini"], "ignore": [{"tool": "f", "rule": "unknown_name", "reason": "known to us", "until": "2020-01-31"}]}`)
	url := clitest.NewPlace(t).Server(clitest.Answering(`{"tools":` + strings.Replace(refusing, `, {"name": 3}`, "", 1) + `}`))
	return map[string][]formatRun{
		"verify": {
			{cli.CodeConforms, "property-named-const", []string{"--fixture", "property-named-const"}},
			{cli.CodeInconclusive, "live is required", []string{"--fixture", "property-named-const", "--require", "live"}},
		},
		"verify check": {
			{cli.CodeConforms, "", []string{"check", good}},
			{cli.CodeFails, "Unknown name", []string{"check", refused}},
			{cli.CodeBroken, "Tool names must be unique", []string{"check", tools}},
			{cli.CodeConforms, "in the baseline", []string{"check", "--baseline", baseline, refused}},
			{cli.CodeConforms, "Unknown name", []string{"check", "--error", answer, refused}},
			{cli.CodeConforms, "", []string{"check", "--normalized", refused}},
			{cli.CodeConforms, "", []string{"check", "--config", project}},
			{cli.CodeFails, "Unknown name", []string{"check", "--config", expired}},
		},
		"verify advise": {
			{cli.CodeConforms, "f has no description", []string{"advise", good}},
			{cli.CodeFails, "f has no description", []string{"advise", "--fail-on", "advice", good}},
			{cli.CodeBroken, "has no name", []string{"advise", write("nameless.json", `{"tools": [{"name": 3}]}`)}},
			{cli.CodeFails, "f has no description", []string{"check", "--advice", refused}},
		},
		"verify mcp":    {{cli.CodeFails, "Unknown name", []string{"mcp", "--url", url}}},
		"verify report": {{cli.CodeFails, "Unknown name", []string{"report", results}}},
		"verify test": {
			{cli.CodeFails, "Unknown name", []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' '{"id":1,"tool":{"name":"f","parameters":{"const":1}}}'; done`}},
		},
	}
}

type formatRun struct {
	code      int
	shows     string
	arguments []string
}

// TestFormats runs every command that has --format in every format, and reads what it
// writes as a reader of the format does.
func TestFormats(t *testing.T) {
	t.Parallel()
	sarif := clitest.CompileSchema(t, "../../harness/report/testdata/sarif-schema-2.1.0.json")
	readers := map[string]func(t *testing.T, text, where string){
		report.TextFormat: func(*testing.T, string, string) {}, // read by the scripts
		"json": func(t *testing.T, text, where string) {
			t.Helper()
			lines := strings.Split(strings.TrimSpace(text), "\n")
			if !strings.HasPrefix(lines[len(lines)-1], `{"version":1,"summary":`) {
				t.Errorf("%s: the last line is no summary:\n%s", where, text)
			}
		},
		"markdown": func(t *testing.T, text, where string) {
			t.Helper()
			if !regexp.MustCompile(`^\s*\*\*(conforms|does not conform|inconclusive|located)\*\*: `).MatchString(text) {
				t.Errorf("%s: the verdict is not first:\n%s", where, text)
			}
			if strings.Count(text, "<details>") != strings.Count(text, "</details>") || strings.Index(text, "<details>") > 0 && strings.Index(text, "<details>") < strings.LastIndex(text, "\n|") {
				t.Errorf("%s: the details are not last:\n%s", where, text)
			}
		},
		"html": func(t *testing.T, text, where string) {
			t.Helper()
			if !regexp.MustCompile(`(?s)^<!doctype html>.*<h1>[^<]+ <span class="tag (good|bad)">(conforms|does not conform|inconclusive|located)</span></h1>`).MatchString(text) {
				t.Errorf("%s: the verdict is not first:\n%s", where, text)
			}
			for _, element := range []string{"details", "table", "div", "pre", "section"} {
				if opened, closed := strings.Count(text, "<"+element), strings.Count(text, "</"+element+">"); opened != closed {
					t.Errorf("%s: %d times <%s>, and %d times its end", where, opened, element, closed)
				}
			}
		},
		"junit": func(t *testing.T, text, where string) {
			t.Helper()
			var suites struct {
				Suites []struct{} `xml:"testsuite"`
			}
			if err := xml.Unmarshal([]byte(text), &suites); err != nil || len(suites.Suites) == 0 {
				t.Errorf("%s: %v\n%s", where, err, text)
			}
		},
		"sarif": func(t *testing.T, text, where string) {
			t.Helper()
			clitest.Validate(t, sarif, []byte(text), where)
		},
		"badge": func(t *testing.T, text, where string) {
			t.Helper()
			if !regexp.MustCompile(`^{"schemaVersion":1,"label":"toolproof","message":"[^"]+","color":"(brightgreen|red|blue|lightgrey)"}\n$`).MatchString(text) {
				t.Errorf("%s: no badge:\n%s", where, text)
			}
		},
		"github": func(t *testing.T, text, where string) {
			t.Helper()
			for line := range strings.Lines(text) {
				if !regexp.MustCompile(`^::(error|warning|notice) [^:\n]*::.`).MatchString(line) {
					t.Errorf("%s: a line is no annotation:\n%s", where, line)
				}
			}
			if !strings.HasPrefix(text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:], "::notice title=Toolproof::") {
				t.Errorf("%s: the verdict is not last:\n%s", where, text)
			}
		},
	}
	for _, format := range report.Formats {
		if readers[format.Name] == nil {
			t.Fatalf("the format %s has no reader: write one above", format.Name)
		}
	}
	runs := runsOfFormats(t)
	for _, name := range clitest.CommandsOf(newRoot(&session{&cli.Session{}})) {
		if !takesFormat(t, name) {
			continue
		}
		if len(runs[name]) == 0 {
			t.Errorf("%s has --format: give it a run above", name)
		}
		for _, one := range runs[name] {
			for _, format := range report.Formats {
				out, _ := clitest.Output(t, run, "", one.code, inFormat(one.arguments, format.Name)...)
				where := name + " " + format.Name
				if one.code == cli.CodeConforms || one.code == cli.CodeInconclusive || format.Name != "text" {
					readers[format.Name](t, out, where)
				}
				if one.code != cli.CodeConforms && format.Name != "badge" && !strings.Contains(unescaped(out), one.shows) {
					t.Errorf("%s %q does not show %q:\n%s", where, one.arguments, one.shows, out)
				}
			}
		}
	}
}

// inFormat returns the arguments of a run with --format behind the command.
func inFormat(arguments []string, format string) []string {
	at := 0
	if len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		at = 1
	}
	return slices.Insert(slices.Clone(arguments), at, "--format", format)
}

// unescaped returns a text without what Markdown and XML write for quotes.
func unescaped(text string) string { return strings.NewReplacer("&#34;", `"`, `\_`, "_").Replace(text) }

// takesFormat reports whether a command has --format.
func takesFormat(t *testing.T, name string) bool {
	t.Helper()
	found, _, err := newRoot(&session{&cli.Session{}}).Find(strings.Fields(name)[1:])
	return err == nil && found.CommandPath() == name && found.Flags().Lookup("format") != nil
}

// TestSARIF: what a SARIF viewer makes of a run with a baseline. A tool that moved in its
// file keeps its fingerprint.
func TestSARIF(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	tools, baseline := filepath.Join(folder, "tools.json"), filepath.Join(folder, "baseline.jsonl")
	write := func(text string) {
		if err := os.WriteFile(tools, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID string `json:"id"`
					} `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
			Results []struct {
				Level         string            `json:"level"`
				BaselineState string            `json:"baselineState"`       //nolint:tagliatelle // as SARIF has it
				Fingerprints  map[string]string `json:"partialFingerprints"` //nolint:tagliatelle // as SARIF has it
				Locations     []struct {
					Physical *struct {
						Artifact struct {
							URI string `json:"uri"`
						} `json:"artifactLocation"` //nolint:tagliatelle // as SARIF has it
						Region struct {
							StartLine   int `json:"startLine"`   //nolint:tagliatelle // as SARIF has it
							StartColumn int `json:"startColumn"` //nolint:tagliatelle // as SARIF has it
						} `json:"region"`
					} `json:"physicalLocation"` //nolint:tagliatelle // as SARIF has it
					Logical []struct {
						Name string `json:"fullyQualifiedName"` //nolint:tagliatelle // as SARIF has it
					} `json:"logicalLocations"` //nolint:tagliatelle // as SARIF has it
				} `json:"locations"`
			} `json:"results"`
		} `json:"runs"`
	}
	read := func(wantCode int, input string, arguments ...string) log {
		out, _ := clitest.Output(t, run, input, wantCode, arguments...)
		var read log
		if err := json.Unmarshal([]byte(out), &read); err != nil || len(read.Runs) != 1 {
			t.Fatalf("%v\n%s", err, out)
		}
		return read
	}
	const tool = `{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"const": 1}}}}`
	write(tool)
	clitest.Output(t, run, "", cli.CodeConforms, "check", "--target", "gemini", "--write-baseline", baseline, tools)
	before := read(cli.CodeConforms, "", "check", "--target", "gemini", "--format", "sarif", "--baseline", baseline, tools).Runs[0]
	write("\n[" + tool + ",\n" + strings.NewReplacer(`"f"`, `"g"`).Replace(tool) + "]")
	after := read(cli.CodeFails, "", "check", "--target", "gemini", "--format", "sarif", "--baseline", baseline, tools).Runs[0]
	if len(before.Results) != 1 || len(after.Results) != 2 || len(after.Tool.Driver.Rules) != 1 || after.Tool.Driver.Rules[0].ID != "gemini/parameters/unknown_name" {
		t.Fatalf("before %+v\nafter %+v", before, after)
	}
	first, second := after.Results[0], after.Results[1]
	if before.Results[0].BaselineState != "unchanged" || first.BaselineState != "unchanged" || second.BaselineState != "new" {
		t.Errorf("the states are %q, %q and %q", before.Results[0].BaselineState, first.BaselineState, second.BaselineState)
	}
	same, other := first.Fingerprints["finding/v1"], second.Fingerprints["finding/v1"]
	if same == "" || same != before.Results[0].Fingerprints["finding/v1"] || same == other {
		t.Errorf("the fingerprints are %v, %v and %v", before.Results[0].Fingerprints, first.Fingerprints, second.Fingerprints)
	}
	where := second.Locations[0]
	if place := where.Physical; place == nil || place.Artifact.URI != "file://"+filepath.ToSlash(tools) || place.Region.StartLine != 3 || place.Region.StartColumn != 70 {
		t.Errorf("the place is %+v", place)
	}
	// Standard input is no file: the tool and the JSON Pointer are the place.
	piped := read(cli.CodeFails, tool, "check", "--target", "gemini", "--format", "sarif", "-").Runs[0].Results[0]
	if place := piped.Locations[0]; place.Physical != nil || place.Logical[0].Name != "f#/inputSchema/properties/a/const" || piped.BaselineState != "" || piped.Level != "error" {
		t.Errorf("the result is %+v", piped)
	}
}

// TestRuleDocs: each rule of each surface has a help text in SARIF, and of the portable
// target those of the surfaces that it serves.
func TestRuleDocs(t *testing.T) {
	t.Parallel()
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if docOf(dialect.Name, rule.Name) != rule.Doc || rule.Doc == "" {
				t.Errorf("%s/%s is explained by %q", dialect.Name, rule.Name, docOf(dialect.Name, rule.Name))
			}
		}
	}
	if docOf("portable", "unknown_name") == "" || docOf("gemini/parameters", "none") != "" {
		t.Error("the rules of portable are not explained, or one that is not known is")
	}
}

// TestFormatFlag: --json is a synonym, and an unknown format is named.
func TestFormatFlag(t *testing.T) {
	t.Parallel()
	const tool = `{"name": "f", "inputSchema": {"type": "object", "properties": {}}}`
	lines, _ := clitest.Output(t, run, tool, cli.CodeConforms, "check", "--json", "-")
	if again, _ := clitest.Output(t, run, tool, cli.CodeConforms, "check", "--format", "json", "-"); again != lines {
		t.Errorf("--json writes\n%s\nand --format json\n%s", lines, again)
	}
	for _, command := range [][]string{{}, {"check", "-"}, {"mcp", "--", "true"}, {"report", "-"}, {"test", "--exec", "true", "--target", "gemini"}} {
		_, errs := clitest.Output(t, run, tool, cli.CodeBroken, inFormat(command, "sarf")...)
		if errs != "verify: unknown format \"sarf\"\nhint: use one of text, json, markdown, html, junit, sarif, github, badge\n" {
			t.Errorf("%q says\n%s", command, errs)
		}
	}
}
