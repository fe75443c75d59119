// Package descriptor describes the messages into which Google's endpoints decode requests: the
// fields of each message with their names and types. The program in generate makes its tables
// from the protobuf descriptors that Google publishes, which manifest.json lists.
package descriptor

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed gemini.txt
var gemini string

//go:embed vertex.txt
var vertex string

// further has the fields that the descriptors lack and that types generated from newer sources
// have, by the service and the last part of the message's name.
//
//go:embed further.json
var further []byte

// Message is a message type.
type Message struct {
	FullName string
	// Free is set for google.protobuf.Value, Struct and ListValue, whose members are any JSON.
	Free   bool
	fields map[string]*Field
}

// TakesAny reports whether the message takes any JSON value, and not only an object.
func (m *Message) TakesAny() bool { return m.Free && m.FullName != "google.protobuf.Struct" }

// Field returns the field of a JSON member of the given name: its JSON name or its
// proto name. It returns nil for any other name.
func (m *Message) Field(name string) *Field { return m.fields[name] }

// Field is a field of a message.
type Field struct {
	Name     string // of the field in the proto: any_of
	Number   int
	Repeated bool
	Map      bool
	// Type is the type of the field, or of the values of a map, as descriptor.proto calls it,
	// such as TYPE_STRING or TYPE_INT64.
	Type string
	// TypeName is the full name of the message or enum that the field, or a value of the map,
	// is of; "" for scalars.
	TypeName string
	// EntryName is the full name of the message that an entry of a map is encoded as; "" for
	// any other field.
	EntryName string
	// Open is set for a field that newer sources name and the descriptors lack. Which values
	// it takes is not known.
	Open    bool
	Message *Message       // nil unless a message, or a map to messages
	Enum    map[string]int // the numbers by name; nil unless an enum
}

// Gemini returns the request of generateContent in the Gemini API, v1beta.
var Gemini = sync.OnceValue(func() *Message {
	message := load(gemini, "google.ai.generativelanguage.v1beta.GenerateContentRequest", "google.ai.generativelanguage.v1beta")
	extend(message, "gemini")
	return message
})

// vertexPackage is the public package of Vertex AI, version v1beta1, whose messages
// are those of v1.
const vertexPackage = "google.cloud.aiplatform.v1beta1"

// Vertex returns the request of generateContent in Vertex AI: that of the public proto, with the
// fields and values that the service is known or likely to accept as well.
var Vertex = sync.OnceValue(func() *Message {
	message := load(vertex, vertexPackage+".GenerateContentRequest", vertexPackage)
	overlayVertex(message, vertexPackage)
	extend(message, "vertex")
	return message
})

// codeAssistPackage is the name of the package in the answers of Code Assist, as public refusals
// of 2026-05-30 and 2026-09-05 have it.
const codeAssistPackage = "google.cloud.aiplatform.master"

// CodeAssist returns the request that Code Assist and Antigravity pass on, which is that of
// Vertex AI under its internal name. Its Schema also has all_of, as measured on 2026-09-05
// (omnigateway), and one_of, which the validator names beside all_of.
var CodeAssist = sync.OnceValue(func() *Message {
	message := load(vertex, vertexPackage+".GenerateContentRequest", codeAssistPackage)
	overlayVertex(message, codeAssistPackage)
	extend(message, "vertex")
	schema := schemaOf(message)
	for _, name := range []struct{ json, proto string }{{"allOf", "all_of"}, {"oneOf", "one_of"}} {
		field := *schema.Field("any_of")
		field.Name = name.proto
		schema.fields[name.json], schema.fields[name.proto] = &field, &field
	}
	return message
})

// extend adds the further fields of a service to the request and to the messages in it.
func extend(request *Message, service string) {
	var services map[string]json.RawMessage
	var names map[string][]string
	err := json.Unmarshal(further, &services)
	if err == nil {
		err = json.Unmarshal(services[service], &names)
	}
	if err != nil {
		panic(fmt.Sprintf("reading embedded names of fields: %v", err))
	}
	seen := map[*Message]bool{}
	var add func(message *Message)
	add = func(message *Message) {
		if message == nil || seen[message] {
			return
		}
		seen[message] = true
		for _, field := range message.fields {
			add(field.Message)
		}
		for _, name := range names[message.FullName[strings.LastIndexByte(message.FullName, '.')+1:]] {
			if message.fields[name] == nil {
				field := &Field{Name: ProtoName(name), Open: true}
				message.fields[name], message.fields[field.Name] = field, field
			}
		}
	}
	add(request)
}

