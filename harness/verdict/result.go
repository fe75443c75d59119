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

// Result is the judgement of one thing for one target. Its Kind says what was judged and what the
// surfaces answered. LineOf returns its JSON.
type Result struct { //nolint:recvcheck // encoding/json asks values, too
	// ID and Tool are the id and the name of a tool; empty for a Request, a Conversation and a Source.
	ID, Tool string
	// Source is the file, program or server that the tool is from. Line is the line on which the
	// tool begins, counted from 1; 0 if the source is not a file.
	Source string
	Line   int
	// Target is the target that was judged for. Dialect is the surface that answered about the
	// normalized tool.
	Target, Dialect string
	Status          Status
	// Error says why there is no verdict or why a fixture fails; often empty.
	Error string
	// Kind is never nil.
	Kind Kind
}

// Kind is what a result is about: a *Tool, a *Fixture, a *Request, a *Conversation, a *Call, an *Advice or
// a Source.
type Kind interface{ isKind() }

// Tool is the judgement of a user's tool.
type Tool struct {
	Sides

	// Together is the number of tools in the request that one of the findings is about; 0 if all
	// findings are about the tool alone.
	Together int
	// IsResponse means that the schema of a model's answer was judged in place of a tool.
	IsResponse bool
	// IsNormalized means that the normalized tool had to be accepted, and not the tool as given.
	IsNormalized bool
}

// Fixture is the judgement of one side of a fixture.
type Fixture struct {
	Sides

	// ID is the ID of the fixture, or, on the side OfRecording, the name of the recording.
	ID string
	// Side is OfRaw, OfNormalized or OfRecording.
	Side string
	// Normalizer is the name of the normalizer that made the tool; set only on the side
	// OfNormalized.
	Normalizer string
}

// The sides of a fixture: its raw tools, its normalized tools, and a recording that was compared
// with the models.
const (
	OfRaw        = "raw"
	OfNormalized = "normalized"
	OfRecording  = "recording"
)

// Request is the judgement of several tools in one request: what is wrong with the request although
// each tool alone is accepted.
type Request struct {
	Answer

	// Tools is the number of tools in the request.
	Tools int
}

// Conversation is the judgement of a whole request: its messages, results and parameters, and whether its
// tools fit these. The schemas of its tools are judged as those of a Tool.
type Conversation struct {
	Answer

	// API is the method to which the request was sent.
	API provider.API
	// Turns is the number of its messages.
	Turns int
	// Differs says how a recorded answer and the rules differ, or that the answer says nothing about the
	// request; empty if they agree or there is no answer.
	Differs string
	// Unknown says in sentences what of the request no source tells.
	Unknown []string
}

// Noun names what was judged: a request or, if it publishes a server, the file with which it does.
func (c *Conversation) Noun() string {
	if c.API == provider.Publish {
		return "server.json"
	}
	return "request"
}

// Call is the judgement of what a server answered to a call of a tool. The findings are places in the result.
type Call struct {
	Answer

	// Arguments are those of the call, in one line, and How says how they were made.
	Arguments, How string
	// Took is the time until the answer, in milliseconds.
	Took int64
}

// Advice is what is unclear in a tool although no surface refuses it. Its results have the target
// AdviceTarget, and neither a dialect nor an answer, because nothing is sent.
type Advice struct {
	Findings []Finding
	// Tokens is the estimated number of tokens in the tool's declaration.
	Tokens int
}

// Open returns the number of findings that are neither notes nor excused by the project.
func (a *Advice) Open() int {
	open := 0
	for _, finding := range a.Findings {
		if finding.Severity != Note && finding.Waived == nil {
			open++
		}
	}
	return open
}

// Source is a file that could not be read, or a server that returned no tools, for the reason in
// the Error of the result.
type Source struct{}

func (*Tool) isKind()         {}
func (*Fixture) isKind()      {}
func (*Request) isKind()      {}
func (*Conversation) isKind() {}
func (*Call) isKind()         {}
func (*Advice) isKind()       {}
func (Source) isKind()        {}

// AdviceTarget is the target of results of kind Advice, and the severity of their findings.
const AdviceTarget = "advice"

