package rewrite

import (
	"iter"
	"slices"

	"toolproof/schema"
)

// Work is one tool on its way through a list of rules. The tool that it is made
// of stays as it is.
type Work struct {
	input   *schema.Node // the tool as given
	tool    *schema.Node // the tool as it is rewritten
	target  *Target
	options Options
	changes []change
	// spills are by the schema that they belong to; spilled keeps their order.
	spills  map[*schema.Node]*spills
	spilled []*schema.Node
	// visits are the subschemas as they are now, and present their keywords: a
	// rule that waits for others is passed over.
	visits  []visit
	present names
	pass    Pass
	failure *UnrepresentableError
}

// change is a Change whose places are still nodes.
type change struct {
	Change
	place  *schema.Node
	around *around
	spills bool
}

// New starts work on a tool.
func New(tool schema.Tool, target *Target, options Options) *Work {
	input := tool.Node()
	work := &Work{input: input, tool: input.Clone(), target: target, options: options.withDefaults(), spills: map[*schema.Node]*spills{}}
	work.survey()
	return work
}

// Root returns the parameters of the tool as they are now, or nil.
func (w *Work) Root() *schema.Node { return w.tool.Get("parameters") }

// Failure returns why the target cannot say the tool, or nil.
func (w *Work) Failure() *UnrepresentableError { return w.failure }

// visit is one subschema with where it stands.
type visit struct {
	node    *schema.Node
	keyword string
	around  *around
	names   names
}

// names is a set of keywords that may say yes for one that is not in it, and never
// no for one that is.
type names uint64

func namesOf(keywords ...string) names {
	var set names
	for _, keyword := range keywords {
		set |= nameOf(keyword)
	}
	return set
}

func nameOf(keyword string) names {
	const bits = 64
	if keyword == "" {
		return 1
	}
	return 1 << ((len(keyword) + 7*int(keyword[0]) + 31*int(keyword[len(keyword)-1])) % bits)
}

// survey lists the subschemas, children before their parent.
func (w *Work) survey() {
	w.visits, w.present = w.visits[:0], 0
	if root := w.Root(); root != nil {
		w.list(root, "", &around{node: w.tool})
	}
}

func (w *Work) list(node *schema.Node, keyword string, outer *around) {
	var here *around
	for place := range node.Subschemas() {
		if here == nil {
			here = &around{node: node, keyword: keyword, outer: outer}
		}
		w.list(place.Node(), place.Keyword, here)
	}
	var set names
	for i := range node.Members {
		set |= nameOf(node.Members[i].Key)
	}
	w.present |= set
	w.visits = append(w.visits, visit{node, keyword, outer, set})
}

// has reports whether any subschema has one of the keywords.
func (w *Work) has(keywords ...string) bool {
	wanted := namesOf(keywords...)
	if w.present&wanted == 0 {
		return false
	}
	return slices.ContainsFunc(w.visits, func(v visit) bool { return v.names&wanted != 0 && hasOneOf(v.node, keywords) })
}

func hasOneOf(node *schema.Node, keywords []string) bool {
	for i := range node.Members {
		if slices.Contains(keywords, node.Members[i].Key) {
			return true
		}
	}
	return false
}

// Apply runs one rule over the tool and over each subschema, children before
// their parent.
func (w *Work) Apply(rule *Rule) {
	if w.failure != nil {
		return
	}
	before := len(w.changes)
	var referring []*schema.Node
	var targets map[*schema.Node]*schema.Node
	if rule.Moves && w.has("$ref") {
		referring, targets = w.references()
	}
	pass := &w.pass
	*pass = Pass{Target: w.target, work: w, rule: rule}
	if rule.Tool != nil {
		pass.Schema = w.tool
		rule.Tool(pass)
	}
	if rule.Rewrite != nil {
		w.visit(pass, rule)
	}
	if len(w.changes) > before {
		w.repoint(rule, referring, targets)
		w.survey()
	}
}

