package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"toolproof/harness/agent/arrival"
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
	if err != nil || report.Request == nil || report.Count(arrival.Missing) < len(all) {
		return m.ended(report), err
	}
	costly, others, err := m.costly(ctx, all, &report)
	if err != nil || len(costly) == 0 || others == nil {
		return m.ended(report), err
	}
	// What becomes of the others is shown by the run without the guilty.
	rest := without(all, costly)
	for at, i := range rest {
		report.Tools[i] = others.Tools[at]
	}
	for _, i := range costly {
		report.Tools[i].Costs = len(all) - 1
	}
	report.Request, report.Own, report.ExitCode, report.Habits = others.Request, others.Own, others.ExitCode, others.Habits
	return m.ended(report), nil
}

// without returns the indices that are not among others.
func without(all, others []int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return slices.Contains(others, i) })
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
		tools[i], texts[i] = tool.Tool, published(tool).JSON()
	}
	text, err := json.Marshal(map[string]any{"tools": texts})
	if err != nil {
		return Report{}, fmt.Errorf("writing the tools: %w", err)
	}
	job := m.job
	job.List, job.Server, job.AsksVersion = text, m.list.Server, m.runs == 0
	m.runs++
	outcome, err := m.run(ctx, job)
	if err != nil {
		return Report{}, err
	}
	if job.AsOf == "" {
		job.AsOf = provider.Today()
	}
	client := Named(job.Client)
	return client.compare(ctx, tools, job.Server, *client.Surface(job.Surface), job.AsOf, outcome)
}

// published returns a tool as a server publishes it: as it is given, where it is given so.
func published(tool toolfile.Tool) *schema.Node {
	if tool.Declaration.Has("inputSchema") {
		return tool.Declaration
	}
	node := tool.Whole()
	if at := node.Index("parameters"); at >= 0 {
		node.Members[at].Key = "inputSchema"
	} else {
		node.Set("inputSchema", schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}))
	}
	return node
}

// control is a tool that every client sends.
var control = toolfile.Of(schema.Tool{
	Name: "toolproof_control", Description: schema.NewString("Does nothing."),
	Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: schema.NewObject()}),
})

// loses reports whether a tool that every client sends is missing beside some of the list.
func (m *measuring) loses(ctx context.Context, some []int) (bool, error) {
	report, err := m.with(ctx, append(m.some(some), control))
	if err != nil {
		return false, err
	}
	return report.Tools[len(some)].State == arrival.Missing, nil
}

// costly returns the tools of a list that cost all others, and what becomes of these
// without them. Those that the protocol's own types refuse are suspected first. Where no
// tool of any server is sent, the report says so.
func (m *measuring) costly(ctx context.Context, all []int, report *Report) (costly []int, others *Report, err error) {
	const few = 5
	if suspects := m.suspects(ctx, all); len(suspects) > 0 && len(suspects) <= few && len(suspects) < len(all) {
		if costly, others, err = m.among(ctx, all, suspects); err != nil || others != nil {
			return costly, others, err
		}
	}
	if report.SendsNone, err = m.loses(ctx, nil); err != nil || report.SendsNone {
		return nil, nil, err
	}
	if costly, err = m.search(ctx, all); err != nil || len(costly) == 0 || len(costly) == len(all) {
		return nil, nil, err
	}
	found, err := m.with(ctx, m.some(without(all, costly)))
	return costly, &found, err
}

// suspects returns the tools that the protocol's own types refuse.
func (m *measuring) suspects(ctx context.Context, all []int) []int {
	var suspects []int
	for _, i := range all {
		request := mcp.InputSchema.Encode([]schema.Tool{m.list.Tools[i].Tool})
		answer, err := (&provider.Model{Dialect: mcp.InputSchema, AsOf: m.job.AsOf}).Send(ctx, request)
		if err == nil && answer.Verdict == provider.Rejected {
			suspects = append(suspects, i)
		}
	}
	return suspects
}

// among returns those of the suspects that cost all others: without any of them something
// is sent, and nothing with one of these. It returns nothing where that is not so.
func (m *measuring) among(ctx context.Context, all, suspects []int) (costly []int, others *Report, err error) {
	found, err := m.with(ctx, m.some(without(all, suspects)))
	if err != nil || found.Count(arrival.Missing) == len(found.Tools) {
		return nil, nil, err
	}
	costly = slices.Clone(suspects)
	if len(suspects) == 1 {
		return costly, &found, nil
	}
	for _, i := range suspects {
		fewer := without(costly, []int{i})
		with, err := m.with(ctx, m.some(without(all, fewer)))
		if err != nil {
			return nil, nil, err
		}
		if with.Count(arrival.Missing) < len(with.Tools) {
			costly, found = fewer, with
		}
	}
	return costly, &found, nil
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
