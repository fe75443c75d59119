package engine

import (
	"iter"
	"slices"
	"strings"

	"toolproof/schema"
)

// spilled is a member that goes into a description.
type spilled struct {
	keyword string
	value   *schema.Node
}

// spills are the members that go into the description of one schema.
type spills struct {
	around  *around
	members []spilled
	few     [2]spilled // the memory of members, unless there are more
	copied  bool       // a clone of the schema has them too, so that they survive if the schema is removed
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

// HasSpills reports whether a member was spilled into the description of a schema.
func (p *Pass) HasSpills(node *schema.Node) bool { return p.work.spills[node] != nil }

// MoveSpills moves the members that were spilled into the description of from to that of to.
func (p *Pass) MoveSpills(from, to *schema.Node) {
	if noted := p.work.spills[from]; noted != nil {
		delete(p.work.spills, from)
		for _, member := range noted.members {
			p.work.spill(to, p.around, member)
		}
	}
}

// Clone returns a copy of a schema, together with the members that were spilled within it.
func (p *Pass) Clone(node *schema.Node) *schema.Node {
	clone := p.Copy(node)
	if len(p.work.spills) > 0 {
		p.work.copySpills(node, clone)
	}
	return clone
}

// copySpills records for a copy of a value the members that were spilled within the value.
func (w *Work) copySpills(node, clone *schema.Node) {
	w.Charge(1)
	if node == clone {
		return // data, which is shared and has no spills
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

// WriteSpills writes the members that were spilled so far into the descriptions. A rule that bounds
// the length of texts calls it first.
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

// writeSpills appends a block of the spilled members to each description. If a schema is no longer in
// the result, its members go into the nearest schema around it that is. w.result must be up to date.
func (w *Work) writeSpills(isPresent func(*schema.Node) bool) {
	if len(w.spills) == 0 {
		return
	}
	var inside map[*schema.Node]bool // needed only if a schema is no longer in the result
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
	// A schema within a spilled member is written as it was given, so that changes of it have no
	// effect.
	if len(inside) > 0 {
		w.changes = slices.DeleteFunc(w.changes, func(c change) bool { return inside[c.place] && isGone(c.place) })
	}
}

// showSpills makes each change that spilled a member show the description with the member.
func (w *Work) showSpills() {
	for i := range w.changes {
		if c := &w.changes[i]; c.spills {
			if description := w.described(c.place).Get("description"); description != nil {
				c.after = part{whole: schema.NewObject(schema.Member{Key: "description", Value: description})}
			}
		}
	}
}

// described returns the node that holds the description of a schema: the schema itself, or the tool
// for parameters whose description the target does not take or no model reads.
func (w *Work) described(node *schema.Node) *schema.Node {
	if node == w.root && (w.target.RootUnread || !w.target.Takes("description", true)) {
		return w.tool
	}
	return node
}

// isPresent reports whether a schema is in the result.
func (w *Work) isPresent(node *schema.Node) bool {
	at := w.result.find(node, node.Number)
	return at != nil && at.isSchema
}

// write appends a block to the description of a schema, or to those of its branches if the schema is a
// union beside which the target takes no description.
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

// inside returns the schemas within spilled members. Their own spills are written there.
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

// within yields all values inside a value, and then the value itself.
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

// appendText appends the JSON text of a spilled value as it is in the input. If there is a reference
// in it, which a reader of the description could not follow, the text is that of the rewritten value.
func (w *Work) appendText(text []byte, value *schema.Node) []byte {
	asGiven := w.original(value)
	w.chargeText(asGiven)
	for node := range within(asGiven) {
		if node.Reference() == "" {
			continue
		}
		for part := range within(value) {
			if noted := w.spills[part]; noted != nil && part.Kind == schema.Object {
				delete(w.spills, part) // before block, because a part may contain itself
				describe(part, w.block(part, noted.members))
			}
		}
		w.chargeText(value) // before writing, because each level of quoting doubles a text
		return value.AppendJSON(text)
	}
	return asGiven.AppendJSON(text)
}

// chargeText takes off the budget the steps for writing a value.
func (w *Work) chargeText(value *schema.Node) {
	for node := range within(value) {
		w.Charge(1 + len(node.Text)/bytesPerStep)
	}
}

// block returns the text of spilled members, such as {pattern: "^\\d+$", minLength: 1}, in the order
// of the input.
func (w *Work) block(node *schema.Node, members []spilled) string {
	w.Charge(len(node.From.Keys()))
	index := node.From.Indexed()
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

// describe appends a blank line and a block to the description of a node, unless the description ends
// with the block already.
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
