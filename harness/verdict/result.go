package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Result is the judgement of one thing for one target. Its Kind says what was judged, and
// what a surface answered. LineOf returns its JSON.
type Result struct { //nolint:recvcheck // encoding/json asks values, too
	// ID and Tool are the id and the name of a tool. A Request and a Source have neither.
	ID, Tool string
	// Source is the file, program or server that has the tool, and Line the line on which the
	// tool begins, counted from 1; 0 where there is no file.
	Source string
	Line   int
	// Target is what was judged for, and Dialect the surface that answered about the
	// normalized tool.
	Target, Dialect string
	Status          Status
	// Error says why there is no verdict, or why a fixture fails; often empty.
	Error string
	// Kind is never nil.
	Kind Kind
}

// Kind is what a result is about: a *Tool, a *Fixture, a *Request, an *Advice or a Source.
type Kind interface{ isKind() }

// Tool is the judgement of a user's tool.
type Tool struct {
	Sides

	// Together is the number of tools in the request that a finding of the tool is about; 0
	// where each finding is about the tool alone.
	Together int
	// IsResponse is set for the schema of a model's answer, which takes the place of a tool.
	IsResponse bool
}

// Fixture is the judgement of one side of a fixture.
type Fixture struct {
	Sides

	// ID is that of the fixture; of the side OfRecording it is the name of the recording.
	ID string
	// Side is OfRaw, OfNormalized or OfRecording.
	Side string
	// Normalizer is the normalizer that the fixture was run through; empty for other sides
	// than OfNormalized.
	Normalizer string
}

// The sides of a fixture, and that of a recording that was held against the models.
const (
	OfRaw        = "raw"
	OfNormalized = "normalized"
	OfRecording  = "recording"
)

// Request is the judgement of several tools in one request, for what is the fault of none of
// them alone.
type Request struct {
	Answer

	// Tools is the number of tools in the request.
	Tools int
}

// Advice is what is unclear in a tool although no surface refuses it. The target of its result
// is AdviceTarget. Nothing was sent, so there is no dialect and no answer.
type Advice struct {
	Findings []Finding
	// Tokens is about how many tokens the declaration of the tool has.
	Tokens int
}

// Source is a file that could not be read, or a server that gave no tools. The error of its
// result says why.
type Source struct{}

func (*Tool) isKind()    {}
func (*Fixture) isKind() {}
func (*Request) isKind() {}
func (*Advice) isKind()  {}
func (Source) isKind()   {}

// AdviceTarget is the target of the results that are advice, and the severity of their
// findings.
const AdviceTarget = "advice"

// Sides are the two sides of a tool: as it was given, and as the normalizer of the target
// makes it.
type Sides struct {
	// Raw is what the surface RawDialect says to the tool as given; nil where it was not asked.
	Raw        *Answer
	RawDialect string
	// Normalized is nil where there is no normalized tool.
	Normalized *Normalized
	// AsGiven says why the surface has no normalized tool, so that the tool as given had to be
	// accepted; empty otherwise.
	AsGiven string
	// Understood is the declaration that the provider makes of the normalized tool; nil where
	// it changes nothing.
	Understood *schema.Node
	// Given is the tool as it was given, with name, description and parameters, for reports
	// that show it. It is no part of a result line.
	Given *schema.Node
}

// Sides returns the sides of a tool or a fixture, which the caller may change. Those of any
// other kind are empty.
func (r *Result) Sides() *Sides {
	switch kind := r.Kind.(type) {
	case *Tool:
		return &kind.Sides
	case *Fixture:
		return &kind.Sides
	default:
		return &Sides{}
	}
}

// Fixture returns the fixture that the result is of; nil where it is of something else.
func (r *Result) Fixture() *Fixture {
	fixture, _ := r.Kind.(*Fixture)
	return fixture
}

// IsRecording reports whether the result is of a recording that was held against the models, and
// not of a tool.
func (r *Result) IsRecording() bool {
	fixture := r.Fixture()
	return fixture != nil && fixture.Side == OfRecording
}

// Advice returns the advice on a tool; nil where the result is a verdict.
func (r *Result) Advice() *Advice {
	advice, _ := r.Kind.(*Advice)
	return advice
}

