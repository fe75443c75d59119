package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// List is what a server lists.
type List struct {
	// Server is its name.
	Server string
	Tools  []toolfile.Tool
}

// mostRuns is how many runs are made to find the tools that cost all others.
const mostRuns = 20

// Measure runs a client with the tools of a server, and says what becomes of each. Where
// none of them is sent, it looks for the tools that cost all others by further runs.
// An error means that nothing was learnt.
func Measure(ctx context.Context, job Job, list List) (Report, error) {
	m := &measuring{job: job, list: list, run: Run}
	return m.measure(ctx)
}

// measuring is the measuring of one client on one surface.
type measuring struct {
	job  Job
	list List
	run  func(context.Context, Job) (Outcome, error)
	runs int
}

func (m *measuring) measure(ctx context.Context) (Report, error) {
	all := make([]int, len(m.list.Tools))
	for i := range all {
		all[i] = i
	}
	report, err := m.with(ctx, m.some(all))
	if err != nil || report.Request == nil || report.Count(Missing) < len(all) {
		return m.ended(report), err
	}
	if report.SendsNone, err = m.loses(ctx, nil); err != nil || report.SendsNone {
		return m.ended(report), err
	}
	costly, err := m.costly(ctx, all)
	if err != nil || len(costly) == 0 || len(costly) == len(all) {
		return m.ended(report), err
	}
	// What becomes of the others is shown by a run without the guilty.
	rest := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return slices.Contains(costly, i) })
	others, err := m.with(ctx, m.some(rest))
	if err != nil {
		return Report{}, err
	}
	for at, i := range rest {
		report.Tools[i] = others.Tools[at]
	}
	for _, i := range costly {
		report.Tools[i].Costs = len(all) - 1
	}
	report.Request, report.Own, report.ExitCode = others.Request, others.Own, others.ExitCode
	return m.ended(report), nil
}

func (m *measuring) ended(report Report) Report {
	report.Runs = m.runs
	return report
}

// some returns the tools of the list at indices.
func (m *measuring) some(indices []int) []toolfile.Tool {
	tools := make([]toolfile.Tool, len(indices))
	for at, i := range indices {
		tools[at] = m.list.Tools[i]
	}
	return tools
}

// with runs the client with tools.
func (m *measuring) with(ctx context.Context, given []toolfile.Tool) (Report, error) {
	tools := make([]schema.Tool, len(given))
	texts := make([]json.RawMessage, len(given))
	for i, tool := range given {
		tools[i], texts[i] = tool.Tool, tool.Given.JSON()
	}
	text, err := json.Marshal(map[string]any{"tools": texts})
	if err != nil {
		return Report{}, fmt.Errorf("writing the tools: %w", err)
	}
	job := m.job
	job.List, job.Server = text, m.list.Server
	m.runs++
	outcome, err := m.run(ctx, job)
	if err != nil {
		return Report{}, err
	}
	if job.AsOf == "" {
		job.AsOf = provider.Today()
	}
	report, err := compare(ctx, tools, job.Server, *Named(job.Client).Surface(job.Surface), job.AsOf, outcome)
	report.Client = job.Client
	return report, err
}

// control is a tool that every client sends.
var control = toolfile.Tool{
	Tool:  schema.Tool{Name: "toolproof_control"},
	Given: schema.NewObject(schema.Member{Key: "name", Value: schema.NewString("toolproof_control")}, schema.Member{Key: "description", Value: schema.NewString("Does nothing.")}, schema.Member{Key: "inputSchema", Value: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: schema.NewObject()})}),
}

// loses reports whether a tool that every client sends is missing beside some of the list.
func (m *measuring) loses(ctx context.Context, some []int) (bool, error) {
	report, err := m.with(ctx, append(m.some(some), control))
	if err != nil {
		return false, err
	}
	return report.Tools[len(some)].State == Missing, nil
}

// costly returns the tools of a list that cost all others. Those that the protocol's own
// types refuse are tried first.
func (m *measuring) costly(ctx context.Context, all []int) ([]int, error) {
	var suspects []int
	for _, i := range all {
		request := mcp.InputSchema.Encode([]schema.Tool{m.list.Tools[i].Tool})
		answer, err := (&provider.Model{Dialect: mcp.InputSchema, AsOf: m.job.AsOf}).Send(ctx, request)
		if err == nil && answer.Verdict == provider.Rejected {
			suspects = append(suspects, i)
		}
	}
	if len(suspects) > 0 && len(suspects) < len(all) {
		found, err := m.search(ctx, suspects)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return m.search(ctx, all)
}

// search returns those of some tools that cost all others.
func (m *measuring) search(ctx context.Context, some []int) ([]int, error) {
	if m.runs >= mostRuns {
		return nil, nil // those that are found are reported, and the others as missing
	}
	isLost, err := m.loses(ctx, some)
	switch {
	case err != nil || !isLost:
		return nil, err
	case len(some) == 1:
		return some, nil
	}
	first, err := m.search(ctx, some[:len(some)/2])
	if err != nil {
		return nil, err
	}
	second, err := m.search(ctx, some[len(some)/2:])
	return append(slices.Clone(first), second...), err
}
