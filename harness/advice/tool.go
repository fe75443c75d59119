package advice

import (
	"slices"
	"strings"
	"unicode"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Tool is a tool with its texts and parameters.
type Tool struct {
	schema.Tool

	Index int    // in the list
	Text  string // the description
	Lower string // the description in lower case
	// Params are the properties of the schema and of the objects in it, those of an object
	// before those below.
	Params []*Param
}

// Param is a property of the schema of a tool.
type Param struct {
	Name       string
	Schema     *schema.Node
	At         schema.Pointer // from the tool
	IsRequired bool
	Depth      int          // 0 for a property of the schema itself
	Holder     *schema.Node // the schema whose property it is
	Text       string       // the description
	Lower      string       // the description in lower case
}

const (
	mostParams = 2000
	mostDepth  = 8
	// mostText is how many bytes of a text are read.
	mostText = 64 << 10
)

func read(given schema.Tool, index int, language string) *Tool {
	tool := &Tool{Tool: given, Index: index, Text: textOf(given.Description, language)}
	tool.Lower = strings.ToLower(tool.Text)
	if given.Parameters != nil {
		tool.add(given.Parameters, "/parameters", 0, 0, language)
	}
	return tool
}

// add collects the properties of a schema, and of those below it. The depth counts the
// properties above it, and the level the schemas.
func (t *Tool) add(node *schema.Node, at schema.Pointer, depth, level int, language string) {
	if level > 2*mostDepth || depth > mostDepth {
		return
	}
	required := schema.Among(node.Get("required").Strings())
	first := len(t.Params)
	if properties := node.Get("properties"); properties != nil && properties.Kind == schema.Object {
		for _, member := range properties.Members {
			if len(t.Params) == mostParams {
				return
			}
			if member.Value.Kind != schema.Object {
				continue
			}
			param := &Param{
				Name: member.Key, Schema: member.Value, At: at.Child("properties").Child(member.Key), IsRequired: required(member.Key),
				Depth: depth, Holder: node, Text: textOf(member.Value.Get("description"), language),
			}
			param.Lower = strings.ToLower(param.Text)
			t.Params = append(t.Params, param)
		}
	}
	last := len(t.Params)
	for _, param := range t.Params[first:last:last] {
		t.add(param.Schema, param.At, depth+1, level+1, language)
	}
	for place := range node.Subschemas() {
		switch place.Keyword {
		case "items", "anyOf", "oneOf", "allOf", "additionalProperties":
			if below := place.Node(); below.Kind == schema.Object {
				t.add(below, schema.Pointer(place.AppendTo([]byte(at))), max(depth, 1), level+1, language)
			}
		}
	}
}

// textOf returns a description; of one in several languages that of the tag, or else the
// English or the first one.
func textOf(node *schema.Node, language string) string {
	if node == nil {
		return ""
	}
	text := node.Text
	if node.Kind == schema.Object {
		text = node.First(append(tagsOf(language), append(tagsOf("en"), node.Keys()...)...)...).String()
		text = strings.Trim(text, `"`)
	} else if node.Kind != schema.String {
		return ""
	}
	return strings.ToValidUTF8(text[:min(len(text), mostText)], "")
}

// tagsOf returns a language tag and its base.
func tagsOf(language string) []string {
	base, _, _ := strings.Cut(strings.ReplaceAll(language, "_", "-"), "-")
	return []string{language, base}
}

// Own returns the properties of the schema itself.
func (t *Tool) Own() []*Param {
	own := t.Params
	for i, param := range own {
		if param.Depth > 0 {
			return own[:i]
		}
	}
	return own
}

// Param returns the property of the schema itself that has a name, or nil.
func (t *Tool) Param(name string) *Param {
	for _, param := range t.Own() {
		if param.Name == name {
			return param
		}
	}
	return nil
}

// IsA reports whether a parameter takes values of a type: it names the type, also beside
// null or in a branch.
func (p *Param) IsA(types ...string) bool { return isA(p.Schema, types) }

func isA(node *schema.Node, types []string) bool {
	for _, name := range node.Types() {
		if slices.Contains(types, strings.ToLower(name)) {
			return true
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := node.Get(keyword); branches != nil {
			for _, branch := range branches.Elements {
				if branch.Kind == schema.Object && isA(branch, types) {
					return true
				}
			}
		}
	}
	return false
}

// IsClosed reports whether the schema itself lists values: enum, const or a reference.
func (p *Param) IsClosed() bool { return isClosed(p.Schema) }

func isClosed(node *schema.Node) bool {
	if node.Has("enum") || node.Has("const") || node.Has("$ref") {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "items"} {
		below := node.Get(keyword)
		if below == nil {
			continue
		}
		if below.Kind == schema.Object && isClosed(below) {
			return true
		}
		for _, branch := range below.Elements {
			if branch.Kind == schema.Object && isClosed(branch) {
				return true
			}
		}
	}
	return false
}

// words returns the words of a name or a text in lower case. camelCase and snake_case are
// several words.
func words(text string) []string {
	var all []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	last := ' '
	for _, letter := range text {
		switch {
		case !unicode.IsLetter(letter) && !unicode.IsDigit(letter):
			flush()
		case unicode.IsUpper(letter) && unicode.IsLower(last):
			flush()
			word.WriteRune(unicode.ToLower(letter))
		default:
			word.WriteRune(unicode.ToLower(letter))
		}
		last = letter
	}
	flush()
	return all
}

// hasWord reports whether a text in lower case has a word, and not only as a part of one.
func hasWord(lower, word string) bool {
	for from := 0; word != ""; {
		at := strings.Index(lower[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !isWordByte(lower[at-1])) && (end == len(lower) || !isWordByte(lower[end])) {
			return true
		}
		from = at + 1
	}
	return false
}

func isWordByte(letter byte) bool {
	return letter == '_' || letter >= 0x80 || '0' <= letter && letter <= '9' || 'a' <= letter && letter <= 'z' || 'A' <= letter && letter <= 'Z'
}

// hasAny reports whether a text in lower case has one of the parts.
func hasAny(lower string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// isForeign reports whether a text has letters of a script that the words of the rules are
// not in.
func isForeign(text string) bool {
	return strings.ContainsFunc(text, func(letter rune) bool { return letter >= 0x370 && unicode.IsLetter(letter) })
}

// quoted returns a part of a text as a message quotes it, at most so many letters of it.
func quoted(text string) string {
	const longest = 60
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > longest {
		return `"` + string(letters[:longest]) + `…"`
	}
	return `"` + string(letters) + `"`
}

// list joins names for a sentence, the first few of them.
func list(names []string) string {
	const few = 5
	if len(names) > few {
		return strings.Join(names[:few], ", ") + " and more"
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// descriptionOf returns the place and the node of the description of a parameter, or of its
// schema where it has none.
func (p *Param) descriptionOf() (schema.Pointer, *schema.Node) {
	if node := p.Schema.Get("description"); node != nil {
		return p.At.Child("description"), node
	}
	return p.At, p.Schema
}

// descriptionOf returns the place and the node of the description of a tool, or of its
// parameters where it has none.
func (t *Tool) descriptionOf() (schema.Pointer, *schema.Node) {
	if t.Description != nil {
		return "/description", t.Description
	}
	return "", t.Parameters
}

// sentences returns the lines and sentences of a text.
func sentences(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, ". ", "\n"), func(letter rune) bool { return letter == '\n' || letter == ';' })
}

// match returns what a group of an expression finds in a text, or "". The texts that cannot
// have it, for lack of all hints, are passed over without the expression.
func match(expression *lazy.Regexp, lower, text string, hints ...string) []string {
	if len(hints) > 0 && !hasAny(lower, hints...) {
		return nil
	}
	return expression.FindStringSubmatch(text)
}
