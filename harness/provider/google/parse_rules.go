package google

import (
	"math"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// parseRules are the rules of the parse stage. At most one of them reports a value, and
// nothing below that value is judged.
var parseRules = []*provider.Rule{
	unknownName, unknownNameBefore, repeatedMapKey, listForMap, listInMap, notRepeating, objectForScalar, scalarForMessage, invalidEnumValue, invalidScalar,
}

// onField makes the check of a rule about values, from a check of a value whose field the message
// has.
func onField(check func(*provider.Pass, *binding)) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if b, ok := p.Subject.(*binding); ok && b.field != nil {
			check(p, b)
		}
	}
}

// onName makes the check of a rule about names, from a check of a member of a message.
func onName(check func(*provider.Pass, *binding)) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if b, ok := p.Subject.(*binding); ok && b.role == member {
			check(p, b)
		}
	}
}

// unknownName reports a member that the message has no field for.
var unknownName = &provider.Rule{
	Name:   "unknown_name",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `a name that Google's API does not know fails the request

The provider decodes the request into a protobuf message. Its fields have a JSON name
and a proto name. Every other name is a violation, and all are reported.

The model knows the fields of tools, schemas and contents. Elsewhere a service may have fields
that no published source names yet, so that the model accepts any name there.`,
	Evidence: []string{
		"gemini/parameters/02f710844bb9",
		"gemini/parameters/344e6fe3f230",
		"gemini/parameters/3d2d6fedc044",
		"gemini/parameters/5f1904115f47",
		"gemini/parameters/919b619938aa",
		"gemini/parameters/a41c19131c24",
		"gemini/parameters/c236d650854f",
		"gemini/parameters/c7689a2ed5ab",
		"gemini/responseSchema/8d43b2254ff3",
		"gemini/responseSchema/df58a1b3025f",
		"codeassist/parameters/33d24d294528",
		// Near misses.
		"gemini/parameters/96ff89cb574d",
		"gemini/parameters/bdf394314cbe",
		"gemini/parameters/5048eacf3434",
		"gemini/responseSchema/1d38308ab86e",
		"codeassist/parameters/e025e17e4be4",
	},
	Check: onName(func(p *provider.Pass, b *binding) {
		if b.field == nil && b.isKnown {
			reportUnknownName(p, b)
		}
	}),
}

// unknownNameBefore reports the fields that Schema did not have in 2024.
var unknownNameBefore = &provider.Rule{
	Name:   "unknown_name_before",
	Effect: provider.Rejects,
	Stage:  parse,
	Until:  "2025-01-01",
	Doc: `title and default were no fields of Schema

Reported as unknown names from 2024-09 to 2024-12; fields since.`,
	Evidence: []string{
		"gemini/parameters/3d2d6fedc044",
		// Near misses.
		"gemini/parameters/93f83c84c1b0",
	},
	Check: onName(func(p *provider.Pass, b *binding) {
		if strings.HasSuffix(b.message.FullName, ".Schema") && (p.Key == "title" || p.Key == "default") {
			reportUnknownName(p, b)
		}
	}),
}

func reportUnknownName(p *provider.Pass, b *binding) {
	p.Report(provider.Finding{
		Message:  `Invalid JSON payload received. Unknown name "` + p.Key + `"` + atLocation(b.parent) + ": Cannot find field.",
		Location: string(b.parent),
	})
}

// repeatedMapKey reports a key that stands twice in a map.
var repeatedMapKey = &provider.Rule{
	Name:   "repeated_map_key",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `a property that is declared twice fails the request

Other members may be repeated: the last one counts.`,
	Source: "protobuf v21.12 protostream_objectwriter.cc; docs/providers.md#google-parser-answers",
	Check: onField(func(p *provider.Pass, b *binding) {
		if b.role == repeat {
			p.Reportf(`Invalid JSON payload received. Unknown name "%s" at '%s': Repeated map key: '%s' is already set.`, p.Key, p.Location, p.Key)
		}
	}),
}

