package normalizers

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/internal/lazy"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/schema"
)

// xgrammarFormats are the formats for which xgrammar has a grammar and that vLLM's check lets pass.
var xgrammarFormats = []string{
	"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference", "uri-template",
	"json-pointer", "relative-json-pointer",
}

// saysType reports whether a schema names one of the types, alone or in a list.
func saysType(node *schema.Node, names ...string) bool {
	return slices.ContainsFunc(node.Types(), func(name string) bool { return slices.Contains(names, name) })
}

// ofType returns a function that refuses a keyword in schemas of the types.
func ofType(names ...string) func(*schema.Node, string) bool {
	return func(node *schema.Node, _ string) bool { return saysType(node, names...) }
}

// refusedByXGrammar are the keywords that vLLM's own check refuses:
// has_xgrammar_unsupported_json_features in vllm/v1/structured_output/backend_xgrammar.py.
var refusedByXGrammar = map[string]func(*schema.Node, string) bool{
	"multipleOf":  ofType("integer", "number"),
	"uniqueItems": ofType("array"), "contains": ofType("array"), "minContains": ofType("array"), "maxContains": ofType("array"),
	"minLength": hasOtherText, "maxLength": hasOtherText,
	"format": func(node *schema.Node, _ string) bool {
		return saysType(node, "string") && !slices.Contains(xgrammarFormats, node.GetString("format"))
	},
	"patternProperties": func(node *schema.Node, _ string) bool {
		patterns := node.Get("patternProperties")
		return saysType(node, "object") && patterns.Kind == schema.Object && (node.Has("properties") || len(patterns.Members) > 1)
	},
	"propertyNames": func(node *schema.Node, _ string) bool {
		names, other, rest := node.Get("propertyNames"), node.Get("additionalProperties"), node.Get("unevaluatedProperties")
		switch {
		case names.Kind != schema.Object || !isStringType(names.Get("type")):
			return true // xgrammar itself refuses true, and types other than string
		case !saysType(node, "object"):
			return false
		default:
			return node.Has("properties") || node.Has("patternProperties") || other != nil && other.Kind == schema.Object || rest != nil && !rest.IsTrue()
		}
	},
}

// isStringType reports whether the value of type is not the name of a type other than string.
func isStringType(value *schema.Node) bool {
	return value == nil || value.Kind != schema.String || value.Text == "string"
}

// hasOtherText reports whether a schema of strings, or of the names of properties, has a pattern or a
// known format beside the bounds of its length.
func hasOtherText(node *schema.Node, under string) bool {
	if !saysType(node, "string") && under != "propertyNames" {
		return false
	}
	return node.Has("pattern") || slices.Contains(xgrammarFormats, node.GetString("format"))
}