// Request returns the request that the result is of; nil where it is of something else.
func (r *Result) Request() *Request {
	request, _ := r.Kind.(*Request)
	return request
}

// Together returns the number of tools in the request that the result, or a finding of its
// tool, is about; 0 where everything is about one tool alone.
func (r *Result) Together() int {
	switch kind := r.Kind.(type) {
	case *Tool:
		return kind.Together
	case *Request:
		return kind.Tools
	default:
		return 0
	}
}

// Required returns the answer that had to be an acceptance, to the tool as given or else to
// the normalized one, and the surface that gave it. The answer is nil where there is none. A
// request of several tools has one answer, and advice has none.
func (r *Result) Required(asGiven bool) (*Answer, string) {
	switch kind := r.Kind.(type) {
	case *Advice:
		return nil, AdviceTarget
	case *Request:
		return &kind.Answer, r.Dialect
	}
	sides := r.Sides()
	switch {
	case asGiven || sides.AsGiven != "":
		return sides.Raw, sides.RawDialect
	case sides.Normalized != nil:
		return &sides.Normalized.Answer, r.Dialect
	default:
		return nil, r.Dialect
	}
}

// Failures returns the findings that a result fails for, on the side that had to be
// accepted. What a surface ignores is among them where nothing may be lost.
func (r *Result) Failures(asGiven bool) []Finding {
	if advice := r.Advice(); advice != nil {
		if r.Status == Fail {
			return advice.Findings
		}
		return nil
	}
	answer, _ := r.Required(asGiven)
	switch {
	case answer == nil:
		return nil
	case answer.Verdict == provider.Rejected:
		return answer.Findings
	case r.Status == Fail:
		return answer.Ignored
	default:
		return nil
	}
}

// Findings returns every finding of a result: of both sides, of what is ignored there, and of
// advice.
func (r *Result) Findings() []Finding {
	switch kind := r.Kind.(type) {
	case *Advice:
		return kind.Findings
	case *Request:
		return slices.Concat(kind.Findings, kind.Ignored)
	}
	sides := r.Sides()
	var all []Finding
	if sides.Raw != nil {
		all = slices.Concat(sides.Raw.Findings, sides.Raw.Ignored)
	}
	if sides.Normalized != nil {
		all = slices.Concat(all, sides.Normalized.Findings, sides.Normalized.Ignored)
	}
	return all
}

// Answer is what a provider says to a tool.
type Answer struct {
	Verdict  provider.Verdict `json:"verdict"`
	Evidence provider.Grade   `json:"evidence"`
	Findings []Finding        `json:"findings"`
	// Ignored is what the surface takes and does not hand to the model, or does not enforce,
	// as far as it is known. It is nil for a refusal.
	Ignored []Finding `json:"ignored,omitempty"`
	// Seen says how much of an accepted tool recordings show; nil for a refusal, and where
	// the answer is no prediction.
	Seen *Seen `json:"seen,omitempty"`
	// Request is the body of the request that was judged; nil where nobody asked for it.
	Request *schema.Node `json:"request,omitempty"`
}

// Seen is how many constructs of a declaration accepted recordings of the surface show: a
// keyword, the type of the values and the position are a construct.
type Seen struct {
	Constructs int `json:"constructs"`
	Accepted   int `json:"accepted"`
	// Unseen are the first MaxUnseen of the others, in words and in document order.
	Unseen []string `json:"unseen,omitempty"`

	// Surface is the name of the surface. Found are all constructs, and Missing are those of
	// them that its recordings do not show.
	Surface        string             `json:"-"`
	Found, Missing []*construct.Known `json:"-"`
}

// MaxUnseen is how many constructs a result names.
const MaxUnseen = 20

// IsWhole reports whether recordings show every construct.
func (s *Seen) IsWhole() bool { return s.Accepted == s.Constructs }

