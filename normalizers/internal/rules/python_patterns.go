package rules

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"toolproof/internal/lazy"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PythonPatterns serves providers that compile patterns with Python's re.
var PythonPatterns = &engine.Rule{
	Name: "python_patterns",
	Doc: `a pattern of JavaScript becomes one of Python

(?<name>...) becomes (?P<name>...), and \k<name> becomes (?P=name). A pattern that Python
does not read, such as \p{L}, goes into the description; patternProperties goes there as a
whole. Source: rule regex of openai/chat; SchemaStore.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?<x>a)\\k<x>$"}, "b": {"type": "string", "pattern": "\\p{L}"}}}`,
	After: `{"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?P<x>a)(?P=x)$"}, ` +
		`"b": {"type": "string", "description": "{pattern: \"\\\\p{L}\"}"}}}`,
	Loss: rewrite.Both,
	On:   []string{"pattern", "patternProperties"},
	Rewrite: func(p *engine.Pass) {
		if value := p.Schema.Get("pattern"); value != nil && value.Kind == schema.String {
			switch translated := inPython(value.Text); {
			case !isPython(translated):
				p.SpillAway("pattern", rewrite.Widens)
			case translated != value.Text:
				p.Set("pattern", schema.NewString(translated), rewrite.Exact)
			}
		}
		translateNames(p)
	},
}

// translateNames translates the names in patternProperties.
func translateNames(p *engine.Pass) {
	byPattern := p.Schema.Get("patternProperties")
	if byPattern == nil || byPattern.Kind != schema.Object {
		return
	}
	for i := range byPattern.Members {
		member := &byPattern.Members[i]
		translated := inPython(member.Key)
		if !isPython(translated) || translated != member.Key && byPattern.Has(translated) {
			// Properties that matched a pattern are now among the additional properties.
			p.SpillAway("patternProperties", lossIf(p.Schema.Has("additionalProperties"), rewrite.Narrows)|rewrite.Widens)
			return
		}
		if translated != member.Key {
			p.Edit(rewrite.Exact, func() { member.Key = translated }, "patternProperties")
		}
	}
}

var (
	namedGroup    = lazy.Compile(`(^|[^\\])((?:\\\\)*)\(\?<([A-Za-z_]\w*)>`)
	nameReference = lazy.Compile(`(^|[^\\])((?:\\\\)*)\\k<([A-Za-z_]\w*)>`)
	// beyondGo matches syntax that Python has and Go's regular expressions lack.
	beyondGo = lazy.Compile(`\(\?(?:[=!]|<[=!]|P=|>|#)|\\[1-9]|\\u|\\N|[*+?}]\+`)
)

// inPython returns a pattern with its named groups in the syntax of Python.
func inPython(pattern string) string {
	if strings.Contains(pattern, "(?<") {
		pattern = namedGroup.ReplaceAllString(pattern, "$1$2(?P<$3>")
	}
	if strings.Contains(pattern, `\k<`) {
		pattern = nameReference.ReplaceAllString(pattern, "$1$2(?P=$3)")
	}
	return pattern
}

// isPython reports whether Python takes the escapes in a pattern and, if Go has all of its
// syntax, whether it is a regular expression.
func isPython(pattern string) bool {
	if !strings.ContainsAny(pattern, `\()[]{}*+?|`) {
		return utf8.ValidString(pattern) // only letters, dots and anchors
	}
	if !hasPythonEscapes(pattern) {
		return false
	}
	if beyondGo.MatchString(pattern) {
		return true
	}
	_, err := syntax.Parse(strings.ReplaceAll(pattern, `\Z`, `\z`), syntax.Perl)
	return err == nil || strings.Contains(err.Error(), string(syntax.ErrInvalidRepeatSize))
}

// hasPythonEscapes reports whether Python knows each escape in a pattern.
func hasPythonEscapes(pattern string) bool {
	for i := strings.IndexByte(pattern, '\\'); i >= 0 && i < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		i++
		if i == len(pattern) {
			return false
		}
		digits := hexDigits[pattern[i]]
		switch {
		case digits > 0 && isHex(pattern[i+1:], digits):
			i += digits
		case isLetter(rune(pattern[i])) && strings.IndexByte("dDsSwWbBAZafnrtv", pattern[i]) < 0:
			return false
		}
	}
	return true
}

// hexDigits holds the number of hexadecimal digits after the letter of an escape.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// isHex reports whether a text begins with the given number of hexadecimal digits.
func isHex(text string, digits int) bool {
	if len(text) < digits {
		return false
	}
	for _, c := range []byte(text[:digits]) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}
