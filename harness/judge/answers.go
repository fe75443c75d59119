package judge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// mostTried bounds the rewrites of one tool that are applied and judged.
const mostTried = 64

// cure looks for what cures the refusal of a tool at places. Every rewrite is applied and judged by
// the surface that refused the tool.
type cure struct {
	model   provider.Model
	tool    toolfile.Tool
	places  []refusal.Place
	changes []verdict.Change // in order; From leads into the source of the tool
	cured   schema.Tool      // the tool after all changes
	before  []provider.Finding
	tried   int
}

// violations returns everything that the surface refuses in a tool on any day.
func (c *cure) violations(ctx context.Context, tool schema.Tool) ([]provider.Finding, error) {
	return c.model.Violations(ctx, c.model.Dialect.Declared([]schema.Tool{tool}))
}

// left returns the places that are still refused after all changes: those whose rule still holds
// somewhere, and without a rule those of which nothing was changed.
func (c *cure) left(ctx context.Context) ([]refusal.Place, error) {
	after, err := c.violations(ctx, c.cured)
	if err != nil {
		return nil, err
	}
	var left []refusal.Place
	for _, place := range c.places {
		var isLeft bool
		if place.Rule != nil {
			isLeft = slices.ContainsFunc(after, func(finding provider.Finding) bool { return finding.Rule.Name == place.Rule.Name })
		} else {
			isLeft = !slices.ContainsFunc(c.changes, func(change verdict.Change) bool { return c.isNear(change, place) })
		}
		if isLeft {
			left = append(left, place)
		}
	}
	return left, nil
}

// isNear reports whether a change is at, around or within a place.
func (c *cure) isNear(change verdict.Change, place refusal.Place) bool {
	at := c.tool.Pointer(place.At)
	return at.Under(change.From) || change.From.Under(at)
}

// answers returns the changes that cure the refusal of a place, each in its final form: single ones
// if they suffice, or else all of the smallest schema whose final form is not refused, or else all
// that concern the place.
func (c *cure) answers(ctx context.Context, place refusal.Place) ([]verdict.Change, error) {
	var related []verdict.Change
	for _, group := range c.near(place) {
		from, value := c.inTool(group[0].From), c.cured.Node().Find(group[len(group)-1].At)
		original := c.tool.Tool.Node().Find(from)
		if value == nil || original == nil {
			continue
		}
		var single []verdict.Change
		for _, change := range group {
			related = append(related, final(change, value))
			isCured, err := c.cures(ctx, place, from, patched(original, change, value))
			if err != nil {
				return nil, err
			}
			if isCured {
				single = append(single, final(change, value))
			}
		}
		if len(single) > 0 {
			return single, nil
		}
		isCured, err := c.cures(ctx, place, from, value)
		if err != nil {
			return nil, err
		}
		if isCured {
			whole := named(group, place)
			whole.Before, whole.After = rewrite.PartOf(original), rewrite.PartOf(value)
			for _, change := range group {
				whole.Loss |= change.Loss
			}
			return []verdict.Change{whole}, nil
		}
	}
	return related, nil
}

// near returns the changes that concern a place, those of one schema together: the schema itself
// and those around it from the inside out, and then those within it.
func (c *cure) near(place refusal.Place) [][]verdict.Change {
	at := c.tool.Pointer(place.At)
	var groups [][]verdict.Change
	for _, change := range c.changes {
		if !c.isNear(change, place) {
			continue
		}
		known := slices.IndexFunc(groups, func(group []verdict.Change) bool { return group[0].From == change.From })
		if known < 0 {
			groups = append(groups, []verdict.Change{change})
		} else {
			groups[known] = append(groups[known], change)
		}
	}
	slices.SortStableFunc(groups, func(a, b []verdict.Change) int {
		return cmp.Compare(distance(a[0].From, at), distance(b[0].From, at))
	})
	return groups
}

// distance orders pointers by their distance from a place. Those above it come before those below.
func distance(from, at schema.Pointer) int {
	const below = 1 << 16
	length := len(at.Tokens()) - len(from.Tokens())
	if length < 0 {
		return below - length
	}
	return length
}

// inTool turns a pointer into the source into one into the tool.
func (c *cure) inTool(from schema.Pointer) schema.Pointer {
	const parameters schema.Pointer = "/parameters"
	if root := c.tool.Pointer(parameters); from.Under(root) {
		return parameters + from[len(root):]
	}
	return from
}

// cures reports whether the tool with another value at a pointer is no longer refused at the place,
// and for nothing else than before.
func (c *cure) cures(ctx context.Context, place refusal.Place, from schema.Pointer, value *schema.Node) (bool, error) {
	if c.tried++; c.tried > mostTried || place.Rule == nil {
		return false, nil
	}
	after, err := c.violations(ctx, schema.ToolOf(replaced(c.tool.Tool.Node(), from.Tokens(), value)))
	if err != nil {
		return false, err
	}
	for _, finding := range after {
		isSame := func(old provider.Finding) bool { return old.Rule == finding.Rule && old.At == finding.At }
		isHere := finding.Rule.Name == place.Rule.Name && (finding.At.Under(place.At) || place.At.Under(finding.At))
		if isHere || !slices.ContainsFunc(c.before, isSame) {
			return false, nil
		}
	}
	return true, nil
}

// patched returns a schema with one change in its final form.
func patched(original *schema.Node, change verdict.Change, value *schema.Node) *schema.Node {
	members := schema.NewObject()
	before := change.Before.Node()
	for _, member := range original.Members {
		if !before.Has(member.Key) {
			members.Members = append(members.Members, member)
		}
	}
	if after := final(change, value).After.Node(); after != nil {
		for _, member := range after.Members {
			members.Set(member.Key, member.Value)
		}
	}
	return members
}

// final returns a change with what has become of its new members in the end; if they are no longer
// there, with the whole schema.
func final(change verdict.Change, value *schema.Node) verdict.Change {
	after := change.After.Node()
	if after == nil || after.Kind != schema.Object || value.Kind != schema.Object {
		return change
	}
	var members []schema.Member
	for _, member := range after.Members {
		if value.Has(member.Key) {
			members = append(members, schema.Member{Key: member.Key, Value: value.Get(member.Key)})
		}
	}
	if len(members) == len(after.Members) {
		change.After = rewrite.PartOfMembers(members)
	} else {
		change.After = rewrite.PartOf(value)
	}
	return change
}

// named returns the change of a group that is about a keyword that the refusal names, or the first.
func named(group []verdict.Change, place refusal.Place) verdict.Change {
	for _, change := range group {
		for _, key := range append(change.Before.Node().Keys(), change.After.Node().Keys()...) {
			if strings.Contains(place.Message, "'"+key+"'") || strings.Contains(place.Message, `"`+key+`"`) || strings.HasSuffix(string(place.At), "/"+key) {
				return change
			}
		}
	}
	return group[0]
}

// replaced returns a copy of a node with another value at the end of a path. Everything else is
// shared.
func replaced(node *schema.Node, tokens []string, value *schema.Node) *schema.Node {
	if len(tokens) == 0 || node == nil {
		return value
	}
	clone := *node
	below := replaced(node.Step(tokens[0]), tokens[1:], value)
	if node.Kind == schema.Array {
		clone.Elements = slices.Clone(node.Elements)
		for i, element := range node.Elements {
			if element == node.Step(tokens[0]) {
				clone.Elements[i] = below
			}
		}
		return &clone
	}
	return clone.With(tokens[0], below)
}