// Note is the severity of advice that most models do well without.
const Note = "note"

// Sides are the two sides of a tool: as given, and as the target's normalizer makes it.
type Sides struct {
	// Raw is what the surface RawDialect answers about the tool as given; nil if it was not asked.
	Raw        *Answer
	RawDialect string
	// Normalized is nil if there is no normalized tool.
	Normalized *Normalized
	// AsGiven says why the tool has no normalized form and therefore had to be accepted as given;
	// empty if it has one.
	AsGiven string
	// Understood is the declaration that the provider makes of the normalized tool; nil if the
	// provider changes nothing.
	Understood *schema.Node
	// Given is the tool as given, with name, description and parameters, for reports that show it.
	// It is not part of a result line.
	Given *schema.Node
	// Cure returns what the author can do about a finding about the tool as given; nil if that is not
	// known. It is not part of a result line.
	Cure func(Finding) Cure `json:"-"`
}

// Sides returns the sides of a tool or a fixture, which the caller may change. For any other kind
// it returns empty sides.
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

// Fixture returns the kind of the result if that is a *Fixture, and nil otherwise.
func (r *Result) Fixture() *Fixture {
	fixture, _ := r.Kind.(*Fixture)
	return fixture
}

// IsRecording reports whether the result is about a recording that was compared with the models,
// and not about a tool.
func (r *Result) IsRecording() bool {
	fixture := r.Fixture()
	return fixture != nil && fixture.Side == OfRecording
}

// Advice returns the kind of the result if that is an *Advice, and nil otherwise.
func (r *Result) Advice() *Advice {
	advice, _ := r.Kind.(*Advice)
	return advice
}

// Request returns the kind of the result if that is a *Request, and nil otherwise.
func (r *Result) Request() *Request {
	request, _ := r.Kind.(*Request)
	return request
}

// Conversation returns the kind of the result if that is a *Conversation, and nil otherwise.
func (r *Result) Conversation() *Conversation {
	conversation, _ := r.Kind.(*Conversation)
	return conversation
}

// Call returns the kind of the result if that is a *Call, and nil otherwise.
func (r *Result) Call() *Call {
	call, _ := r.Kind.(*Call)
	return call
}

// Together returns the number of tools in the request that the result, or one of its findings, is
// about; 0 if everything is about one tool alone.
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

