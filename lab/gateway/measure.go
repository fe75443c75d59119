package gateway

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/internal/program"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Version is the version of the form of Report.
const Version = 1

// Report is what becomes of tools on one way through a gateway.
// docs/schema/gateway.schema.json describes its JSON.
type Report struct {
	Version int `json:"version"`
	// Gateway is the name of the row, or the command or address that the user gave.
	Gateway string `json:"gateway"`
	// GatewayVersion is the version of the package; empty if the package is not known.
	GatewayVersion string `json:"gateway_version"`
	Way            string `json:"way"`
	// In is the surface of the requests to the gateway, and Model the model that they name.
	In    string `json:"in"`
	Model string `json:"model"`
	// Stream is set if the answers were asked for as streams.
	Stream bool `json:"stream,omitempty"`
	// Date is the day whose rules of the surface judge the tools.
	Date provider.Date `json:"date"`
	// Network is the reason why the gateway was not isolated; empty if it was.
	Network string `json:"network"`
	// Seconds is how long all answers took.
	Seconds float64 `json:"seconds"`
	// Together is what becomes of a request with all tools.
	Together Passage `json:"together"`
	Tools    []Tool  `json:"tools"`
}

// Tool is what becomes of a tool in a request of its own.
type Tool struct {
	arrival.Tool

	Passage Passage `json:"passage"`
}

// Passage is what becomes of a request on its way through the gateway to the provider, and of
// the answer on its way back to the caller.
type Passage struct {
	// Path is the path of the gateway's request to the provider; empty if it sends none.
	Path string `json:"path"`
	// Status is the status of the provider's answer, and Message the message of a refusal.
	// Status is 0 if the gateway does not ask the provider.
	Status  int    `json:"status"`
	Message string `json:"message"`
	// Given is the status that the caller gets, and GivenMessage the message of a refusal.
	Given        int    `json:"given"`
	GivenMessage string `json:"given_message"`
	// Calls are the functions that the provider's answer calls, and GivenCalls those that the
	// answer to the caller calls. They are nil if the answer is not one of the API.
	Calls      []string `json:"calls"`
	GivenCalls []string `json:"given_calls"`
	// Fault is what the gateway does to the answer; empty if it passes the answer on.
	Fault Fault `json:"fault"`
}

// Fault is what a gateway does wrong with an answer.
type Fault string

// The faults.
const (
	None        Fault = ""
	HidesError  Fault = "hides_error"  // the provider refuses, and the caller gets a success
	MakesError  Fault = "makes_error"  // the provider answers, and the caller gets an error
	LosesWords  Fault = "loses_words"  // the caller gets an error without the provider's words
	ChangesCall Fault = "changes_call" // the caller gets another call than the provider's
	NoAnswer    Fault = "no_answer"    // the caller gets no answer
)

// Conforms reports whether the tool arrives without a loss, the provider accepts it, and the
// gateway passes the answer on.
func (t Tool) Conforms() bool {
	return t.State != arrival.Missing && len(t.Refused) == 0 && t.Loss == rewrite.Exact && t.Passage.Fault == None
}

// Conforms reports whether all tools conform, alone and in one request.
func (r *Report) Conforms() bool {
	for _, tool := range r.Tools {
		if !tool.Conforms() {
			return false
		}
	}
	return r.Together.Fault == None && r.Together.Given/100 == 2
}

// IsUnanswered reports whether the gateway refused each request without asking the provider, or gave
// no answer to any, as one does that is not configured for the model: nothing was learnt about tools.
func (r *Report) IsUnanswered() bool {
	for _, tool := range r.Tools {
		if !tool.Passage.isUnanswered() {
			return false
		}
	}
	return r.Together.isUnanswered()
}

func (p Passage) isUnanswered() bool { return p.Path == "" && (p.Fault == NoAnswer || p.Given >= 400) }

// RunCommand is the word on the command line with which the program that asks gateways calls
// Inside.
const RunCommand = "gateway-run"

// inquiry is what Measure hands to Inside.
type inquiry struct {
	Job   Job
	Tools []schema.Tool
}

// Measure sends tools through a gateway, each in a request of its own and all in one. A gateway
// that Measure starts is isolated as program.Apart does it, if the system allows that. An error
// means that nothing was learnt.
func Measure(ctx context.Context, job Job, tools []schema.Tool) (Report, error) {
	if job.URL != "" {
		report, err := here(ctx, inquiry{job, tools})
		report.Network = "as it was started by others"
		return report, err
	}
	report, why, err := program.Apart(ctx, append(slices.Clone(job.Self), RunCommand), inquiry{job, tools}, here)
	report.Network = why
	return report, err
}

// Isolation returns the reason why Measure cannot isolate a gateway on this system; empty if it can.
// self is as in Job.
func Isolation(ctx context.Context, self []string) string {
	return program.Isolation(ctx, append(slices.Clone(self), RunCommand))
}

