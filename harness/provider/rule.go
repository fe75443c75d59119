package provider

import (
	"fmt"
	"path"
	"strings"

	"toolproof/internal/steps"
	"toolproof/schema"
)

// Effect is what a surface does with the part that a rule is about.
type Effect string

// The effects.
const (
	Rejects  Effect = "rejects"  // the whole request fails
	Ignores  Effect = "ignores"  // the part is accepted and has no effect
	Rewrites Effect = "rewrites" // the part is accepted and means something else
	Unknown  Effect = "unknown"  // no answer shows whether the request fails
)

// Rule is one thing that a surface does, with its evidence.
type Rule struct {
	Name string // snake_case, unique within a surface
	// Doc is a title, a blank line, and text.
	Doc    string
	Effect Effect
	Stage  *Stage
	// About is the one keyword of a schema that the rule judges, or OtherKeywords. It is empty if there
	// is no such keyword: behind another violation of the same schema, the rule then predicts nothing.
	About string
	// Since is the first day on which the rule is known to hold, Until the first on which
	// it no longer does. Empty means open.
	Since, Until Date
	// Models are patterns, in the syntax of path.Match, of the names of models for which
	// the rule holds. A pattern that begins with ! excludes models. Without patterns the
	// rule holds for all models; with a pattern that does not exclude, it does not hold
	// for a request that names no model.
	Models []string
	// Evidence names recordings, as surface/digest with the first 12 digits of the digest:
	// some in which the rule fires, and some near misses, which were accepted.
	Evidence []string
	// Source says where the rule is known from if no recording shows it. A fixture has to
	// cover such a rule.
	Source string
	// Check looks at one place and reports what it finds there.
	Check func(*Pass)
}

// OtherKeywords is what a rule is About that refuses keywords about which no other rule is.
const OtherKeywords = "*"

// Title returns the first line of Doc.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// Unproved returns a copy of a rule for a surface of which no answer shows whether the rule holds. It
// reports what the rule refuses elsewhere as unknown.
func Unproved(rule *Rule) *Rule {
	clone := *rule
	clone.Effect = Unknown
	clone.Check = func(p *Pass) {
		before := len(p.visitor.findings)
		rule.Check(p)
		for i := range p.visitor.findings[before:] {
			finding := &p.visitor.findings[before+i]
			finding.Message = "it is unknown whether " + p.Dialect().Name + " refuses, as another surface does: " + finding.Message
		}
	}
	return &clone
}

// InForce reports whether the rule holds on a day for a model, whose name may be empty.
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

// Stage is one of the steps in which a provider judges a request. If a stage finds a
// violation, the later ones do not run.
type Stage struct {
	Name string
	// Shared says why an answer of one surface is evidence for every surface with the stage.
	// It is empty if each surface needs evidence of its own.
	Shared string
	// All makes the stage report every violation; otherwise it stops at the first one.
	All bool
	// Status is that of HTTP if the stage finds a violation; 0 means 400.
	Status int
	// PerDeclaration says that the stage judges one declaration at a time. A declaration
	// passes all consecutive stages of this kind before the next declaration is judged.
	PerDeclaration bool
	// Walk visits the places that the stage judges, in the provider's order. It gets the
	// index of the declaration if PerDeclaration is set, and -1 otherwise.
	Walk func(request Request, declaration int, visitor *Visitor)
	// Compose makes the message of the answer from the findings. If it is nil, the message is
	// that of the first finding.
	Compose func([]Finding) string
	// Preface returns what stands before the message on a day, given the first finding. It is
	// nil if nothing ever does.
	Preface func(Date, Finding) string
}

// Pass is one place of a request as a rule sees it. A stage reuses one Pass throughout
// the request, so its fields are valid only during Check.
type Pass struct {
	Request     Request
	Declaration int    // counts from 0; -1 if the place is outside of the declarations
	Key         string // the name of the member whose value Node is, if it is one
	KeyPosition schema.Position
	Node        *schema.Node
	At          []byte // the JSON Pointer from the tool to Node
	Location    []byte // the place in the provider's own syntax
	// Subject is what the stage's Walk knows about the place beyond the node. Each stage
	// documents its type.
	Subject any

	visitor *Visitor
	rule    *Rule
}

// Dialect returns the surface that judges the request.
func (p *Pass) Dialect() *Dialect { return p.visitor.Dialect }

// Reportf reports a violation at the place, in the provider's words.
func (p *Pass) Reportf(format string, arguments ...any) {
	p.Report(Finding{Message: fmt.Sprintf(format, arguments...)})
}

// Report reports a violation. It fills fields that the finding leaves empty from the
// pass.
func (p *Pass) Report(finding Finding) {
	p.ChargeText(len(p.At) + len(p.Location) + len(finding.Message))
	finding.Rule = p.rule
	finding.Declaration = p.Declaration
	finding.At = schema.Pointer(p.At)
	finding.Node, finding.Key = p.Node, p.Key
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

// SaysNothing reports whether a member of a schema has no meaning, so that a surface may drop
// it without a report.
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
	// Dialect is the surface that judges the request.
	Dialect *Dialect
	// Day is the day to answer for. A stage needs it if the provider has changed how its
	// messages name places.
	Day Date
	// ModelName is the provider's model that the request names; empty if unknown.
	ModelName string

	parameters *schema.Node // beside the declarations; nil if there are none
	rules      []*Rule
	all        bool
	every      bool // whether every rule runs at a place that Visit visits, and not only those up to the first that reports
	findings   []Finding
	counter    *steps.Counter // of the whole request
	kept       map[any]any    // the results of Keep
}

// Keep returns the result of find. It calls find only once for each request and key, so that
// stages can share work.
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

// Body returns the body of a request, which is made from the declarations if the request has
// none, with the parameters of the model.
func (v *Visitor) Body(request Request) *schema.Node {
	body := request.Body
	if body == nil {
		body = v.Dialect.Envelope(request.Declarations)
	}
	if v.parameters == nil {
		return body
	}
	whole := schema.NewObject(body.Members...)
	for _, parameter := range v.parameters.Members {
		whole.Set(parameter.Key, parameter.Value)
	}
	return whole
}

// Visit runs the rules in order until one reports, and returns whether one did.
func (v *Visitor) Visit(pass *Pass) bool {
	pass.visitor = v
	v.Charge(1 + len(v.rules) + membersOf(pass.Node))
	before := len(v.findings)
	if v.every {
		for _, rule := range v.rules {
			place := *pass // a rule that reports may move its pass to another place
			place.rule = rule
			rule.Check(&place)
		}
		return len(v.findings) > before
	}
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

// Done reports whether the stage has found all that the provider would report.
func (v *Visitor) Done() bool { return !v.all && len(v.findings) > 0 }