// listForMap reports a list where a map is expected.
var listForMap = &provider.Rule{
	Name:   "list_for_map",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc:    `properties given as a list fails the request`,
	Source: "protobuf v21.12 protostream_objectwriter.cc; docs/providers.md#google-parser-answers",
	Check: onField(func(p *provider.Pass, b *binding) {
		if b.role == member && b.field.Map && p.Node.Kind == schema.Array {
			p.Report(provider.Finding{
				Message:  "Invalid value" + atLocation(b.parent) + " (Map), Cannot bind a list to map for field '" + p.Key + "'.",
				Location: string(b.parent),
			})
		}
	}),
}

// listInMap reports a list as the value of a map's entry.
var listInMap = &provider.Rule{
	Name:   "list_in_map",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc:    `a property whose schema is a list fails the request`,
	Source: "protobuf v21.12 protostream_objectwriter.cc; docs/providers.md#google-parser-answers",
	Check: onField(func(p *provider.Pass, b *binding) {
		if b.role == entry && p.Node.Kind == schema.Array {
			p.Reportf("Invalid value at '%s' (Map), Cannot have repeated items ('%s') within a map.", p.Location, p.Key)
		}
	}),
}

// notRepeating reports a list for a field that takes one value.
var notRepeating = &provider.Rule{
	Name:   "not_repeating",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `a list for a field that takes one value fails the request

The most frequent case is a list of types, and in a conversation a functionResponse whose
response is a list: https://github.com/google/adk-js/issues/67 (2026-01-19). A single value for
a field that takes a list is accepted.`,
	Evidence: []string{
		"gemini/parameters/299ea233ce1f",
		"gemini/parameters/80532c547e33",
		"gemini/parameters/f2574856f9f3",
		// Near misses.
		"gemini/parameters/076ff41fc540",
	},
	Check: onField(func(p *provider.Pass, b *binding) {
		if b.role != member || p.Node.Kind != schema.Array || b.field.Repeated || b.field.Message != nil && b.field.Message.TakesAny() {
			return
		}
		p.Report(provider.Finding{
			Message: `Invalid JSON payload received. Unknown name "` + p.Key + `"` + atLocation(b.parent) +
				": Proto field is not repeating, cannot start list.",
			Location: string(b.parent),
		})
	}),
}

// objectForScalar reports an object where a string, number, boolean or enum is
// expected.
var objectForScalar = &provider.Rule{
	Name:   "object_for_scalar",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `an object where a scalar is expected fails the request

The known case is a description in several languages.`,
	Evidence: []string{
		"gemini/parameters/3ae9452efbe1",
		// Near misses.
		"gemini/parameters/16d046c58d46",
	},
	Check: onField(func(p *provider.Pass, b *binding) {
		if p.Node.Kind != schema.Object || b.field.Message != nil || b.field.Map && b.role == member {
			return
		}
		p.Report(provider.Finding{
			Message:  "Invalid value" + atLocation(b.parent) + " (" + b.field.Name + "), Starting an object on a scalar field",
			Location: string(b.parent),
		})
	}),
}

// scalarForMessage reports a scalar where an object is expected.
var scalarForMessage = &provider.Rule{
	Name:   "scalar_for_message",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `a scalar where an object is expected fails the request

A property whose schema is true, false or a string fails, and in a conversation a
functionResponse whose response is a text: https://github.com/AstrBotDevs/AstrBot/pull/7216
(2026-03-31).`,
	Source: "https://github.com/decolua/9router/issues/1564 (Code Assist, 2026-05-30); docs/providers.md#google-parser-answers",
	Check: onField(func(p *provider.Pass, b *binding) {
		switch {
		case !isScalar(p.Node):
		case b.field.Map && b.role == member:
			reportInvalidValue(p, "type.googleapis.com/"+b.field.EntryName)
		case b.field.Message != nil && !b.field.Message.TakesAny():
			reportInvalidValue(p, "type.googleapis.com/"+b.field.TypeName)
		}
	}),
}