// Inside asks the gateway that it reads about, in the process that Measure has started, and
// writes the report.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	return program.Inside(ctx, in, out, here)
}

// here asks a gateway in the network of this process.
func here(ctx context.Context, inquiry inquiry) (Report, error) {
	job := inquiry.Job
	in, isKnown := apis[job.Way.In]
	if !isKnown {
		return Report{}, fmt.Errorf("a gateway cannot be asked in the API %q", job.Way.In)
	}
	report := Report{
		Version: Version, Gateway: job.Gateway, GatewayVersion: job.version(), Way: job.Way.Name, In: in.dialect.Name, Model: job.Way.Model, Stream: job.Stream,
		Date: job.AsOf, Tools: []Tool{},
	}
	if report.Date == "" {
		report.Date = provider.Today()
	}
	err := run(ctx, job, func(ctx context.Context, g *gateway) error {
		begun := time.Now()
		for _, tool := range inquiry.Tools {
			measured, err := g.alone(ctx, tool, report.Date)
			if err != nil {
				return err
			}
			report.Tools = append(report.Tools, measured)
		}
		answer, requests, err := g.ask(ctx, inquiry.Tools...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report.Together = passage(in.dialect.API, answer, requests, err)
		report.Seconds = time.Since(begun).Seconds()
		return nil
	})
	return report, err
}

// alone sends one tool, and reports what becomes of it.
func (g *gateway) alone(ctx context.Context, tool schema.Tool, day provider.Date) (Tool, error) {
	answer, requests, err := g.ask(ctx, tool)
	if ctx.Err() != nil {
		return Tool{}, ctx.Err()
	}
	measured := Tool{Tool: arrival.Absent(tool.Name), Passage: passage(apis[g.job.Way.In].dialect.API, answer, requests, err)}
	if len(requests) == 0 {
		return measured, nil
	}
	// Some gateways send another request after a refusal: the last one is their best.
	if sent, _ := arrival.Read(requests[len(requests)-1]); len(sent) > 0 {
		if measured.Tool, err = arrival.Judge(ctx, tool, sent[0].Tool, sent[0], modelOf(g.job.Way.Model), day); err != nil {
			return Tool{}, err
		}
	}
	return measured, nil
}

// modelOf returns the provider's name of a model in the name that a gateway has for it, such
// as gemini,gemini-2.5-flash or openai/gpt-4.1.
func modelOf(name string) string {
	return name[strings.LastIndexAny(name, ",/")+1:]
}

// passage compares the answer of the provider with the answer that the caller gets.
func passage(in provider.API, reply answer, requests []*emulator.Entry, failed error) Passage {
	var found Passage
	var calls []call
	isRead := true
	if len(requests) > 0 {
		last := requests[len(requests)-1]
		found.Path, found.Status = last.Path, last.Status
		if last.Status/100 != 2 {
			found.Message = arrival.Words(last)
		} else {
			calls, isRead = callsIn(apiOf(last.Path), last.Answer)
		}
	}
	if failed != nil {
		found.Fault, found.GivenMessage = NoAnswer, failed.Error()
		return found
	}
	found.Given = reply.status
	if reply.status/100 != 2 {
		found.GivenMessage = withoutTrace(arrival.Words(&emulator.Entry{Status: reply.status, Answer: reply.body}))
	}
	passed, canRead := callsIn(in, reply.body)
	if isRead {
		found.Calls = namesOf(calls)
	}
	if canRead {
		found.GivenCalls = namesOf(passed)
	}
	switch isRefused, isError := found.Status != 0 && found.Status/100 != 2, reply.status/100 != 2; {
	case isRefused && !isError:
		found.Fault = HidesError
	case isRefused && !says(found.GivenMessage, found.Message):
		found.Fault = LosesWords
	case !isRefused && isError:
		found.Fault = MakesError
	case !isRefused && found.Status == 0:
		found.Fault = HidesError // the gateway answers without asking the provider
	case !isRefused && isRead && (!canRead || !sameCalls(calls, passed)):
		found.Fault = ChangesCall
	}
	return found
}

// traceLine is a line of the trace that a program in JavaScript adds to an error.
var traceLine = lazy.Compile(`\n[ \t]+at [^\n]+`)

// withoutTrace returns the message of an error without the lines of a stack trace, which name
// folders of the machine that runs the gateway.
func withoutTrace(words string) string { return traceLine.ReplaceAllString(words, "") }

// says reports whether a text contains a message, as it is or as a string of JSON.
func says(text, message string) bool {
	message = strings.TrimSpace(message)
	quoted := schema.NewString(message).String()
	return strings.Contains(text, message) || strings.Contains(text, quoted[1:len(quoted)-1])
}
