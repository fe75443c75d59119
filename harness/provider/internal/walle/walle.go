// Package walle models the published validator of Moonshot's servers, in its state of 2026-06-29 and at
// its level strict: https://github.com/MoonshotAI/walle. The rules rest on answers of the
// validator or, if it was not run, on its source and documentation.
package walle

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Versions are the states of the validator that the rules describe.
var Versions = []provider.Version{{Name: "walle 2026-06-29", Date: "2026-06-29"}}

// Rules are all rules of the validator, in its order.
var Rules = slices.Concat(documentRules, subschemaRules, referenceRules)

// Surface is the Own of a Dialect that has the rules.
type Surface struct {
	Field string // the field that a message refuses, such as tools.function.parameters
}

const shared = "one validator judges every schema that the provider is given; https://github.com/MoonshotAI/walle"

// The limits in the validator's documentation. Its answers agree: it accepted 107,460
// bytes and 597 values, and refused 128,226 bytes. The limit of 3,000 properties is not
// modelled.
const (
	mostBytes    = 120_000 // of the schema as JSON
	mostLevels   = 30
	mostValues   = 1_000 // of an enum
	mostBranches = 500
)

// place is the Subject of the stages: where in the schema the validator is.
type place struct {
	// parts lead from the root of the schema to the node, in the validator's notation.
	parts []string
	// isDefinition marks a value of $defs.
	isDefinition bool
	// isLost marks a place below a name with braces, which the validator mistakes for the
	// index of a branch and so does not find again.
	isLost bool
	depth  int // the number of properties from the root to the node
	root   *schema.Node
	// indices are those of the objects that references lead through.
	indices schema.Indices
	// The stage references sets the rest: whether the reference leads nowhere, whether its target
	// has to end, and which objects of the schema do.
	isDangling, mustEnd bool
	graph               *graph
}

// in returns the place that is the Subject of a pass.
func in(p *provider.Pass) *place {
	return p.Subject.(*place) //nolint:forcetypeassert // the package's own type
}

// below returns the place that the parts lead to from this one.
func (s *place) below(parts ...string) *place {
	clone := *s
	clone.parts = slices.Concat(s.parts, parts)
	clone.isDefinition = false
	return &clone
}

// named returns the place of a named subschema of a keyword.
func (s *place) named(keyword, name string) *place {
	below := s.below(keyword, name)
	below.isLost = s.isLost || strings.Contains(name, "{") && strings.Contains(name, "}")
	return below
}

// raw returns the place in the validator's notation. The root is "root".
func (s *place) raw(keywords ...string) string {
	parts := slices.Concat(s.parts, keywords)
	if len(parts) == 0 {
		return "root"
	}
	return strings.Join(parts, ".")
}

var branchIndex = lazy.Compile(`anyOf\{[^}]+\}`)

// report reports words about the place, or about a keyword at it.
func report(p *provider.Pass, words string, keywords ...string) {
	at := branchIndex.ReplaceAllString(in(p).raw(keywords...), "anyOf")
	reportWhole(p, at, "At path '"+at+"': "+words)
}

func reportWhole(p *provider.Pass, at, words string) {
	surface, _ := p.Dialect().Own.(Surface)
	p.Report(provider.Finding{
		Message:  surface.Field + " is not a valid moonshot flavored json schema, details: <" + words + ">",
		Location: at,
	})
}

// Canonical returns a message without the advice at the end of some of the validator's messages. A
// public test of early 2026 has these messages without it.
func Canonical(message string) string {
	if !strings.Contains(message, "conflicting keywords found") {
		return message
	}
	words, advice, _ := strings.Cut(message, "; remove ")
	if strings.HasSuffix(advice, ">") {
		words += ">"
	}
	return words
}

// document is the stage that judges the schema as a whole.
var document = &provider.Stage{
	Name:           "document",
	Shared:         shared,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		if root := rootOf(request, declaration, visitor); root != nil {
			visitor.Visit(&provider.Pass{
				Request: request, Declaration: declaration, Node: root, At: []byte("/parameters"), Subject: &place{root: root},
			})
		}
	},
}

// rootOf returns the schema of a declaration, or nil.
func rootOf(request provider.Request, declaration int, visitor *provider.Visitor) *schema.Node {
	return visitor.Dialect.SchemaOf(request.Declarations[declaration])
}

// subschemas is the stage that visits the subschemas: definitions first, then the schema
// itself, then those below. The validator visits properties in no particular order and
// may report any of several violations, so the stage reports all of them.
var subschemas = &provider.Stage{
	Name:           "subschemas",
	Shared:         shared,
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		root := rootOf(request, declaration, visitor)
		if root == nil || len(root.Members) == 0 { // accepts any value
			return
		}
		walk := &subschemaWalk{request: request, declaration: declaration, visitor: visitor}
		walk.schema(root, "/parameters", &place{root: root, indices: schema.Indices{}})
	},
}

// subschemaWalk visits the subschemas of a declaration. Its methods report whether they
// found a violation, which ends those parts of the walk that have an order.
type subschemaWalk struct {
	request     provider.Request
	declaration int
	visitor     *provider.Visitor
}

func (w *subschemaWalk) schema(node *schema.Node, at schema.Pointer, where *place) bool {
	w.visitor.ChargeText(len(at))
	if w.definitions(node, at, where) {
		return true
	}
	if w.visitor.Visit(&provider.Pass{Request: w.request, Declaration: w.declaration, Node: node, At: []byte(at), Subject: where}) {
		return true
	}
	found := false
	for _, member := range objectOf(node, "properties") {
		if member.Value.IsPlain() && where.depth < mostLevels {
			continue // a plain schema breaks no rule
		}
		below := where.named("properties", member.Key)
		below.depth++
		found = w.schema(member.Value, at.Child("properties").Child(member.Key), below) || found
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below := node.Get(keyword); !found && below != nil && below.Kind == schema.Object && !below.IsPlain() {
			found = w.schema(below, at.Child(keyword), where.below(keyword))
		}
	}
	if branches := node.Get("anyOf"); branches != nil {
		for i, branch := range branches.Elements {
			found = found || w.schema(branch, at.Child("anyOf").Element(i), where.below(branchPart(i)))
		}
	}
	return found
}

// definitions visits the definitions of a schema, sorted by name.
func (w *subschemaWalk) definitions(node *schema.Node, at schema.Pointer, where *place) bool {
	members := slices.Clone(objectOf(node, "$defs"))
	w.visitor.Charge(len(members))
	slices.SortFunc(members, func(a, b schema.Member) int { return strings.Compare(a.Key, b.Key) })
	for _, member := range members {
		below := where.named("$defs", member.Key)
		below.isDefinition = true
		if w.schema(member.Value, at.Child("$defs").Child(member.Key), below) {
			return true
		}
	}
	return false
}

// objectOf returns the members of a keyword's value, or nil if that is not an object.
func objectOf(node *schema.Node, keyword string) []schema.Member {
	if value := node.Get(keyword); value != nil && value.Kind == schema.Object {
		return value.Members
	}
	return nil
}

// branchPart returns the part of a place for a branch of a union.
func branchPart(index int) string { return "anyOf{" + strconv.Itoa(index) + "}" }

// isAnnotation reports whether a keyword may stand beside a reference, a union or several types.
func isAnnotation(keyword string) bool { return keyword == "description" || keyword == "title" }
