package listing

import (
	"cmp"
	_ "embed" // api.json
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"toolproof/schema"
)

// api has the schemas by which the registry's API reads a publication, without texts; lab/referees/mcp-registry compares
// them with those that the registry publishes.
//
//go:embed api.json
var api []byte

// forms reads api.
var forms = sync.OnceValue(func() *schema.Node {
	node, err := schema.Parse(api)
	if err != nil {
		return nil // a test uses each
	}
	return node
})

// sources of the rules. The registry is in Go: the versions are those of its module.
const (
	source       = "github.com/modelcontextprotocol/registry v1.8.9 (2026-11-10), "
	sourceAPI    = source + "pkg/api/v0/types.go, as the API reads it"
	sourceValid  = source + "internal/validators/validators.go"
	sourceChecks = source + "internal/validators/registries"
)

// reading is a server.json, and what mcp-publisher sends of it: members of the registry's types that are not empty, and those that
// the registry requires.
type reading struct {
	given, sent    *schema.Node
	typed, dropped []fault
}

// read returns what mcp-publisher makes of a file.
func read(file *schema.Node) *reading {
	r := &reading{given: file}
	r.sent = r.value(server(), file, "", field{})
	return r
}

// form is a schema of the API. Its name is that of a type of Go; empty if it has none.
type form struct {
	*schema.Node

	name string
}

// server returns the form of a server.json.
func server() form { return form{forms().Get("ServerJSON"), "ServerJSON"} }

// formOf follows the reference of a schema, if it is one.
func formOf(node *schema.Node) form {
	reference := node.GetString("$ref")
	if reference == "" {
		return form{node, ""}
	}
	name := reference[strings.LastIndex(reference, "/")+1:]
	return form{forms().Get(name), name}
}

// kind returns the type of the form's values.
func (f form) kind() string {
	if list := f.Get("type"); list != nil && list.Kind == schema.Array { // a list, or null
		return "array"
	}
	return f.GetString("type")
}

// inGo returns the type of Go that the form stands for.
func (f form) inGo() string {
	switch kind := f.kind(); {
	case strings.HasPrefix(f.name, "Server"):
		return "v0." + f.name
	case f.name != "":
		return "model." + f.name
	case kind == "array":
		return "[]" + formOf(f.Get("items")).inGo()
	case kind == "object" && f.Get("additionalProperties").Has("$ref"):
		return "map[string]" + formOf(f.Get("additionalProperties")).inGo()
	case kind == "object":
		return "map[string]interface {}"
	case kind == "boolean":
		return "bool"
	default:
		return kind
	}
}

// zero returns the zero value of the form.
func (f form) zero(at schema.Position) *schema.Node {
	if f.kind() == "string" {
		return &schema.Node{Kind: schema.String, Position: at}
	}
	made := &schema.Node{Kind: schema.Object, Position: at}
	f.addRequired(made)
	return made
}

// addRequired adds the members that the form requires and an object does not have.
func (f form) addRequired(object *schema.Node) {
	for _, name := range f.Get("required").Strings() {
		if !object.Has(name) {
			object.Set(name, formOf(f.Get("properties").Get(name)).zero(object.Position))
		}
	}
}

// field is a field of Go, as encoding/json names it: the struct that has it, and the fields that lead to it.
type field struct{ in, path string }

// of returns the field of a form's member.
func (f field) of(form form, member string) field {
	if form.name == "KeyValueInput" && member != "name" { // fields of structs in that of the registry
		within := "InputWithVariables."
		if member != "variables" {
			within += "Input."
		}
		member = within + member
	}
	return field{cmp.Or(form.name, f.in), strings.TrimPrefix(f.path+"."+member, ".")}
}

