package advice

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// declaration is a tool with its texts and parameters.
type declaration struct {
	schema.Tool

	index int      // in the list
	named []string // the words of its name
	text  string   // the description
	lower string   // the description in lower case
	// prose is the description as it was read, while rules look at the tool, and words has its words
	// once they are asked for.
	prose *prose.Text
	words []string
	modes *modes // once a rule asks for them
	// params are the properties of the schema and of the objects in it, outer ones first.
	params []*parameter
}

// parameter is a property of the schema of a tool.
type parameter struct {
	name       string
	words      []string // of the name, in lower case
	path       string   // the name behind those of the objects and lists that have it
	schema     *schema.Node
	at         schema.Pointer // from the tool
	isRequired bool
	depth      int            // 0 for a property of the schema itself
	holder     *schema.Node   // the schema whose property it is
	above      schema.Pointer // of the holder
	text       string         // the description
	// lower and prose are the description in lower case and as it was read, while rules look at the tool.
	lower string
	prose *prose.Text
	// isBranch says that the property is of one branch of several.
	isBranch bool
}

const (
	mostParams = 2000
	mostDepth  = 8
	// mostText is the number of bytes of a text that are read.
	mostText = 64 << 10
)

func read(declared schema.Tool, index int, language string) *declaration {
	tool := &declaration{Tool: declared, index: index, named: words(declared.Name), text: textOf(declared.Description, language)}
	tool.lower = prose.Lower(tool.text)
	if declared.Parameters != nil {
		tool.add(holder{node: declared.Parameters, at: "/parameters"}, language)
	}
	return tool
}

// study reads the texts of a tool.
func (t *declaration) study(reader *prose.Reader) {
	t.prose = reader.Read(t.text)
	for _, param := range t.params {
		param.prose = reader.Read(param.text)
		param.lower = param.prose.Lower
	}
}

// forget drops what study read, so that the reader can be used again.
func (t *declaration) forget() {
	t.prose, t.words, t.modes = nil, nil, nil
	for _, param := range t.params {
		param.prose, param.lower = nil, ""
	}
}

// holder is a schema that may have properties.
type holder struct {
	node *schema.Node
	at   schema.Pointer
	path string // of its properties, before their names
	// depth is the number of properties above the schema, and level the number of schemas.
	depth, level int
	isBranch     bool
}

// add collects the properties of a schema and of its subschemas.
func (t *declaration) add(above holder, language string) {
	if above.level > 2*mostDepth || above.depth > mostDepth {
		return
	}
	node := above.node
	required := schema.Among(node.Get("required").Strings())
	first := len(t.params)
	if properties := node.Get("properties"); properties != nil && properties.Kind == schema.Object {
		for _, member := range properties.Members {
			if len(t.params) == mostParams {
				return
			}
			if member.Value.Kind != schema.Object {
				continue
			}
			param := &parameter{
				name: member.Key, words: words(member.Key), path: above.path + member.Key, schema: member.Value,
				at: above.at.Child("properties").Child(member.Key), isRequired: required(member.Key), isBranch: above.isBranch,
				depth: above.depth, holder: node, above: above.at, text: textOf(member.Value.Get("description"), language),
			}
			t.params = append(t.params, param)
		}
	}
	last := len(t.params)
	for _, param := range t.params[first:last:last] {
		t.add(holder{node: param.schema, at: param.at, path: param.path + ".", depth: above.depth + 1, level: above.level + 1, isBranch: above.isBranch}, language)
	}
	for place := range node.Subschemas() {
		below := holder{node: place.Node(), path: above.path, depth: max(above.depth, 1), level: above.level + 1, isBranch: above.isBranch}
		switch place.Keyword {
		case "items", "additionalProperties":
			below.path = strings.TrimSuffix(above.path, ".") + "[]."
		case "anyOf", "oneOf", "allOf":
			below.isBranch = true
		default:
			continue
		}
		if below.node.Kind == schema.Object {
			below.at = schema.Pointer(place.AppendTo([]byte(above.at)))
			t.add(below, language)
		}
	}
}

// textOf returns a description. If it is in several languages it returns the one of the
// tag, or else the English one, or else the first.
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

// tagsOf returns each of the language tags in a list, with its base.
func tagsOf(languages string) []string {
	var tags []string
	for language := range strings.SplitSeq(languages, ",") {
		language = strings.TrimSpace(language)
		base, _, _ := strings.Cut(strings.ReplaceAll(language, "_", "-"), "-")
		tags = append(tags, language, base)
	}
	return tags
}

