// Package record makes recordings of ordinary traffic between a client and its provider. A
// recording keeps what decides about a declaration: its constructs, their positions, types and
// sizes. Names and texts are replaced by neutral ones, and prompts, headers and queries are
// not read.
package record

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// Reduction is what Reduce makes of declarations.
type Reduction struct {
	Declarations []*schema.Node

	// words has the neutral word of each name, value and text that was replaced.
	words map[string]string
}

// The lengths, in characters, up to which all names, and all texts, are treated alike by
// providers. Nothing longer than maxKept is kept.
const (
	shortName = 64
	shortText = 1024
	maxKept   = 1 << 16
)

// Reduce replaces the names and the texts in the declarations of a request to a surface. The
// same name becomes the same neutral one wherever it occurs. What providers are known to
// distinguish stays: keywords, types, formats, bounds, the number of values, the operators of a
// pattern, the punctuation of a name, and whether a text is empty or long.
func Reduce(dialect *provider.Dialect, declarations []*schema.Node) Reduction {
	r := &reducer{words: map[string]string{}, functions: map[string]string{}, numbers: map[string]string{}}
	reduced := make([]*schema.Node, len(declarations))
	var path []string
	if dialect.Schema != "" {
		path = dialect.Schema.Tokens()
	}
	for i, declaration := range declarations {
		if dialect.Schema == "" {
			reduced[i] = r.schema(declaration)
		} else {
			reduced[i] = r.envelope(declaration, path)
		}
	}
	maps.Copy(r.words, r.functions)
	return Reduction{reduced, r.words}
}

// reducer has the neutral words by the originals, those of functions apart: they are in the
// order of the functions, wherever a declaration has its name.
type reducer struct{ words, functions, numbers map[string]string }

// schemaMembers are the members of declarations that hold schemas, in the spelling of JSON.
var schemaMembers = []string{
	"parameters", "parametersJsonSchema", "input_schema", "inputSchema", "schema", "response", "responseJsonSchema", "output_schema", "outputSchema",
}

// envelopes are the members of declarations that hold others of the same kind.
var envelopes = []string{"function", "json_schema", "output_format", "toolSpec", "inputSchema", "custom"}

// ownMembers are further members that surfaces know in declarations.
var ownMembers = []string{
	"type", "strict", "cache_control", "ttl", "behavior", "defer_loading", "allowed_callers", "input_examples", "eager_input_streaming", "async", "format", "definition", "syntax",
	"annotations", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "audience", "priority", "icons", "src", "mimeType", "sizes", "execution",
	"taskSupport", "_meta",
}

// ownWords are strings that surfaces know as values of ownMembers.
var ownWords = []string{
	"function", "custom", "json_schema", "ephemeral", "5m", "1h", "BLOCKING", "NON_BLOCKING", "UNSPECIFIED", "direct", "code_execution_20250825", "grammar", "lark", "regex", "text",
	"optional", "required", "forbidden", "user", "assistant", "any",
}

// envelope reduces a declaration, or a part of one around its schema, to which the path leads.
func (r *reducer) envelope(node *schema.Node, path []string) *schema.Node {
	if node == nil || node.Kind != schema.Object {
		return r.data(node)
	}
	reduced := schema.NewObject()
	for _, member := range node.Members {
		key, value := member.Key, member.Value
		name := camel(key)
		isNext := len(path) > 0 && name == camel(path[0])
		switch {
		case isNext && len(path) == 1:
			value = r.schema(value)
		case isNext:
			value = r.envelope(value, path[1:])
		case slices.Contains(envelopes, key) && value.Kind == schema.Object: // of another API, or of another day
			value = r.envelope(value, path)
		case slices.Contains(schemaMembers, key), slices.Contains(schemaMembers, name):
			value = r.schema(value)
		case key == "name" && value.Kind == schema.String:
			value = schema.NewString(r.function(value.Text))
		case key == "description" && value.Kind == schema.String, key == "title" && value.Kind == schema.String:
			value = schema.NewString(r.text(value.Text))
		case slices.Contains(ownMembers, key):
			value = r.own(value)
		case key == "name", key == "description", key == "title":
			value = r.data(value)
		default:
			key, value = r.name(key), r.data(value)
		}
		reduced.Members = append(reduced.Members, schema.Member{Key: key, Value: value})
	}
	return reduced
}

