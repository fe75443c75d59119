package google

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/schema"
)

// parse is the stage in which Google's front end decodes the JSON of a request into a protobuf
// message. It reports every violation, in document order, and skips the value that has one. The
// front end behaves like the streaming converter that was public up to protobuf v21
// (proto_writer.cc, protostream_objectwriter.cc). protojson does not: it stops at the first
// error and refuses values that the service accepts. The Subject is a *binding.
var parse = &provider.Stage{
	Name:    "parse",
	Shared:  "one converter decodes every message of Google's services; its texts differ in the names of the message alone",
	All:     true,
	Compose: joinLines,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		surface := surfaceOf(visitor.Dialect)
		walk := &parseWalk{visitor: visitor, root: surface.root, pass: provider.Pass{Request: request, Declaration: -1}}
		walk.location, walk.at = walk.rooms[0][:0], walk.rooms[1][:0]
		walk.pass.Subject = &walk.binding
		body := visitor.Body(request)
		if surface.wrapper != "" {
			body = body.Get(surface.wrapper)
			walk.location, walk.at = append(walk.location, surface.wrapper...), schema.AppendToken(walk.at, surface.wrapper)
		}
		if body != nil {
			walk.message(surface.request(), body)
		}
	},
}

// binding is a JSON value that is about to be decoded into a field.
type binding struct {
	role    role
	message *descriptor.Message // that has or lacks the field; nil inside lists and maps
	field   *descriptor.Field   // nil when the message has no field of that name
	parent  []byte              // location of the message
	// isDeclared is set inside tools and schemas, all fields and values of which are known, and isKnown inside
	// these and contents, all fields of which are. The rest of a request may have fields that no descriptor has yet.
	isDeclared, isKnown bool
}

// fits reports whether a value is of its field's kind, so that no rule can object to it. It
// returns false for the fields that unknownNameBefore is about.
func (b *binding) fits(value *schema.Node) bool {
	field := b.field
	if field == nil || b.role == repeat || field.Name == "title" || field.Name == "default" {
		return false
	}
	isMap := field.Map && b.role == member
	switch value.Kind {
	case schema.Object:
		return isMap || field.Message != nil
	case schema.Array:
		return b.role == member && field.Repeated && !isMap
	case schema.String:
		return field.Type == "TYPE_STRING" && !isMap
	default:
		return false
	}
}

type role uint8

const (
	member  role = iota // the value of a member of a message
	element             // an element of a list
	entry               // the value of an entry of a map
	repeat              // the value of an entry of a map whose key an earlier entry has
)

// parseWalk has the location and the pointer in buffers that grow and shrink during the walk,
// since few of them are ever printed.
type parseWalk struct {
	visitor  *provider.Visitor
	pass     provider.Pass
	binding  binding
	location []byte
	at       []byte
	next     int            // index of the next declaration
	declared bool           // whether the walk is inside the tools, or a schema
	content  bool           // whether it is inside contents
	root     schema.Pointer // from the tool to a declaration
	rooms    [3][128]byte   // buffers that most locations and pointers fit into
}

// visit asks the rules about a value and reports whether one of them objects.
func (w *parseWalk) visit(bound binding, parent int, name *schema.Member) bool {
	if bound.fits(name.Value) {
		return false
	}
	bound.parent, bound.isDeclared, bound.isKnown = w.location[:parent], w.declared, w.declared || w.content
	w.binding = bound
	w.pass.Key, w.pass.KeyPosition, w.pass.Node = name.Key, name.Position, name.Value
	w.pass.Location, w.pass.At = w.location, w.at
	return w.visitor.Visit(&w.pass)
}

