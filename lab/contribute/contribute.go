// Package contribute makes a fixture, and if possible a recording, from a tool and a provider's
// answer.
package contribute

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolproof/harness/fixture"
	"toolproof/harness/minimize"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
	"toolproof/harness/toolfile"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Report is a contributor's report.
type Report struct {
	// Tools are the tools of the request, in the order in which they were sent.
	Tools []toolfile.Tool
	// Refusal is the provider's answer: the body, or its words as people paste them.
	Refusal string
	// Dialects are the surfaces that it may come from, the likeliest first.
	Dialects []*provider.Dialect
	// Source is a public address of the answer; "" if there is none.
	Source string
	// Date is the day of the answer.
	Date provider.Date
	// Model is the provider's model; "" if unknown.
	Model string
}

// Existing is the data of the checkout.
type Existing struct {
	Fixtures []*fixture.Fixture
	Store    *recording.Store
}

// Proposal is the result of a report.
type Proposal struct {
	Dialect *provider.Dialect
	// Recognized is set if the words are known to be those of the dialect.
	Recognized bool
	Fixture    *fixture.Fixture
	// Recording is the recording, or nil, and then WhyNoRecording tells why.
	Recording      *recording.Recording
	WhyNoRecording string
	// Refusal is the provider's answer and Predicted the model's to the same tools; Agrees is
	// set if they are the same.
	Refusal, Predicted provider.Response
	Agrees             bool
	// Rule is the rule that explains the refusal; "" if none does.
	Rule string
	// Minimized is the fixture's tool if the model could shrink it, else nil. OriginalSize is
	// the number of values in the reported tools.
	Minimized    *minimize.Result
	OriginalSize int
}

// DuplicateError is the error of a report that tells nothing new.
type DuplicateError struct {
	Fixture *fixture.Fixture
	// Minimized is set if the tools differ but their minimized forms have the same shape.
	Minimized bool
}

func (e *DuplicateError) Error() string {
	if e.Minimized {
		return fmt.Sprintf("fixture %s shows the same: minimized, both are the same schema", e.Fixture.ID)
	}
	return fmt.Sprintf("fixture %s has this schema already", e.Fixture.ID)
}

// ErrNothingLearnt is the error of an answer that is not about the tools.
var ErrNothingLearnt = errors.New("the answer says nothing about the tools")

// Propose makes a proposal from a report. It writes nothing.
func Propose(ctx context.Context, report Report, existing Existing) (*Proposal, error) {
	tools, err := toolsOf(report)
	if err != nil {
		return nil, err
	}
	maker := &maker{report: report, existing: existing, tools: tools, today: provider.Today()}
	if maker.date = report.Date; maker.date == "" {
		return nil, errors.New("the day of the answer is not given")
	}
	if err := maker.hear(ctx); err != nil {
		return nil, err
	}
	if err := maker.ask(ctx); err != nil {
		return nil, err
	}
	if err := maker.compare(); err != nil {
		return nil, err
	}
	if err := maker.shrink(ctx); err != nil {
		return nil, err
	}
	if err := maker.record(); err != nil {
		return nil, err
	}
	if err := maker.write(ctx); err != nil {
		return nil, err
	}
	return &maker.Proposal, nil
}

func toolsOf(report Report) ([]schema.Tool, error) {
	var tools []schema.Tool
	for _, tool := range report.Tools {
		if tool.Err != nil {
			return nil, tool.Err
		}
		tools = append(tools, tool.Tool)
	}
	if len(tools) == 0 {
		return nil, errors.New("there is no tool")
	}
	return tools, nil
}

// maker makes a proposal step by step.
type maker struct {
	Proposal

	report      Report
	existing    Existing
	tools       []schema.Tool // tools of the request
	today, date provider.Date

	body     json.RawMessage  // body of the answer; nil if only its words are known
	status   int              // HTTP status
	isUnread bool             // the surface cannot read the body yet
	asOf     provider.Date    // day as of which the fixture is judged; "" means today
	finding  provider.Finding // the model's finding that the refusal is about; its Rule is nil if there is none
	fixed    []schema.Tool    // tools of the fixture
}

