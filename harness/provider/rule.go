package provider

import (
	"fmt"
	"path"
	"strings"

	"toolproof/internal/steps"
	"toolproof/schema"
)

// Effect is what a surface does with what a rule is about.
type Effect string

// What a surface can do with a declaration or a part of it.
const (
	Rejects  Effect = "rejects"  // the whole request fails
	Ignores  Effect = "ignores"  // the part is accepted and has no effect
	Rewrites Effect = "rewrites" // the part is accepted and means something else
)

// Rule is one thing that a surface does, with the evidence for it.
type Rule struct {
	Name string // snake_case, unique within a dialect
	// Doc is a title, a blank line, and text.
	Doc    string
	Effect Effect
	Stage  *Stage
	// Since is the first day on which the rule is known to hold. Until is the first day on
	// which it no longer does. Empty ends are open.
	Since, Until Date
	// Models are patterns of the names of the provider's models that keep the rule, as in
	// path.Match. A pattern that begins with ! names models that do not. None means all.
	// Where no model is named, a rule that names those that keep it does not hold.
	Models []string
	// Evidence names recordings, as dialect/digest with 12 digits of the digest: some
	// where the rule fires, and some near misses.
	Evidence []string
	// Source is where a rule without a recording of its own is known from. Such
	// a rule must be held by a fixture.
	Source string
	// Check looks at one place and reports what it finds there.
	Check func(*Pass)
}

// Title returns the first line of Doc.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// InForce reports whether the rule holds on a day for the provider's model of a name,
// which may be empty.
func (r *Rule) InForce(day Date, model string) bool {
	if r.Since > day || r.Until != "" && r.Until <= day {
		return false
	}
	isNamed, isWanted := false, true
	for _, pattern := range r.Models {
		excluded, isExclusion := strings.CutPrefix(pattern, "!")
		if matched, err := path.Match(excluded, model); err == nil && matched {
			if isExclusion {
				return false
			}
			isNamed = true
		}
		isWanted = isWanted && isExclusion
	}
	return isNamed || isWanted
}

// Stage is one of the steps in which a provider judges a request. When a stage
// finds fault, the later ones do not run.
type Stage struct {
	Name string
	// Shared says why an answer on one surface speaks for another one with the stage. It
	// is empty where each surface needs its own evidence.
	Shared string
	// All makes the stage report every violation; otherwise it stops at the first.
	All bool
	// Status is that of HTTP when the stage finds fault; 0 means 400.
	Status int
	// PerDeclaration makes a run of such stages judge one declaration after the
	// other, each through all of them.
	PerDeclaration bool
	// Walk visits the places that the stage judges, in the provider's order. declaration
	// is -1 for a stage that judges the request as a whole.
	Walk func(request Request, declaration int, visitor *Visitor)
	// Compose makes the message of the findings; by default the first one's.
	Compose func([]Finding) string
}

// Pass is one place of a request, as a rule sees it. A stage moves one Pass
// through the request; what it holds is valid during Check.
type Pass struct {
	Request     Request
	Declaration int    // counts from 0; -1 when the place is outside of them
	Key         string // the name under which Node stands, when it is a member's value
	KeyPosition schema.Position
	Node        *schema.Node
	At          []byte // the JSON Pointer from the tool to Node
	Location    []byte // the place in the provider's own syntax
	// Subject is what the stage's Walk knows of the place beyond the node. Each
	// stage documents the type.
	Subject any

	visitor *Visitor
	rule    *Rule
}

// Dialect returns the surface that is asked about.
func (p *Pass) Dialect() *Dialect { return p.visitor.Dialect }

// Reportf reports a violation at the place, in the provider's words.
func (p *Pass) Reportf(format string, arguments ...any) {
	p.Report(Finding{Message: fmt.Sprintf(format, arguments...)})
}

// Report reports a violation; what the finding leaves open is taken from the
// pass.
func (p *Pass) Report(finding Finding) {
	p.ChargeText(len(p.At) + len(p.Location) + len(finding.Message))
	finding.Rule = p.rule
	finding.Declaration = p.Declaration
	finding.At = schema.Pointer(p.At)
	finding.Node = p.Node
	if finding.Location == "" {
		finding.Location = string(p.Location)
	}
	switch {
	case p.KeyPosition.IsKnown():
		finding.Position = p.KeyPosition
	case p.Node != nil:
		finding.Position = p.Node.Position
	}
	p.visitor.findings = append(p.visitor.findings, finding)
}

// SaysNothing reports whether a member of a schema means the same as none: nobody needs to
// know that a surface drops it.
func SaysNothing(member schema.Member) bool {
	switch value := member.Value; member.Key {
	case "required":
		return value.Kind == schema.Array && len(value.Elements) == 0
	case "properties":
		return value.Kind == schema.Null || value.Kind == schema.Object && len(value.Members) == 0
	case "description":
		return value.Is("")
	default:
		return false
	}
}

// Visitor runs the rules of a stage at each place that the stage visits.
type Visitor struct {
	// Dialect is the surface that is asked about.
	Dialect *Dialect
	// Day is the one that is asked about: where the provider has renamed a place,
	// all that a stage says depends on it.
	Day Date

	rules    []*Rule
	all      bool
	findings []Finding
	counter  *steps.Counter // of the whole request
	kept     map[any]any    // of Keep
}

// Keep returns what find makes of the request, the first time that a stage asks for it under
// the key. Stages whose work begins alike share it.
func Keep[T any](v *Visitor, key any, find func() T) T {
	if known, ok := v.kept[key]; ok {
		return known.(T) //nolint:forcetypeassert // each key has values of one type
	}
	found := find()
	if v.kept == nil {
		v.kept = map[any]any{}
	}
	v.kept[key] = found
	return found
}

// Body returns the body of a request, which it makes of the declarations where the request
// has them alone.
func (v *Visitor) Body(request Request) *schema.Node {
	if request.Body != nil {
		return request.Body
	}
	return v.Dialect.Envelope(request.Declarations)
}

// Visit runs the rules, in order, until one reports; it returns whether one did.
func (v *Visitor) Visit(pass *Pass) bool {
	pass.visitor = v
	v.Charge(1 + len(v.rules) + membersOf(pass.Node))
	before := len(v.findings)
	for _, rule := range v.rules {
		pass.rule = rule
		rule.Check(pass)
		if len(v.findings) > before {
			return true
		}
	}
	return false
}

// VisitAll runs every rule at the place, whatever the others report.
func (v *Visitor) VisitAll(pass *Pass) {
	pass.visitor = v
	v.Charge(1 + len(v.rules) + membersOf(pass.Node))
	for _, rule := range v.rules {
		if v.Done() {
			return
		}
		pass.rule = rule
		rule.Check(pass)
	}
}

// Done reports whether the stage has found all that the provider would tell.
func (v *Visitor) Done() bool { return !v.all && len(v.findings) > 0 }