// own reduces the value of a member that the surface knows.
func (r *reducer) own(node *schema.Node) *schema.Node {
	switch {
	case node.Kind == schema.String && slices.Contains(ownWords, node.Text):
		return node
	case node.Kind == schema.Array:
		return each(node, r.own)
	case node.Kind != schema.Object:
		return r.data(node)
	}
	reduced := schema.NewObject()
	for _, member := range node.Members {
		key := member.Key
		if !slices.Contains(ownMembers, key) {
			key = r.name(key)
		}
		reduced.Members = append(reduced.Members, schema.Member{Key: key, Value: r.own(member.Value)})
	}
	return reduced
}

// each returns a list with every element replaced.
func each(list *schema.Node, replace func(*schema.Node) *schema.Node) *schema.Node {
	replaced := schema.NewArray()
	for _, element := range list.Elements {
		replaced.Elements = append(replaced.Elements, replace(element))
	}
	return replaced
}

// camel returns a name as JSON spells it: Google also reads the names of its protocol
// buffers, such as any_of.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word == "" {
			return name
		}
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// schema reduces a schema.
func (r *reducer) schema(node *schema.Node) *schema.Node {
	if node == nil || node.Kind != schema.Object {
		return r.data(node)
	}
	reduced := schema.NewObject()
	for _, member := range node.Members {
		keyword := camel(member.Key)
		switch keyword {
		case "ref", "defs": // Vertex AI's names
			keyword = "$" + keyword
		}
		key, value := member.Key, member.Value
		switch class := schema.ClassOf(keyword); {
		case class == schema.Unknown:
			key, value = r.name(key), r.data(value)
		case class == schema.Data:
			value = r.keyword(keyword, value)
		case value.Kind == schema.Array && (class == schema.SchemaList || class == schema.SchemaOrList):
			value = each(value, r.schema)
		case value.Kind == schema.Object && (class == schema.SchemaMap || class == schema.SchemaOrNamesMap):
			value = r.named(keyword, value)
		case class == schema.OneSchema, class == schema.SchemaOrList:
			value = r.schema(value)
		default:
			value = r.data(value)
		}
		reduced.Members = append(reduced.Members, schema.Member{Key: key, Value: value})
	}
	return reduced
}

// named reduces schemas, or lists of names, by name.
func (r *reducer) named(keyword string, node *schema.Node) *schema.Node {
	reduced := schema.NewObject()
	for _, member := range node.Members {
		key := member.Key
		if keyword == "patternProperties" {
			for key = r.pattern(key); reduced.Has(key); {
				key += "x"
			}
		} else {
			key = r.name(key)
		}
		value := member.Value
		if value.Kind == schema.Array {
			value = r.data(value)
		} else {
			value = r.schema(value)
		}
		reduced.Members = append(reduced.Members, schema.Member{Key: key, Value: value})
	}
	return reduced
}

// keyword reduces the value of a keyword that holds no schema.
func (r *reducer) keyword(keyword string, value *schema.Node) *schema.Node {
	if value.Kind == schema.String {
		return schema.NewString(r.word(keyword, value.Text))
	}
	switch keyword {
	case "type":
		if value.Kind == schema.Array {
			return each(value, func(element *schema.Node) *schema.Node { return r.keyword("type", element) })
		}
	case "discriminator":
		return r.discriminator(value)
	case "enum", "const", "default", "example", "examples":
		return r.data(value)
	}
	if value.Kind == schema.Number {
		return value // a bound or a size
	}
	return r.data(value)
}

// word reduces a string that is the value of a keyword.
func (r *reducer) word(keyword, text string) string {
	switch keyword {
	case "type":
		if isType(text) {
			return text
		}
	case "description", "title", "$comment":
		return r.text(text)
	case "format":
		if construct.IsFormat(text) {
			return text
		}
	case "pattern":
		return r.pattern(text)
	case "$ref", "$dynamicRef", "$recursiveRef":
		return r.reference(text)
	case "$id", "id":
		return r.address(text)
	case "$schema":
		if slices.Contains(dialects, strings.TrimSuffix(text, "#")) {
			return text
		}
		return r.address(text)
	case "contentEncoding", "contentMediaType":
		if slices.Contains(contents, text) {
			return text
		}
	}
	return r.name(text)
}