// hear reads the refusal, finds the surface that it comes from, and makes sure that it is about
// the tools.
func (m *maker) hear(ctx context.Context) error {
	m.Refusal = provider.ParsePasted(m.report.Refusal)
	m.body, m.status = bodyOf(m.report.Refusal)
	if m.Refusal.Message == "" || m.body != nil && m.Refusal.Message == strings.TrimSpace(m.report.Refusal) {
		return errors.New("there is no message in the error")
	}
	if class := refusal.AsideOf(m.status, m.Refusal.Message); class != "" {
		return fmt.Errorf("%w, it is of the class %s: %s", ErrNothingLearnt, class, m.Refusal.Message)
	}
	dialect, err := refusal.Recognize(ctx, m.Refusal, m.tools, m.report.Dialects)
	if err != nil {
		return err
	}
	m.Recognized = dialect != nil
	if dialect == nil {
		if !m.isAbout() {
			return fmt.Errorf("%w that is known here, nor names a part of them: %s", ErrNothingLearnt, m.Refusal.Message)
		}
		dialect = m.report.Dialects[0]
	}
	m.Dialect = dialect
	if m.body == nil {
		return nil
	}
	answer, err := dialect.Classify(m.status, m.body)
	switch {
	case err != nil:
		m.isUnread = true
	case answer.Verdict == provider.Accepted:
		return errors.New("the answer is no refusal")
	default:
		m.Refusal = answer
	}
	return nil
}

// isAbout reports whether words that no surface is known to use are about the tools all the
// same: they mention a schema, a function, or something by its name in the tools.
func (m *maker) isAbout() bool {
	names := map[string]bool{"schema": true, "schemas": true, "function": true, "functions": true, "declaration": true, "parameters": true}
	for _, tool := range m.tools {
		names[tool.Name] = true
		tool.Parameters.Each(func(subschema *schema.Node) bool {
			for _, member := range subschema.Members {
				names[member.Key] = len(member.Key) > len("title") // shorter names are words of any message
				for _, below := range member.Value.Keys() {
					names[below] = true
				}
			}
			return true
		})
	}
	for _, word := range word.FindAllString(m.Refusal.Message, -1) {
		if names[word] {
			return true
		}
	}
	return false
}

var word = lazy.Compile(`[\pL\pN_$-]+`)

// bodyOf returns the body if the text is one, and the status in it, or 400.
func bodyOf(text string) (json.RawMessage, int) {
	const usual = 400
	node, err := schema.Parse([]byte(strings.TrimSpace(text)))
	if err != nil {
		return nil, usual
	}
	if node.Kind == schema.Array && len(node.Elements) == 1 { // as a stream has it
		node = node.Elements[0]
	}
	if node.Kind != schema.Object || !node.Has("error") && !node.Has("message") {
		return nil, usual
	}
	status := usual
	if code := node.Get("error").Get("code"); code != nil && code.Kind == schema.Number {
		if n := 0; json.Unmarshal([]byte(code.Text), &n) == nil && n >= 400 && n < 600 {
			status = n
		}
	}
	return node.JSON(), status
}

// ask compares the model with the refusal: today's model or else that of the day of the answer.
func (m *maker) ask(ctx context.Context) error {
	for _, day := range []provider.Date{m.today, m.date} {
		predicted, err := m.model(day).Send(ctx, m.Dialect.Encode(m.tools))
		if err != nil {
			return err
		}
		if m.Predicted.Verdict == "" {
			m.Predicted = predicted
		}
		if m.says(predicted) {
			m.Predicted, m.Agrees = predicted, true
			m.find()
			if day != m.today {
				m.asOf = day
			}
			return nil
		}
	}
	return nil
}

// find sets the finding that the refusal is about, the first if there are several.
func (m *maker) find() {
	for _, finding := range m.Predicted.Findings {
		if finding.Rule != nil && provider.Alike(finding.Message, m.Refusal.Message) {
			m.finding, m.Rule = finding, finding.Rule.Name
			return
		}
	}
}

// says reports whether an answer is the refusal or, if only words are known, contains them or
// is contained in them.
func (m *maker) says(predicted provider.Response) bool {
	if predicted.Verdict != provider.Rejected {
		return false
	}
	model, words := strings.TrimSpace(predicted.Message), strings.TrimSpace(m.Refusal.Message)
	if m.body != nil {
		return model == words
	}
	return strings.Contains(model, words) || strings.Contains(words, model)
}

// compare returns a DuplicateError if a fixture has the tools already.
func (m *maker) compare() error {
	for _, rival := range m.rivals() {
		if len(rival.Tools) != len(m.tools) {
			continue
		}
		same := true
		for i, tool := range rival.Tools {
			same = same && schema.Equal(tool.Parameters, m.tools[i].Parameters)
		}
		if same {
			return &DuplicateError{Fixture: rival}
		}
	}
	return nil
}

// rivals returns the fixtures that show how the provider refuses a tool on the surface.
func (m *maker) rivals() []*fixture.Fixture {
	var rivals []*fixture.Fixture
	for _, rival := range m.existing.Fixtures {
		if raw := rival.Expect[m.Dialect.Name].Raw; raw != nil && raw.Verdict == string(provider.Rejected) {
			rivals = append(rivals, rival)
		}
	}
	return rivals
}

