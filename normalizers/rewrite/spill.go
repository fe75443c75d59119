package rewrite

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// spilled is a member that the target has no field for.
type spilled struct {
	keyword string
	value   *schema.Node
}

// spills are the members that are to be told in one description.
type spills struct {
	ancestors []*schema.Node
	members   []spilled
}

func (w *Work) spill(node *schema.Node, ancestors []*schema.Node, member spilled) {
	noted := w.spills[node]
	if noted == nil {
		noted = &spills{ancestors: append([]*schema.Node(nil), ancestors...)}
		w.spills[node] = noted
	}
	noted.members = append(noted.members, member)
}

// MoveSpills makes what was spilled from one schema appear at another, because
// the first becomes a part of it.
func (p *Pass) MoveSpills(from, to *schema.Node) {
	if noted := p.work.spills[from]; noted != nil {
		delete(p.work.spills, from)
		for _, member := range noted.members {
			p.work.spill(to, p.ancestors, member)
		}
	}
}

// writeSpills appends to each description the block of what was spilled there. A
// schema that is gone from the result tells it at the nearest one around it.
func (w *Work) writeSpills() {
	if len(w.spills) == 0 {
		return
	}
	present := map[*schema.Node]bool{}
	var order []*schema.Node
	w.Root().Walk(func(_ schema.Pointer, node *schema.Node) bool {
		present[node] = true
		order = append(order, node)
		return true
	})
	orphans := make([]*schema.Node, 0, len(w.spills))
	for node := range w.spills {
		if !present[node] {
			orphans = append(orphans, node)
		}
	}
	slices.SortFunc(orphans, func(a, b *schema.Node) int { return comparePositions(a.Position, b.Position) })
	for _, orphan := range orphans {
		noted := w.spills[orphan]
		for i, ancestor := range slices.Backward(noted.ancestors) {
			if present[ancestor] {
				for _, member := range noted.members {
					w.spill(ancestor, noted.ancestors[:i], member)
				}
				break
			}
		}
	}
	for _, node := range order {
		if noted := w.spills[node]; noted != nil {
			describe(node, block(node, noted.members))
		}
	}
	for i := range w.changes {
		if c := &w.changes[i]; c.spills {
			if description := c.place.Get("description"); description != nil {
				c.After = schema.NewObject(schema.Member{Key: "description", Value: description})
			}
		}
	}
}

func comparePositions(a, b schema.Position) int {
	if a.Line != b.Line {
		return int(a.Line - b.Line)
	}
	return int(a.Column - b.Column)
}

// block writes members as {pattern: "^\\d+$", minLength: 1}, in the order in
// which the input has them.
func block(node *schema.Node, members []spilled) string {
	slices.SortStableFunc(members, func(a, b spilled) int { return node.From.Index(a.keyword) - node.From.Index(b.keyword) })
	var text strings.Builder
	text.WriteByte('{')
	for i, member := range members {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(member.keyword)
		text.WriteString(": ")
		text.WriteString(member.value.String())
	}
	text.WriteByte('}')
	return text.String()
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
