package arrival

import (
	"context"
	"strconv"
	"strings"

	"toolproof/harness/meaning"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Change is a change to one object of a tool, such as a schema or its properties.
type Change struct {
	// At points to the object in the tool as it was given.
	At schema.Pointer `json:"at"`
	// Loss is what the change alone loses, judged by instances of the schema; Unknown is set if
	// it could not be judged.
	Loss    rewrite.Loss `json:"loss"`
	Unknown bool         `json:"unknown,omitempty"`
	// Before are the members as they were given, and After as they were sent; nil if there are
	// none.
	Before *schema.Node `json:"before,omitempty"`
	After  *schema.Node `json:"after,omitempty"`

	// isWhole is set if Before and After are the whole values, because one is not an object.
	isWhole bool
}

// change compares a tool with the tool that was sent, and weighs the difference.
func (t *Tool) change(ctx context.Context, given, got schema.Tool) error {
	var changes []Change
	before, after := textOf(given.Description), textOf(got.Description)
	if !schema.Equal(before, after) {
		changes = append(changes, Change{At: "/description", Before: before, After: after})
	}
	got.Parameters = inJSONSchema(got.Parameters)
	if got.Parameters == nil && takesNothing(given.Parameters) {
		got.Parameters = given.Parameters // a declaration without parameters means the same
	}
	differ(given.Parameters, got.Parameters, "/parameters", func(change Change) { changes = append(changes, change) })
	if len(changes) == 0 {
		return nil
	}
	t.State, t.Changes = Changed, changes
	return t.weigh(ctx, given, got)
}

// takesNothing reports whether a schema declares an object and lists no property of it.
func takesNothing(parameters *schema.Node) bool {
	properties := parameters.Get("properties")
	return properties != nil && len(properties.Members) == 0 && parameters.Get("type").Is("object")
}

// inJSONSchema returns a schema in the spelling of JSON Schema. In that of Google's protocol
// buffers the types are in upper case, and the bounds may be strings.
func inJSONSchema(given *schema.Node) *schema.Node {
	if !given.Get("type").Is("OBJECT") {
		return given
	}
	spelled := given.Clone()
	spelled.Each(func(node *schema.Node) bool {
		for i, member := range node.Members {
			switch member.Key {
			case "type":
				if member.Value.Kind == schema.String {
					node.Members[i].Value = schema.NewString(strings.ToLower(member.Value.Text))
				}
			case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
				if _, err := strconv.ParseUint(member.Value.Text, 10, 63); err == nil && member.Value.Kind == schema.String {
					node.Members[i].Value = schema.NewNumber(member.Value.Text)
				}
			}
		}
		return true
	})
	return spelled
}

// textOf returns a description, and the empty string if there is none.
func textOf(description *schema.Node) *schema.Node {
	if description == nil || description.Is("") {
		return schema.NewString("")
	}
	return description
}

// differ reports a change for each object in which two schemas differ, with the members that
// differ.
func differ(before, after *schema.Node, at schema.Pointer, report func(Change)) {
	if before == nil || after == nil || before.Kind != schema.Object || after.Kind != schema.Object {
		if before != after && (before == nil || after == nil || !schema.Equal(before, after)) {
			report(Change{At: at, Before: before, After: after, isWhole: true})
		}
		return
	}
	var removed, added []schema.Member
	var below []func()
	for _, member := range before.Members {
		other := after.Get(member.Key)
		switch {
		case other == nil:
			removed = append(removed, member)
		case schema.Equal(member.Value, other):
		case isComparable(member.Value, other):
			below = append(below, func() { differ(member.Value, other, at.Child(member.Key), report) })
		case areAlike(member.Value, other):
			for i := range member.Value.Elements {
				below = append(below, func() { differ(member.Value.Elements[i], other.Elements[i], at.Child(member.Key).Element(i), report) })
			}
		default:
			removed = append(removed, member)
			added = append(added, schema.Member{Key: member.Key, Value: other})
		}
	}
	for _, member := range after.Members {
		if !before.Has(member.Key) {
			added = append(added, member)
		}
	}
	if removed != nil || added != nil {
		report(Change{At: at, Before: objectOf(removed), After: objectOf(added)})
	}
	for _, compare := range below {
		compare()
	}
}

// isComparable reports whether two values are objects, whose members are compared.
func isComparable(before, after *schema.Node) bool {
	return before.Kind == schema.Object && after.Kind == schema.Object
}

// areAlike reports whether two values are lists of objects of the same length, which are
// compared one by one.
func areAlike(before, after *schema.Node) bool {
	if before.Kind != schema.Array || after.Kind != schema.Array || len(before.Elements) != len(after.Elements) {
		return false
	}
	for i := range before.Elements {
		if !isComparable(before.Elements[i], after.Elements[i]) {
			return false
		}
	}
	return true
}

// objectOf returns an object with the members, or nil if there are none.
func objectOf(members []schema.Member) *schema.Node {
	if members == nil {
		return nil
	}
	return schema.NewObject(members...)
}

// mostWeighed is how many changes of a tool are weighed alone.
const mostWeighed = 40

// weigh judges by instances what the changes lose, all together and each alone.
func (t *Tool) weigh(ctx context.Context, given, got schema.Tool) error {
	original, err := meaning.Checker{}.Original(ctx, given, probes(given.Parameters, t.Changes)...)
	if err != nil {
		return t.unknown(ctx)
	}
	together, err := lossOf(ctx, original, given, got.Parameters)
	if err != nil {
		return t.unknown(ctx)
	}
	t.Loss = together
	for i := range t.Changes {
		change := &t.Changes[i]
		if change.At == "/description" || together == rewrite.Exact {
			continue
		}
		if i >= mostWeighed {
			change.Unknown = true
			continue
		}
		only := alone(given.Parameters, *change)
		if change.Loss, err = lossOf(ctx, original, given, only); err != nil {
			change.Unknown = true
		}
	}
	return ctx.Err()
}

// unknown marks all changes of a tool as not weighed.
func (t *Tool) unknown(ctx context.Context) error {
	for i := range t.Changes {
		t.Changes[i].Unknown = true
	}
	return ctx.Err()
}

// lossOf returns what is lost if a tool gets other parameters.
func lossOf(ctx context.Context, original *meaning.Original, given schema.Tool, parameters *schema.Node) (rewrite.Loss, error) {
	made := given
	if made.Parameters = parameters; parameters == nil { // the function takes no arguments
		made.Parameters = schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "additionalProperties", Value: schema.NewBool(false)})
	}
	findings, _, err := original.Check(ctx, normalizers.Result{Given: given, Tool: made})
	if err != nil {
		return rewrite.Exact, err
	}
	loss := rewrite.Exact
	for _, finding := range findings {
		loss |= finding.Needs
	}
	return loss, nil
}

// alone returns a schema with one of its changes.
func alone(given *schema.Node, change Change) *schema.Node {
	at := schema.Pointer(strings.TrimPrefix(string(change.At), "/parameters"))
	if change.isWhole && at == "" {
		return change.After
	}
	changed := given.Clone()
	place := changed.Find(at)
	if change.isWhole {
		*place = *change.After
		return changed
	}
	if change.Before != nil {
		for _, member := range change.Before.Members {
			if change.After == nil || !change.After.Has(member.Key) {
				place.Delete(member.Key)
			}
		}
	}
	if change.After != nil {
		for _, member := range change.After.Members {
			place.Set(member.Key, member.Value)
		}
	}
	return changed
}
