package arrival

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/meaning"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Change is a difference in one object of a tool, such as a schema or its properties.
type Change struct {
	// At points to the object in the original tool.
	At schema.Pointer `json:"at"`
	// Loss is the loss of this change alone, as instances of the schema show it. Unknown is set if
	// that could not be determined.
	Loss    rewrite.Loss `json:"loss"`
	Unknown bool         `json:"unknown,omitempty"`
	// Before are the members of the original that differ, and After those that were sent; nil if
	// there are none.
	Before *schema.Node `json:"before,omitempty"`
	After  *schema.Node `json:"after,omitempty"`

	// isWhole is set if Before and After are whole values, because one of them is not an object.
	isWhole bool
}

// Changes returns how a tool differs from the tool that was sent for it. The changes are not weighed.
func Changes(tool, sent schema.Tool) []Change {
	changes, _ := changesOf(tool, sent)
	return changes
}

// change compares a tool with the tool that was sent, and weighs the difference.
func (t *Tool) change(ctx context.Context, tool, sent schema.Tool) error {
	changes, read := changesOf(tool, sent)
	if len(changes) == 0 {
		return nil
	}
	t.State, t.Changes = Changed, changes
	return t.weigh(ctx, tool, read)
}

// changesOf returns the changes, and the tool that was sent in the spelling in which it was compared.
func changesOf(tool, sent schema.Tool) ([]Change, schema.Tool) {
	var changes []Change
	before, after := textOf(tool.Description), textOf(sent.Description)
	if !schema.Equal(before, after) {
		changes = append(changes, Change{At: "/description", Before: before, After: after})
	}
	sent.Parameters = inJSONSchema(sent.Parameters)
	if sent.Parameters == nil && takesNothing(tool.Parameters) {
		sent.Parameters = tool.Parameters // a declaration without parameters means the same
	}
	differ(tool.Parameters, sent.Parameters, "/parameters", func(change Change) { changes = append(changes, change) })
	return changes, sent
}

// takesNothing reports whether a schema declares an object and lists no property of it.
func takesNothing(parameters *schema.Node) bool {
	properties := parameters.Get("properties")
	return properties != nil && len(properties.Members) == 0 && parameters.Get("type").Is("object")
}

// inJSONSchema returns a schema in the spelling of JSON Schema. In the spelling of Google's
// protocol buffers, types are in upper case and bounds may be strings.
func inJSONSchema(sent *schema.Node) *schema.Node {
	if !sent.Get("type").Is("OBJECT") {
		return sent
	}
	spelled := sent.Clone()
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
	return before.Kind == schema.Array && after.Kind == schema.Array && slices.EqualFunc(before.Elements, after.Elements, isComparable)
}

// objectOf returns an object with the members, or nil if there are none.
func objectOf(members []schema.Member) *schema.Node {
	if members == nil {
		return nil
	}
	return schema.NewObject(members...)
}

// mostWeighed is the number of changes of a tool that are weighed individually.
const mostWeighed = 40

// weigh determines by instances the loss of all changes together, and that of each change alone.
func (t *Tool) weigh(ctx context.Context, tool, sent schema.Tool) error {
	original, err := meaning.Checker{}.Original(ctx, tool, probes(tool.Parameters, t.Changes)...)
	if err != nil {
		return t.unknown(ctx)
	}
	together, err := lossOf(ctx, original, tool, sent.Parameters)
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
		only := alone(tool.Parameters, *change)
		if change.Loss, err = lossOf(ctx, original, tool, only); err != nil {
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

// lossOf returns the loss of a tool whose parameters are replaced.
func lossOf(ctx context.Context, original *meaning.Original, tool schema.Tool, parameters *schema.Node) (rewrite.Loss, error) {
	changed := tool
	if changed.Parameters = parameters; parameters == nil { // the function takes no arguments
		changed.Parameters = schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "additionalProperties", Value: schema.NewBool(false)})
	}
	findings, _, err := original.Check(ctx, normalizers.Result{Given: tool, Tool: changed})
	if err != nil {
		return rewrite.Exact, err
	}
	loss := rewrite.Exact
	for _, finding := range findings {
		loss |= finding.Needs
	}
	return loss, nil
}

// alone returns a schema to which only one of its changes is applied.
func alone(parameters *schema.Node, change Change) *schema.Node {
	at := schema.Pointer(strings.TrimPrefix(string(change.At), "/parameters"))
	if change.isWhole && at == "" {
		return change.After
	}
	changed := parameters.Clone()
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
