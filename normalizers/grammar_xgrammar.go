package normalizers

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/schema"
)

// xgrammarFormats are those that xgrammar has a grammar for, and vLLM's check lets pass.
var xgrammarFormats = []string{
	"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference", "uri-template",
	"json-pointer", "relative-json-pointer",
}

// saysType reports whether an object says one of some types, alone or in a list.
func saysType(node *schema.Node, names ...string) bool {
	said := []*schema.Node{node.Get("type")}
	if said[0] != nil && said[0].Kind == schema.Array {
		said = said[0].Elements
	}
	return slices.ContainsFunc(said, func(one *schema.Node) bool {
		return one != nil && one.Kind == schema.String && slices.Contains(names, one.Text)
	})
}

// ofType refuses a keyword in schemas of some types.
func ofType(names ...string) func(*schema.Node, string) bool {
	return func(node *schema.Node, _ string) bool { return saysType(node, names...) }
}

// refusedByXGrammar is the list of vLLM's own check: has_xgrammar_unsupported_json_features
// in vllm/v1/structured_output/backend_xgrammar.py.
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
			return true // xgrammar itself refuses true, and other types
		case !saysType(node, "object"):
			return false
		default:
			return node.Has("properties") || node.Has("patternProperties") || other != nil && other.Kind == schema.Object || rest != nil && !rest.IsTrue()
		}
	},
}

// isStringType reports whether a type is no other than string alone.
func isStringType(said *schema.Node) bool {
	return said == nil || said.Kind != schema.String || said.Text == "string"
}

// hasOtherText reports whether a schema of a string, or of a name, has a pattern or a
// format beside the bounds of its length.
func hasOtherText(node *schema.Node, under string) bool {
	if !saysType(node, "string") && under != "propertyNames" {
		return false
	}
	return node.Has("pattern") || slices.Contains(xgrammarFormats, node.GetString("format"))
}

// What vLLM's check was before.
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
		reserved := []string{"pattern", "enum"} // they were looked for among properties too
		engine.Limit(target, func(names *rules.PropertyNames) { names.Reserved = reserved })
		engine.Limit(target, func(names *rules.ReservedInValues) { names.Names = reserved })
	}}
	withoutItemCounts = engine.Earlier{Until: "2025-05-27", Had: func(target *engine.Target) {
		target.RefusedIf = refusing(target.RefusedIf, ofType("array"), "minItems", "maxItems")
	}}
)

// refusing returns what is refused, with further keywords.
func refusing(refused refusals, isRefused func(*schema.Node, string) bool, keywords ...string) refusals {
	more := maps.Clone(refused)
	for _, keyword := range keywords {
		more[keyword] = isRefused
	}
	return more
}

// refusals are the RefusedIf of a target.
type refusals = map[string]func(node *schema.Node, under string) bool

// xgrammarFollows reports whether xgrammar takes a reference: it splits a pointer at its
// slashes, and goes through objects alone. What is no pointer from the root it passes over.
func xgrammarFollows(step func(*schema.Node, string) *schema.Node, root *schema.Node, reference string) bool {
	pointer, isLocal := strings.CutPrefix(reference, "#/")
	if !isLocal {
		return true
	}
	for part := range strings.SplitSeq(pointer, "/") {
		if root == nil || root.Kind != schema.Object {
			return false // elements of lists are not reached
		}
		if root = step(root, part); root == nil || part == "" || strings.ContainsAny(part, "~%") {
			return false
		}
	}
	isSchema := root.Kind == schema.Object || root.Kind == schema.Bool
	return isSchema && strings.ContainsFunc(pointer, func(r rune) bool { return r <= unicode.MaxASCII && unicode.IsLetter(r) }) // the rule has a name
}

// inXGrammar reports whether xgrammar 0.1.27 converts a pattern, and can read what it makes
// of it: regex_converter.cc. What it does not read in one certain way is left out here.
//
//nolint:gocognit // one case for each sign of a pattern
func inXGrammar(pattern string) bool {
	depth, isAtom := 0, false // isAtom is set behind what a quantifier may follow
	isEmpty := true           // whether the branch has nothing yet
	for len(pattern) > 0 {
		size := 1
		switch c := pattern[0]; c {
		case '^', '$':
			pattern = pattern[1:]
			isAtom = false
			continue
		case '\\':
			if size = xgrammarEscape(pattern, "dDwWsS"); size == 0 {
				return false
			}
			isAtom, isEmpty = true, false
		case '[':
			if size = xgrammarClass(pattern); size == 0 {
				return false
			}
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
			if isAtom = false; strings.HasPrefix(pattern[size:], "?") {
				size++
			}
		case ']', '}', 0:
			return false
		default:
			isAtom, isEmpty = true, false
		}
		if depth < 0 {
			return false
		}
		pattern = pattern[size:]
	}
	return depth == 0 && !isEmpty
}

// xgrammarEscape returns the bytes of the escape that a text begins with, or 0 where
// xgrammar reads none. classes are the letters of those of many characters.
func xgrammarEscape(text, classes string) int {
	const short, long = len(`\n`), len(`\u0000`)
	switch {
	case len(text) < short:
		return 0
	case strings.IndexByte(`^$\.*+?()[]{}|/-"nrtfv`, text[1]) >= 0 || strings.IndexByte(classes, text[1]) >= 0:
		return short
	case text[1] == 'u' && len(text) >= long:
		if _, err := strconv.ParseUint(text[short:long], 16, 16); err == nil {
			return long
		}
	}
	return 0
}

// xgrammarClass returns the bytes of the class that a text begins with, or 0 where
// xgrammar reads it otherwise.
func xgrammarClass(text string) int {
	i := 1
	if strings.HasPrefix(text, "[^") {
		i++
	}
	first := i
	last, isRange := rune(-1), false // the character before, and whether - follows it
	for i < len(text) && text[i] != ']' {
		char, size := rune(0), 0
		switch {
		case text[i] == '\\':
			if size = xgrammarEscape(text[i:], "dws"); size == 0 {
				return 0
			}
			char = escapedRune(text[i : i+size])
		case text[i] == '-' && i > first && last >= 0 && !isRange && i+1 < len(text) && text[i+1] != ']':
			isRange = true
			i++
			continue
		case text[i] == '-' && i > first && i+1 < len(text) && text[i+1] != ']', text[i] < ' ':
			return 0 // beside a class of many, or a range
		default:
			for _, r := range text[i:] {
				char, size = r, len(string(r))
				break
			}
		}
		if isRange && (char < last || char < 0) {
			return 0
		}
		if isRange {
			char = -1 // no range begins with it
		}
		last, isRange = char, false
		i += size
	}
	if i == first || i == len(text) || isRange {
		return 0
	}
	return i + 1
}

// escapedRune returns the character of an escape, or -1 for a class of many.
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

// xgrammarRepetition returns the bytes of the braces that a text begins with, or 0 where
// they are none.
func xgrammarRepetition(text string) int {
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return 0
	}
	least, most, isRange := strings.Cut(text[1:end], ",")
	from, err := strconv.ParseUint(least, 10, 31)
	if err != nil {
		return 0
	}
	if isRange && most != "" {
		if to, err := strconv.ParseUint(most, 10, 31); err != nil || to < from {
			return 0
		}
	}
	return end + 1
}
