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

// Version is the version of the report.
const Version = 1

// Report is what a gateway does to tools on one way.
// docs/schema/gateway.schema.json describes its JSON.
type Report struct {
	Version int `json:"version"`
	// Gateway is the name of the row, or the command or address that the user gave.
	Gateway string `json:"gateway"`
	// GatewayVersion is that of the package; empty where no package is known.
	GatewayVersion string `json:"gateway_version"`
	Way            string `json:"way"`
	// In is the surface of the requests to the gateway, and Model the one that they name.
	In    string `json:"in"`
	Model string `json:"model"`
	// Date is the day that the surface was asked about.
	Date provider.Date `json:"date"`
	// Network says why the gateway had one; empty where it had none.
	Network string `json:"network"`
	// Seconds is how long the answers to all tools took.
	Seconds float64 `json:"seconds"`
	// Together is what comes of a request with all tools.
	Together Passage `json:"together"`
	Tools    []Tool  `json:"tools"`
}

// Tool is what becomes of a tool that is sent alone.
type Tool struct {
	arrival.Tool

	Passage Passage `json:"passage"`
}

// Passage is what comes of a request: at the provider, and at the caller.
type Passage struct {
	// Path is where the gateway asks the provider; empty where it does not.
	Path string `json:"path"`
	// Status is what the provider answers, and Message are the words of a refusal. Status is 0
	// where the gateway does not ask.
	Status  int    `json:"status"`
	Message string `json:"message"`
	// Given is the status that the caller gets, and GivenMessage are the words of a refusal.
	Given        int    `json:"given"`
	GivenMessage string `json:"given_message"`
	// Calls are the functions that the provider's answer calls, and GivenCalls those of the
	// caller's answer. Nil where an answer is a stream, or no answer of the API.
	Calls      []string `json:"calls"`
	GivenCalls []string `json:"given_calls"`
	// Fault is what the gateway does to the answer; empty where it passes it on.
	Fault Fault `json:"fault"`
}

// Fault is what a gateway does to an answer.
type Fault string

// The faults.
const (
	None        Fault = ""
	HidesError  Fault = "hides_error"  // the provider refuses, and the caller gets a success
	MakesError  Fault = "makes_error"  // the provider answers, and the caller gets an error
	LosesWords  Fault = "loses_words"  // the caller gets an error without the provider's words
	ChangesCall Fault = "changes_call" // the caller gets another call than the provider's
	NoAnswer    Fault = "no_answer"    // the gateway gives none
)

// Conforms reports whether the tool arrives, is accepted, loses nothing, and its answer is
// passed on.
func (t Tool) Conforms() bool {
	return t.State != arrival.Missing && len(t.Refused) == 0 && t.Loss == rewrite.Exact && t.Passage.Fault == None
}

// Conforms reports whether all tools do, alone and together.
func (r *Report) Conforms() bool {
	for _, tool := range r.Tools {
		if !tool.Conforms() {
			return false
		}
	}
	return r.Together.Fault == None && r.Together.Given/100 == 2
}

// RunCommand is the word with which the program that asks gateways is to start Inside.
const RunCommand = "gateway-run"

// asked is what a gateway is asked.
type asked struct {
	Job   Job
	Tools []schema.Tool
}

// Measure sends tools through a gateway: all in one request, and each alone. A gateway that
// it starts has no network but loopback, where the system allows that. An error means that
// nothing was learnt.
func Measure(ctx context.Context, job Job, tools []schema.Tool) (Report, error) {
	if job.URL != "" {
		report, err := here(ctx, asked{job, tools})
		report.Network = "as it was started by others"
		return report, err
	}
	report, network, err := program.Apart(ctx, append(slices.Clone(job.Self), RunCommand), asked{job, tools}, here)
	report.Network = network
	return report, err
}

// Inside asks a gateway as it reads, in the process that Measure has made, and writes the
// report.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	return program.Inside(ctx, in, out, here)
}