// Missed names the constructs that no recording shows, in a line.
func (s *Seen) Missed() string {
	text := strings.Join(s.Unseen, ", ")
	if more := s.Constructs - s.Accepted - len(s.Unseen); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Normalized is a tool after rewriting, and what the provider says to it.
type Normalized struct {
	Answer
	Tool     *schema.Node `json:"tool"`
	Strict   bool         `json:"strict"`
	Fallback string       `json:"fallback"`
	Loss     rewrite.Loss `json:"loss"`
	Changes  []Change     `json:"changes"`
}

// Loses reports whether the surface accepts the tool and ignores a part of it.
func (a *Answer) Loses() bool { return a.Verdict == provider.Accepted && len(a.Ignored) > 0 }

// Finding is one violation, one part that is ignored, or one piece of advice, at a place of
// the tool as it was given.
type Finding struct {
	Rule     string         `json:"rule"`
	Severity string         `json:"severity"`
	Message  string         `json:"message"`
	At       schema.Pointer `json:"at"`
	Line     int            `json:"line"`
	Column   int            `json:"col"`
	// Surface is the dialect that ignores the part, where the tool goes to several; empty
	// where it is that of the result.
	Surface string `json:"surface,omitempty"`
	// Lost is how many tools of a list are lost with the one that the finding is about; 0
	// where no other is.
	Lost int `json:"lost,omitempty"`
	// Level is Warning where the project wants no failure for the finding; else empty.
	Level string `json:"level,omitempty"`
	// Waived says why the project lets the finding pass; nil where it does not.
	Waived *Waiver `json:"waived,omitempty"`
}

// Warning is the level of a finding that does not fail.
const Warning = "warning"

// Waiver is why a finding is let pass, and the last day on which it is.
type Waiver struct {
	Reason string `json:"reason"`
	Until  string `json:"until"`
}

// On returns the dialect of the finding, in an answer of the given one.
func (f Finding) On(dialect string) string { return cmp.Or(f.Surface, dialect) }

// IsExcused reports whether the project lets the finding pass.
func (f Finding) IsExcused() bool { return f.Waived != nil || f.Level == Warning }

// Change is one rewrite.
type Change struct {
	Rule     string         `json:"rule"`
	From     schema.Pointer `json:"from"`
	At       schema.Pointer `json:"at"`
	Loss     rewrite.Loss   `json:"loss"`
	Restored bool           `json:"restored"`
	// Remains is what is lost in spite of the way back; left out where that is nothing.
	Remains rewrite.Loss `json:"remains,omitzero"`
	// Before and After are left out where there was nothing, or more than MaxShown values:
	// at and from lead to them.
	Before rewrite.Part `json:"before,omitzero"`
	After  rewrite.Part `json:"after,omitzero"`
}

// MaxShown is how many values the parts of a change have at most that a result
// shows.
const MaxShown = 500

// Changes turns the changes of a normalizer into those of a result.
func Changes(changes []rewrite.Change) []Change {
	shown := make([]Change, len(changes))
	for i, change := range changes {
		shown[i] = Change{Rule: change.Rule, From: change.From, At: change.At, Loss: change.Loss, Restored: change.Restored, Remains: change.Remains}
		if change.Before.Size() <= MaxShown {
			shown[i].Before = change.Before
		}
		if change.After.Size() <= MaxShown {
			shown[i].After = change.After
		}
	}
	return shown
}

// Findings turns the violations in an answer into those of a result.
func Findings(response provider.Response) []Finding {
	if response.Verdict == provider.Rejected && len(response.Findings) == 0 {
		// A recorded refusal that no rule explains.
		return []Finding{{Severity: provider.Finding{}.Severity(), Message: response.Message}}
	}
	return shown(response.Findings)
}

// Ignored turns what an accepted request holds without effect into the findings of a
// result; nil where there is nothing.
func Ignored(response provider.Response) []Finding {
	if response.Verdict != provider.Accepted || len(response.Ignored) == 0 {
		return nil
	}
	return shown(response.Ignored)
}

func shown(given []provider.Finding) []Finding {
	findings := make([]Finding, 0, len(given))
	for _, finding := range given {
		rule := ""
		if finding.Rule != nil {
			rule = finding.Rule.Name
		}
		findings = append(findings, Finding{
			Rule: rule, Severity: finding.Severity(), Message: finding.Message, At: finding.At,
			Line: int(finding.Position.Line), Column: int(finding.Position.Column), Surface: finding.Surface,
		})
	}
	return findings
}
