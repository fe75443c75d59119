// Package walle models the published validator of Moonshot's servers, in its state of
// 2026-06-29 and at its level strict: https://github.com/MoonshotAI/walle. What it was
// asked is measured, and the rest is read from its source and its documentation.
package walle

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Versions are the states of the validator that the rules are known from.
var Versions = []provider.Version{{Name: "walle 2026-06-29", Date: "2026-06-29"}}

// Rules are all rules of the validator, in its order.
var Rules = slices.Concat(documentRules, subschemaRules, referenceRules)

// Surface is what a surface says before the words of the validator. It is what a
// Dialect's Own holds where the rules are in force.
type Surface struct {
	Field string // that is refused, such as tools.function.parameters
}

const shared = "one validator judges every schema that the provider is given; https://github.com/MoonshotAI/walle"

// The limits, by the documentation of the validator. What it was asked agrees: it took
// 107,460 bytes and 597 values, and refused 128,226 bytes. That of 3,000 properties is
// not modelled.
const (
	mostBytes    = 120_000 // of the schema as JSON
	mostLevels   = 30
	mostValues   = 1_000 // of an enum
	mostBranches = 500
)

// place is the Subject of the stages. For each it says where the validator is.
type place struct {
	// parts lead from the root of the schema to the node, as the validator writes them.
	parts []string
	// isDefinition marks a value of $defs.
	isDefinition bool
	// isLost marks a place below a name with braces. The validator reads these as the
	// index of a branch, and does not find the place again.
	isLost bool
	depth  int // how many times properties were entered
	root   *schema.Node
	// indices are of the objects that references lead through.
	indices schema.Indices
	// The rest is of the stage References: whether a reference of a subschema leads nowhere,
	// whether one has to come to an end, and the references of the whole schema.
	isDangling, mustEnd bool
	graph               *graph
}

// in returns the place, as the Subject of a pass.
func in(p *provider.Pass) *place {
	return p.Subject.(*place) //nolint:forcetypeassert // the package's own type
}

// below returns the place of what has the parts below it.
func (s *place) below(parts ...string) *place {
	clone := *s
	clone.parts = slices.Concat(s.parts, parts)
	clone.isDefinition = false
	return &clone
}

// named returns the place of a subschema that a member of a keyword declares.
func (s *place) named(keyword, name string) *place {
	below := s.below(keyword, name)
	below.isLost = s.isLost || strings.Contains(name, "{") && strings.Contains(name, "}")
	return below
}

// raw returns the place as the validator keeps it. The root is "root".
func (s *place) raw(keywords ...string) string {
	parts := slices.Concat(s.parts, keywords)
	if len(parts) == 0 {
		return "root"
	}
	return strings.Join(parts, ".")
}

var branchIndex = lazy.Compile(`anyOf\{[^}]+\}`)

// report reports words at the place, or at that of a keyword there.
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

// Canonical returns a message without the advice that the validator ends some of its
// words with. A test of early 2026 has the words without it.
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

// document is the stage that looks at the schema as a whole.
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

// subschemas is the stage that goes through the subschemas: definitions before the
// schema itself, then what is below it. Properties come in no order, so that each of
// several faulty ones may be what is reported: the stage reports all.
var subschemas = &provider.Stage{
	Name:           "subschemas",
	Shared:         shared,
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		root := rootOf(request, declaration, visitor)
		if root == nil || len(root.Members) == 0 { // which is any value
			return
		}
		walk := &subschemaWalk{request: request, declaration: declaration, visitor: visitor}
		walk.schema(root, "/parameters", &place{root: root, indices: schema.Indices{}})
	},
}

// subschemaWalk goes through the subschemas of a declaration. Its methods return whether
// anything was found, which ends what has an order.
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
			continue // nothing is refused of it
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

// definitions goes through those of a schema, by their names.
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

// objectOf returns the members of a keyword's value, or none where it is no object.
func objectOf(node *schema.Node, keyword string) []schema.Member {
	if value := node.Get(keyword); value != nil && value.Kind == schema.Object {
		return value.Members
	}
	return nil
}

// branchPart is a branch of a union, as the validator writes it into a place.
func branchPart(index int) string { return "anyOf{" + strconv.Itoa(index) + "}" }

// isAnnotation reports whether a keyword may be beside a reference, a union or types.
func isAnnotation(keyword string) bool { return keyword == "description" || keyword == "title" }
