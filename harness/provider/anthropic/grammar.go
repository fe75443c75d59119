package anthropic

import (
	"net/url"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// general is the day on which structured outputs left the beta, with output_config.format
// documented in place of output_format. Requests with output_format are still answered,
// under its name: https://github.com/BerriAI/litellm/issues/35808 (2026-08-04). Source:
// the release notes of the Claude platform, quoted in
// https://github.com/supernovae-st/nika/pull/264.
const general = "2026-01-29"

// grammar is the stage that compiles the schemas of strict tools and of an output
// format. The Subject is a *place.
var grammar = &provider.Stage{
	Name: "grammar", PerDeclaration: true, Walk: compile,
	Shared: "one compiler makes grammars of strict tools and of output formats. Both answer open objects and circles in the same words",
}

// place is the Subject of the stages that compile a schema.
type place struct {
	root *schema.Node
	// types are those that the schema at the place declares.
	types []string
	// members has the members of large objects that references lead through, by their
	// names.
	members map[*schema.Node]map[string]*schema.Node
}

// walk visits the schemas that the compiler reads, each once.
type walk struct {
	visitor *provider.Visitor
	pass    provider.Pass
	place   place
	at      []byte
	seen    map[*schema.Node]bool
}

// compile visits the schemas of a declaration.
func compile(request provider.Request, declaration int, visitor *provider.Visitor) {
	root := rootOf(request.Declarations[declaration])
	if root == nil {
		return
	}
	w := &walk{visitor: visitor, seen: map[*schema.Node]bool{}, at: []byte("/parameters")}
	w.place.root = root
	w.pass = provider.Pass{
		Request: request, Declaration: declaration, Subject: &w.place,
		Location: []byte(locationOf(request.Declarations[declaration], request.Index(declaration), visitor.Day)),
	}
	w.descend(root)
}

// locationOf returns the beginning of messages about a schema: the index of a tool, or
// the field that an output format is sent in.
func locationOf(declaration *schema.Node, index int, day provider.Date) string {
	switch {
	case declaration.Has("input_schema"):
		return "tools." + strconv.Itoa(index) + ".custom"
	case declaration.Has("output_format"), day < general && !declaration.Has("output_config"):
		return "output_format.schema"
	default:
		return "output_config.format.schema"
	}
}

// descend visits a schema, then its subschemas. Definitions are visited from the
// references to them.
func (w *walk) descend(node *schema.Node) {
	if node.Kind != schema.Object || w.seen[node] || w.visitor.Done() {
		return
	}
	w.seen[node] = true
	w.place.types = typesOf(node)
	w.pass.Node, w.pass.At = node, w.at
	if w.visitor.Visit(&w.pass) {
		return
	}
	for below := range node.Subschemas() {
		if below.Node().IsPlain() {
			continue
		}
		switch below.Keyword {
		case "properties", "items", "anyOf", "allOf":
			at := len(w.at)
			w.at = below.AppendTo(w.at)
			w.descend(below.Node())
			w.at = w.at[:at]
		default: // refused by a rule, or a definition
		}
	}
	if pointer, target := w.place.target(node); target != nil {
		w.visitor.ChargeText(len(pointer))
		at := w.at
		w.at = append([]byte("/parameters"), pointer...)
		w.descend(target)
		w.at = at
	}
}

// target returns the place and the schema that a reference leads to, or nil.
func (s *place) target(node *schema.Node) (schema.Pointer, *schema.Node) {
	reference, within := strings.CutPrefix(node.GetString("$ref"), "#")
	if !within {
		return "", nil
	}
	if unescaped, err := url.PathUnescape(reference); err == nil {
		reference = unescaped
	}
	if reference != "" && !strings.HasPrefix(reference, "/") {
		return "", nil
	}
	target := s.root
	for _, token := range schema.Pointer(reference).Tokens() {
		if target = s.step(target, token); target == nil {
			break
		}
	}
	return schema.Pointer(reference), target
}

// step returns the member or element that a token leads to. It searches each large object
// only once, so that many references to many definitions take linear time.
func (s *place) step(node *schema.Node, token string) *schema.Node {
	const small = 16
	if node.Kind != schema.Object || len(node.Members) < small {
		return node.Step(token)
	}
	members := s.members[node]
	if members == nil {
		members = make(map[string]*schema.Node, len(node.Members))
		for _, member := range node.Members {
			members[member.Key] = member.Value
		}
		if s.members == nil {
			s.members = map[*schema.Node]map[string]*schema.Node{}
		}
		s.members[node] = members
	}
	return members[token]
}

// typesOf returns the types that a schema declares.
func typesOf(node *schema.Node) []string {
	value := node.Get("type")
	if value == nil {
		return nil
	}
	if value.Kind == schema.String {
		return []string{value.Text}
	}
	return value.Strings()
}

// refuse reports a violation at the place of the pass.
func refuse(p *provider.Pass, message string) {
	p.Report(provider.Finding{Message: string(p.Location) + ": " + message})
}

// circle searches for a reference that leads back to itself. The message lists the
// definitions on the way by their names.
type circle struct {
	*place
	pass *provider.Pass
	// depth is the depth in the search at which a schema was entered; 0 once it has been
	// searched.
	depth map[*schema.Node]int
	names []string // the reference of each step; "" for a step to a subschema
}

// find returns the names on a circle, with the first repeated at the end, or nil.
func (c *circle) find(node *schema.Node, name string) []string {
	c.pass.Charge(1 + len(node.Members))
	if node.Kind != schema.Object {
		return nil
	}
	if depth, known := c.depth[node]; known {
		if depth == 0 {
			return nil
		}
		circle := []string{name}
		for _, between := range c.names[depth:] {
			if between != "" {
				circle = append(circle, between)
			}
		}
		return append(circle, name)
	}
	c.names = append(c.names, name)
	c.depth[node] = len(c.names)
	for below := range node.Subschemas() {
		if below.Keyword == "$defs" || below.Keyword == "definitions" {
			continue
		}
		if found := c.find(below.Node(), ""); found != nil {
			return found
		}
	}
	if pointer, target := c.target(node); target != nil {
		name := "#"
		if tokens := pointer.Tokens(); len(tokens) > 0 {
			name = tokens[len(tokens)-1]
		}
		if found := c.find(target, name); found != nil {
			return found
		}
	}
	c.depth[node] = 0
	c.names = c.names[:len(c.names)-1]
	return nil
}