// invalidEnumValue reports a type that the enum does not have.
var invalidEnumValue = &provider.Rule{
	Name:   "invalid_enum_value",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `a type that Google's API does not know fails the request

Names are compared without regard to case, and - counts as _. A number is accepted,
even one that the enum does not declare; a number in a string must be declared. Enums
outside tools and schemas are not judged, because a service may have more names for them.

Whether Vertex AI has the type NULL is not known, and the model accepts it. The REST
discovery of v1, revision 20261028, has it. The published protos of 2026-10-19 do not
have it, and no public answer is about it. The Gemini API has it, and Code Assist
accepted it on 2026-09-05.`,
	Evidence: []string{
		"gemini/parameters/78d3cebd4c04",
		// Near misses.
		"gemini/parameters/06acc60e33b0",
	},
	Check: onField(func(p *provider.Pass, b *binding) {
		if b.isDeclared && isScalar(p.Node) && b.field.Enum != nil && !isEnumValue(b.field.Enum, p.Node) {
			reportInvalidValue(p, "type.googleapis.com/"+b.field.TypeName)
		}
	}),
}

// invalidScalar reports a scalar of the wrong type.
var invalidScalar = &provider.Rule{
	Name:   "invalid_scalar",
	Effect: provider.Rejects,
	Stage:  parse,
	Doc: `a scalar of the wrong type fails the request

A string field takes strings alone. A number field takes numbers and numbers in
strings, which must be whole for an integer field. A boolean field takes booleans
and words such as "true".`,
	Evidence: []string{
		"codeassist/parameters/c028c111979a",
		// Near misses.
		"codeassist/parameters/e025e17e4be4",
	},
	Check: onField(func(p *provider.Pass, b *binding) {
		if isScalar(p.Node) && b.field.Message == nil && b.field.Enum == nil && !isScalarOf(b.field.Type, p.Node) {
			reportInvalidValue(p, b.field.Type)
		}
	}),
}

func reportInvalidValue(p *provider.Pass, typeName string) {
	value := p.Node.Text
	if p.Node.Kind == schema.String {
		value = `"` + value + `"`
	}
	p.Reportf("Invalid value at '%s' (%s), %s", p.Location, typeName, value)
}

// atLocation returns the words of a message that name a place. They are empty for the request
// itself.
func atLocation(location []byte) string {
	if len(location) == 0 {
		return ""
	}
	return " at '" + string(location) + "'"
}

func isScalar(value *schema.Node) bool {
	return value.Kind == schema.String || value.Kind == schema.Number || value.Kind == schema.Bool
}

// enumName returns the name in an enum that a JSON value stands for, and whether the value is
// valid. A number that the enum does not declare is valid and has the name "".
func enumName(enum map[string]int, value *schema.Node) (name string, ok bool) {
	if value.Kind == schema.Number {
		number, ok := value.Int64()
		return nameOfNumber(enum, int(number)), ok && number >= math.MinInt32 && number <= math.MaxInt32
	}
	text := value.Text
	if _, ok := enum[text]; ok {
		return text, true
	}
	if text != "" && (text[0] == '+' || text[0] == '-' || '0' <= text[0] && text[0] <= '9') {
		if number, err := strconv.Atoi(text); err == nil {
			if name := nameOfNumber(enum, number); name != "" {
				return name, true
			}
		}
	}
	name = strings.ReplaceAll(strings.ToUpper(text), "-", "_")
	_, ok = enum[name]
	return name, ok
}

// nameOfNumber returns the name of a number in an enum, or "".
func nameOfNumber(enum map[string]int, number int) string {
	for name, declared := range enum {
		if declared == number {
			return name
		}
	}
	return ""
}

func isEnumValue(enum map[string]int, value *schema.Node) bool {
	_, ok := enumName(enum, value)
	return ok && value.Kind != schema.Bool
}

func isScalarOf(fieldType string, value *schema.Node) bool {
	switch fieldType {
	case "TYPE_STRING", "TYPE_BYTES":
		return value.Kind == schema.String
	case "TYPE_BOOL":
		if value.Kind == schema.Bool {
			return true
		}
		switch strings.ToLower(value.Text) {
		case "true", "t", "yes", "y", "1", "false", "f", "no", "n", "0":
			return value.Kind == schema.String
		}
		return false
	case "TYPE_DOUBLE", "TYPE_FLOAT":
		if value.Kind == schema.Bool {
			return false
		}
		_, err := strconv.ParseFloat(value.Text, 64)
		return err == nil
	default: // the integer types
		if value.Kind == schema.String { // in decimal digits: neither 1.0 nor 1e2
			_, err := strconv.ParseInt(value.Text, 10, 64)
			return err == nil
		}
		_, ok := value.Int64()
		return ok
	}
}