// shrink minimizes the guilty tool, if the model refuses it as the provider does.
func (m *maker) shrink(ctx context.Context) error {
	m.fixed = m.tools
	for _, tool := range m.tools {
		m.OriginalSize += tool.Node().Size()
	}
	if !m.Agrees {
		return nil
	}
	if m.finding.Rule == nil || m.finding.Declaration < 0 {
		return nil
	}
	guilty := m.tools[m.finding.Declaration]
	minimized, err := minimize.Tool(ctx, m.model(cmp.Or(m.asOf, m.today)), m.Dialect, guilty, m.finding.Message, minimize.Options{})
	if errors.Is(err, minimize.ErrAccepted) || errors.Is(err, minimize.ErrOtherWords) {
		return nil // it is refused because of the other tools
	}
	if err != nil {
		return err
	}
	m.Minimized, m.fixed = &minimized, []schema.Tool{minimized.Tool}
	shape := minimize.Shape(minimized.Tool.Parameters)
	for _, rival := range m.rivals() {
		if len(rival.Tools) != 1 || rival.WireOnly {
			continue
		}
		same, err := m.shows(ctx, rival, shape)
		if err != nil {
			return err
		}
		if same {
			return &DuplicateError{Fixture: rival, Minimized: true}
		}
	}
	return nil
}

// maxRival is the largest number of values sent to minimize one fixture. A fixture that takes
// more is about a limit and not about a shape.
const maxRival = 100_000

// shows reports whether a fixture, minimized for the same rule, has the given shape.
func (m *maker) shows(ctx context.Context, candidate *fixture.Fixture, shape *schema.Node) (bool, error) {
	model := m.model(cmp.Or(provider.Date(candidate.Expect[m.Dialect.Name].AsOf), m.today))
	answer, err := model.Send(ctx, m.Dialect.Encode(candidate.Tools))
	if err != nil || len(answer.Findings) == 0 || answer.Findings[0].Rule == nil || answer.Findings[0].Rule.Name != m.finding.Rule.Name {
		return false, err
	}
	other, err := minimize.Tool(ctx, model, m.Dialect, candidate.Tools[0], "", minimize.Options{MaxValues: maxRival})
	return err == nil && schema.Equal(minimize.Shape(other.Tool.Parameters), shape), err
}

// model returns the model of the surface as of a day.
func (m *maker) model(day provider.Date) *provider.Model {
	return &provider.Model{Dialect: m.Dialect, AsOf: day, ModelName: m.report.Model}
}

// record makes a recording of the tools as they were sent and the whole answer.
func (m *maker) record() error {
	switch {
	case m.body == nil:
		m.WhyNoRecording = "the body of the answer makes one, and words alone do not"
		return nil
	case m.isUnread:
		m.WhyNoRecording = "the model of " + m.Dialect.Name + " does not know such words yet"
		return nil
	}
	request := m.Dialect.Encode(m.tools)
	recorded := &recording.Recording{
		Version: recording.Version, Dialect: m.Dialect.Name, Digest: request.Digest(), Grade: recording.Reported,
		Source: cmp.Or(m.report.Source, withoutAddress), Date: m.date, Model: m.report.Model, Partial: true,
	}
	recorded.Request.Path, recorded.Request.Declarations = request.Path, request.Declarations
	recorded.Response.Status, recorded.Response.Body = m.status, m.body
	digits := strings.TrimPrefix(recorded.Digest, "sha256:")
	recorded.File = recorded.Dialect + "/" + digits + ".json"
	for _, other := range m.existing.Store.Of(request) {
		if other.Response.Status == recorded.Response.Status && bytes.Equal(compact(other.Response.Body), compact(m.body)) {
			m.WhyNoRecording = "recordings/" + other.File + " has this answer already"
			return nil
		}
		recorded.File = fmt.Sprintf("%s/%s.%s.json", recorded.Dialect, digits, recorded.Date)
	}
	text, err := recorded.Text()
	if err != nil {
		return err
	}
	if _, err := recording.Parse(recorded.File, text); err != nil {
		return fmt.Errorf("making a recording: %w", err)
	}
	m.Recording = recorded
	return withoutSecret("the recording", text)
}

// withoutSecret returns an error if a text contains something that looks like a key.
func withoutSecret(what string, text []byte) error {
	if found := recording.SecretPattern().Find(text); found != nil {
		const shown = 4
		return fmt.Errorf("%s: %w: it begins with %s", what, recording.ErrSecret, found[:min(shown, len(found))])
	}
	return nil
}

// withoutAddress is the source of an answer that others cannot look up.
const withoutAddress = "sent in with verify-lab add, without a public address"

func compact(text []byte) []byte {
	var short bytes.Buffer
	if json.Compact(&short, text) != nil {
		return text
	}
	return short.Bytes()
}
