package explore

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/construct"
	"toolproof/schema"
)

// probe makes the smallest meaningful schema of parameters with a construct. For strict
// surfaces it closes objects.
type probe struct {
	construct.Construct

	strict bool
}

// parameters returns the parameters of a tool, or nil if the construct does not determine a
// schema. part is the property if others can stand beside it.
func (p probe) parameters() (whole, part *schema.Node) {
	inner := p.fragment()
	if inner == "" {
		return nil, nil
	}
	if p.Position == construct.Root {
		if strings.Contains(inner, `"#/$defs/d"`) {
			inner = strings.TrimSuffix(inner, "}") + `,"$defs":{"d":{"type":"string"}}}`
		}
		whole = parsed(inner)
	} else {
		property, definitions := p.wrapped(inner)
		if definitions == "" && strings.Contains(property, `"#/$defs/d"`) {
			definitions = `,"$defs":{"d":{"type":"string"}}`
		}
		whole = parsed(rootOf(property, definitions, p.strict))
		if definitions == "" && whole != nil {
			part = whole.Get("properties").Members[0].Value
		}
	}
	if whole == nil || !slices.Contains(construct.Of(whole), p.Construct) {
		return nil, nil
	}
	return whole, part
}

// parsed returns a JSON text as a node, or nil if it is not JSON.
func parsed(text string) *schema.Node {
	node, err := schema.Parse([]byte(text))
	if err != nil {
		return nil
	}
	return node
}

// rootOf returns the parameters of a tool with one property.
func rootOf(property, definitions string, strict bool) string {
	text := `{"type":"object","properties":{"a":` + property + `},"required":["a"]`
	if strict {
		text += `,"additionalProperties":false`
	}
	return text + definitions + `}`
}

// wrapped returns a property with a schema at the position, and the root's definitions that it
// needs.
func (p probe) wrapped(inner string) (property, definitions string) {
	object := `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]`
	if p.strict && !slices.Contains([]string{"additionalProperties", "unevaluatedProperties"}, p.Position) {
		object += `,"additionalProperties":false`
	}
	held := `,"` + p.Position + `":`
	switch p.Position {
	case "properties":
		return inner, ""
	case "$defs":
		return `{"$ref":"#/$defs/d"}`, `,"$defs":{"d":` + inner + `}`
	case "items":
		return `{"type":"array","items":` + inner + `}`, ""
	case "prefixItems":
		return `{"type":"array","prefixItems":[` + inner + `],"items":{"type":"string"}}`, ""
	case "contains", "unevaluatedItems":
		return `{"type":"array","items":{"type":"string"}` + held + inner + `}`, ""
	case "additionalItems":
		return `{"type":"array","items":[{"type":"string"}]` + held + inner + `}`, ""
	case "anyOf", "oneOf":
		return `{"` + p.Position + `":[` + inner + `,{"type":"boolean"}]}`, ""
	case "allOf":
		return `{"allOf":[` + inner + `]}`, ""
	case "then", "else":
		return `{"type":"string","if":{"type":"string"}` + held + inner + `}`, ""
	case "if":
		return `{"type":"string","if":` + inner + `,"then":{"type":"string"}}`, ""
	case "not", "contentSchema":
		return `{"type":"string"` + held + inner + `}`, ""
	case "patternProperties", "dependentSchemas", "dependencies":
		return object + held + `{"b":` + inner + `}}`, ""
	default:
		return object + held + inner + `}`, ""
	}
}

