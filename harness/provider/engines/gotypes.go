package engines

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// goType is a Go type that encoding/json decodes a value into. The package does not call
// encoding/json for this, because its errors differ between the releases of Go that Ollama is
// built with and the one that this package is built with.
type goType struct {
	kind   goKind
	name   string    // as it is in errors
	fields []goField // of a struct, in their order
	of     *goType   // the type of the elements of a slice or a map
}

type goKind uint8

const (
	goText       goKind = iota // string
	goAny                      // any
	goList                     // a slice
	goStruct                   // a struct
	goMap                      // a map
	goOrderedMap               // a pointer to an ordered map, which has an UnmarshalJSON that decodes each member
	goTexts                    // a slice of strings, which has an UnmarshalJSON that also takes one string
)

// goField is a field of a struct, by its name in JSON. Unless isKept is set, it has the option
// omitempty.
type goField struct {
	name   string
	of     *goType
	isKept bool
}

// leavesOut reports whether encoding/json omits the field for a value.
func (f *goField) leavesOut(node *schema.Node) bool {
	switch {
	case f.isKept:
		return false
	case node.Kind == schema.Null:
		return f.of.kind != goTexts // which decodes null as an empty string
	case f.of.kind == goText:
		return node.Text == ""
	case f.of.kind == goList, f.of.kind == goTexts:
		return node.Kind == schema.Array && len(node.Elements) == 0
	default:
		return f.of.kind == goMap && len(node.Members) == 0
	}
}

// field returns the field that a member is decoded into, or nil. Names that differ in case match if
// none is equal.
func (t *goType) field(key string) *goField {
	i := slices.IndexFunc(t.fields, func(field goField) bool { return field.name == key })
	if i < 0 {
		i = slices.IndexFunc(t.fields, func(field goField) bool { return strings.EqualFold(field.name, key) })
	}
	if i < 0 {
		return nil
	}
	return &t.fields[i]
}

// member returns the value of the last member that is decoded into a field, or nil.
func (t *goType) member(node *schema.Node, name string) *schema.Node {
	if node == nil {
		return nil
	}
	for _, member := range slices.Backward(node.Members) {
		if field := t.field(member.Key); field != nil && field.name == name {
			return member.Value
		}
	}
	return nil
}

// present returns a value, or nil for null, which encoding/json does not decode.
func present(node *schema.Node) *schema.Node {
	if node == nil || node.Kind == schema.Null {
		return nil
	}
	return node
}

// misfit is a value that cannot be decoded into its type, with the parts of the error.
type misfit struct {
	node *schema.Node
	// value is what encoding/json calls the value, and into is the name of the type.
	value, into string
	// within is the name of the struct, and fields are the fields from the root to the value.
	// They are empty if the value is not that of a field.
	within string
	fields []string
	// words are the whole message if the error is that of an UnmarshalJSON.
	words string
}

// message returns the error as encoding/json writes it.
func (m *misfit) message() string {
	switch {
	case m.words != "":
		return m.words
	case len(m.fields) > 0:
		return "json: cannot unmarshal " + m.value + " into Go struct field " + m.within + "." + strings.Join(m.fields, ".") + " of type " + m.into
	default:
		return "json: cannot unmarshal " + m.value + " into Go value of type " + m.into
	}
}

// decoding is one call of json.Unmarshal. A misfit does not end it, and the first one is its error.
// The error of an UnmarshalJSON ends it, and takes precedence.
type decoding struct {
	charge func(int)
	within string   // the name of the struct
	fields []string // from the root to the value
	first  *misfit
	last   *misfit // the one that ended the decoding
}

// result returns the error of the decoding, or nil.
func (d *decoding) result() *misfit {
	if d.last != nil {
		return d.last
	}
	return d.first
}

// save notes a misfit, if it is the first.
func (d *decoding) save(t *goType, node *schema.Node, value string) {
	if d.first == nil {
		d.first = d.placed(&misfit{node: node, value: value, into: t.name})
	}
}