// isType reports whether a text is a type of JSON Schema, in any case.
func isType(text string) bool {
	return slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object", "null"}, strings.ToLower(text))
}

// dialects are the values of $schema that are known everywhere.
var dialects = []string{
	"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema",
	"https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-04/schema", "http://json-schema.org/schema",
}

// contents are common encodings and types of contents.
var contents = []string{
	"base64", "base16", "base32", "base64url", "quoted-printable", "binary",
	"application/json", "application/octet-stream", "text/plain", "text/html", "image/png",
}

// discriminator reduces the object of OpenAPI.
func (r *reducer) discriminator(node *schema.Node) *schema.Node {
	if node.Kind != schema.Object {
		return r.data(node)
	}
	reduced := schema.NewObject()
	for _, member := range node.Members {
		key, value := member.Key, member.Value
		switch {
		case key == "propertyName":
			value = r.data(value)
		case key == "mapping" && value.Kind == schema.Object:
			mapping := schema.NewObject()
			for _, branch := range value.Members {
				target := r.data(branch.Value)
				if branch.Value.Kind == schema.String {
					target = schema.NewString(r.reference(branch.Value.Text))
				}
				mapping.Members = append(mapping.Members, schema.Member{Key: r.name(branch.Key), Value: target})
			}
			value = mapping
		default:
			key, value = r.name(key), r.data(value)
		}
		reduced.Members = append(reduced.Members, schema.Member{Key: key, Value: value})
	}
	return reduced
}

// data reduces any value. It keeps kinds, numbers of elements, and which values are equal.
func (r *reducer) data(node *schema.Node) *schema.Node {
	switch {
	case node == nil:
		return nil
	case node.Kind == schema.String:
		return schema.NewString(r.name(node.Text))
	case node.Kind == schema.Number:
		return schema.NewNumber(r.number(node.Text))
	case node.Kind == schema.Array:
		return each(node, r.data)
	case node.Kind != schema.Object:
		return node
	}
	reduced := schema.NewObject()
	for _, member := range node.Members {
		value := member.Value
		if schema.ClassOf(member.Key) == schema.Data && value.Kind == schema.String { // a schema at a place that is none
			value = r.keyword(member.Key, value)
		} else {
			value = r.data(value)
		}
		reduced.Members = append(reduced.Members, schema.Member{Key: r.name(member.Key), Value: value})
	}
	return reduced
}

// letter returns the neutral word of a number: a, b ... z, a1, b1 and so on, none of which is a
// keyword.
func letter(number int) string {
	const letters = 26
	text := string(rune('a' + number%letters))
	if number >= letters {
		text += strconv.Itoa(number / letters)
	}
	return text
}

// name returns the neutral word of a name or a value. Keywords and types stay, since providers
// treat properties with such names apart. So do strings that Google reads as another type.
func (r *reducer) name(text string) string {
	if text == "" || schema.ClassOf(text) != schema.Unknown || isType(text) || isLiteralValue(text) {
		return text
	}
	if strings.HasPrefix(text, "#/") {
		return r.reference(text)
	}
	if _, ok := r.words[text]; !ok {
		r.words[text] = shaped(letter(len(r.words)), text)
	}
	return r.words[text]
}

// isLiteralValue reports whether a string spells a boolean or a number of at most two digits.
func isLiteralValue(text string) bool {
	const digits = 2
	return text == "true" || text == "false" || len(text) <= digits && strings.Trim(text, "0123456789") == ""
}

// reserved are names of functions that a surface refuses.
var reserved = []string{"search"} // dashscope/chat

// function returns the neutral name of a function: f, f1 and so on.
func (r *reducer) function(text string) string {
	if text == "" || slices.Contains(reserved, text) {
		return text
	}
	if _, ok := r.functions[text]; !ok {
		base := "f"
		if count := len(r.functions); count > 0 {
			base += strconv.Itoa(count)
		}
		r.functions[text] = shaped(base, text)
	}
	return r.functions[text]
}

