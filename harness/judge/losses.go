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

// losesMore says what a normalizer that reports no changes loses and the target's own normalizer
// keeps; empty if there is no such loss. A loss is one of: all properties, a description, a
// default, title or format, valid arguments that are no longer accepted, and, as far as the
// fixture's arguments show it, invalid ones that are no longer refused. What the target's own
// normalizer loses as well may be impossible to say to the provider.
func (j Judge) losesMore(ctx context.Context, fx *fixture.Fixture, target Target, got normalizers.Result) string {
	raw, normalized := fx.Tools[0].Parameters, got.Tool.Parameters
	own := j.own(ctx, fx, target)
	if text := lostShape(raw, normalized, !hasProperties(own.parameters(raw))); text != "" {
		return text
	}
	if text := own.refusesOther(fx, normalized); text != "" || own == nil {
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

// refusesOther names the first of the fixture's arguments on which the normalized parameters and
// the target's own disagree: valid arguments that are refused, or invalid ones that are accepted.
// It is empty if there are none.
func (o *owned) refusesOther(fx *fixture.Fixture, normalized *schema.Node) string {
	if normalized == nil || len(fx.Valid)+len(fx.Invalid) == 0 {
		return ""
	}
	compiled, err := instance.Compile(normalized)
	if err != nil {
		return noSchema(fx.Tools[0].Parameters, err)
	}
	for _, instance := range fx.Valid {
		switch accepted, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case !accepted && o.takes(instance):
			return fmt.Sprintf("the normalized schema refuses %s, which the tool takes", instance)
		}
	}
	for _, instance := range fx.Invalid {
		switch accepted, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case accepted && !o.says(instance):
			return fmt.Sprintf("the normalized schema accepts %s, which the tool refuses; this project's normalizer keeps that", instance)
		}
	}
	return ""
}

// owned is a fixture normalized by the target's own normalizer. A nil owned means that there is no
// such normalizer, or that it failed.
type owned struct {
	result   normalizers.Result
	compiled *instance.Schema
}

// own normalizes a fixture with the target's own normalizer.
func (j Judge) own(ctx context.Context, fx *fixture.Fixture, target Target) *owned {
	normalizer := normalizers.Named(target.Name())
	if normalizer == nil {
		return nil
	}
	result, err := j.normalize(ctx, normalizer, fx.Tools[0])
	if err != nil {
		return nil
	}
	compiled, err := instance.Compile(result.Tool.Parameters)
	if err != nil {
		return nil
	}
	return &owned{result, compiled}
}

// parameters returns the normalized parameters, or the raw ones for a nil owned.
func (o *owned) parameters(raw *schema.Node) *schema.Node {
	if o == nil {
		return raw
	}
	return o.result.Tool.Parameters
}

// takes reports whether the normalized tool accepts arguments as they are.
func (o *owned) takes(arguments *schema.Node) bool {
	return o == nil || o.compiled.Accepts(arguments)
}

// says reports whether the normalized tool accepts arguments, either as they are or in the form
// that the normalizer gives them.
func (o *owned) says(arguments *schema.Node) bool {
	return o.takes(arguments) || meaning.Say(o.result, o.compiled, arguments) != nil
}

// lostDescription says which description the target's own normalizer keeps and the other one loses:
// that of the tool or that of a property. It is empty if none is lost.
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

// undescribed returns the first property that has a description in own and none in other; empty if
// there is none. It follows the properties and items that both schemas have.
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

// annotations are the keywords that constrain nothing and that a model reads nevertheless.
var annotations = []string{"default", "title", "format"}

// lostAnnotation returns the first of the annotations that own has, and that other neither has nor
// mentions in its description; empty if there is none. It follows the properties and items that
// both schemas have.
func lostAnnotation(indices schema.Indices, own, other *schema.Node, at schema.Pointer) (keyword string, where schema.Pointer) {
	if own == nil || other == nil {
		return "", ""
	}
	for _, keyword := range annotations {
		value := own.Get(keyword)
		if value == nil || other.Has(keyword) {
			continue
		}
		text := value.String()
		if value.Kind == schema.String {
			text = value.Text
		}
		if !strings.Contains(other.GetString("description"), text) {
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
