package judge

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/fixture"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// differs compares a normalized tool with the exact forms that are expected.
func differs(expected fixture.Side, got normalizers.Result, target Target) string {
	if expected.Parameters != nil && !schema.Identical(expected.Parameters, got.Tool.Parameters) {
		return fmt.Sprintf("expected the parameters\n  %s\ngot\n  %s", expected.Parameters, got.Tool.Parameters)
	}
	if expected.Tool != nil && !schema.Identical(expected.Tool, target.shown(got.Tool)) {
		return fmt.Sprintf("expected the tool\n  %s\ngot\n  %s", expected.Tool, target.shown(got.Tool))
	}
	if expected.Loss != "" && expected.Loss != got.Loss().String() {
		return fmt.Sprintf("expected the loss %s, got %s", expected.Loss, got.Loss())
	}
	if expected.Strict != nil && *expected.Strict != got.Strict {
		return fmt.Sprintf("expected strict %t, got %t: %s", *expected.Strict, got.Strict, got.Fallback)
	}
	return ""
}

// meansOther says how a normalized tool means something else than the changes
// say, as far as the fixture's arguments show it; and whether it was emptied, unless
// the exact form was expected.
func (j Judge) meansOther(given *fixture.Fixture, got normalizers.Result, isExpected bool) string {
	raw, normalized := given.Tools[0].Parameters, got.Tool.Parameters
	if text := lostShape(raw, normalized, isExpected); text != "" || normalized == nil || len(given.Valid)+len(given.Invalid) == 0 {
		return text
	}
	compiled, err := j.Memory.compile(normalized)
	if err != nil {
		return noSchema(raw, err)
	}
	var loss rewrite.Loss
	for _, change := range got.Changes {
		loss |= change.Loss
	}
	for _, instance := range given.Valid {
		switch accepts, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case loss&rewrite.Narrows == 0 && !accepts:
			return fmt.Sprintf("the normalized schema refuses %s, and no change says that it narrows", instance)
		}
	}
	for _, instance := range given.Invalid {
		switch accepts, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case loss&rewrite.Widens == 0 && accepts:
			return fmt.Sprintf("the normalized schema accepts %s, and no change says that it widens", instance)
		}
	}
	return ""
}

// notJudged says that a normalized schema takes too long to be asked about an instance.
func notJudged(instance *schema.Node, err error) string {
	return fmt.Sprintf("the normalized schema cannot be asked about %s: %v", instance, err)
}

// lostShape says whether a tool was emptied, unless the exact form was expected, or its
// properties have another order.
func lostShape(raw, normalized *schema.Node, isExpected bool) string {
	if !isExpected && hasProperties(raw) && !hasProperties(normalized) {
		return "the normalized tool has lost all its properties"
	}
	if normalized == nil {
		return ""
	}
	return outOfOrder(raw, normalized)
}

// noSchema says that normalized parameters cannot be compiled, where those as given can.
func noSchema(raw *schema.Node, err error) string {
	if _, before := instance.Compile(raw); before != nil {
		return "" // What the tool means was not known before either.
	}
	return fmt.Sprintf("the normalized parameters are no schema: %v", err)
}

// hasProperties reports whether a schema declares properties, or a branch of its union
// does.
func hasProperties(parameters *schema.Node) bool {
	if properties := parameters.Get("properties"); properties != nil && len(properties.Members) > 0 {
		return true
	}
	union := parameters.Get("anyOf")
	return union != nil && slices.ContainsFunc(union.Elements, hasProperties)
}

// outOfOrder says which properties of the root have changed their order, which
// decides in what order a model writes them.
func outOfOrder(raw, normalized *schema.Node) string {
	before, after := common(raw.Get("properties").Keys(), normalized.Get("properties").Keys()), common(normalized.Get("properties").Keys(), raw.Get("properties").Keys())
	if !slices.Equal(before, after) {
		return fmt.Sprintf("the properties were in the order %s and are now in the order %s", strings.Join(before, ", "), strings.Join(after, ", "))
	}
	return ""
}

// common returns those of the names that are among the others.
func common(names, others []string) []string {
	isOther := schema.Among(others)
	return slices.DeleteFunc(names, func(name string) bool { return !isOther(name) })
}
