package engine

import (
	"iter"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// change becomes a rewrite.Change when the work is finished.
type change struct {
	rule          *Rule
	loss          rewrite.Loss
	restored      bool
	remains       rewrite.Loss
	spills        bool   // the removed member was spilled
	isThere       bool   // place itself is in the result
	property      string // the property that Result.Restore sets to null
	before, after part
	place         *schema.Node // the changed schema
	owner         *schema.Node // the object in whose instances Result.Restore undoes the change; may be nil
	around        *around      // the schemas around place
	at, from      span         // in memory.pointers
}

// part is what a change shows of a schema: some of its members, as a span of memory.parts, or the
// whole schema if it is empty or not an object. none has neither.
type part struct {
	members span
	whole   *schema.Node
}

var none = part{members: span{-1, -1}}

// partOf returns the part with the members of a schema that have one of the keywords, or with all
// members if there are no keywords. It is none if the schema has no such member. A schema that is not
// an object is shown whole.
func (w *Work) partOf(node *schema.Node, keywords []string) part {
	if node.Kind != schema.Object {
		whole := *node
		whole.From = nil
		return part{whole: &whole}
	}
	w.Charge(1 + len(node.Members))
	start := len(w.parts)
	if len(keywords) == 0 {
		w.parts = append(w.parts, node.Members...)
	} else {
		for i := range node.Members {
			if slices.Contains(keywords, node.Members[i].Key) {
				w.parts = append(w.parts, node.Members[i])
			}
		}
		if len(w.parts) == start {
			return none
		}
	}
	if len(w.parts) == start {
		return part{whole: schema.NewObject()}
	}
	return part{members: span{int32(start), int32(len(w.parts))}} //nolint:gosec // no report has so many
}

// partOfMember returns the part with one member.
func (w *Work) partOfMember(member *schema.Member) part {
	w.parts = append(w.parts, *member)
	return part{members: span{int32(len(w.parts) - 1), int32(len(w.parts))}} //nolint:gosec // no report has so many
}

// report returns the changes for the caller of the normalizer.
func (w *Work) report() []rewrite.Change {
	w.resources, w.tables, w.visits = nil, nil, kept(w.visits)
	w.locateGiven()
	w.cancel()
	// The places of the given tool are no longer needed, so that the result can use their list.
	clear(w.given.list)
	w.given.list, w.result.list = w.result.list, w.given.list
	w.result.reset(w.tool)
	w.result.number()
	w.writeSpills(w.isPresent)
	w.showSpills()
	w.locateResult()
	return w.show()
}

// places yields the schema of the change and those around it, the innermost first. If a schema is no
// longer in the result, the change is reported at the next one.
func (c *change) places() iter.Seq[*schema.Node] {
	return func(yield func(*schema.Node) bool) {
		if !yield(c.place) {
			return
		}
		for outer := c.around; outer != nil; outer = outer.outer {
			if !yield(outer.node) {
				return
			}
		}
	}
}

// locateGiven finds the places of the changes in the given tool. It must run before the nodes get the
// numbers of their places in the result.
func (w *Work) locateGiven() {
	for i := range w.changes {
		c := &w.changes[i]
		for node := range c.places() {
			if at := w.given.find(node.From, node.Number); at != nil {
				c.from = w.pointer(&w.given, at)
				break
			}
		}
	}
}

// locateResult finds the places of the changes in the result.
func (w *Work) locateResult() {
	for i := range w.changes {
		c := &w.changes[i]
		for node := range c.places() {
			if at := w.result.find(node, node.Number); at != nil {
				c.at, c.isThere = w.pointer(&w.result, at), node == c.place
				break
			}
		}
		if c.owner != nil && w.result.find(c.owner, c.owner.Number) == nil {
			c.restored = false // the object was merged into another
		}
		// Most changes have the same place in both tools, so that one text serves both.
		if at, from := w.pointers[c.at.start:c.at.end], w.pointers[c.from.start:c.from.end]; string(at) == string(from) {
			c.at = c.from
		}
	}
}

// pointer returns the span of the JSON Pointer to a place in memory.pointers. It appends the pointer
// there when it is first called for the place.
func (w *Work) pointer(places *places, at *place) span {
	if at.pointer.end == 0 && at != &places.list[0] {
		above := w.pointer(places, &places.list[at.above])
		w.Charge((int(above.end-above.start) + 1) / bytesPerStep)
		start := len(w.pointers)
		w.pointers = places.appendToken(append(w.pointers, w.pointers[above.start:above.end]...), at)
		at.pointer = span{int32(start), int32(len(w.pointers))} //nolint:gosec // no report has so many
	}
	return at.pointer
}

// cancel removes pairs of changes of which the second undoes the first: one rule writes a type in
// lower case for the rules that follow, and another writes it as the target spells it.
func (w *Work) cancel() {
	// last holds the index of the last change of type of each node. The Number of the node is the
	// index in last.
	var last []int
	var undone []bool
	for i := range w.changes {
		c := &w.changes[i]
		if !w.isOfType(c.before) || !w.isOfType(c.after) {
			continue
		}
		number := int(c.place.Number)
		if number >= len(last) || last[number] < 0 || w.changes[last[number]].place != c.place {
			c.place.Number = int32(len(last)) //nolint:gosec // no report has so many
			last = append(last, i)
			continue
		}
		if first := last[number]; schema.Equal(w.parts[w.changes[first].before.members.start].Value, w.parts[c.after.members.start].Value) {
			if undone == nil {
				undone = make([]bool, len(w.changes))
			}
			undone[first], undone[i] = true, true
			last[number] = -1
			continue
		}
		last[number] = i
	}
	if undone == nil {
		return
	}
	i := -1
	w.changes = slices.DeleteFunc(w.changes, func(change) bool {
		i++
		return undone[i]
	})
}

// isOfType reports whether a part has only the member type.
func (w *Work) isOfType(p part) bool {
	return p.whole == nil && p.members.end == p.members.start+1 && w.parts[p.members.start].Key == "type"
}

// show returns the changes. All of them share one list of members and one text of pointers.
func (w *Work) show() []rewrite.Change {
	parts, text := w.parts, string(w.pointers)
	if cap(parts) <= mostKept {
		parts = slices.Clone(parts) // the next Work uses the list again
	}
	w.pointers, w.result.list = kept(w.pointers), kept(w.result.list)
	changes := make([]rewrite.Change, len(w.changes))
	for i := range w.changes {
		c := &w.changes[i]
		changes[i] = rewrite.Change{
			Rule: c.rule.Name, Loss: c.loss, Restored: c.restored, Remains: c.remains,
			At: schema.Pointer(text[c.at.start:c.at.end]), From: schema.Pointer(text[c.from.start:c.from.end]),
			Before: w.shown(c.before, parts, true), After: w.shown(c.after, parts, false), Property: c.property,
		}
		if c.isThere {
			changes[i].Schema = c.place
		}
	}
	return changes
}

// shown returns a part, whose members are among parts, for the caller of the normalizer. If asGiven
// is set, its values are as they are in the input.
func (w *Work) shown(p part, parts []schema.Member, asGiven bool) rewrite.Part {
	if p == none {
		return rewrite.Part{}
	}
	if p.whole != nil {
		if asGiven {
			return rewrite.PartOf(w.original(p.whole))
		}
		return rewrite.PartOf(p.whole)
	}
	members := parts[p.members.start:p.members.end:p.members.end]
	if asGiven { // no other part has these members
		for i := range members {
			members[i].Value = w.original(members[i].Value)
		}
	}
	return rewrite.PartOfMembers(members)
}

// original returns a replaced value as it is in the input, although rules may have rewritten parts of
// it before it was replaced.
func (w *Work) original(node *schema.Node) *schema.Node {
	w.Charge(1)
	if node.From != nil {
		return node.From
	}
	copied := false
	replace := func(i int, with *schema.Node) {
		if !copied {
			clone := *node
			clone.Members, clone.Elements = slices.Clone(node.Members), slices.Clone(node.Elements)
			node, copied = &clone, true
		}
		if node.Kind == schema.Array {
			node.Elements[i] = with
		} else {
			node.Members[i].Value = with
		}
	}
	for i := range node.Members {
		if with := w.original(node.Members[i].Value); with != node.Members[i].Value {
			replace(i, with)
		}
	}
	for i := range node.Elements {
		if with := w.original(node.Elements[i]); with != node.Elements[i] {
			replace(i, with)
		}
	}
	return node
}
