package engine

import (
	"strconv"

	"toolproof/internal/steps"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// place is the position of a node in a tree.
type place struct {
	node *schema.Node
	// above is the index in places.list of the node around this one, which comes earlier, and
	// index that of the member or element there. The first place is that of the root.
	above, index int32
	// isSchema distinguishes a subschema from an object or list of subschemas, such as properties.
	isSchema bool
	// pointer is the span of the JSON Pointer to the node in memory.pointers; end is 0 until
	// Work.pointer writes it.
	pointer span
}

// span is a part of a list, from start up to end.
type span struct{ start, end int32 }

// places lists the nodes of a tool that a rule may change: the schemas, and the objects and lists
// that hold them. Data, such as an enum with its values, is not among them.
type places struct {
	list []place
	// withOthers is set to list also the values under names that are not keywords, and under
	// keywords whose values have the wrong form, because a rule may make schemas of them.
	withOthers bool
	values     int // in the tool, including data, which is not listed
	bytes      int // of the texts and names of these values, if withOthers is set
	levels     int // around the value that is being listed
	work       *Work
}

// reset lists the nodes of another tool.
func (p *places) reset(tool *schema.Node) {
	p.list, p.values, p.bytes = append(p.list[:0], place{node: tool}), 0, 0
	for i := range tool.Members {
		switch value := tool.Members[i].Value; tool.Members[i].Key {
		case "name", "description":
		case "parameters", "outputSchema":
			p.schema(value, 0, i)
		default: // the other members of a published tool
			p.other(value, 0, i)
		}
	}
}

func (p *places) add(node *schema.Node, above int32, index int, isSchema bool) int32 {
	p.work.Charge(1)
	p.values += 1 + len(node.Members)
	p.bytes += len(node.Text)
	for i := range node.Members {
		p.bytes += len(node.Members[i].Key)
	}
	p.list = append(p.list, place{node: node, above: above, index: int32(index), isSchema: isSchema}) //nolint:gosec // no tree has so many
	return int32(len(p.list) - 1)                                                                     //nolint:gosec // likewise
}

func (p *places) schema(node *schema.Node, above int32, index int) {
	here := p.add(node, above, index, true)
	p.enter()
	for i := range node.Members {
		member := &node.Members[i]
		if class := schema.ClassOf(member.Key); class != schema.Data {
			p.keyword(class, member.Value, here, i)
		} else if p.values += len(member.Value.Members) + len(member.Value.Elements); p.withOthers {
			p.text(member.Value)
		}
	}
	p.others(node.Elements, here)
	p.levels--
}

// text adds the texts and names in a value to bytes. Each value in it counts for one more, so that the
// work of counting is bounded, too.
func (p *places) text(node *schema.Node) {
	p.enter()
	p.bytes += 1 + len(node.Text)
	for i := range node.Members {
		p.bytes += len(node.Members[i].Key)
		p.text(node.Members[i].Value)
	}
	for _, element := range node.Elements {
		p.text(element)
	}
	p.levels--
}

// enter goes down a level, and ends the work below maxLevels. A tree that contains itself, which a
// program can make, would fill the stack before the budget is spent.
func (p *places) enter() {
	if p.levels++; p.levels > maxLevels {
		steps.Leave(&rewrite.TooDeepError{Tool: p.work.spent.Tool, Levels: maxLevels})
	}
}

// keyword lists the value of a keyword and the schemas in it, as Node.Subschemas finds them.
func (p *places) keyword(class schema.Class, value *schema.Node, above int32, index int) {
	switch held := class.HeldIn(value); {
	case held == schema.Itself:
		p.schema(value, above, index)
	case held == schema.Elements && value.Kind == schema.Array:
		here := p.add(value, above, index, false)
		for i, element := range value.Elements {
			p.schema(element, here, i)
		}
	case held == schema.Members && value.Kind == schema.Object:
		here := p.add(value, above, index, false)
		for i := range value.Members {
			if entry := value.Members[i].Value; class.IsSchema(entry) {
				p.schema(entry, here, i)
			} else if p.withOthers {
				p.other(entry, here, i)
			}
		}
	case p.withOthers:
		p.other(value, above, index)
	}
}

// other lists a value and all values in it.
func (p *places) other(node *schema.Node, above int32, index int) {
	here := p.add(node, above, index, false)
	p.enter()
	for i := range node.Members {
		p.other(node.Members[i].Value, here, i)
	}
	for i, element := range node.Elements {
		p.other(element, here, i)
	}
	p.levels--
}

func (p *places) others(elements []*schema.Node, here int32) {
	if p.withOthers {
		for i, element := range elements {
			p.other(element, here, i)
		}
	}
}

// find returns the place with the given index if it is the place of the node, and nil otherwise.
func (p *places) find(node *schema.Node, number int32) *place {
	if node == nil || int(number) >= len(p.list) || p.list[number].node != node {
		return nil
	}
	return &p.list[number]
}

// number gives each node the index of its place as its number.
func (p *places) number() {
	for i := range p.list {
		p.list[i].node.Number = int32(i)
	}
}

// appendToken appends the last token of the JSON Pointer to a place, with its slash.
func (p *places) appendToken(text []byte, at *place) []byte {
	above := &p.list[at.above]
	if above.node.Kind == schema.Array {
		return strconv.AppendInt(append(text, '/'), int64(at.index), 10)
	}
	return schema.AppendToken(text, above.node.Members[at.index].Key)
}

// copy returns a copy of the tree. It stores the copied nodes in nodes, which has one for each place,
// and their members in members.
func (p *places) copy(nodes []schema.Node, members []schema.Member) *schema.Node {
	for i := range p.list {
		at := &p.list[i]
		node := &nodes[i]
		*node = *at.node
		if node.From == nil {
			node.From = at.node
		}
		n := len(at.node.Members)
		node.Members, members = members[:n:n], members[n:]
		copy(node.Members, at.node.Members)
		node.Elements = append([]*schema.Node(nil), at.node.Elements...)
		switch above := &nodes[at.above]; {
		case i == 0:
		case above.Kind == schema.Array:
			above.Elements[at.index] = node
		default:
			above.Members[at.index].Value = node
		}
	}
	return &nodes[0]
}

// members returns the number of members of all nodes.
func (p *places) members() int {
	count := 0
	for i := range p.list {
		count += len(p.list[i].node.Members)
	}
	return count
}

// copyTool copies the given tool, its schemas, and the objects and lists that hold them. The copy
// shares data with the given tool.
func (w *Work) copyTool(given schema.Tool) {
	tool := &w.wrapper
	*tool = schema.Node{Kind: schema.Object, Members: append(tool.Members[:0], schema.Member{Key: "name"})}
	if given.Description != nil {
		tool.Members = append(tool.Members, schema.Member{Key: "description", Value: given.Description})
	}
	if given.Parameters != nil {
		tool.Members = append(tool.Members, schema.Member{Key: "parameters", Value: given.Parameters})
	}
	if given.Further != nil {
		tool.Members = append(tool.Members, given.Further.Members...)
	}
	if given.Members != nil {
		tool.Members = append(tool.Members, given.Members.Members...)
	}
	w.given.withOthers = true
	w.given.reset(tool)
	nodes := room(&w.nodes, len(w.given.list)+1)
	name := &nodes[len(w.given.list)]
	*name = schema.Node{Kind: schema.String, Text: given.Name}
	tool.Members[0].Value = name
	w.tool = w.given.copy(nodes, room(&w.members, w.given.members()))
	for i := range w.given.list {
		// The given tool may be a copy itself, and From has to lead into the given tool.
		nodes[i].From, nodes[i].Number = w.given.list[i].node, int32(i)
	}
}

// Copy returns a copy of a schema and the subschemas in it. The copy shares data with the schema, but
// its texts count as copied, because the result is written without sharing.
func (p *Pass) Copy(node *schema.Node) *schema.Node {
	places := &p.work.copied
	places.withOthers, places.list, places.bytes = true, places.list[:0], 0
	places.schema(node, 0, 0)
	p.work.Charge(stepsPerCopy * len(places.list))
	p.work.copies.Charge(places.bytes)
	copied := places.copy(make([]schema.Node, len(places.list)), make([]schema.Member, places.members()))
	clear(places.list)
	places.list = kept(places.list)
	return copied
}

// room returns a list of count elements, which is the kept one unless that is too small, or so large
// that a result would hold much more memory than it needs.
func room[E any](kept *[]E, count int) []E {
	if cap(*kept) < count || cap(*kept) > 4*count+64 {
		*kept = make([]E, count)
	}
	*kept = (*kept)[:count]
	return *kept
}
