package google

import (
	"strconv"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/schema"
)

// Unknown returns a sentence about each of the first ten members in the body of a request that no
// source names and that the models therefore accept, although the service may not. It leaves out
// members of tools and schemas, which rules judge.
func Unknown(dialect *provider.Dialect, body *schema.Node) []string {
	surface := surfaceOf(dialect)
	if surface.wrapper != "" {
		body = body.Get(surface.wrapper)
	}
	found := &unknowns{}
	found.message(surface.request(), body, "")
	return found.sentences
}

const mostUnknown = 10

type unknowns struct{ sentences []string }

func (u *unknowns) add(sentence string) {
	if len(u.sentences) < mostUnknown {
		u.sentences = append(u.sentences, sentence)
	}
}

// message looks at the members of an object that is decoded into a message.
func (u *unknowns) message(message *descriptor.Message, object *schema.Node, at string) {
	if object == nil || message.Free || len(u.sentences) == mostUnknown {
		return
	}
	for _, member := range object.Members {
		field, place := message.Field(member.Key), at+"/"+member.Key
		switch {
		case field == nil:
			u.add("no source names the member " + strconv.Quote(place))
		case !field.Open && !isDeclaring(field) && !field.Map:
			u.value(field, member.Value, place)
		}
	}
}

// value looks at the value, or the values, of a field.
func (u *unknowns) value(field *descriptor.Field, value *schema.Node, at string) {
	switch {
	case field.Repeated && value.Kind == schema.Array:
		for i, element := range value.Elements {
			if element.Kind != schema.Array {
				u.value(field, element, at+"/"+strconv.Itoa(i))
			}
		}
	case field.Message != nil && value.Kind == schema.Object:
		u.message(field.Message, value, at)
	case field.Enum != nil && isScalar(value) && !isEnumValue(field.Enum, value):
		u.add("no source names the value of " + strconv.Quote(at))
	}
}
