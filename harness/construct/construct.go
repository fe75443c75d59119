// Package construct breaks schemas down into constructs that providers treat alike: a keyword,
// on values of a type, at a position. A surface is not known to accept a construct that occurs
// in no accepted recording of it.
package construct

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// Construct is one keyword as a schema uses it. It is comparable. What authors choose freely,
// such as names and bounds, is not part of it, so that there are only a few thousand.
type Construct struct {
	// Keyword is a keyword of JSON Schema or OpenAPI; Other for any other name; Whole for a
	// schema that is not an object or is empty; or Depth.
	Keyword string
	// Form distinguishes values that providers treat differently, such as the name of a format,
	// false, or a list. It is empty for the usual one.
	Form string
	// Types are those of the schema with the keyword. Null beside another type is left out,
	// except for the keyword type.
	Types Types
	// Position is the keyword that holds the schema, such as properties, with $defs also for
	// definitions; or Root.
	Position string
}

// Names other than keywords.
const (
	Root  = "root"
	Other = "a name that is no keyword"
	Whole = "the schema"
	Depth = "nesting"
)

// Types is a set of the types of JSON Schema.
type Types uint8

// typeNames are the types by their bits. The last stands for every other word.
var typeNames = [...]string{"string", "integer", "number", "boolean", "array", "object", "null", "another type"}

// null and other are the last two bits.
const (
	null  Types = 1 << 6
	other Types = 1 << 7
)

