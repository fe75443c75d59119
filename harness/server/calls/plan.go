package calls

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// samples is the number of random valid instances of one tool.
const samples = 2

// Plan returns the calls of a tool: valid arguments, the first of them once more, and what models send instead.
// The random numbers are seeded with the tool, so that a second run makes the same calls.
func (t *Tool) Plan() []Call {
	input := t.Entry.Get("inputSchema")
	seed := fnv.New64a()
	_, _ = seed.Write(t.Entry.JSON())
	random := rand.New(rand.NewPCG(seed.Sum64(), 1)) //nolint:gosec // no secret
	valid := t.valid(input, random)
	var calls []Call
	add := func(how string, arguments *schema.Node) {
		same := func(call Call) bool {
			return call.Arguments == nil && arguments == nil || call.Arguments != nil && arguments != nil && schema.Equal(call.Arguments, arguments)
		}
		if !slices.ContainsFunc(calls, same) {
			calls = append(calls, Call{Tool: t, How: how, Arguments: arguments, IsValid: t.accepts(arguments)})
		}
	}
	for _, arguments := range valid {
		add("valid arguments", arguments)
	}
	if len(calls) > 0 {
		again := calls[0]
		again.How, again.Again = "the first call again", true
		calls = slices.Insert(calls, 1, again)
	}
	for _, arguments := range valid[:min(len(valid), 1)] {
		for _, variant := range variants {
			if changed := variant.change(input, arguments.Clone()); changed != nil {
				add(variant.how, changed)
			}
		}
	}
	add("no arguments at all", nil)
	return calls
}

// WithArguments returns the calls with arguments that the user wrote: each of them, the first one twice.
func (t *Tool) WithArguments(arguments ...*schema.Node) []Call {
	var calls []Call
	for i, given := range arguments {
		call := Call{Tool: t, How: "the given arguments", Arguments: given, IsValid: t.accepts(given)}
		calls = append(calls, call)
		if i == 0 {
			call.How, call.Again = "the first call again", true
			calls = append(calls, call)
		}
	}
	return calls
}

// accepts reports whether the inputSchema accepts arguments. No arguments are taken for an empty object.
func (t *Tool) accepts(arguments *schema.Node) bool {
	if t.input == nil {
		return true
	}
	if arguments == nil {
		arguments = schema.NewObject()
	}
	accepted, err := t.input.AcceptsWithin(arguments)
	return accepted && err == nil
}

// valid returns arguments that the inputSchema accepts: examples, defaults, and random ones.
func (t *Tool) valid(input *schema.Node, random *rand.Rand) []*schema.Node {
	var all []*schema.Node
	add := func(arguments *schema.Node) {
		if arguments != nil && arguments.Kind == schema.Object && t.accepts(arguments) {
			all = append(all, arguments)
		}
	}
	if input != nil {
		if examples := input.Get("examples"); examples != nil {
			for _, example := range examples.Elements {
				add(example)
			}
		}
		add(input.Get("default"))
	}
	for range samples {
		made := sample.Object(input, random)
		if made == nil {
			break
		}
		if filled := filledIn(input, made.Clone()); t.accepts(filled) {
			made = filled
		}
		add(made)
	}
	return all
}

// filledIn replaces the values of properties by their examples and defaults.
func filledIn(input, arguments *schema.Node) *schema.Node {
	if input == nil || input.Get("properties") == nil {
		return arguments
	}
	for i := range arguments.Members {
		member := &arguments.Members[i]
		property := input.Get("properties").Get(member.Key)
		if property == nil {
			continue
		}
		if examples := property.Get("examples"); examples != nil && len(examples.Elements) > 0 {
			member.Value = examples.Elements[0]
		} else if usual := property.First("default", "example"); usual != nil {
			member.Value = usual
		}
	}
	return arguments
}

// variants are what models send instead of valid arguments. Each returns nil if it changes nothing.
var variants = []struct {
	how    string
	change func(input, arguments *schema.Node) *schema.Node
}{
	{"null for optional members", func(input, arguments *schema.Node) *schema.Node {
		properties, isChanged := input.Get("properties"), false
		if properties == nil {
			return nil
		}
		for _, property := range properties.Members {
			if !slices.Contains(required(input), property.Key) {
				arguments.Set(property.Key, &schema.Node{})
				isChanged = true
			}
		}
		return orNil(arguments, isChanged)
	}},
	{"a required member absent", func(input, arguments *schema.Node) *schema.Node {
		for _, name := range required(input) {
			if arguments.Has(name) {
				arguments.Delete(name)
				return arguments
			}
		}
		return nil
	}},
	{"objects and lists as JSON strings", func(_, arguments *schema.Node) *schema.Node {
		return replaced(arguments, func(value *schema.Node) *schema.Node {
			if value.Kind != schema.Object && value.Kind != schema.Array {
				return nil
			}
			return schema.NewString(value.String())
		})
	}},
	{"numbers as strings", func(_, arguments *schema.Node) *schema.Node {
		return replaced(arguments, func(value *schema.Node) *schema.Node {
			if value.Kind != schema.Number {
				return nil
			}
			return schema.NewString(value.Text)
		})
	}},
	{"an extra member", func(_, arguments *schema.Node) *schema.Node {
		const extra = "toolproof_extra"
		arguments.Set(extra, schema.NewString("extra"))
		return arguments
	}},
}

// required returns the names of the required members.
func required(input *schema.Node) []string {
	if names := input.Get("required"); names != nil {
		return names.Strings()
	}
	return nil
}

// replaced replaces values of an object, as far as change returns another; nil if it returns none.
func replaced(arguments *schema.Node, change func(*schema.Node) *schema.Node) *schema.Node {
	isChanged := false
	for i := range arguments.Members {
		if changed := change(arguments.Members[i].Value); changed != nil {
			arguments.Members[i].Value, isChanged = changed, true
		}
	}
	return orNil(arguments, isChanged)
}

// orNil returns a node if it was changed, and nil otherwise.
func orNil(node *schema.Node, isChanged bool) *schema.Node {
	if !isChanged {
		return nil
	}
	return node
}
