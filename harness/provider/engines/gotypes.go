package engines

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// goType is a type of Go that encoding/json decodes a value into.
type goType struct {
	kind goKind
	name string // as errors have it
	// fields are those of a structure, in their order.
	fields []goField
	of     *goType // the elements of a list or a map
}

type goKind uint8

const (
	goText       goKind = iota // string
	goAny                      // any
	goList                     // a slice
	goStruct                   // a structure
	goMap                      // a map
	goOrderedMap               // a pointer to a map that decodes itself, member by member
	goTexts                    // a slice of strings that decodes itself, and takes one string too
)

// goField is a field of a structure, by its name in JSON. Without isKept encoding/json
// leaves it out where it is empty.
type goField struct {
	name   string
	of     *goType
	isKept bool
}

// leavesOut reports whether the field is not written for a value, because it is empty then.
func (f *goField) leavesOut(node *schema.Node) bool {
	switch {
	case f.isKept:
		return false
	case node.Kind == schema.Null:
		return f.of.kind != goTexts // which makes an empty text of it
	case f.of.kind == goText:
		return node.Text == ""
	case f.of.kind == goList, f.of.kind == goTexts:
		return node.Kind == schema.Array && len(node.Elements) == 0
	default:
		return f.of.kind == goMap && len(node.Members) == 0
	}
}

// field returns the field that a member is decoded into, or nil: the letters may be upper
// or lower ones.
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

// member returns the value that a field is decoded from: of several members the last one.
// It returns nil for none.
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

// present returns a value, and nil for null, which encoding/json passes over.
func present(node *schema.Node) *schema.Node {
	if node == nil || node.Kind == schema.Null {
		return nil
	}
	return node
}

// misfit is a value that its type does not take.
type misfit struct {
	node *schema.Node
	// value is what JSON calls it, and into the type.
	value, into string
	// within is the structure, and fields the way from the root to the field; empty where
	// the type is that of no field.
	within string
	fields []string
	// words are the message of a type that decodes itself; else it is made of the above.
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

// decoding is one call of encoding/json. It goes on after a value that does not fit, and
// reports the first of these. A type that decodes itself ends it: then that error is
// reported.
type decoding struct {
	charge func(int)
	within string   // the structure
	fields []string // on the way to the value
	first  *misfit
	last   *misfit // that ended it
}

// result returns the misfit that is reported, or nil.
func (d *decoding) result() *misfit {
	if d.last != nil {
		return d.last
	}
	return d.first
}

// save notes a value that does not fit.
func (d *decoding) save(t *goType, node *schema.Node, value string) {
	if d.first == nil {
		d.first = d.placed(&misfit{node: node, value: value, into: t.name})
	}
}

// end ends the decoding with the error of a type that decodes itself.
func (d *decoding) end(found *misfit) bool {
	d.last = d.placed(found)
	return false
}

// placed gives a misfit the way to it.
func (d *decoding) placed(found *misfit) *misfit {
	if len(d.fields) > 0 {
		found.within, found.fields = d.within, slices.Concat(d.fields, found.fields)
	}
	return found
}

// value decodes a value. It returns false when the decoding has ended.
func (d *decoding) value(t *goType, node *schema.Node) bool {
	d.charge(1 + len(node.Members) + len(node.Elements))
	switch {
	case node.Kind == schema.Null: // leaves what there is
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
		return true // each structure takes a type and a description that are texts
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

// notObject is what the reader of ordered maps says to what is no object.
const notObject = "Value looks like object, but can't find closing '}' symbol"

// orderedMap decodes each member by a call of its own; the first that fails ends all.
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

// numbers saves the first number below a node that is beyond those of 64 bits.
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

// kept returns what encoding/json writes of a value once it is decoded, with the fields in
// the order of the structure. Nil is the zero value. isEmpty says that a field without
// isKept is left out.
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

// keepsPlain reports whether a plain schema is kept as it is: the structure is that of a
// property and writes no field that is empty, and the type comes first.
func (t *goType) keepsPlain(node *schema.Node) bool {
	return t.name == ollamaProperty && node != nil && node.IsPlain() && node.Members[0].Key == "type" &&
		!slices.ContainsFunc(t.fields, func(field goField) bool { return field.isKept })
}

// keptTexts writes a list of one as its element.
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

// keptMap writes the members in their order, or, of a map of Go, in that of their names.
func (t *goType) keptMap(node *schema.Node) (kept *schema.Node, isEmpty bool) {
	if node == nil {
		return null(), true
	}
	values := eachMember(node, func(value *schema.Node) *schema.Node {
		kept, _ := t.of.kept(value)
		return kept
	})
	if t.kind == goMap {
		sortMembers(values)
	}
	return values, t.kind == goMap && len(values.Members) == 0
}

// asAny writes a value without a type: the members in the order of their names, and
// numbers as those of 64 bits.
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
		return node // beyond 64 bits: it is refused
	case schema.Array:
		elements := make([]*schema.Node, len(node.Elements))
		for i, element := range node.Elements {
			elements[i] = asAny(element)
		}
		return schema.NewArray(elements...)
	case schema.Object:
		values := eachMember(node, asAny)
		sortMembers(values)
		return values
	default:
		return node
	}
}

// eachMember makes an object of what becomes of each member. Of several of a name the last
// one counts, in the place of the first.
func eachMember(node *schema.Node, become func(*schema.Node) *schema.Node) *schema.Node {
	made, places := schema.NewObject(), make(map[string]int, len(node.Members))
	for _, member := range node.Members {
		value := become(member.Value)
		if at, twice := places[member.Key]; twice {
			made.Members[at].Value = value
			continue
		}
		places[member.Key] = len(made.Members)
		made.Members = append(made.Members, schema.Member{Key: member.Key, Value: value})
	}
	return made
}

func sortMembers(node *schema.Node) {
	slices.SortFunc(node.Members, func(a, b schema.Member) int { return strings.Compare(a.Key, b.Key) })
}

func null() *schema.Node { return &schema.Node{Kind: schema.Null} }
