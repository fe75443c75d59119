package verdict

import (
	"cmp"
	"fmt"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Version is the version of the result lines.
const Version = 1

// Result is the judgement of one tool for one target: a result line.
// docs/schema/result.schema.json describes its JSON.
type Result struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Source  string `json:"source"`
	Line    int    `json:"line"`
	Target  string `json:"target"`
	Dialect string `json:"dialect"`
	// Fixture, Side and Normalizer are set in the results of fixtures alone.
	Fixture    string `json:"fixture,omitempty"`
	Side       string `json:"side,omitempty"`
	Normalizer string `json:"normalizer,omitempty"`

	Raw        *Answer     `json:"raw,omitempty"`
	Normalized *Normalized `json:"normalized,omitempty"`
	Status     Status      `json:"status"`
	Error      string      `json:"error"`

	// Together is the number of tools in a request that a finding is about; 0 where each
	// finding is about the tool alone. Without a tool the result is of the request.
	Together int `json:"together,omitempty"`

	// Advice is what is unclear in the tool although no surface refuses it, and Tokens about
	// how many tokens its declaration has, in a result of the target Advice alone.
	Advice []Finding `json:"advice,omitempty"`
	Tokens int       `json:"tokens,omitempty"`

	// Understood is the declaration that the provider makes of the normalized tool; nil
	// where it changes nothing.
	Understood *schema.Node `json:"understood,omitempty"`

	// RawDialect is what Raw was judged on, where Dialect is the surface of a
	// tool that fell back.
	RawDialect string `json:"-"`
	// Given is the tool as it was given, with name, description and parameters,
	// for reports that show it.
	Given *schema.Node `json:"-"`
}

// Advice is the target of the results that are advice on a tool. Nothing is sent anywhere
// for them, so they have no dialect and no answer.
const Advice = "advice"

// IsAdvice reports whether the result is advice on a tool, and no verdict of a surface.
func (r *Result) IsAdvice() bool { return r.Target == Advice }

// IsRequest reports whether the result is that of a request of several tools, and of none
// of them.
func (r *Result) IsRequest() bool {
	return r.Together > 0 && r.Given == nil && r.Tool == "" && r.Raw != nil
}

// Required returns the answer that had to be an acceptance, to the tool as given or else to
// the normalized one, and its surface. The answer is nil where there is none. A request of
// several tools has one answer, and advice has none.
func (r *Result) Required(asGiven bool) (*Answer, string) {
	switch {
	case r.IsAdvice():
		return nil, Advice
	case asGiven || r.IsRequest():
		return r.Raw, r.RawDialect
	case r.Normalized != nil:
		return &r.Normalized.Answer, r.Dialect
	default:
		return nil, r.Dialect
	}
}

// Failures returns the findings that a result fails for, on the side that had to be
// accepted. What a surface ignores is among them where nothing may be lost.
func (r *Result) Failures(asGiven bool) []Finding {
	answer, _ := r.Required(asGiven)
	switch {
	case r.IsAdvice() && r.Status == Fail:
		return r.Advice
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