// String returns the types in words, such as "string or null".
func (t Types) String() string {
	var names []string
	for i, name := range typeNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// TypesNamed returns the types in a text such as String returns. It ignores other words.
func TypesNamed(text string) Types {
	var types Types
	for name := range strings.SplitSeq(text, " or ") {
		if at := slices.Index(typeNames[:], name); at >= 0 {
			types |= 1 << at
		}
	}
	return types
}

// String returns the construct in words, such as "minimum of integer in properties".
func (c Construct) String() string {
	if c.Keyword == Depth {
		return Depth + " of " + c.Form
	}
	text := c.Keyword
	switch {
	case c.Keyword == "type" && c.Types != 0:
		text += " " + c.Types.String()
	case c.Keyword == "type", c.Keyword == Whole:
	case c.Types == 0:
		text += " without a type"
	default:
		text += " of " + c.Types.String()
	}
	if c.Form != "" {
		text += " (" + c.Form + ")"
	}
	if c.Position == Root {
		return text + " at the root"
	}
	return text + " in " + c.Position
}

// Of returns the constructs of schemas and their subschemas, each once, in document order.
func Of(roots ...*schema.Node) []Construct {
	walk := walker{seen: map[Construct]bool{}}
	walk.all(roots)
	return walk.found
}

// all collects the constructs of schemas.
func (w *walker) all(roots []*schema.Node) {
	for _, root := range roots {
		w.schema(root, Root, 0)
	}
	for _, deep := range depths {
		if w.deepest > deep.levels {
			w.add(Construct{Keyword: Depth, Form: deep.form, Position: Root})
		}
	}
}

// depths are nesting limits that providers are known to have had.
var depths = []struct {
	levels int
	form   string
}{{5, "more than 5 levels"}, {10, "more than 10 levels"}}

// walker collects constructs.
type walker struct {
	found   []Construct
	seen    map[Construct]bool // those of found
	deepest int
}

func (w *walker) add(found Construct) {
	if !w.seen[found] {
		w.seen[found] = true
		w.found = append(w.found, found)
	}
}

// schema adds the constructs of a schema at a position. The level is the number of objects and
// arrays around its instances.
func (w *walker) schema(node *schema.Node, position string, level int) {
	if node == nil {
		return
	}
	w.deepest = max(w.deepest, level)
	if node.Kind != schema.Object {
		w.add(Construct{Keyword: Whole, Form: kindOf(node), Position: position})
		return
	}
	types, spelling := typesOf(node.Get("type"))
	without := types
	if types != null {
		without &^= null
	}
	if len(node.Members) == 0 {
		w.add(Construct{Keyword: Whole, Form: "empty", Position: position})
	}
	for i := range node.Members {
		member := &node.Members[i]
		found := Construct{Keyword: member.Key, Types: without, Position: position}
		switch class := schema.ClassOf(member.Key); {
		case member.Key == "type":
			found.Types, found.Form = types, spelling
		case class == schema.Unknown:
			found.Keyword = Other
		default:
			found.Form = formOf(member.Key, class, member.Value, without)
		}
		w.add(found)
		below := level
		if isNested(member.Key) {
			below++
		}
		if schema.ClassOf(member.Key).HeldIn(member.Value) == schema.Itself && len(member.Value.Members) == 0 {
			w.deepest = max(w.deepest, below)
			continue // the form tells everything
		}
		for place := range member.Subschemas() {
			w.schema(place.Node(), positionOf(member.Key), below)
		}
	}
}

// isNested reports whether the schemas of a keyword apply to parts of the value.
func isNested(keyword string) bool {
	switch keyword {
	case "properties", "items", "prefixItems", "additionalProperties", "patternProperties", "additionalItems":
		return true
	default:
		return false
	}
}

// positionOf returns the position of the schemas that a keyword holds.
func positionOf(keyword string) string {
	if keyword == "definitions" {
		return "$defs"
	}
	return keyword
}

// typesOf reads the value of type. The form tells how it is spelled if it is not one word of
// JSON Schema.
func typesOf(value *schema.Node) (types Types, form string) {
	switch {
	case value == nil:
		return 0, ""
	case value.Kind == schema.Array:
		for _, element := range value.Elements {
			elementTypes, _ := typesOf(element)
			types |= elementTypes
		}
		return types, "a list"
	case value.Kind != schema.String:
		return other, kindOf(value)
	}
	if at := slices.Index(typeNames[:7], value.Text); at >= 0 {
		return 1 << at, ""
	}
	if at := slices.Index(typeNames[:7], strings.ToLower(value.Text)); at >= 0 {
		return 1 << at, "in capitals"
	}
	return other, ""
}

// formOf returns the form of a keyword's value in a schema of the types.
func formOf(keyword string, class schema.Class, value *schema.Node, types Types) string {
	switch {
	case keyword == "enum" && value.Kind == schema.Array:
		return kindsOf(value.Elements, types)
	case keyword == "const", keyword == "default", keyword == "example":
		return kindsOf([]*schema.Node{value}, types)
	case keyword == "format" && value.Kind == schema.String:
		if IsFormat(value.Text) {
			return value.Text
		}
		return "another name"
	case keyword == "$ref" && value.Kind == schema.String:
		return referenceForm(value.Text)
	case keyword == "pattern" && value.Kind == schema.String && schema.HasLookaround(value.Text):
		return "looks around"
	case class.HeldIn(value) == schema.Itself:
		return schemaForm(value)
	case keyword == "items" && value.Kind == schema.Array:
		return "a list"
	}
	return dataForm(schema.TypeOf(keyword), value)
}

// dataForm returns the form of a value that should have a type; empty if it has that type.
func dataForm(wanted string, value *schema.Node) string {
	kind := value.Kind.String()
	isNumber := value.Kind == schema.Number && (wanted == "number" || wanted == "integer")
	switch {
	case wanted != "" && wanted != kind && !isNumber:
		return kindOf(value)
	case wanted == "array" && len(value.Elements) == 0, wanted == "object" && len(value.Members) == 0:
		return "empty"
	}
	return ""
}

// schemaForm returns the form of a value that is a schema.
func schemaForm(value *schema.Node) string {
	switch {
	case value.Kind != schema.Object:
		return kindOf(value)
	case len(value.Members) == 0:
		return "empty"
	default:
		return "a schema"
	}
}

// referenceForm tells where a reference leads.
func referenceForm(reference string) string {
	switch {
	case reference == "#":
		return "to the root"
	case strings.HasPrefix(reference, "#/$defs/"), strings.HasPrefix(reference, "#/definitions/"):
		return ""
	case strings.HasPrefix(reference, "#/"):
		return "to another place"
	default:
		return "to another resource"
	}
}

// kindsOf names the type of the values, or returns "" if that is the only type of the schema.
func kindsOf(values []*schema.Node, types Types) string {
	if len(values) == 0 {
		return "empty"
	}
	kind := values[0].Kind
	switch {
	case slices.ContainsFunc(values, func(value *schema.Node) bool { return value.Kind != kind }):
		return "of several kinds"
	case kind == schema.String && slices.ContainsFunc(values, func(value *schema.Node) bool { return value.Text == "" }):
		return "an empty string"
	case types.String() == kind.String(), kind == schema.Number && types.String() == "integer":
		return ""
	default:
		return kind.String()
	}
}

// kindOf names the type of a value, or the value of a boolean.
func kindOf(value *schema.Node) string {
	if value.Kind == schema.Bool {
		return value.Text
	}
	return value.Kind.String()
}

// IsFormat reports whether a name is a format of JSON Schema or OpenAPI. Constructs distinguish
// no other names.
func IsFormat(name string) bool { return slices.Contains(formats, name) }

// formats are those of JSON Schema and OpenAPI. All other names count as one form.
var formats = []string{
	"date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference",
	"iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
	"int32", "int64", "float", "double", "byte", "binary", "password", "enum", "url",
}
