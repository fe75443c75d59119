// Package claude models the compiler that makes grammars of the schemas of strict tools and of output
// formats, for Anthropic's models wherever they are served. It supports a part of JSON Schema. Its
// messages name the tool, and no place in its schema.
package claude

import (
	"net/url"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// general is the day on which structured outputs left the beta, and output_config.format
// replaced output_format in the documentation. Source: the release notes of the Claude platform,
// quoted in https://github.com/supernovae-st/nika/pull/264. The API still takes output_format,
// and its messages then have that name: https://github.com/BerriAI/litellm/issues/35808
// (2026-08-04).
const general = "2026-01-29"

// grammar is the stage that compiles the schemas of strict tools and of an output
// format. The Subject is a *place.
var grammar = &provider.Stage{
	Name: "grammar", PerDeclaration: true, Walk: compile,
	Shared: "one compiler makes grammars of strict tools and of output formats. Both answer open objects and circles in the same words",
}

// place is the Subject of the stage grammar.
type place struct {
	root    *schema.Node
	types   []string       // that the schema at the place declares
	indices schema.Indices // of the objects that references lead through
}

// placeOf returns the place, which is the Subject of a pass.
func placeOf(p *provider.Pass) *place {
	return p.Subject.(*place) //nolint:forcetypeassert // the stage's own type
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
	root := RootOf(visitor.Dialect, request.Declarations[declaration])
	if root == nil {
		return
	}
	w := &walk{visitor: visitor, seen: map[*schema.Node]bool{}, at: []byte("/parameters")}
	w.place.root, w.place.indices = root, schema.Indices{}
	w.pass = provider.Pass{
		Request: request, Declaration: declaration, Subject: &w.place,
		Location: []byte(LocationOf(visitor.Dialect, request.Declarations[declaration], request.Index(declaration), visitor.Day)),
	}
	w.descend(root)
}

// FormatOf returns the format in the member output_format or output_config of a declaration, or
// the declaration itself if it has neither.
func FormatOf(declaration *schema.Node) *schema.Node {
	if format := declaration.Get("output_format"); format != nil {
		return format
	}
	if format := declaration.Get("output_config").Get("format"); format != nil {
		return format
	}
	return declaration
}

// RootOf returns the schema of a declaration on a surface, or nil.
func RootOf(dialect *provider.Dialect, declaration *schema.Node) *schema.Node {
	return dialect.SchemaOf(FormatOf(declaration))
}

// Surface is the Own of a Dialect of another service that passes strict tools on to Anthropic's
// models.
type Surface struct {
	Before string // the words with which the service begins a refusal of the model
}

// LocationOf returns the place with which messages about a schema begin: the index of the tool,
// or the field of the request that has the output format.
func LocationOf(dialect *provider.Dialect, declaration *schema.Node, index int, day provider.Date) string {
	switch {
	case dialect.Subject == provider.Arguments:
		surface, _ := dialect.Own.(Surface)
		return surface.Before + "tools." + strconv.Itoa(index) + ".custom"
	case declaration.Has("output_format"), day < general && !declaration.Has("output_config"):
		return "output_format.schema"
	default:
		return "output_config.format.schema"
	}
}

// descend visits a schema, its subschemas, and the target of its reference. It visits
// definitions only as such targets.
func (w *walk) descend(node *schema.Node) {
	if node.Kind != schema.Object || w.seen[node] || w.visitor.Done() {
		return
	}
	w.seen[node] = true
	w.place.types = node.Types()
	w.pass.Node, w.pass.At = node, w.at
	if w.visitor.Visit(&w.pass); w.visitor.Done() {
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
		default: // definitions, and keywords that a rule refuses
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

// target returns the place and the schema that the reference of a schema leads to, or nil.
func (s *place) target(node *schema.Node) (schema.Pointer, *schema.Node) {
	reference, isLocal := strings.CutPrefix(node.GetString("$ref"), "#")
	if !isLocal {
		return "", nil
	}
	if unescaped, err := url.PathUnescape(reference); err == nil {
		reference = unescaped
	}
	return schema.Pointer(reference), s.indices.Find(s.root, schema.Pointer(reference))
}

// refuse reports a violation at the place of the pass.
func refuse(p *provider.Pass, message string) {
	p.Report(provider.Finding{Message: string(p.Location) + ": " + message})
}

// circle searches for references that lead back to where they began.
type circle struct {
	*place
	pass *provider.Pass
	// depth has for each schema the depth of the search at which it was entered, or 0 once it
	// has been searched.
	depth map[*schema.Node]int
	names []string // the name that each step's reference ends in, or "" for a step to a subschema
}

// find returns the names on a circle as the message lists them, with the first repeated at the
// end, or nil if there is no circle below the node.
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