// visit asks the rule about each subschema that it is about.
func (w *Work) visit(pass *Pass, rule *Rule) {
	wanted := namesOf(rule.On...)
	if len(rule.On) > 0 && w.present&wanted == 0 {
		return
	}
	for i := range w.visits {
		v := &w.visits[i]
		if len(rule.On) > 0 && (v.names&wanted == 0 || !hasOneOf(v.node, rule.On)) {
			continue
		}
		pass.Schema, pass.keyword, pass.around = v.node, v.keyword, v.around
		rule.Rewrite(pass)
		if w.failure != nil {
			return
		}
	}
}

// Finish writes what was spilled into the descriptions and returns the rewritten
// tool with the changes in the order in which they were made. A tool that no rule
// changed is returned as it was given.
func (w *Work) Finish(given schema.Tool) (schema.Tool, []Change) {
	if len(w.changes) == 0 && w.failure == nil {
		return given, nil
	}
	w.writeSpills()
	w.cancel()
	result := schema.Tool{Name: w.tool.GetString("name"), Description: w.tool.Get("description"), Parameters: w.Root()}
	return result, w.locate()
}

// cancel takes out what two changes did and undid, such as a type that is spelt in
// lower case for the rules between and then as the target spells it.
func (w *Work) cancel() {
	done := map[*schema.Node]int{} // the last change of a schema's type
	undone := map[int]bool{}
	for i := range w.changes {
		c := &w.changes[i]
		if !isOfType(c.Before) || !isOfType(c.After) {
			continue
		}
		if first, ok := done[c.place]; ok && schema.Equal(w.changes[first].Before, c.After) {
			undone[first], undone[i] = true, true
			delete(done, c.place)
			continue
		}
		done[c.place] = i
	}
	if len(undone) == 0 {
		return
	}
	left := w.changes[:0]
	for i := range w.changes {
		if !undone[i] {
			left = append(left, w.changes[i])
		}
	}
	w.changes = left
}

// isOfType reports whether a part of a schema is its type alone.
func isOfType(part *schema.Node) bool {
	return part != nil && part.Kind == schema.Object && len(part.Members) == 1 && part.Members[0].Key == "type"
}

// locate turns the places of the changes into pointers.
func (w *Work) locate() []Change {
	wantedAt, wantedFrom := map[*schema.Node]bool{}, map[*schema.Node]bool{}
	if w.failure != nil && w.failure.Node != nil {
		wantedFrom[w.failure.Node] = true
	}
	for i := range w.changes {
		for node := range w.changes[i].places() {
			wantedAt[node] = true
			if node.From != nil {
				wantedFrom[node.From] = true
			}
		}
	}
	at, from := w.tool.Pointers(wantedAt), w.input.Pointers(wantedFrom)
	if w.failure != nil {
		w.failure.At = from[w.failure.Node]
	}
	located := make([]Change, len(w.changes))
	for i := range w.changes {
		c := &w.changes[i]
		for node := range c.places() {
			if pointer, ok := at[node]; ok {
				c.At = pointer
				break
			}
		}
		for node := range c.places() {
			if pointer, ok := from[node.From]; ok {
				c.From = pointer
				break
			}
		}
		c.Position = positionOf(c)
		c.Before = original(c.Before)
		located[i] = c.Change
	}
	return located
}

// places returns the schema of the change and those around it, innermost first:
// where one is gone from the result, the next stands for it.
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

// positionOf returns where the first replaced member stands in the source, or
// else the schema.
func positionOf(c *change) schema.Position {
	if c.Before != nil {
		for _, member := range c.Before.Members {
			if member.Position.IsKnown() {
				return member.Position
			}
		}
	}
	for node := range c.places() {
		if node.Position.IsKnown() {
			return node.Position
		}
	}
	return schema.Position{}
}

// original returns what a replaced part was in the input: the parts that came
// from there as they stand there, whatever other rules have made of them since.
func original(node *schema.Node) *schema.Node {
	if node == nil {
		return nil
	}
	if node.From != nil {
		return node.From
	}
	clone := *node
	clone.Members = slices.Clone(node.Members)
	for i := range clone.Members {
		clone.Members[i].Value = original(clone.Members[i].Value)
	}
	clone.Elements = slices.Clone(node.Elements)
	for i := range clone.Elements {
		clone.Elements[i] = original(clone.Elements[i])
	}
	return &clone
}
