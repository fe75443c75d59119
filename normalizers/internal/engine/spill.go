package engine

import (
	"iter"
	"slices"
	"strings"

	"toolproof/schema"
)

// spilled is a member that the target has no field for.
type spilled struct {
	keyword string
	value   *schema.Node
}

// spills are the members that go into one description.
type spills struct {
	around  *around
	members []spilled
	few     [2]spilled // room for the members; mostly there are no more
	copied  bool       // to a clone of the schema, which has them where the schema is gone
}

func (w *Work) spill(node *schema.Node, around *around, member spilled) {
	noted := w.spills[node]
	if noted == nil {
		if w.spills == nil {
			w.spills = map[*schema.Node]*spills{}
		}
		noted = &spills{around: around}
		noted.members = noted.few[:0]
		w.spills[node] = noted
		w.spilled = append(w.spilled, node)
	}
	noted.members = append(noted.members, member)
}

// HasSpills reports whether something was spilled into the description of a schema.
func (p *Pass) HasSpills(node *schema.Node) bool { return p.work.spills[node] != nil }

// MoveSpills makes what was spilled from one schema appear at another, because
// the first becomes a part of it.
func (p *Pass) MoveSpills(from, to *schema.Node) {
	if noted := p.work.spills[from]; noted != nil {
		delete(p.work.spills, from)
		for _, member := range noted.members {
			p.work.spill(to, p.around, member)
		}
	}
}

// Clone returns a copy of a schema, with what was spilled there.
func (p *Pass) Clone(node *schema.Node) *schema.Node {
	clone := p.Copy(node)
	if len(p.work.spills) > 0 {
		p.work.copySpills(node, clone)
	}
	return clone
}

// copySpills notes for a copy of a value what is spilled within the value.
func (w *Work) copySpills(node, clone *schema.Node) {
	w.Charge(1)
	if node == clone {
		return // data
	}
	if noted := w.spills[node]; noted != nil {
		noted.copied = true
		for _, member := range noted.members {
			w.spill(clone, noted.around, member)
		}
	}
	for i := range node.Members {
		w.copySpills(node.Members[i].Value, clone.Members[i].Value)
	}
	for i := range node.Elements {
		w.copySpills(node.Elements[i], clone.Elements[i])
	}
}

// WriteSpills writes into the descriptions what was spilled until now. A rule that bounds
// texts calls it first.
func (p *Pass) WriteSpills() {
	w := p.work
	if len(w.spills) == 0 {
		return
	}
	w.result.reset(w.tool)
	present := map[*schema.Node]bool{}
	for i := range w.result.list {
		if at := &w.result.list[i]; at.isSchema {
			present[at.node] = true
		}
	}
	w.writeSpills(func(node *schema.Node) bool { return present[node] })
	w.spills, w.spilled = nil, nil
	w.moved()
}

// writeSpills appends to each description the block of what was spilled there. A
// schema that is gone from the result, which is listed, has it in the nearest one around
// it.
func (w *Work) writeSpills(isPresent func(*schema.Node) bool) {
	if len(w.spills) == 0 {
		return
	}
	var inside map[*schema.Node]bool // asked only about what is gone from the result
	isGone := func(node *schema.Node) bool { return !isPresent(node) }
	if slices.ContainsFunc(w.spilled, isGone) || slices.ContainsFunc(w.changes, func(c change) bool { return isGone(c.place) }) {
		inside = w.inside()
	}
	for _, orphan := range slices.Clone(w.spilled) {
		noted := w.spills[orphan]
		if noted == nil || noted.copied || isPresent(orphan) || inside[orphan] {
			continue
		}
		outer := noted.around
		for outer != nil && !isPresent(outer.node) {
			outer = outer.outer
		}
		if outer != nil {
			for _, member := range noted.members {
				w.spill(outer.node, outer.outer, member)
			}
		}
	}
	for i := range w.result.list {
		at := &w.result.list[i]
		if noted := w.spills[at.node]; noted != nil && at.isSchema {
			block := w.block(at.node, noted.members)
			w.Charge(len(block) / bytesPerStep)
			w.write(at.node, block)
		}
	}
	// A change of a schema that is spilled as it was given had no effect.
	if len(inside) > 0 {
		w.changes = slices.DeleteFunc(w.changes, func(c change) bool { return inside[c.place] && isGone(c.place) })
	}
}