// end ends the decoding with the error of an UnmarshalJSON.
func (d *decoding) end(found *misfit) bool {
	d.last = d.placed(found)
	return false
}

// placed adds the fields from the root to a misfit.
func (d *decoding) placed(found *misfit) *misfit {
	if len(d.fields) > 0 {
		found.within, found.fields = d.within, slices.Concat(d.fields, found.fields)
	}
	return found
}

// value decodes a value. It reports whether the decoding goes on.
func (d *decoding) value(t *goType, node *schema.Node) bool {
	d.charge(1 + len(node.Members) + len(node.Elements))
	switch {
	case node.Kind == schema.Null: // changes nothing
	case t.kind == goText && node.Kind == schema.String:
	case t.kind == goAny:
		d.numbers(node)
	case t.kind == goList && node.Kind == schema.Array:
		for _, element := range node.Elements {
			if !d.value(t.of, element) {
				return false
			}
		}
	case t.kind == goMap && node.Kind == schema.Object:
		for _, member := range node.Members {
			if !d.value(t.of, member.Value) {
				return false
			}
		}
	case t.kind == goStruct && node.Kind == schema.Object:
		return d.structure(t, node)
	case t.kind == goOrderedMap:
		return d.orderedMap(t, node)
	case t.kind == goTexts:
		return d.texts(t, node)
	default:
		d.save(t, node, kindOf(node))
	}
	return true
}

// structure decodes the members that have a field.
func (d *decoding) structure(t *goType, node *schema.Node) bool {
	if node.IsPlain() {
		return true // each struct has a type and a description, which take strings
	}
	within, depth := d.within, len(d.fields)
	for _, member := range node.Members {
		field := t.field(member.Key)
		if field == nil {
			continue
		}
		_, name, _ := strings.Cut(t.name, ".")
		d.within, d.fields = name, append(d.fields, field.name)
		if !d.value(field.of, member.Value) {
			return false
		}
		d.within, d.fields = within, d.fields[:depth]
	}
	return true
}

// notObject is the error of ordered maps for a value other than an object.
const notObject = "Value looks like object, but can't find closing '}' symbol"

// orderedMap decodes each member by a call of its own. The first error ends the decoding.
func (d *decoding) orderedMap(t *goType, node *schema.Node) bool {
	if node.Kind != schema.Object {
		return d.end(&misfit{node: node, words: notObject})
	}
	for _, member := range node.Members {
		inner := decoding{charge: d.charge}
		inner.value(t.of, member.Value)
		if found := inner.result(); found != nil {
			return d.end(found)
		}
	}
	return true
}

// texts decodes a string, or a list of strings by a call of its own.
func (d *decoding) texts(t *goType, node *schema.Node) bool {
	if node.Kind == schema.String {
		return true
	}
	inner := decoding{charge: d.charge}
	inner.value(&goType{kind: goList, name: "[]string", of: t.of}, node)
	if found := inner.result(); found != nil {
		return d.end(found)
	}
	return true
}

// numbers saves the first number in a value that does not fit a float64.
func (d *decoding) numbers(node *schema.Node) {
	d.charge(1 + len(node.Members) + len(node.Elements))
	switch node.Kind {
	case schema.Number:
		if _, err := strconv.ParseFloat(node.Text, 64); err != nil {
			d.save(&goType{name: "float64"}, node, "number "+node.Text)
		}
	case schema.Array:
		for _, element := range node.Elements {
			d.numbers(element)
		}
	case schema.Object:
		for _, member := range node.Members {
			d.numbers(member.Value)
		}
	default:
	}
}

// kindOf returns what encoding/json calls a value.
func kindOf(node *schema.Node) string {
	switch node.Kind {
	case schema.Object:
		return "object"
	case schema.Array:
		return "array"
	case schema.String:
		return "string"
	case schema.Number:
		return "number"
	default:
		return "bool"
	}
}

