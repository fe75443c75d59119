package openai

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// regex reports a pattern that Python cannot compile.
var regex = &provider.Rule{
	Name:   "regex",
	Effect: provider.Rejects,
	Stage:  metaschema,
	Doc: `a pattern is a regular expression of Python

This is demanded of pattern and of the names in patternProperties, even of functions that are
not strict: \p{L}, (?<name>...) and \u{...} of JavaScript fail. Python has look-ahead.`,
	Evidence: []string{
		"openai/responses/62e3682a353d",
		// Near misses.
		"openai/responses/fed40a95d79f",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			var patterns []string
			switch {
			case member.Key == "pattern" && member.Value.Kind == schema.String:
				patterns = []string{member.Value.Text}
			case member.Key == "patternProperties" && member.Value.Kind == schema.Object:
				patterns = member.Value.Keys()
			}
			for _, pattern := range patterns {
				if !compilesInPython(pattern) {
					reportf(p, "%s is not a 'regex'.", python.String(pattern))
					return
				}
			}
		}
	},
}

// compilesInPython reports whether Python's re compiles a pattern. It looks for common faults only
// and returns true if it finds none.
func compilesInPython(pattern string) bool {
	depth, inClass, classStart, canRepeat := 0, false, 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			length := escapeLength(pattern[i+1:], inClass)
			if length == 0 {
				return false
			}
			i, canRepeat = i+length, true
		case inClass:
			inClass = c != ']' || i == classStart
			canRepeat = !inClass
		case c == '[':
			inClass, classStart = true, i+1
			if strings.HasPrefix(pattern[classStart:], "^") {
				classStart, i = classStart+1, i+1
			}
		case c == '(':
			depth, canRepeat = depth+1, false
			extension := strings.TrimPrefix(pattern[i+1:], "?")
			if len(extension) < len(pattern[i+1:]) {
				if strings.HasPrefix(extension, "<") && !strings.HasPrefix(extension, "<=") && !strings.HasPrefix(extension, "<!") {
					return false // a named group is written (?P<name>...)
				}
				i++ // the question mark
			}
		case c == ')':
			if depth, canRepeat = depth-1, true; depth < 0 {
				return false
			}
		case c == '*' || c == '+' || c == '?':
			if !canRepeat && (i == 0 || pattern[i-1] == '(' || pattern[i-1] == '|') {
				return false
			}
		default:
			canRepeat = c != '|'
		}
	}
	return depth == 0 && !inClass
}

// escapeLength returns the length of the escape after a backslash, or 0 if Python does
// not know it.
func escapeLength(rest string, inClass bool) int {
	if rest == "" {
		return 0
	}
	letter := rest[0]
	known := "dDsSwWabfnrtvxuUN"
	if !inClass {
		known += "ABZ"
	}
	switch {
	case (letter < 'a' || letter > 'z') && (letter < 'A' || letter > 'Z'):
		return 1
	case !strings.ContainsRune(known, rune(letter)):
		return 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[letter]
	if len(rest) <= digits || strings.Trim(rest[1:1+digits], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return 1 + digits
}

// lookaround reports a pattern with look-ahead or look-behind in the schema of an answer.
var lookaround = &provider.Rule{
	Name:   "lookaround",
	Effect: provider.Rejects,
	Stage:  keywords,
	Since:  "2026-08-05",
	Models: []string{"!gpt-4o*"},
	Doc: `a pattern of a response format on Responses has no look-ahead and no look-behind

GPT-4o was seen to take one in 2026. Nothing is known of formats of Chat Completions.`,
	Evidence: []string{
		"openai/text_format/64615b6540d7",
		// Near misses.
		"openai/text_format/aa31dcd334b4",
		"openai/text_format/6a934b596cc2",
	},
	Check: refuseLookaround,
}

// lookaroundOfFunctions is lookaround for strict functions.
var lookaroundOfFunctions = &provider.Rule{
	Name:   lookaround.Name,
	Effect: provider.Rejects,
	Stage:  keywords,
	Since:  "2026-05-25",
	Models: lookaround.Models,
	Doc: `a pattern of a strict function has no look-ahead and no look-behind

Eight reports from 2026-05-25 to 2026-09-17 show the refusal; those that name the API are about
Responses, and https://github.com/vercel/ai/pull/21037 says that the function was strict. Probes of
functions that were not strict were accepted: https://github.com/pleaseai/shunt/pull/558
(2026-09-14). None of them names GPT-4o: see lookaround_of_gpt_4o.`,
	Evidence: []string{
		"openai/responses-strict/c359407a87ac",
		// Near misses.
		"openai/responses-strict/14a87a6d3497",
	},
	Check: refuseLookaround,
}

// lookaroundOfGPT4o is lookaroundOfFunctions for the models that took one in a response format.
var lookaroundOfGPT4o = func() *provider.Rule {
	rule := provider.Unproved(lookaroundOfFunctions)
	rule.Name, rule.Models, rule.Evidence = "lookaround_of_gpt_4o", []string{"gpt-4o*"}, nil
	rule.Doc = `whether GPT-4o refuses look-ahead and look-behind in a strict function is not known

It took one in a response format in 2026, and no report about functions is of GPT-4o.`
	rule.Source = "openai/text_format/6a934b596cc2"
	return rule
}()

func refuseLookaround(p *provider.Pass) {
	if schema.HasLookaround(p.Node.GetString("pattern")) {
		s := placeOf(p)
		p.Report(provider.Finding{
			Message:  "Invalid JSON schema: regex lookaround is not supported.\nFound at $." + strings.Join(append(slices.Clip(s.context), "pattern"), ".") + ".",
			Location: placed(s.param, p.Request, p.Declaration),
			Code:     s.code,
		})
	}
}