// showSpills puts into the changes that spilled something the descriptions that have it.
func (w *Work) showSpills() {
	for i := range w.changes {
		if c := &w.changes[i]; c.spills {
			if description := w.described(c.place).Get("description"); description != nil {
				c.after = part{whole: schema.NewObject(schema.Member{Key: "description", Value: description})}
			}
		}
	}
}

// described returns what has the description of a schema: the tool for parameters that
// have none of their own on the target, or one that nobody reads.
func (w *Work) described(node *schema.Node) *schema.Node {
	if node == w.root && (w.target.RootUnread || !w.takes.of(w.target, "description", true)) {
		return w.tool
	}
	return node
}

// isPresent reports whether a schema is in the result.
func (w *Work) isPresent(node *schema.Node) bool {
	at := w.result.find(node, node.Number)
	return at != nil && at.isSchema
}

// write writes a block into the description of a schema; where a union has no siblings,
// into those of its branches.
func (w *Work) write(node *schema.Node, block string) {
	union := node.Get("anyOf")
	if w.described(node) == w.tool {
		describe(w.tool, block)
		return
	}
	if w.target.BesideAnyOf == nil || slices.Contains(w.target.BesideAnyOf, "description") || union == nil {
		describe(node, block)
		return
	}
	for _, branch := range union.Elements {
		w.write(branch, block)
	}
}

// inside returns the schemas within what is spilled: their own spills are there.
func (w *Work) inside() map[*schema.Node]bool {
	inside := map[*schema.Node]bool{}
	for _, noted := range w.spills {
		for _, member := range noted.members {
			for node := range within(member.value) {
				w.Charge(1)
				if node.Kind != schema.String && node.Kind != schema.Number {
					inside[node] = true
				}
			}
		}
	}
	return inside
}

// within returns all values inside a value, and the value.
func within(value *schema.Node) iter.Seq[*schema.Node] {
	return func(yield func(*schema.Node) bool) {
		var visit func(node *schema.Node) bool
		visit = func(node *schema.Node) bool {
			for _, member := range node.Members {
				if !visit(member.Value) {
					return false
				}
			}
			return !slices.ContainsFunc(node.Elements, func(element *schema.Node) bool { return !visit(element) }) && yield(node)
		}
		visit(value)
	}
}

// appendText appends what was spilled as the input has it. Where that refers to a
// definition, a reader could not follow it: then as it was rewritten.
func (w *Work) appendText(text []byte, value *schema.Node) []byte {
	asGiven := w.original(value)
	w.chargeText(asGiven)
	for node := range within(asGiven) {
		if node.Reference() == "" {
			continue
		}
		for part := range within(value) {
			if noted := w.spills[part]; noted != nil && part.Kind == schema.Object {
				delete(w.spills, part) // first: a part may be within itself
				describe(part, w.block(part, noted.members))
			}
		}
		w.chargeText(value) // before it is written: each quote around a quoted text doubles it
		return value.AppendJSON(text)
	}
	return asGiven.AppendJSON(text)
}

// indexOf returns what node.Index does, at a cost that does not grow with how many
// members there are.
func (w *Work) indexOf(node *schema.Node) func(key string) int {
	members := 0
	if node != nil {
		members = len(node.Members)
	}
	w.Charge(members)
	order := make(map[string]int, members)
	for i := range members {
		order[node.Members[i].Key] = i
	}
	return func(key string) int {
		if i, found := order[key]; found {
			return i
		}
		return -1
	}
}

// chargeText takes off the budget what it costs to write a value.
func (w *Work) chargeText(value *schema.Node) {
	for node := range within(value) {
		w.Charge(1 + len(node.Text)/bytesPerStep)
	}
}

// block writes members as {pattern: "^\\d+$", minLength: 1}, in the order in
// which the input has them.
func (w *Work) block(node *schema.Node, members []spilled) string {
	index := node.From.Index
	const few = 16
	if len(members) > few {
		index = w.indexOf(node.From)
	}
	slices.SortStableFunc(members, func(a, b spilled) int { return index(a.keyword) - index(b.keyword) })
	const usual = 128 // bytes
	text := append(make([]byte, 0, usual), '{')
	for i, member := range members {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(append(text, member.keyword...), ": "...)
		text = w.appendText(text, member.value)
	}
	return string(append(text, '}'))
}

// describe appends a block to a description, after a blank line, unless it ends
// with that block already.
func describe(node *schema.Node, block string) {
	description := node.GetString("description")
	switch {
	case description == "":
		description = block
	case strings.HasSuffix(description, block):
		return
	default:
		description += "\n\n" + block
	}
	node.Set("description", schema.NewString(description))
}