// shaped gives a neutral word what providers distinguish in the original: the kind of its
// first character, each kind of punctuation once, and the class of its length.
func shaped(base, original string) string {
	var word, marks strings.Builder
	for i, char := range original {
		kind := kindOf(char)
		switch {
		case i == 0 && kind != 'a':
			word.WriteRune(kind)
		case kind != 'a' && kind != '0' && kind != '_' && !strings.ContainsRune(marks.String(), kind) && !strings.HasPrefix(word.String(), string(kind)):
			marks.WriteRune(kind)
		}
		if i == 0 {
			word.WriteString(base)
		}
	}
	text := word.String() + marks.String()
	if length := classOf(utf8.RuneCountInString(original), shortName); length > shortName {
		text += strings.Repeat("x", max(0, length-utf8.RuneCountInString(text)))
	}
	return text
}

// classOf returns the least length of all that count as the given one: short, up to twice
// short, up to four times, and so on.
func classOf(length, short int) int {
	if length <= short {
		return min(length, 1)
	}
	class := short
	for 2*class < min(length, maxKept) {
		class *= 2
	}
	return class + 1
}

// kindOf returns a character that stands for all like the given one: itself for punctuation.
func kindOf(char rune) rune {
	switch {
	case char >= utf8.RuneSelf:
		return 'é'
	case unicode.IsLetter(char):
		return 'a'
	case unicode.IsDigit(char):
		return '0'
	case unicode.IsControl(char):
		return '\n'
	default:
		return char
	}
}

// text returns the neutral form of a description.
func (r *reducer) text(text string) string {
	return strings.Repeat("x", classOf(utf8.RuneCountInString(text), shortText))
}

// number returns the neutral spelling of a number in data: it keeps the sign, whether there is
// a fraction or an exponent, and how many digits there are if they may not fit into 32 bits.
func (r *reducer) number(spelling string) string {
	if neutral, ok := r.numbers[spelling]; ok {
		return neutral
	}
	sign, digits := "", spelling
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	whole, exponent, hasExponent := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, hasFraction := strings.Cut(whole, ".")
	neutral := strconv.Itoa(len(r.numbers) + 1)
	const sure = 9
	if length := min(len(whole), maxKept); length > sure {
		neutral = "1" + strings.Repeat("0", max(0, length-1-len(neutral))) + neutral
	}
	switch {
	case hasFraction && strings.Trim(fraction, "0") == "":
		neutral += ".0"
	case hasFraction:
		neutral += ".5"
	}
	if hasExponent {
		neutral += "e" + exponent[:min(len(exponent), sure)]
	}
	r.numbers[spelling] = sign + neutral
	return r.numbers[spelling]
}

// reference returns the neutral form of a reference. The keywords in a JSON Pointer stay.
func (r *reducer) reference(text string) string {
	resource, fragment, hasFragment := strings.Cut(text, "#")
	neutral := ""
	if resource != "" {
		neutral = r.address(resource)
	}
	switch {
	case !hasFragment:
	case fragment == "":
		neutral += "#"
	case !strings.HasPrefix(fragment, "/"):
		neutral += "#" + r.name(fragment)
	default:
		neutral += "#" + r.pointer(fragment)
	}
	if neutral != text {
		r.words[text] = neutral
	}
	return neutral
}

// pointer returns the neutral form of a JSON Pointer in a fragment.
func (r *reducer) pointer(fragment string) string {
	var neutral strings.Builder
	isName := false // of a property or a definition
	for _, written := range strings.Split(fragment, "/")[1:] {
		token := strings.NewReplacer("~1", "/", "~0", "~").Replace(written)
		decoded, err := url.PathUnescape(token)
		isEncoded := err == nil && decoded != token
		if isEncoded {
			token = decoded
		}
		class := schema.ClassOf(token)
		_, noIndex := strconv.Atoi(token)
		if isName || class == schema.Unknown && noIndex != nil {
			token = r.name(token)
		}
		if token = strings.NewReplacer("~", "~0", "/", "~1").Replace(token); isEncoded {
			token = url.PathEscape(token)
		}
		neutral.WriteString("/" + token)
		isName = !isName && (class == schema.SchemaMap || class == schema.SchemaOrNamesMap)
	}
	return neutral.String()
}

// address returns the neutral form of an absolute or a relative address.
func (r *reducer) address(text string) string {
	if text == "" {
		return text
	}
	if known, ok := r.words[text]; ok {
		return known
	}
	neutral := letter(len(r.words)) + ".json"
	if strings.Contains(text, "://") {
		neutral = "https://example.com/" + neutral
	}
	r.words[text] = neutral
	return neutral
}