// value returns what is sent of a value; nil if that is nothing.
func (r *reading) value(form form, value *schema.Node, at schema.Pointer, field field) *schema.Node {
	kind := value.Kind.String()
	switch want := form.kind(); {
	case value.Kind == schema.Null:
		return nil
	case kind != want:
		r.typed = append(r.typed, fault{at: at, message: fmt.Sprintf(
			"invalid server.json: json: cannot unmarshal %s into Go struct field %s.%s of type %s", strings.TrimSuffix(kind, "ean"), field.in, field.path, form.inGo(),
		)})
		return nil
	case want == "array":
		sent, items := *value, formOf(form.Get("items"))
		sent.Elements = nil
		for i, element := range value.Elements {
			sent.Elements = append(sent.Elements, cmp.Or(r.value(items, element, at.Element(i), field), items.zero(element.Position)))
		}
		return &sent
	case want == "object":
		sent := *value
		sent.Members = nil
		r.members(form, value, &sent, at, field)
		return &sent
	default:
		return value
	}
}

// members adds to sent the members that a form has.
func (r *reading) members(form form, value, sent *schema.Node, at schema.Pointer, field field) {
	properties := form.Get("properties")
	for _, member := range value.Members {
		if properties == nil {
			sent.Set(member.Key, r.entry(formOf(form.Get("additionalProperties")), member, at.Child(member.Key), field))
			continue
		}
		name := spelling(properties, member.Key)
		if name == "" {
			r.dropped = append(r.dropped, fault{at: at.Child(member.Key), message: "mcp-publisher does not send " + member.Key + ", which the registry does not know"})
			continue
		}
		one := r.value(formOf(properties.Get(name)), member.Value, at.Child(name), field.of(form, name))
		if one != nil && !isLeftOut(form, name, one) {
			sent.Set(name, one)
		}
	}
	form.addRequired(sent)
}

// entry returns what is sent of an entry of a map.
func (r *reading) entry(form form, member schema.Member, at schema.Pointer, field field) *schema.Node {
	if !form.Has("type") { // any value
		return member.Value
	}
	return cmp.Or(r.value(form, member.Value, at, field), form.zero(member.Value.Position))
}

// spelling returns the name of a member as the registry has it, which encoding/json finds in any case.
func spelling(properties *schema.Node, key string) string {
	for _, known := range properties.Members {
		if known.Key == key {
			return key
		}
	}
	for _, known := range properties.Members {
		if strings.EqualFold(known.Key, key) {
			return known.Key
		}
	}
	return ""
}

// kept are the members that are sent although they are empty: pointers in Go.
var kept = []string{"mimeType", "theme", "value", "valueHint", "repository", "_meta", "transport"}

// isLeftOut reports whether a value is empty and therefore not sent.
func isLeftOut(form form, name string, value *schema.Node) bool {
	isEmpty := value.Text == "" && len(value.Elements)+len(value.Members) == 0
	return isEmpty && !slices.Contains(kept, name) && !slices.Contains(form.Get("required").Strings(), name)
}

var wrongType = &Rule{
	Name: "wrong_type", Stage: Reading, Since: "2026-03-06",
	Doc: `a member has the registry's type

mcp-publisher reads the file into types of Go, and stops at the first value of another type, such as "true" in quotes.`,
	Source:  source + "cmd/publisher/commands/publish.go and pkg/model/types.go; the same types in v1.5.0 (2026-03-06)",
	Instead: "write a value of that type",
	check:   func(r *reading) []fault { return r.typed },
}

var memberDropped = &Rule{
	Name: "member_dropped", Stage: Remark, Since: "2026-03-06",
	Doc: `a member is one of the registry's

mcp-publisher does not send others, such as a misspelt one, and says nothing. Of _meta, "only data under the specific key
io.modelcontextprotocol.registry/publisher-provided will be preserved. Any other keys in the _meta object are silently dropped".`,
	Source:  source + "cmd/publisher/commands/publish.go; github.com/modelcontextprotocol/registry/docs/reference/server-json/official-registry-requirements.md",
	Instead: "correct the name, or put the member into _meta, under io.modelcontextprotocol.registry/publisher-provided",
	check:   func(r *reading) []fault { return r.dropped },
}