// kept returns the value that encoding/json writes after it has decoded a node, which is nil for the
// zero value. isEmpty says that a field with omitempty leaves the value out.
func (t *goType) kept(node *schema.Node) (kept *schema.Node, isEmpty bool) {
	if t.kind != goTexts { // which decodes null itself
		node = present(node)
	}
	switch t.kind {
	case goText:
		if node == nil {
			node = schema.NewString("")
		}
		return node, node.Text == ""
	case goAny:
		return asAny(node), node == nil
	case goStruct:
		return t.keptStruct(node), false
	case goTexts:
		return t.keptTexts(node)
	case goList:
		if node == nil {
			return null(), true
		}
		elements := make([]*schema.Node, len(node.Elements))
		for i, element := range node.Elements {
			elements[i], _ = t.of.kept(element)
		}
		return schema.NewArray(elements...), len(elements) == 0
	default:
		return t.keptMap(node)
	}
}

func (t *goType) keptStruct(node *schema.Node) *schema.Node {
	if t.keepsPlain(node) {
		return node
	}
	structure := schema.NewObject()
	for _, field := range t.fields {
		if value, isEmpty := field.of.kept(t.member(node, field.name)); field.isKept || !isEmpty {
			structure.Members = append(structure.Members, schema.Member{Key: field.name, Value: value})
		}
	}
	return structure
}

// keepsPlain reports whether a plain schema is written as it is: the struct is that of a property, all
// its fields have omitempty, and the schema begins with its type.
func (t *goType) keepsPlain(node *schema.Node) bool {
	return t.name == ollamaProperty && node != nil && node.IsPlain() && node.Members[0].Key == "type" &&
		!slices.ContainsFunc(t.fields, func(field goField) bool { return field.isKept })
}

// keptTexts writes a list of one string as that string.
func (t *goType) keptTexts(node *schema.Node) (kept *schema.Node, isEmpty bool) {
	switch {
	case node == nil:
		return null(), true
	case node.Kind == schema.Null:
		return schema.NewString(""), false
	case node.Kind != schema.Array:
		return node, false
	}
	list, isEmpty := (&goType{kind: goList, of: t.of}).kept(node)
	if len(list.Elements) == 1 {
		return list.Elements[0], false
	}
	return list, isEmpty
}

// keptMap writes the members of an ordered map in their order, and those of a map by name.
func (t *goType) keptMap(node *schema.Node) (kept *schema.Node, isEmpty bool) {
	if node == nil {
		return null(), true
	}
	values := mapped(node, func(value *schema.Node) *schema.Node {
		kept, _ := t.of.kept(value)
		return kept
	})
	if t.kind == goMap {
		sortMembers(values)
	}
	return values, t.kind == goMap && len(values.Members) == 0
}

// asAny writes a value that was decoded into an any: members by name, and numbers as float64.
func asAny(node *schema.Node) *schema.Node {
	if node == nil {
		return null()
	}
	switch node.Kind {
	case schema.Number:
		value, err := strconv.ParseFloat(node.Text, 64)
		if text, failed := json.Marshal(value); err == nil && failed == nil {
			return &schema.Node{Kind: schema.Number, Text: string(text)}
		}
		return node // does not fit a float64, and is refused
	case schema.Array:
		elements := make([]*schema.Node, len(node.Elements))
		for i, element := range node.Elements {
			elements[i] = asAny(element)
		}
		return schema.NewArray(elements...)
	case schema.Object:
		values := mapped(node, asAny)
		sortMembers(values)
		return values
	default:
		return node
	}
}

// mapped returns an object whose members have the values that convert returns for those of node. Of
// several members with one name, the value of the last is at the position of the first.
func mapped(node *schema.Node, convert func(*schema.Node) *schema.Node) *schema.Node {
	object := schema.NewObject()
	for _, member := range membersOf(node) {
		object.Members = append(object.Members, schema.Member{Key: member.Key, Value: convert(member.Value)})
	}
	return object
}

func sortMembers(node *schema.Node) {
	slices.SortFunc(node.Members, func(a, b schema.Member) int { return strings.Compare(a.Key, b.Key) })
}

func null() *schema.Node { return &schema.Node{Kind: schema.Null} }
