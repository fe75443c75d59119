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

// differs says how a normalized tool differs from the exact forms that the fixture expects; empty
// if it does not.
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

// meansOther says how the meaning of a normalized tool differs from what its changes report, as far
// as the fixture's arguments show it; empty if no difference shows. A tool that lost all properties
// differs, too, unless isExpected says that the fixture expects the exact form.
func (j Judge) meansOther(fx *fixture.Fixture, got normalizers.Result, isExpected bool) string {
	raw, normalized := fx.Tools[0].Parameters, got.Tool.Parameters
	if text := lostShape(raw, normalized, isExpected); text != "" || normalized == nil || len(fx.Valid)+len(fx.Invalid) == 0 {
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
	for _, instance := range fx.Valid {
		switch accepts, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case loss&rewrite.Narrows == 0 && !accepts:
			return fmt.Sprintf("the normalized schema refuses %s, and no change says that it narrows", instance)
		}
	}
	for _, instance := range fx.Invalid {
		switch accepts, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case loss&rewrite.Widens == 0 && accepts:
			return fmt.Sprintf("the normalized schema accepts %s, and no change says that it widens", instance)
		}
	}
	return ""
}

// notJudged says that validating an instance against a normalized schema takes too long.
func notJudged(instance *schema.Node, err error) string {
	return fmt.Sprintf("the normalized schema cannot be asked about %s: %v", instance, err)
}

// lostShape says whether a tool lost all its properties, unless the fixture expects the exact form,
// or whether their order changed.
func lostShape(raw, normalized *schema.Node, isExpected bool) string {
	if !isExpected && hasProperties(raw) && !hasProperties(normalized) {
		return "the normalized tool has lost all its properties"
	}
	if normalized == nil {
		return ""
	}
	return outOfOrder(raw, normalized)
}

// noSchema says that normalized parameters do not compile. It is empty if the raw ones do not
// compile either.
func noSchema(raw *schema.Node, err error) string {
	if _, before := instance.Compile(raw); before != nil {
		return "" // the meaning was unknown before, too
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

// outOfOrder says whether the properties of the root are in another order than before. Their order
// decides in which order a model writes them.
func outOfOrder(raw, normalized *schema.Node) string {
	before, after := common(raw.Get("properties").Keys(), normalized.Get("properties").Keys()), common(normalized.Get("properties").Keys(), raw.Get("properties").Keys())
	if !slices.Equal(before, after) {
		return fmt.Sprintf("the properties were in the order %s and are now in the order %s", strings.Join(before, ", "), strings.Join(after, ", "))
	}
	return ""
}

// common returns the names that are also in others.
func common(names, others []string) []string {
	isOther := schema.Among(others)
	return slices.DeleteFunc(names, func(name string) bool { return !isOther(name) })
}