// here asks a gateway in this process's network.
func here(ctx context.Context, asked asked) (Report, error) {
	job := asked.Job
	in, isKnown := apis[job.Way.In]
	if !isKnown {
		return Report{}, fmt.Errorf("a gateway cannot be asked in the API %q", job.Way.In)
	}
	report := Report{
		Version: Version, Gateway: job.Gateway, GatewayVersion: job.version(), Way: job.Way.Name, In: in.dialect.Name, Model: job.Way.Model, Date: job.AsOf, Tools: []Tool{},
	}
	if report.Date == "" {
		report.Date = provider.Today()
	}
	err := run(ctx, job, func(ctx context.Context, g *gateway) error {
		begun := time.Now()
		for _, tool := range asked.Tools {
			measured, err := g.alone(ctx, tool, report.Date)
			if err != nil {
				return err
			}
			report.Tools = append(report.Tools, measured)
		}
		given, requests, err := g.ask(ctx, asked.Tools...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report.Together = passage(in.dialect.API, given, requests, err)
		report.Seconds = time.Since(begun).Seconds()
		return nil
	})
	return report, err
}

// alone sends one tool.
func (g *gateway) alone(ctx context.Context, tool schema.Tool, day provider.Date) (Tool, error) {
	given, requests, err := g.ask(ctx, tool)
	if ctx.Err() != nil {
		return Tool{}, ctx.Err()
	}
	measured := Tool{Tool: arrival.Absent(tool.Name), Passage: passage(apis[g.job.Way.In].dialect.API, given, requests, err)}
	if len(requests) == 0 {
		return measured, nil
	}
	// Some ask again where they are refused: the last request is their best.
	if sent, _ := arrival.Read(requests[len(requests)-1]); len(sent) > 0 {
		if measured.Tool, err = arrival.Judge(ctx, tool, sent[0].Tool, sent[0], modelOf(g.job.Way.Model), day); err != nil {
			return Tool{}, err
		}
	}
	return measured, nil
}

// modelOf returns the provider's model in the name that a gateway takes, such as
// gemini,gemini-2.5-flash or openai/gpt-4.1.
func modelOf(name string) string {
	return name[strings.LastIndexAny(name, ",/")+1:]
}

// passage compares what the provider answers with what the caller gets.
func passage(in provider.API, given answer, requests []*emulator.Entry, failed error) Passage {
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
	found.Given = given.status
	if given.status/100 != 2 {
		found.GivenMessage = withoutTrace(arrival.Words(&emulator.Entry{Status: given.status, Answer: given.body}))
	}
	passed, canRead := callsIn(in, given.body)
	if isRead {
		found.Calls = namesOf(calls)
	}
	if canRead {
		found.GivenCalls = namesOf(passed)
	}
	switch isRefused, isError := found.Status != 0 && found.Status/100 != 2, given.status/100 != 2; {
	case isRefused && !isError:
		found.Fault = HidesError
	case isRefused && !says(found.GivenMessage, found.Message):
		found.Fault = LosesWords
	case !isRefused && isError:
		found.Fault = MakesError
	case !isRefused && found.Status == 0:
		found.Fault = HidesError // nobody was asked, and there is an answer
	case !isRefused && isRead && (!canRead || !sameCalls(calls, passed)):
		found.Fault = ChangesCall
	}
	return found
}

// traceLine is a line of the trace that a program in JavaScript adds to an error.
var traceLine = lazy.Compile(`\n[ \t]+at [^\n]+`)

// withoutTrace returns the words of an error without the places in the gateway's own files,
// which name folders of the machine that runs it.
func withoutTrace(words string) string { return traceLine.ReplaceAllString(words, "") }

// says reports whether a text has the words of a message, as they are or in JSON.
func says(text, message string) bool {
	message = strings.TrimSpace(message)
	quoted := schema.NewString(message).String()
	return strings.Contains(text, message) || strings.Contains(text, quoted[1:len(quoted)-1])
}