// requestRules are the rules of the API's schemas.
var requestRules = []*Rule{
	requestRule("length", ofLength, "write a text of another length", `a text has neither more nor fewer characters than the registry takes

At most 100 characters: description and title. At most 200: name, with 3 at least. At most 255: versions, and the src of an icon. A text that is
required has at least one: $schema, description, version, registryType, identifier.`),
	requestRule("pattern", ofPattern, "write a text that the pattern matches", `a name and a hash have the registry's form

The name of a server is a domain backwards, a slash, and a name: io.github.user/weather. fileSha256 has 64 small hexadecimal digits.`),
	requestRule("choice", ofChoice, "write one of these values, or leave the member out", `a format, a mimeType and a theme is one of the registry's

The format of an input is string, number, boolean or filepath. An icon is PNG, JPEG, SVG or WebP, and for a theme that is light or dark.`),
	requestRule("address", ofAddress, "write an address that begins with https://", `an address is a URI

It holds of $schema, websiteUrl, registryBaseUrl, the url of the repository and the src of icons. It is parsed as Go parses it.`),
}

// requestRule returns the rule of a keyword of the API's schemas.
func requestRule(name string, judge func(form form, value string) (message, instead string), instead, doc string) *Rule {
	return &Rule{
		Name: name, Stage: Request, Since: "2026-03-06", Doc: doc, Instead: instead,
		Source: sourceAPI + "; the same in v1.5.0 (2026-03-06), but for the lengths of versions",
		check: func(r *reading) []fault {
			var faults []fault
			texts(server(), r.sent, "", "body", func(form form, value string, at schema.Pointer, path string) {
				if message, instead := judge(form, value); message != "" {
					faults = append(faults, fault{at: at, message: path + ": " + message, instead: instead})
				}
			})
			return faults
		},
	}
}

// texts calls visit with each text of a value that has a form.
func texts(form form, value *schema.Node, at schema.Pointer, path string, visit func(form form, value string, at schema.Pointer, path string)) {
	switch others := form.Get("additionalProperties"); {
	case value == nil:
	case value.Kind == schema.String:
		visit(form, value.Text, at, path)
	case value.Kind == schema.Array:
		for i, element := range value.Elements {
			texts(formOf(form.Get("items")), element, at.Element(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case form.Has("properties"):
		for _, member := range form.Get("properties").Members {
			texts(formOf(member.Value), value.Get(member.Key), at.Child(member.Key), path+"."+member.Key, visit)
		}
	case others.Has("$ref"):
		for _, member := range value.Members {
			texts(formOf(others), member.Value, at.Child(member.Key), path+"."+member.Key, visit)
		}
	}
}

func ofLength(form form, value string) (message, instead string) {
	length := int64(utf8.RuneCountInString(value))
	if least, has := form.Get("minLength").Int64(); has && length < least {
		return fmt.Sprintf("expected length >= %d", least), fmt.Sprintf("write a text of %d or more characters", least)
	}
	if most, has := form.Get("maxLength").Int64(); has && length > most {
		return fmt.Sprintf("expected length <= %d", most), fmt.Sprintf("write at most %d characters: there are %d", most, length)
	}
	return "", ""
}

func ofPattern(form form, value string) (message, instead string) {
	pattern := form.GetString("pattern")
	if matched, err := regexp.MatchString(pattern, value); err != nil || matched {
		return "", ""
	}
	return "expected string to match pattern " + pattern, ""
}

func ofChoice(form form, value string) (message, instead string) {
	choices := form.Get("enum").Strings()
	if len(choices) == 0 || slices.Contains(choices, value) {
		return "", ""
	}
	return `expected value to be one of "` + strings.Join(choices, ", ") + `"`, ""
}

func ofAddress(form form, value string) (message, instead string) {
	if form.GetString("format") != "uri" {
		return "", ""
	}
	if _, err := url.Parse(value); err != nil {
		return fmt.Sprintf("expected string to be RFC 3986 uri: %v", err), ""
	}
	return "", ""
}