// own returns the properties of the schema itself.
func (t *declaration) own() []*parameter {
	own := t.params
	for i, param := range own {
		if param.depth > 0 {
			return own[:i]
		}
	}
	return own
}

// param returns the schema's own property of a name, or nil.
func (t *declaration) param(name string) *parameter {
	for _, param := range t.own() {
		if param.name == name {
			return param
		}
	}
	return nil
}

// isA reports whether a parameter accepts values of a type: its type names it, alone or
// with others, or a branch does.
func (p *parameter) isA(types ...string) bool { return isA(p.schema, types) }

func isA(node *schema.Node, types []string) bool {
	if kind := node.Get("type"); kind != nil && kind.Kind == schema.String {
		if slices.Contains(types, strings.ToLower(kind.Text)) {
			return true
		}
	} else if kind != nil && slices.ContainsFunc(kind.Strings(), func(name string) bool { return slices.Contains(types, strings.ToLower(name)) }) {
		return true
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

// sole returns the only branch of a parameter that takes more than null, and where it is; the schema itself if it has no
// such branch.
func (p *parameter) sole() (*schema.Node, schema.Pointer) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		const two = 2
		branches := p.schema.Get(keyword)
		if branches == nil || len(branches.Elements) != two {
			continue
		}
		for i, branch := range branches.Elements {
			if branches.Elements[1-i].Get("type").Is("null") && branch.Kind == schema.Object {
				return branch, p.at.Child(keyword).Child(strconv.Itoa(i))
			}
		}
	}
	return p.schema, p.at
}

// hasDefault reports whether a parameter has a default that is a value.
func (p *parameter) hasDefault() bool {
	fallback := p.schema.Get("default")
	return fallback != nil && fallback.Kind != schema.Null
}

// isClosed reports whether the schema restricts its values by enum, const or a reference.
func (p *parameter) isClosed() bool { return isClosed(p.schema) }

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

// words splits a name or a text into words in lower case. camelCase and snake_case are
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

// hasWord reports whether a text in lower case has a whole word.
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
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(lower, part) })
}

// isForeign reports whether a text has letters of a script that the rules have no words
// in.
func isForeign(text string) bool {
	const first = 0xCD // byte of such letters
	for i := range len(text) {
		if text[i] >= first {
			return hasForeign(text[i:])
		}
	}
	return false
}

func hasForeign(text string) bool {
	return strings.ContainsFunc(text, func(letter rune) bool { return letter >= 0x370 && unicode.IsLetter(letter) })
}

// quoted returns the beginning of a text in quotes, as messages quote it.
func quoted(text string) string {
	const longest = 60
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > longest {
		return `"` + string(letters[:longest]) + `…"`
	}
	return `"` + string(letters) + `"`
}

// list joins names for a sentence. Of very many it has the first ones and the number of the
// others.
func list(names []string) string {
	const many = 20
	if len(names) > many {
		return strings.Join(names[:many], ", ") + " and " + strconv.Itoa(len(names)-many) + " more"
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// descriptionOf returns the place and node of a parameter's description, or of its schema
// if it has none.
func (p *parameter) descriptionOf() (schema.Pointer, *schema.Node) {
	if node := p.schema.Get("description"); node != nil {
		return p.at.Child("description"), node
	}
	return p.at, p.schema
}

// descriptionOf returns the place and node of a tool's description, or of its parameters
// if it has none.
func (t *declaration) descriptionOf() (schema.Pointer, *schema.Node) {
	if t.Description != nil {
		return "/description", t.Description
	}
	return "", t.Parameters
}

func pathsOf(params []*parameter) []string {
	var paths []string
	for _, param := range params {
		if !slices.Contains(paths, param.path) { // branches may have the same
			paths = append(paths, param.path)
		}
	}
	return paths
}

// last returns the last word of the name of a parameter.
func (p *parameter) last() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[len(p.words)-1]
}

// hasNameOf reports whether one of the words of a name is among some.
func (p *parameter) hasNameOf(some ...string) bool {
	return slices.ContainsFunc(p.words, func(word string) bool { return slices.Contains(some, word) })
}

// sentences splits a text into lines and sentences.
func sentences(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, ". ", "\n"), func(letter rune) bool { return letter == '\n' || letter == ';' })
}
