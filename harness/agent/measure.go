package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/agent/client"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// List is a server's list of tools.
type List struct {
	// Server is the name of the server.
	Server string
	Tools  []toolfile.Tool
}

// mostRuns bounds the runs that look for the tools that make the agent drop the whole list.
const mostRuns = 20

// Measure runs an agent with the tools of a server, and reports what becomes of each tool. If the
// agent sends none of them, further runs look for the tools that make the agent drop the whole
// list. An error means that nothing was learnt.
func Measure(ctx context.Context, job Job, list List) (Report, error) {
	m := &measuring{job: job, list: list, run: Run}
	return m.measure(ctx)
}

// measuring is the state of Measure: one agent on one surface.
type measuring struct {
	job  Job
	list List
	run  func(context.Context, Job) (Outcome, error)
	runs int
	// requests are those of all runs.
	requests []*emulator.Entry
}

func (m *measuring) measure(ctx context.Context) (Report, error) {
	all := make([]int, len(m.list.Tools))
	for i := range all {
		all[i] = i
	}
	report, err := m.with(ctx, m.at(all))
	if err != nil || report.Request == nil || report.Count(arrival.Missing) < len(all) {
		return m.ended(report), err
	}
	costly, others, err := m.costly(ctx, all, &report)
	if err != nil || len(costly) == 0 || others == nil {
		return m.ended(report), err
	}
	// The run without the costly tools shows what becomes of the others.
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

// without returns the indices in all that are not in others.
func without(all, others []int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return slices.Contains(others, i) })
}

// ended returns a report with the number and the requests of all runs.
func (m *measuring) ended(report Report) Report {
	report.Runs, report.Requests = m.runs, m.requests
	return report
}

// at returns the tools of the list at the indices.
func (m *measuring) at(indices []int) []toolfile.Tool {
	tools := make([]toolfile.Tool, len(indices))
	for place, i := range indices {
		tools[place] = m.list.Tools[i]
	}
	return tools
}

// with runs the agent with the tools, and reports what becomes of each.
func (m *measuring) with(ctx context.Context, listed []toolfile.Tool) (Report, error) {
	tools := make([]schema.Tool, len(listed))
	texts := make([]json.RawMessage, len(listed))
	for i, tool := range listed {
		tools[i], texts[i] = tool.Tool, published(tool).JSON()
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
	m.job.Version = outcome.Version
	for _, request := range outcome.Requests {
		m.requests = append(m.requests, request)
		request.Number = uint64(len(m.requests))
	}
	if job.AsOf == "" {
		job.AsOf = provider.Today()
	}
	row := client.AgentNamed(job.Client)
	report, err := compare(ctx, row, tools, job.Server, *row.Run.Surface(job.Surface), job.AsOf, outcome)
	report.Search = job.Search
	return report, err
}

// published returns a tool as a server publishes it: unchanged if it has an inputSchema, and
// otherwise with its parameters under that name.
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

// control is a tool that every agent sends.
var control = toolfile.Of(schema.Tool{
	Name: "toolproof_control", Description: schema.NewString("Does nothing."),
	Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: schema.NewObject()}),
})

// loses reports whether control is missing beside the tools at the indices.
func (m *measuring) loses(ctx context.Context, indices []int) (bool, error) {
	report, err := m.with(ctx, append(m.at(indices), control))
	if err != nil {
		return false, err
	}
	return report.Tools[len(indices)].State == arrival.Missing, nil
}

// costly returns the indices of the tools that make the agent drop the whole list, and the report
// of a run with the other tools. It first suspects the tools that the types of the protocol refuse.
// If the agent sends no tool of any server, costly returns nothing and records that in the report.
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
	found, err := m.with(ctx, m.at(without(all, costly)))
	return costly, &found, err
}

// suspects returns the indices of the tools that the types of the protocol refuse.
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

// among returns the suspects that make the agent drop the whole list, and the report of a run
// without them. A suspect is cleared if the agent sends some tool although the suspect is listed.
// If the agent sends nothing even without all suspects, among returns nothing.
func (m *measuring) among(ctx context.Context, all, suspects []int) (costly []int, others *Report, err error) {
	found, err := m.with(ctx, m.at(without(all, suspects)))
	if err != nil || found.Count(arrival.Missing) == len(found.Tools) {
		return nil, nil, err
	}
	costly = slices.Clone(suspects)
	if len(suspects) == 1 {
		return costly, &found, nil
	}
	for _, i := range suspects {
		fewer := without(costly, []int{i})
		with, err := m.with(ctx, m.at(without(all, fewer)))
		if err != nil {
			return nil, nil, err
		}
		if with.Count(arrival.Missing) < len(with.Tools) {
			costly, found = fewer, with
		}
	}
	return costly, &found, nil
}

// search returns the indices of tools that make the agent drop the whole list, by halving the list
// until single tools are left.
func (m *measuring) search(ctx context.Context, indices []int) ([]int, error) {
	if m.runs >= mostRuns {
		return nil, nil // a costly tool that is not found is reported as missing
	}
	isLost, err := m.loses(ctx, indices)
	switch {
	case err != nil || !isLost:
		return nil, err
	case len(indices) == 1:
		return indices, nil
	}
	first, err := m.search(ctx, indices[:len(indices)/2])
	if err != nil {
		return nil, err
	}
	second, err := m.search(ctx, indices[len(indices)/2:])
	return append(slices.Clone(first), second...), err
}