// Limits that vLLM's check had earlier.
var (
	withoutNamePatterns = engine.Earlier{Until: "2026-11-01", Had: func(target *engine.Target) {
		target.RefusedIf = refusing(target.RefusedIf, ofType("object"), "patternProperties", "propertyNames")
	}}
	withoutFormats = engine.Earlier{Until: "2025-12-18", Had: func(target *engine.Target) {
		target.Formats = []string{}
		target.RefusedIf = refusing(target.RefusedIf, ofType("string"), "format")
		target.RefusedIf = refusing(target.RefusedIf, ofType("object"), "minProperties", "maxProperties")
	}}
	withoutPatterns = engine.Earlier{Until: "2025-04-14", Had: func(target *engine.Target) {
		anywhere := func(*schema.Node, string) bool { return true }
		target.RefusedIf = refusing(target.RefusedIf, ofType("string"), "minLength", "maxLength")
		target.RefusedIf = refusing(target.RefusedIf, ofType("integer", "number"), "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
		target.RefusedIf = refusing(target.RefusedIf, anywhere, "pattern", "enum")
		reserved := []string{"pattern", "enum"} // the check took properties of these names for keywords
		engine.Limit(target, func(names *rules.PropertyNames) { names.Reserved = reserved })
		engine.Limit(target, func(names *rules.ReservedInValues) { names.Names = reserved })
	}}
	withoutItemCounts = engine.Earlier{Until: "2025-05-27", Had: func(target *engine.Target) {
		target.RefusedIf = refusing(target.RefusedIf, ofType("array"), "minItems", "maxItems")
	}}
)

// refusing returns refusals with further keywords.
func refusing(refused refusals, isRefused func(*schema.Node, string) bool, keywords ...string) refusals {
	more := maps.Clone(refused)
	for _, keyword := range keywords {
		more[keyword] = isRefused
	}
	return more
}

// refusals is the type of Target.RefusedIf.
type refusals = map[string]func(node *schema.Node, under string) bool

// xgrammarFollows reports whether xgrammar takes a reference. It ignores a reference other than a
// pointer from the root, splits a pointer at its slashes without decoding it, and follows it through
// objects only.
func xgrammarFollows(step func(*schema.Node, string) *schema.Node, root *schema.Node, reference string) bool {
	pointer, isLocal := strings.CutPrefix(reference, "#/")
	if !isLocal {
		return true
	}
	for part := range strings.SplitSeq(pointer, "/") {
		if root == nil || root.Kind != schema.Object {
			return false // xgrammar does not follow pointers into lists
		}
		if root = step(root, part); root == nil || part == "" || strings.ContainsAny(part, "~%") {
			return false
		}
	}
	isSchema := root.Kind == schema.Object || root.Kind == schema.Bool
	return isSchema && strings.ContainsFunc(pointer, func(r rune) bool { return r <= unicode.MaxASCII && unicode.IsLetter(r) }) // xgrammar names the rule by these letters
}

// The tokens of a pattern that xgrammar reads.
var (
	xgrammarEscape  = lazy.Compile(`^\\(?:[\^$\\.*+?()\[\]{}|/\-"nrtfvdDwWsS]|u[0-9A-Fa-f]{4})`)
	xgrammarInClass = lazy.Compile(`^(?:\\(?:[\^$\\.*+?()\[\]{}|/\-"nrtfvdws]|u[0-9A-Fa-f]{4})|[^\\\x00-\x1f])`)
)

// inXGrammar reports whether xgrammar 0.1.27 converts a pattern to a grammar that it can read, as in
// regex_converter.cc. It reports false for patterns whose conversion is uncertain.
func inXGrammar(pattern string) bool {
	depth, isAtom := 0, false // isAtom is set if a quantifier may follow
	isEmpty := true           // whether the branch is empty so far
	for len(pattern) > 0 {
		size := 1
		switch c := pattern[0]; c {
		case '^', '$':
			pattern = pattern[1:]
			isAtom = false
			continue
		case '\\':
			size = len(xgrammarEscape.FindString(pattern))
			isAtom, isEmpty = true, false
		case '[':
			size = xgrammarClass(pattern)
			isAtom, isEmpty = true, false
		case '(':
			if strings.HasPrefix(pattern, "(?") {
				if size = len("(?:"); !strings.HasPrefix(pattern, "(?:") {
					return false
				}
			}
			depth, isAtom, isEmpty = depth+1, false, true
		case ')':
			if isEmpty {
				return false
			}
			depth, isAtom = depth-1, true
		case '|':
			if isEmpty {
				return false
			}
			isAtom, isEmpty = false, true
		case '*', '+', '?', '{':
			if c == '{' {
				size = xgrammarRepetition(pattern)
			}
			if size == 0 || !isAtom {
				return false
			}
			if isAtom = false; strings.HasPrefix(pattern[size:], "?") { // a lazy quantifier
				size++
			}
		case ']', '}', 0:
			return false
		default:
			isAtom, isEmpty = true, false
		}
		if size == 0 || depth < 0 {
			return false
		}
		pattern = pattern[size:]
	}
	return depth == 0 && !isEmpty
}

// xgrammarClass returns the length of the class at the beginning of a text, or 0 if xgrammar reads it
// in another way.
func xgrammarClass(text string) int {
	i := 1
	if strings.HasPrefix(text, "[^") {
		i++
	}
	first := i
	last, isRange := rune(-1), false // the character before, and whether a - follows it
	for i < len(text) && text[i] != ']' {
		if text[i] == '-' && i > first && i+1 < len(text) && text[i+1] != ']' {
			if last < 0 || isRange {
				return 0 // beside a class such as \d, or a range
			}
			isRange = true
			i++
			continue
		}
		token := xgrammarInClass.FindString(text[i:])
		if token == "" {
			return 0
		}
		char, _ := utf8.DecodeRuneInString(token)
		if char == '\\' {
			char = escapedRune(token)
		}
		if isRange && (char < last || char < 0) {
			return 0
		}
		if isRange {
			char = -1 // no range begins with it
		}
		last, isRange = char, false
		i += len(token)
	}
	if i == first || i == len(text) || isRange {
		return 0
	}
	return i + 1
}

// escapedRune returns the character of an escape, or -1 for a class such as \d.
func escapedRune(escape string) rune {
	switch letter := escape[1]; letter {
	case 'd', 'w', 's':
		return -1
	case 'n', 'r', 't', 'f', 'v':
		return rune("\n\r\t\f\v"[strings.IndexByte("nrtfv", letter)])
	case 'u':
		value, _ := strconv.ParseUint(escape[2:], 16, 16)
		return rune(value)
	default:
		return rune(letter)
	}
}

// xgrammarRepetition returns the length of the quantifier in braces at the beginning of a text, or 0 if
// there is none or its counts contradict each other.
func xgrammarRepetition(text string) int {
	quantifier := repetition.FindStringSubmatch(text)
	if quantifier == nil {
		return 0
	}
	least, err := strconv.ParseUint(quantifier[1], 10, 31)
	if err != nil {
		return 0
	}
	if quantifier[2] != "" {
		if most, err := strconv.ParseUint(quantifier[2], 10, 31); err != nil || most < least {
			return 0
		}
	}
	return len(quantifier[0])
}