// fragment returns the schema with the keyword, or "" if there is none.
func (p probe) fragment() string {
	switch p.Keyword {
	case construct.Whole:
		return literal(p.Form)
	case construct.Depth:
		levels := 6
		if strings.Contains(p.Form, "10") {
			levels = 11
		}
		inner := `{"type":"string"}`
		for range levels {
			inner = rootOf(inner, "", p.strict)
		}
		return inner
	}
	members := p.companions()
	name := p.Keyword
	if name == construct.Other {
		name = "x-b"
	}
	if name != "type" {
		value := p.value()
		if value == "" {
			return ""
		}
		members = slices.DeleteFunc(members, func(member string) bool { return strings.HasPrefix(member, strconv.Quote(name)+":") })
		members = append(members, strconv.Quote(name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// companions returns the members that a schema of the types has beside the keyword.
func (p probe) companions() []string {
	var members []string
	if text := p.typeText(); text != "" {
		members = append(members, `"type":`+text)
	}
	names := strings.Split(p.Types.String(), " or ")
	if slices.Contains(names, "array") && !strings.HasPrefix(p.Keyword, "prefix") {
		members = append(members, `"items":{"type":"string"}`)
	}
	if slices.Contains(names, "object") {
		members = append(members, p.ofObject()...)
	}
	return members
}

// ofObject returns the members of an object schema. It has no properties if an empty properties
// or required is probed.
func (p probe) ofObject() []string {
	properties, required := `{"b":{"type":"string"}}`, `["b"]`
	if p.Form == "empty" && (p.Keyword == "properties" || p.Keyword == "required") {
		properties, required = "{}", "[]"
	}
	members := []string{`"properties":` + properties}
	if p.strict || p.Keyword == "required" {
		members = append(members, `"required":`+required)
	}
	if p.strict {
		members = append(members, `"additionalProperties":false`)
	}
	return members
}

// typeText returns the value of type, or "" for none.
func (p probe) typeText() string {
	if p.Types == 0 && (p.Keyword != "type" || p.Form == "") {
		return ""
	}
	var names []string
	for name := range strings.SplitSeq(p.Types.String(), " or ") {
		if name == "another type" {
			name = "any"
		}
		if p.Keyword == "type" && p.Form == "in capitals" {
			name = strings.ToUpper(name)
		}
		names = append(names, strconv.Quote(name))
	}
	switch {
	case p.Keyword == "type" && p.Form == "a list", len(names) > 1:
		return "[" + strings.Join(names, ",") + "]"
	case p.Keyword == "type" && p.Form != "" && p.Form != "in capitals":
		return literal(p.Form)
	default:
		return names[0]
	}
}

// value returns the keyword's value in the form.
func (p probe) value() string {
	first, _, _ := strings.Cut(p.Types.String(), " or ")
	switch p.Keyword {
	case "enum":
		return p.enum(first)
	case "const", "default", "example":
		if p.Form == "an empty string" {
			return `""`
		}
		return sampleOf(p.Form, first)
	case "examples":
		if p.Form == "" {
			return "[" + sampleOf("", first) + "]"
		}
	case "anyOf", "oneOf", "allOf":
		if p.Form == "" {
			return p.branches(first)
		}
	case "format":
		return p.format()
	case "$ref":
		return map[string]string{
			"": `"#/$defs/d"`, "to the root": `"#"`, "to another place": `"#/properties/b"`, "to another resource": `"https://example.com/b.json"`,
		}[p.Form]
	case "pattern":
		if p.Form == "looks around" {
			return `"^(?!b)c$"`
		}
	}
	switch p.Form {
	case "":
		if usual, ok := values[p.Keyword]; ok {
			return usual
		}
		return map[string]string{
			"string": `"b"`, "boolean": "true", "integer": "1", "number": "1", "array": `["b"]`, "object": `{"b":{"type":"string"}}`, "": "1",
		}[schema.TypeOf(p.Keyword)]
	case "a schema":
		return `{"type":"string"}`
	case "a list":
		return `[{"type":"string"}]`
	case "empty":
		if schema.TypeOf(p.Keyword) == "array" {
			return "[]"
		}
		return "{}"
	default:
		return literal(p.Form)
	}
}

// format returns the value of format.
func (p probe) format() string {
	switch p.Form {
	case "another name":
		return `"b-format"`
	case "null", "number", "array", "object", "true", "false":
		return literal(p.Form)
	default:
		return strconv.Quote(p.Form)
	}
}

// enum returns the list of an enum.
func (p probe) enum(first string) string {
	switch p.Form {
	case "empty":
		return "[]"
	case "of several kinds":
		if first == "string" {
			return `["b",null]`
		}
		return `["b",1]`
	case "an empty string":
		return `["b",""]`
	default:
		return "[" + sampleOf(p.Form, first) + "]"
	}
}

// branches returns the branches of a union whose schemas have the types.
func (p probe) branches(first string) string {
	branch, two := probe{construct.Construct{Keyword: "type", Types: p.Types}, p.strict}, `{"type":"integer"}`
	if p.Types == 0 {
		return `[{"type":"string"},` + two + `]`
	}
	if first == "object" {
		return `[{"required":["b"]}]`
	}
	return "[" + branch.fragment() + "]"
}

// sampleOf returns a value of a kind or, if that is empty, of a type.
func sampleOf(kind, typeName string) string {
	if kind != "" {
		return literal(kind)
	}
	switch typeName {
	case "string", "":
		return `"b"`
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	default:
		return literal(typeName)
	}
}

// literal returns a value by the name of its kind, or "" for another word.
func literal(kind string) string {
	return map[string]string{
		"true": "true", "boolean": "true", "false": "false", "null": "null", "string": `"b"`, "number": "7", "array": `["b"]`, "object": `{"b":1}`, "empty": "{}",
	}[kind]
}

// values are the values of keywords whose type does not determine one.
var values = map[string]string{
	"$schema": `"https://json-schema.org/draft/2020-12/schema"`, "$id": `"https://example.com/b"`, "id": `"https://example.com/b"`,
	"$vocabulary": `{"https://json-schema.org/draft/2020-12/vocab/core":true}`, "$dynamicRef": `"#b"`, "$recursiveRef": `"#"`,
	"pattern": `"^b$"`, "maxLength": "9", "maximum": "9", "exclusiveMaximum": "9", "maxItems": "9", "maxProperties": "9", "multipleOf": "2",
	"dependentRequired": `{"b":["b"]}`, "dependencies": `{"b":["b"]}`, "patternProperties": `{"^b":{"type":"string"}}`,
	"dependentSchemas": `{"b":{"type":"object"}}`, "$defs": `{"d":{"type":"string"}}`, "definitions": `{"d":{"type":"string"}}`,
	"prefixItems": `[{"type":"string"}]`, "discriminator": `{"propertyName":"b"}`, "externalDocs": `{"url":"https://example.com/b"}`, "xml": `{"name":"b"}`,
	"contentEncoding": `"base64"`, "contentMediaType": `"application/json"`,
}
