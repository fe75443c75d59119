package main

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// spell rewrites a request for protojson where the service is known to accept more: types in
// lower case, a single value instead of a list, nested lists, null for a member or an element,
// repeated members, and booleans in strings. docs/providers.md#google-parser and the rules of
// the Parse stage list these. All other errors stay, so that protojson reports them.
func spell(message protoreflect.MessageDescriptor, object *value) {
	switch message.FullName() {
	case "google.protobuf.Value", "google.protobuf.Struct", "google.protobuf.ListValue":
		return
	}
	if object.kind != '{' {
		return
	}
	var members []member
	at := map[protoreflect.FieldNumber]int{}
	for _, entry := range object.members {
		field := fieldNamed(message, entry.name)
		if field == nil {
			members = append(members, entry)
			continue
		}
		if entry.value.kind == 'n' {
			continue
		}
		entry.value = spellField(field, entry.value)
		if i, again := at[field.Number()]; again {
			members[i].value = join(members[i].value, entry.value)
			continue
		}
		at[field.Number()] = len(members)
		members = append(members, entry)
	}
	object.members = members
}

// spellResponses is spell for the response of each function alone, which a normalizer leaves as
// it is where the service takes it.
func spellResponses(message protoreflect.MessageDescriptor, request *value) {
	listed := request.get("tools")
	if listed == nil {
		return
	}
	tools := fieldNamed(message, "tools")
	declarations := fieldNamed(tools.Message(), "functionDeclarations")
	response := fieldNamed(declarations.Message(), "response")
	for _, tool := range listed.elements {
		functions := tool.get("functionDeclarations")
		if functions == nil {
			continue
		}
		for _, declaration := range functions.elements {
			if schema := declaration.get("response"); schema != nil {
				spell(response.Message(), schema)
			}
		}
	}
}

// fieldNamed returns the field into which a member is decoded, or nil.
func fieldNamed(message protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if field := message.Fields().ByJSONName(name); field != nil {
		return field
	}
	return message.Fields().ByTextName(name)
}

// join returns the value of two members of one field: lists and maps are concatenated, and of
// other values the last counts.
func join(first, second *value) *value {
	if first.kind != second.kind || first.kind != '[' && first.kind != '{' {
		return second
	}
	return &value{kind: first.kind, members: slices.Concat(first.members, second.members), elements: slices.Concat(first.elements, second.elements)}
}

func spellField(field protoreflect.FieldDescriptor, given *value) *value {
	switch {
	case field.IsMap():
		if given.kind == '{' {
			given.members = slices.DeleteFunc(given.members, func(entry member) bool { return entry.value.kind == 'n' })
			for i := range given.members {
				given.members[i].value = spellOne(field.MapValue(), given.members[i].value)
			}
		}
		return given
	case field.IsList():
		list := &value{kind: '[', elements: flat(nil, given)}
		for i := range list.elements {
			list.elements[i] = spellOne(field, list.elements[i])
		}
		return list
	default:
		return spellOne(field, given)
	}
}

// flat appends the elements of a list and of the lists in it, without nulls.
func flat(elements []*value, given *value) []*value {
	switch given.kind {
	case '[':
		for _, element := range given.elements {
			elements = flat(elements, element)
		}
		return elements
	case 'n':
		return elements
	default:
		return append(elements, given)
	}
}

func spellOne(field protoreflect.FieldDescriptor, given *value) *value {
	switch field.Kind() {
	case protoreflect.MessageKind:
		spell(field.Message(), given)
	case protoreflect.EnumKind:
		if given.kind == '"' {
			return spellEnum(field.Enum(), given)
		}
	case protoreflect.BoolKind:
		switch strings.ToLower(given.text()) {
		case "true", "t", "yes", "y", "1":
			return newScalar('t', true)
		case "false", "f", "no", "n", "0":
			return newScalar('t', false)
		}
	}
	return given
}

// spellEnum returns the declared name of an enum value.
func spellEnum(enum protoreflect.EnumDescriptor, given *value) *value {
	text := given.text()
	name := strings.ReplaceAll(strings.ToUpper(text), "-", "_")
	for i := range enum.Values().Len() {
		declared := enum.Values().Get(i)
		if text == numberOf(declared) || name == string(declared.Name()) {
			return newScalar('"', string(declared.Name()))
		}
	}
	return given
}

func numberOf(declared protoreflect.EnumValueDescriptor) string {
	return strconv.Itoa(int(declared.Number()))
}