// Required returns the answer that had to be an acceptance, and the surface that gave it. asGiven
// selects the tool as given instead of the normalized one. The answer is nil if there is none, as
// for advice; a request, a conversation and a call have only one answer.
func (r *Result) Required(asGiven bool) (*Answer, string) {
	switch kind := r.Kind.(type) {
	case *Advice:
		return nil, AdviceTarget
	case *Request:
		return &kind.Answer, r.Dialect
	case *Conversation:
		return &kind.Answer, r.Dialect
	case *Call:
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

// Failures returns the findings that make a result fail, on the side that had to be accepted. These
// include what the surface ignores if the tool had to be accepted without loss.
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

// Findings returns all findings of a result: what is refused and ignored on both sides, and advice.
func (r *Result) Findings() []Finding {
	switch kind := r.Kind.(type) {
	case *Advice:
		return kind.Findings
	case *Request:
		return slices.Concat(kind.Findings, kind.Ignored)
	case *Conversation:
		return slices.Concat(kind.Findings, kind.Ignored)
	case *Call:
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

// Answered returns the result with the Answers of the findings about a refused tool as given. Finding
// them takes longer than judging the tool.
func (r Result) Answered() Result {
	tool, isTool := r.Kind.(*Tool)
	if !isTool || tool.Cure == nil || tool.Raw == nil || tool.Raw.Verdict != provider.Rejected {
		return r
	}
	answered, raw := *tool, *tool.Raw
	raw.Findings = slices.Clone(raw.Findings)
	for i := range raw.Findings {
		cure, finding := tool.Cure(raw.Findings[i]), &raw.Findings[i]
		finding.Answers, finding.SentAs, finding.RewrittenFor, finding.NotStrict = cure.Edits, cure.Member, cure.Target, cure.NotStrict
	}
	answered.Raw, r.Kind = &raw, &answered
	return r
}

// Answer is what a surface answers about a tool.
type Answer struct {
	Verdict  provider.Verdict `json:"verdict"`
	Evidence provider.Grade   `json:"evidence"`
	Findings []Finding        `json:"findings"`
	// Ignored is what the surface accepts but neither enforces nor passes on to the model, as far
	// as that is known; nil for a refusal.
	Ignored []Finding `json:"ignored,omitempty"`
	// Seen says how much of an accepted tool recordings show; nil for a refusal, and for an answer
	// that is not predicted.
	Seen *Seen `json:"seen,omitempty"`
	// Request is the body of the request that was judged; nil unless it was asked for.
	Request *schema.Node `json:"request,omitempty"`
}

// Seen counts the constructs of a declaration that accepted recordings of a surface show. A
// construct is a keyword together with the type of the values and the position.
type Seen struct {
	Constructs int `json:"constructs"`
	Accepted   int `json:"accepted"`
	// Unseen describes the first MaxUnseen constructs that recordings do not show, in document
	// order.
	Unseen []string `json:"unseen,omitempty"`

	// Surface is the name of the surface. Found are all constructs of the declaration, and Missing
	// those that recordings do not show.
	Surface        string             `json:"-"`
	Found, Missing []*construct.Known `json:"-"`
}

// MaxUnseen is the number of constructs that a result names.
const MaxUnseen = 20

// IsWhole reports whether recordings show every construct.
func (s *Seen) IsWhole() bool { return s.Accepted == s.Constructs }

// Missed lists the constructs that no recording shows, in one line.
func (s *Seen) Missed() string {
	text := strings.Join(s.Unseen, ", ")
	if more := s.Constructs - s.Accepted - len(s.Unseen); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Normalized is a normalized tool, and what the surface answers about it.
type Normalized struct {
	Answer
	Tool     *schema.Node `json:"tool"`
	Strict   bool         `json:"strict"`
	Fallback string       `json:"fallback"`
	Loss     rewrite.Loss `json:"loss"`
	Changes  []Change     `json:"changes"`
	// Cut is set if the result was read from a line that has no room for the tool: Tool has only
	// its name. More is the number of changes that the line has no room for.
	Cut  bool `json:"cut,omitempty"`
	More int  `json:"more,omitempty"`
}

// Loses reports whether the surface accepts the tool but ignores a part of it.
func (a *Answer) Loses() bool { return a.Verdict == provider.Accepted && len(a.Ignored) > 0 }

// Finding is a violation, an ignored part or a piece of advice, at a place of the tool as given.
type Finding struct {
	Rule     string         `json:"rule"`
	Severity string         `json:"severity"`
	Message  string         `json:"message"`
	At       schema.Pointer `json:"at"`
	Line     int            `json:"line"`
	Column   int            `json:"col"`
	// Also are further places of a piece of advice.
	Also []schema.Pointer `json:"also,omitempty"`
	// IsGrave means that a model is likely to make a wrong call for what the advice is about.
	IsGrave bool `json:"grave,omitempty"`
	// Surface is the dialect that ignores the part if the tool goes to several dialects; empty if
	// it is the dialect of the result.
	Surface string `json:"surface,omitempty"`
	// IsBehind means that the surface does not report this yet: a model predicts that it does once the
	// other findings are mended, on whatever evidence the answer rests.
	IsBehind bool `json:"behind,omitempty"`
	// Lost is the number of tools that a client loses because of the finding, if it refuses the
	// whole list for it; otherwise 0.
	Lost int `json:"lost,omitempty"`
	// Until is the first day on which the surface no longer refuses this, for a pasted refusal
	// that a rule of the past explains; otherwise empty.
	Until string `json:"until,omitempty"`
	// About is what is known of the rule that refuses a pasted request: what it demands, since when,
	// and of which models. It is empty for a tool.
	About string `json:"about,omitempty"`
	// Answers, SentAs, RewrittenFor and NotStrict are the Edits, Member, Target and NotStrict of the
	// finding's Cure.
	Answers      []Change `json:"answers,omitempty"`
	SentAs       string   `json:"sent_as,omitempty"`
	RewrittenFor string   `json:"rewritten_for,omitempty"`
	NotStrict    string   `json:"not_strict,omitempty"`
	// Instead says what to send instead, in a finding about a whole request.
	Instead string `json:"instead,omitempty"`
	// Level is Warning if the project does not want to fail for the finding; otherwise empty.
	Level string `json:"level,omitempty"`
	// Waived says why the project ignores the finding; nil if it does not.
	Waived *Waiver `json:"waived,omitempty"`
}

// Warning is the level of a finding that does not make a result fail.
const Warning = "warning"

// Waiver is the reason for which a finding is ignored, and the last day on which it is.
type Waiver struct {
	Reason string `json:"reason"`
	Until  string `json:"until"`
}

// On returns the dialect of the finding, given the dialect of its answer.
func (f Finding) On(dialect string) string { return cmp.Or(f.Surface, dialect) }

// IsExcused reports whether the project keeps the finding from failing.
func (f Finding) IsExcused() bool { return f.Waived != nil || f.Level == Warning }

// Cure is what the author of a tool can do about a finding.
type Cure struct {
	// Edits are what to write in the source of the tool: at most one edit, in the form of the source.
	// It was applied and judged: the surfaces that refused the place no longer do, and no surface that
	// judges the tool refuses anything new. From leads into the source.
	Edits []Change
	// Member is the member of a declaration, such as parametersJsonSchema, in which every surface that
	// refuses the place takes the schema as it is; empty if there is none.
	Member string
	// Target is the target whose normalizer makes a tool that the first of these surfaces takes.
	Target string
	// NotStrict says why that normalizer sends the tool with strict false; empty if it does not.
	NotStrict string
	// Instead says what to send instead of a part of a request.
	Instead string
}

// Change is a change that a rewrite rule made.
type Change struct {
	Rule     string         `json:"rule"`
	From     schema.Pointer `json:"from"`
	At       schema.Pointer `json:"at"`
	Loss     rewrite.Loss   `json:"loss"`
	Restored bool           `json:"restored"`
	// Remains is the part of Loss that remains although the change can be undone in arguments.
	Remains rewrite.Loss `json:"remains,omitzero"`
	// Before and After are the two values. They are omitted if there was no such value, or if it
	// is larger than MaxShown; From and At still say where it is.
	Before rewrite.Part `json:"before,omitzero"`
	After  rewrite.Part `json:"after,omitzero"`
	// Loses says in words what an edit of a source loses; empty if it loses nothing.
	Loses string `json:"loses,omitempty"`
	// Generator says what to write instead in the program that makes the source; empty if that is not
	// known.
	Generator string `json:"generator,omitempty"`
	// Then means that an edit of a source cures only a tool on which the other edits were made.
	Then bool `json:"then,omitempty"`
}

// IsSafe reports whether an edit of a source takes and refuses the same arguments and renames nothing.
func (c Change) IsSafe() bool { return c.Loss == rewrite.Exact && c.Loses == "" }

// MaxShown is the size of the largest Before or After that a result shows, in values.
const MaxShown = 500

// Changes converts the changes of a normalizer into those of a result.
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

// Findings converts the violations in a response into findings of a result, those that wait behind
// the refusal last. A refusal that no rule explains becomes one finding with the provider's words.
func Findings(response provider.Response) []Finding {
	if response.Verdict == provider.Rejected && len(response.Findings) == 0 {
		return []Finding{{Severity: provider.Finding{}.Severity(), Message: response.Message}}
	}
	findings := convert(slices.Concat(response.Findings, response.Behind))
	for i := range response.Behind {
		findings[len(response.Findings)+i].IsBehind = true
	}
	return findings
}

// Ignored converts what an accepted request contains without effect into findings of a result; nil
// if there is nothing.
func Ignored(response provider.Response) []Finding {
	if response.Verdict != provider.Accepted || len(response.Ignored) == 0 {
		return nil
	}
	return convert(response.Ignored)
}

func convert(provided []provider.Finding) []Finding {
	findings := make([]Finding, 0, len(provided))
	for _, finding := range provided {
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