// message decodes an object.
func (w *parseWalk) message(message *descriptor.Message, object *schema.Node) {
	if message.Free {
		return
	}
	if next := w.next; next < len(w.pass.Request.Declarations) && w.pass.Request.Declarations[next] == object {
		outside := w.at
		w.pass.Declaration, w.at = next, append(w.rooms[2][:0], w.root...)
		defer func() { w.next, w.pass.Declaration, w.at = next+1, -1, outside }()
	}
	parent, outside, around := len(w.location), w.declared, w.content
	defer func() { w.declared, w.content = outside, around }()
	for i := range object.Members {
		name := &object.Members[i]
		field := message.Field(name.Key)
		if field != nil && (name.Value.Kind == schema.Null || field.Open) {
			continue // null means that the field is absent, except in a Value, which takes anything
		}
		w.declared, w.content = outside || isDeclaring(field), around || field != nil && strings.HasSuffix(field.TypeName, ".Content")
		at := len(w.at)
		w.at = schema.AppendToken(w.at, name.Key)
		if field != nil {
			if parent > 0 {
				w.location = append(w.location, '.')
			}
			w.location = append(w.location, field.Name...)
		}
		if !w.visit(binding{role: member, message: message, field: field}, parent, name) && field != nil {
			w.value(field, name.Value)
		}
		w.location, w.at = w.location[:parent], w.at[:at]
	}
}

// isDeclaring reports whether a field holds tools or a schema.
func isDeclaring(field *descriptor.Field) bool {
	return field != nil && field.Message != nil && (strings.HasSuffix(field.TypeName, ".Tool") || strings.HasSuffix(field.TypeName, ".Schema"))
}

// value goes on below a value that no rule objects to.
func (w *parseWalk) value(field *descriptor.Field, value *schema.Node) {
	switch {
	case field.Map:
		w.entries(field, value)
	case field.Repeated && value.Kind == schema.Array:
		w.elements(field, value)
	case field.Message != nil && value.Kind == schema.Object:
		w.below(field.Message, value)
	}
}

// below decodes an object inside another. It skips a plain schema, whose members every Schema
// message has.
func (w *parseWalk) below(message *descriptor.Message, object *schema.Node) {
	if !object.IsPlain() || !strings.HasSuffix(message.FullName, ".Schema") {
		w.message(message, object)
	}
}

// elements decodes a list. A null is dropped and has no index. The elements of a list in the list
// count as elements of the outer list.
func (w *parseWalk) elements(field *descriptor.Field, list *schema.Node) {
	location, at := len(w.location), len(w.at)
	index := 0
	for i, value := range list.Elements {
		if value.Kind == schema.Null {
			continue
		}
		w.location = appendIndex(w.location, index)
		w.at = strconv.AppendInt(append(w.at, '/'), int64(i), 10)
		if !w.visit(binding{role: element, field: field}, location, &schema.Member{Value: value}) {
			w.value(field, value)
		}
		w.location, w.at = w.location[:location], w.at[:at]
		index++
	}
}

// entries decodes a map. Its entries have indices, in document order.
func (w *parseWalk) entries(field *descriptor.Field, object *schema.Node) {
	location, at := len(w.location), len(w.at)
	isRepeated := object.Repeated()
	for i := range object.Members {
		name := &object.Members[i]
		w.at = schema.AppendToken(w.at, name.Key)
		switch {
		case isRepeated(i):
			w.location = appendIndex(w.location, i-1)
			w.visit(binding{role: repeat, field: field}, location, name)
		case name.Value.Kind != schema.Null:
			w.location = append(appendIndex(w.location, i), ".value"...)
			if !w.visit(binding{role: entry, field: field}, location, name) && field.Message != nil && name.Value.Kind == schema.Object {
				w.below(field.Message, name.Value)
			}
		}
		w.location, w.at = w.location[:location], w.at[:at]
	}
}

func appendIndex(location []byte, index int) []byte {
	return append(strconv.AppendInt(append(location, '['), int64(index), 10), ']')
}

// joinLines makes the message of the parse stage, which has a line for each violation and no
// newline at its end.
func joinLines(findings []provider.Finding) string {
	lines := make([]string, len(findings))
	for i, finding := range findings {
		lines[i] = finding.Message
	}
	return strings.Join(lines, "\n")
}