// ProtoName returns the name of a field in the proto by its JSON name.
func ProtoName(name string) string {
	var written strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			written.WriteByte('_')
		}
		written.WriteRune(unicode.ToLower(letter))
	}
	return written.String()
}

// schemaOf returns the message that describes the parameters of a function.
func schemaOf(request *Message) *Message {
	return request.Field("tools").Message.Field("function_declarations").Message.Field("parameters").Message
}

// overlayVertex adds the type NULL and the behavior of a declaration, which the REST discovery of
// v1, revision 20261028, has and the public proto lacks. No public answer says which of the two
// the service follows, and the models accept what is not known to be refused.
func overlayVertex(request *Message, pkg string) {
	const null = 7
	schemaOf(request).Field("type").Enum["NULL"] = null
	declaration := request.Field("tools").Message.Field("function_declarations").Message
	declaration.fields["behavior"] = &Field{
		Name: "behavior", Type: "TYPE_ENUM", TypeName: pkg + ".FunctionDeclaration.Behavior",
		Enum: map[string]int{"BEHAVIOR_UNSPECIFIED": 0, "BLOCKING": 1, "NON_BLOCKING": 2},
	}
}

// load reads a request message from a table and gives its package the name pkg. It panics if the
// embedded table is malformed, which a test would show.
func load(table, name, pkg string) *Message {
	reader := reader{lines: map[string][]string{}, known: map[string]*Message{}, from: strings.TrimSuffix(name, "GenerateContentRequest"), to: pkg + "."}
	var last string
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if field, isBelow := strings.CutPrefix(line, "\t"); isBelow {
			reader.lines[last] = append(reader.lines[last], field)
			continue
		}
		_, last, _ = strings.Cut(line, " ")
		reader.lines[last] = nil
	}
	return reader.message(name)
}

// reader makes messages from the lines of a table and renames their package.
type reader struct {
	lines    map[string][]string // by message and enum
	known    map[string]*Message
	from, to string
}

// named returns a full name as the service prints it.
func (r *reader) named(name string) string {
	if rest, ok := strings.CutPrefix(name, r.from); ok {
		return r.to + rest
	}
	return name
}

func (r *reader) message(name string) *Message {
	if message := r.known[name]; message != nil {
		return message
	}
	lines, known := r.lines[name]
	if !known {
		panic("the embedded table lacks " + name)
	}
	message := &Message{FullName: r.named(name), fields: make(map[string]*Field, len(lines))}
	r.known[name] = message
	switch name {
	case "google.protobuf.Value", "google.protobuf.Struct", "google.protobuf.ListValue":
		message.Free = true
	}
	for _, line := range lines {
		field, jsonName := r.field(line)
		message.fields[jsonName], message.fields[field.Name] = field, field
	}
	return message
}

// field reads one line of a message, as the program in generate writes it. It returns the field and
// its JSON name.
func (r *reader) field(line string) (*Field, string) {
	const columns = 7
	words := append(strings.Split(line, " "), "", "")[:columns]
	field := &Field{Name: words[0], Number: number(words[2]), Repeated: words[3] == "repeated", Map: words[3] == "map", Type: words[4]}
	if typeName := words[5]; typeName != "" {
		field.TypeName = r.named(typeName)
		if field.Type == "TYPE_ENUM" {
			field.Enum = r.enum(typeName)
		} else {
			field.Message = r.message(typeName)
		}
	}
	if entry := words[6]; entry != "" {
		field.EntryName = r.named(entry)
	}
	return field, words[1]
}

// enum returns the numbers of an enum by name. The map is not shared, since overlayVertex changes
// one.
func (r *reader) enum(name string) map[string]int {
	values := make(map[string]int, len(r.lines[name]))
	for _, line := range r.lines[name] {
		value, digits, _ := strings.Cut(line, " ")
		values[value] = number(digits)
	}
	return values
}

func number(digits string) int {
	value, err := strconv.Atoi(digits)
	if err != nil {
		panic("the embedded table has the number " + digits)
	}
	return value
}
