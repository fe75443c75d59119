package google

import (
	"strconv"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/schema"
)

// semantic is the stage that checks the decoded request. It reports every violation, and its
// places have the names of properties. The Subject is a *declaration or a *typed.
var semantic = &provider.Stage{
	Name:   "semantic",
	Shared: "one check of the decoded message. The Gemini API, its endpoint like OpenAI's, Vertex AI and Code Assist answered in its words",
	All:    true,
	Compose: func(findings []provider.Finding) string {
		var message []byte
		for _, finding := range findings {
			message = append(append(append(message, "* "...), finding.Message...), '\n')
		}
		return string(message)
	},
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		surface := surfaceOf(visitor.Dialect)
		walk := &semanticWalk{visitor: visitor, pass: provider.Pass{Request: request}}
		walk.location, walk.at = walk.rooms[0][:0], walk.rooms[1][:0]
		schemaMessage := surface.schema()
		for i, node := range request.Declarations {
			walk.pass.Declaration = i
			if surface.config != "" {
				walk.location = append(append(walk.location[:0], "GenerateContentRequest.generation_config."...), surface.config...)
				walk.at = append(walk.at[:0], surface.root...)
				if !surface.free && node.Kind == schema.Object {
					walk.schema(schemaMessage, node)
				}
				continue
			}
			walk.location = append(walk.location[:0], "GenerateContentRequest.tools[0].function_declarations"...)
			walk.location = appendIndex(walk.location, request.Index(i))
			walk.at = walk.at[:0]
			walk.visit(&declaration{name: node.GetString("name")}, node)
			if parameters := node.Get("parameters"); parameters != nil && parameters.Kind == schema.Object {
				walk.location = append(walk.location, ".parameters"...)
				walk.at = append(walk.at, "/parameters"...)
				walk.schema(schemaMessage, parameters)
			}
		}
	},
}

// declaration is a function declaration as a whole.
type declaration struct{ name string }

// typed is a Schema message after decoding.
type typed struct {
	typ string // such as STRING or OBJECT; "" if it is absent, unspecified or undeclared
	// fields are the values by the index of the field. A field whose value is null, an empty
	// list or an empty map counts as absent; one with an empty message does not.
	fields [schemaFields]*schema.Node
	// keys are the names of the members that have the values, such as anyOf or any_of.
	keys [schemaFields]string
	set  int // the number of fields that are present, including those without an index
}

// The indices of the Schema fields that rules look at.
const (
	fieldType = iota
	fieldFormat
	fieldEnum
	fieldItems
	fieldProperties
	fieldRequired
	fieldAnyOf
	fieldPropertyOrdering
	fieldRef
	fieldDescription
	fieldDefault
	schemaFields
)

// indexOf returns the index of a field by its name in the protos, which is the same for all
// services. Its number in the protos is not.
func indexOf(name string) (index int, ok bool) {
	switch name {
	case "type":
		return fieldType, true
	case "format":
		return fieldFormat, true
	case "enum":
		return fieldEnum, true
	case "items":
		return fieldItems, true
	case "properties":
		return fieldProperties, true
	case "required":
		return fieldRequired, true
	case "any_of":
		return fieldAnyOf, true
	case "property_ordering":
		return fieldPropertyOrdering, true
	case "ref":
		return fieldRef, true
	case "description":
		return fieldDescription, true
	case "default":
		return fieldDefault, true
	default:
		return 0, false
	}
}

// decode reads the members of an object that passed the parse stage.
func (t *typed) decode(message *descriptor.Message, object *schema.Node) {
	*t = typed{}
	for i := range object.Members {
		name := &object.Members[i]
		field := message.Field(name.Key)
		empty := name.Value.Kind == schema.Null ||
			field != nil && field.Repeated && name.Value.Kind == schema.Array && len(name.Value.Elements) == 0 ||
			field != nil && field.Map && len(name.Value.Members) == 0
		if field == nil || empty {
			continue
		}
		index, ok := indexOf(field.Name)
		if !ok || t.fields[index] == nil {
			t.set++
		}
		if ok {
			t.fields[index], t.keys[index] = name.Value, name.Key
		}
		if !ok || index != fieldType {
			continue
		}
		t.typ = ""
		if typeName, ok := enumName(field.Enum, name.Value); ok && field.Enum[typeName] != 0 {
			t.typ = typeName
		}
	}
}

// list returns the values of a repeated field. A single value counts as a list of one, and null
// elements are dropped.
func (t *typed) list(index int) []*schema.Node {
	value := t.fields[index]
	switch {
	case value == nil:
		return nil
	case value.Kind != schema.Array:
		return []*schema.Node{value}
	}
	values := make([]*schema.Node, 0, len(value.Elements))
	for _, element := range value.Elements {
		if element.Kind != schema.Null {
			values = append(values, element)
		}
	}
	return values
}

// needsType reports whether the schema has a field that belongs to one type.
func (t *typed) needsType() bool {
	return t.fields[fieldEnum] != nil || t.fields[fieldItems] != nil || t.fields[fieldProperties] != nil ||
		t.fields[fieldRequired] != nil || t.fields[fieldPropertyOrdering] != nil
}

type semanticWalk struct {
	visitor  *provider.Visitor
	decoded  typed // the schema being visited
	pass     provider.Pass
	location []byte
	at       []byte
	rooms    [2][160]byte // buffers that most locations and pointers fit into
}

func (w *semanticWalk) visit(subject any, node *schema.Node) {
	w.pass.Subject, w.pass.Node = subject, node
	w.pass.Location, w.pass.At = w.location, w.at
	w.visitor.VisitAll(&w.pass)
}

// schema visits a schema and then its subschemas, in the order of the fields in the proto.
func (w *semanticWalk) schema(message *descriptor.Message, object *schema.Node) {
	w.decoded.decode(message, object)
	w.visit(&w.decoded, object)
	fields, unionKey := w.decoded.fields, w.decoded.keys[fieldAnyOf]
	location, at := len(w.location), len(w.at)
	// below visits a subschema whose location and pointer have been appended.
	below := func(node *schema.Node) {
		if node.Kind == schema.Object && !node.IsPlain() {
			w.schema(message, node)
		}
		w.location, w.at = w.location[:location], w.at[:at]
	}
	if items := fields[fieldItems]; items != nil && len(items.Members) > 0 {
		w.location, w.at = append(w.location, ".items"...), append(w.at, "/items"...)
		below(items)
	}
	if properties := fields[fieldProperties]; properties != nil {
		for i := range properties.Members {
			name := &properties.Members[i]
			w.location = append(append(append(w.location, ".properties["...), name.Key...), ']')
			w.at = schema.AppendToken(append(w.at, "/properties"...), name.Key)
			below(name.Value)
		}
	}
	union := fields[fieldAnyOf]
	if union == nil {
		return
	}
	if union.Kind == schema.Object { // a single value counts as a list of one
		w.location, w.at = append(w.location, ".any_of[0]"...), schema.AppendToken(w.at, unionKey)
		below(union)
		return
	}
	index := 0
	for i, branch := range union.Elements {
		if branch.Kind != schema.Null {
			w.location = appendIndex(append(w.location, ".any_of"...), index)
			w.at = strconv.AppendInt(append(schema.AppendToken(w.at, unionKey), '/'), int64(i), 10)
			below(branch)
			index++
		}
	}
}
