package judge

import (
	"context"
	"fmt"
	"strings"

	"toolproof/harness/fixture"
	"toolproof/harness/meaning"
	"toolproof/normalizers"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// losesMore says what a normalizer that reports nothing loses and the target's own does
// not: all properties, a description, a default, title or format, an argument that is
// taken, or, as far as the fixture's arguments show it, one that is refused. What the
// target's own loses too, the provider may not be able to say.
func (j Judge) losesMore(ctx context.Context, given *fixture.Fixture, target Target, got normalizers.Result) string {
	raw, normalized := given.Tools[0].Parameters, got.Tool.Parameters
	own := j.own(ctx, given, target)
	if text := lostShape(raw, normalized, !hasProperties(own.parameters(raw))); text != "" {
		return text
	}
	if text := own.refusesOther(given, normalized); text != "" || own == nil {
		return text
	}
	if text := lostDescription(own.result.Tool, got.Tool); text != "" {
		return text
	}
	if keyword, at := lostAnnotation(schema.Indices{}, own.result.Tool.Parameters, normalized, "/parameters"); keyword != "" {
		return fmt.Sprintf("the normalized tool has lost the %s at %s; this project's normalizer keeps that", keyword, at)
	}
	return ""
}

// refusesOther says which of the fixture's arguments normalized parameters refuse or accept
// that the target's own accept or refuse.
func (o *owned) refusesOther(given *fixture.Fixture, normalized *schema.Node) string {
	if normalized == nil || len(given.Valid)+len(given.Invalid) == 0 {
		return ""
	}
	compiled, err := instance.Compile(normalized)
	if err != nil {
		return noSchema(given.Tools[0].Parameters, err)
	}
	for _, instance := range given.Valid {
		switch accepted, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case !accepted && o.takes(instance):
			return fmt.Sprintf("the normalized schema refuses %s, which the tool takes", instance)
		}
	}
	for _, instance := range given.Invalid {
		switch accepted, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case accepted && !o.says(instance):
			return fmt.Sprintf("the normalized schema accepts %s, which the tool refuses; this project's normalizer keeps that", instance)
		}
	}
	return ""
}

// owned is what the target's own normalizer makes of a fixture. A nil one is not known.
type owned struct {
	result   normalizers.Result
	compiled *instance.Schema
}

// own normalizes a fixture with the target's own normalizer.
func (j Judge) own(ctx context.Context, given *fixture.Fixture, target Target) *owned {
	normalizer := normalizers.Named(target.Name())
	if normalizer == nil {
		return nil
	}
	result, err := j.normalize(ctx, normalizer, given.Tools[0])
	if err != nil {
		return nil
	}
	compiled, err := instance.Compile(result.Tool.Parameters)
	if err != nil {
		return nil
	}
	return &owned{result, compiled}
}

// parameters returns the normalized parameters, or else the given ones.
func (o *owned) parameters(given *schema.Node) *schema.Node {
	if o == nil {
		return given
	}
	return o.result.Tool.Parameters
}

// takes reports whether the normalized tool accepts arguments as they are.
func (o *owned) takes(arguments *schema.Node) bool {
	return o == nil || o.compiled.Accepts(arguments)
}

// says reports whether the normalized tool accepts arguments, as they are or in the form
// that it gives them.
func (o *owned) says(arguments *schema.Node) bool {
	return o.takes(arguments) || meaning.Say(o.result, o.compiled, arguments) != nil
}

// lostDescription says that a tool, or a property, has no description where the other
// form of the tool has one.
func lostDescription(own, other schema.Tool) string {
	if isDescribed(own.Node()) && !isDescribed(other.Node()) {
		return "the normalized tool has lost its description"
	}
	if at := undescribed(schema.Indices{}, own.Parameters, other.Parameters, "/parameters"); at != "" {
		return fmt.Sprintf("the normalized tool has lost the description at %s", at)
	}
	return ""
}

// isDescribed reports whether a node has a description that is not empty.
func isDescribed(node *schema.Node) bool { return node.GetString("description") != "" }

// undescribed returns the first property that has a description in one schema and none in
// the other; empty where there is none. It follows properties and items that both have.
func undescribed(indices schema.Indices, own, other *schema.Node, at schema.Pointer) schema.Pointer {
	if own == nil || other == nil {
		return ""
	}
	properties, others := own.Get("properties"), other.Get("properties")
	for _, name := range properties.Keys() {
		property, same := indices.Get(properties, name), indices.Get(others, name)
		below := at.Child("properties").Child(name)
		if same != nil && isDescribed(property) && !isDescribed(same) {
			return below
		}
		if found := undescribed(indices, property, same, below); found != "" {
			return found
		}
	}
	return undescribed(indices, own.Get("items"), other.Get("items"), at.Child("items"))
}

// annotations are the keywords that refuse nothing, and that a model reads all the same.
var annotations = []string{"default", "title", "format"}

// lostAnnotation returns the first keyword of these that one schema has, and that the other
// neither has nor says in its description; empty where there is none. It follows properties
// and items that both have.
func lostAnnotation(indices schema.Indices, own, other *schema.Node, at schema.Pointer) (keyword string, where schema.Pointer) {
	if own == nil || other == nil {
		return "", ""
	}
	for _, keyword := range annotations {
		value := own.Get(keyword)
		if value == nil || other.Has(keyword) {
			continue
		}
		said := value.String()
		if value.Kind == schema.String {
			said = value.Text
		}
		if !strings.Contains(other.GetString("description"), said) {
			return keyword, at
		}
	}
	properties, others := own.Get("properties"), other.Get("properties")
	for _, name := range properties.Keys() {
		if keyword, where := lostAnnotation(indices, indices.Get(properties, name), indices.Get(others, name), at.Child("properties").Child(name)); keyword != "" {
			return keyword, where
		}
	}
	return lostAnnotation(indices, own.Get("items"), other.Get("items"), at.Child("items"))
}
