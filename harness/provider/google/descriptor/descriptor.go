// Package descriptor holds the messages that Google's endpoints decode requests
// into, as far as a request reaches them: which fields a message has, under
// which names, and of what type. The tables are made of protobuf descriptors
// that Google publishes; manifest.json says of which, and generate/ makes them.
package descriptor

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

//go:embed gemini.binpb
var gemini []byte

// Message is a message type.
type Message struct {
	FullName string
	// Free is set for google.protobuf.Value, Struct and ListValue, which take
	// any JSON.
	Free   bool
	fields map[string]*Field
}

// Field returns the field that a JSON member of the given name is decoded into:
// by its JSON name or by its proto name. It returns nil for any other name.
func (m *Message) Field(name string) *Field { return m.fields[name] }

// Field is a field of a message.
type Field struct {
	Name     string // of the field in the proto: any_of
	Number   int
	Repeated bool
	Map      bool
	// Type is TYPE_STRING, TYPE_INT64 and so on as descriptor.proto calls it,
	// for a map that of the values.
	Type string
	// TypeName is the full name of the message or enum, for a map that of the
	// values; "" for scalars.
	TypeName string
	// EntryName is the full name of the message that an entry of a map is
	// encoded as; "" for any other field.
	EntryName string
	Message   *Message       // nil unless a message, or a map to messages
	Enum      map[string]int // the numbers by name; nil unless an enum
}

// Gemini returns the request of generateContent in the Gemini API, v1beta.
var Gemini = sync.OnceValue(func() *Message {
	return load(gemini, "google.ai.generativelanguage.v1beta.GenerateContentRequest")
})

// load panics when the embedded data does not fit, which a test would show.
func load(data []byte, name protoreflect.FullName) *Message {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(data, set); err != nil {
		panic(fmt.Sprintf("reading embedded descriptors: %v", err))
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		panic(fmt.Sprintf("reading embedded descriptors: %v", err))
	}
	found, err := files.FindDescriptorByName(name)
	if err != nil {
		panic(fmt.Sprintf("reading embedded descriptors: %v", err))
	}
	return messageOf(found.(protoreflect.MessageDescriptor), map[protoreflect.FullName]*Message{}) //nolint:forcetypeassert // the name is a message's
}

func messageOf(descriptor protoreflect.MessageDescriptor, known map[protoreflect.FullName]*Message) *Message {
	if message := known[descriptor.FullName()]; message != nil {
		return message
	}
	message := &Message{FullName: string(descriptor.FullName()), fields: map[string]*Field{}}
	known[descriptor.FullName()] = message
	switch descriptor.FullName() {
	case "google.protobuf.Value", "google.protobuf.Struct", "google.protobuf.ListValue":
		message.Free = true
	}
	fields := descriptor.Fields()
	for i := range fields.Len() {
		field := fieldOf(fields.Get(i), known)
		message.fields[fields.Get(i).JSONName()] = field
		message.fields[field.Name] = field
	}
	return message
}

func fieldOf(descriptor protoreflect.FieldDescriptor, known map[protoreflect.FullName]*Message) *Field {
	field := &Field{Name: string(descriptor.Name()), Number: int(descriptor.Number()), Repeated: descriptor.IsList(), Map: descriptor.IsMap()}
	if field.Map {
		field.EntryName = string(descriptor.Message().FullName())
		descriptor = descriptor.MapValue()
	}
	field.Type = "TYPE_" + strings.ToUpper(descriptor.Kind().String())
	if enum := descriptor.Enum(); enum != nil {
		field.TypeName = string(enum.FullName())
		field.Enum = map[string]int{}
		for i := range enum.Values().Len() {
			value := enum.Values().Get(i)
			field.Enum[string(value.Name())] = int(value.Number())
		}
	}
	if message := descriptor.Message(); message != nil {
		field.TypeName = string(message.FullName())
		field.Message = messageOf(message, known)
	}
	return field
}
