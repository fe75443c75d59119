// Package whole judges the tools of all servers of a configuration together, as each client sends
// them: under the client's names, in its order, in one request with its own tools.
//
// It judges names, numbers and sizes alone. What is wrong with the schema of a tool is the same with
// other servers and without them.
package whole

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"toolproof/harness/agent/client"
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/openai"
	"toolproof/harness/report"
	"toolproof/schema"
)

// dialects are the surfaces of clients, by their names there.
var dialects = map[string]*provider.Dialect{
	"chat":      openai.Chat,
	"responses": openai.Responses,
	"messages":  anthropic.Tools,
	"gemini":    google.GeminiParametersJSONSchema,
}

// Judge returns what becomes of the tools with each client that was measured, or whose greatest number
// of tools is known, and that starts a server with a tool. It judges the usual surface of a client, on
// a day. The lists are in the order of the configuration.
func Judge(ctx context.Context, day provider.Date, lists []report.List) ([]report.Agent, error) {
	var agents []report.Agent
	for _, row := range client.Rows {
		its := slices.DeleteFunc(slices.Clone(lists), func(list report.List) bool {
			return len(list.Tools) == 0 || list.Clients != nil && !slices.Contains(list.Clients, row.Name)
		})
		if len(its) == 0 || row.Run == nil && row.Limit == nil {
			continue
		}
		agent, err := (&judging{day: day, row: row, lists: its}).judge(ctx)
		if err != nil {
			return nil, err
		}
		agents = append(agents, agent)
	}
	return agents, nil
}

// InOrderOfServers returns the names of the clients that send tools in the order in which their servers
// list them.
func InOrderOfServers() []string {
	var names []string
	for _, row := range client.Agents {
		if row.Run.Names.Order.IsOfServer() {
			names = append(names, row.Name)
		}
	}
	return names
}

// judging is the judgement of one client.
type judging struct {
	day   provider.Date
	row   *client.Row
	lists []report.List // of the servers that the client starts
	agent report.Agent
}

// judge returns what becomes of the tools.
func (j *judging) judge(ctx context.Context) (report.Agent, error) {
	j.agent = report.Agent{Name: j.row.Name, Problems: []report.AgentProblem{}, Servers: make([]report.AgentServer, len(j.lists))}
	for i, list := range j.lists {
		j.agent.Tools += len(list.Tools)
		j.agent.Servers[i] = report.AgentServer{Name: list.Server, Tools: len(list.Tools)}
	}
	j.limit()
	if j.row.Run != nil {
		if err := j.run(ctx); err != nil {
			return report.Agent{}, fmt.Errorf("judging the tools that %s sends: %w", j.row.Title, err)
		}
	}
	j.count()
	j.leaveOut()
	return j.agent, nil
}

// run judges what a client that was measured sends.
func (j *judging) run(ctx context.Context) error {
	run := j.row.Run
	surface := run.Surfaces[0]
	j.agent.Surface, j.agent.Model, j.agent.Window = surface.Name, surface.Model, surface.Window.Tokens
	j.agent.Own, j.agent.Searches = run.Own.Tools, run.HasSearch
	if run.SendsNone(surface.Name) {
		return nil
	}
	sent, lost := together(j.row, j.lists)
	for _, tool := range sent {
		j.agent.Tokens += tool.tokens
		j.agent.Servers[tool.place].Tokens += tool.tokens
	}
	for _, one := range lost {
		j.agent.Servers[one.place].Lost += one.tools
		j.report(one.place, one.problem)
	}
	j.window(surface.Window)
	return j.refused(ctx, sent)
}

// report adds a problem that begins with the server at a place.
func (j *judging) report(from int, problem report.AgentProblem) {
	problem.From = j.lists[from].Server
	j.agent.Problems = append(j.agent.Problems, problem)
}

// limit reports more tools than the client takes. One that leaves out servers is taken to add them in the
// order of the configuration.
func (j *judging) limit() {
	limit := j.row.Limit
	if limit == nil || j.agent.Tools <= limit.Tools {
		return
	}
	sum, from := 0, -1
	var left []string
	for i, list := range j.lists {
		switch {
		case sum+len(list.Tools) <= limit.Tools:
			sum += len(list.Tools)
			continue
		case limit.LeavesOut:
			left = append(left, list.Server)
			j.agent.Servers[i].Lost = len(list.Tools)
		}
		if from < 0 {
			from = i
		}
	}
	says := fmt.Sprintf("%d tools; as of %s: %s", j.agent.Tools, limit.Date, limit.Says)
	if len(left) > 0 {
		says += "; it leaves out " + some(left) + " if it adds the servers in the order of the configuration"
	}
	j.agent.Refused = limit.Refuses
	j.report(from, report.AgentProblem{Kind: report.TooManyTools, Says: says, Over: j.agent.Tools - limit.Tools, Source: limit.Source})
}

// some returns the first of names, and how many more there are.
func some(names []string) string {
	const most = 5
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// window reports more tokens than the model takes.
func (j *judging) window(window client.Window) {
	sum := j.row.Run.Own.Tokens
	if window.Tokens == 0 || sum+j.agent.Tokens <= window.Tokens {
		return
	}
	from := slices.IndexFunc(j.agent.Servers, func(server report.AgentServer) bool {
		sum += server.Tokens
		return sum > window.Tokens
	})
	j.agent.Refused = true
	j.report(from, report.AgentProblem{
		Kind: report.TooManyTokens, Source: window.Source,
		Says: fmt.Sprintf("about %d tokens of tools, %d of them its own; to more than %d for %s the provider said on %s: %s",
			j.row.Run.Own.Tokens+j.agent.Tokens, j.row.Run.Own.Tokens, window.Tokens, j.agent.Model, window.Date, window.Says),
	})
}

// refused reports what the provider says to the names and the number of the tools in a request, the
// client's own among them. Tools in namespaces are judged one by one: how many one namespace takes is
// not known.
func (j *judging) refused(ctx context.Context, sent []one) error {
	parts := [][]one{sent}
	if j.row.Run.Names.Space != "" {
		parts = slices.Collect(slices.Chunk(sent, 1))
	}
	for _, part := range parts {
		found, err := j.standing(ctx, part)
		if err != nil {
			return err
		}
		for _, finding := range found {
			problem := report.AgentProblem{Kind: report.Refused, Says: strings.TrimSpace(finding.Message), Dialect: dialects[j.agent.Surface].Name}
			if finding.Rule != nil {
				problem.Rule = finding.Rule.Name
			}
			j.agent.Refused = true
			if at := finding.Declaration; at >= 0 && at < len(part) {
				problem.Server, problem.Tool, problem.Sent = part[at].server, part[at].tool, part[at].name
				j.report(part[at].place, problem)
				continue
			}
			from, over, err := j.begins(ctx, part, finding.Rule)
			if err != nil {
				return err
			}
			problem.Over = over
			j.report(from, problem)
		}
	}
	return nil
}

// begins returns the place of the server with whose tools a rule begins to refuse the request, in the
// order of the configuration, and how many tools it has from there on.
func (j *judging) begins(ctx context.Context, sent []one, rule *provider.Rule) (from, over int, err error) {
	sent = slices.SortedStableFunc(slices.Values(sent), func(a, b one) int { return cmp.Compare(a.place, b.place) })
	most := sort.Search(len(sent)-1, func(tools int) bool {
		found, failed := j.standing(ctx, sent[:tools+1])
		if failed != nil {
			err = failed
		}
		return slices.ContainsFunc(found, func(finding provider.Finding) bool { return finding.Rule == rule })
	})
	return sent[most].place, len(sent) - most, err
}

// ownName is the beginning of the names of the tools that stand for the client's own.
const ownName = "toolproof_own_"

// standing returns what the provider says to a request with the tools, and behind them the client's own.
func (j *judging) standing(ctx context.Context, sent []one) ([]provider.Finding, error) {
	parameters, err := schema.Parse([]byte(`{"type":"object","properties":{"x":{"type":"string"}}}`))
	if err != nil {
		return nil, err
	}
	var tools []schema.Tool
	for _, tool := range sent {
		tools = append(tools, schema.Tool{Name: tool.name, Description: schema.NewString("A tool."), Parameters: parameters})
	}
	if j.row.Run.Names.Space == "" {
		for i := range j.row.Run.Own.Tools {
			tools = append(tools, schema.Tool{Name: fmt.Sprintf("%s%d", ownName, i), Description: schema.NewString("A tool."), Parameters: parameters})
		}
	}
	dialect := dialects[j.agent.Surface]
	return (&provider.Model{Dialect: dialect, AsOf: j.day, ModelName: j.agent.Model}).Standing(ctx, dialect.Encode(tools))
}

// count counts what is lost of each server and of all.
func (j *judging) count() {
	for i := range j.agent.Servers {
		server := &j.agent.Servers[i]
		for _, problem := range j.agent.Problems {
			if problem.From == server.Name && !slices.Contains(server.Adds, problem.Kind) {
				server.Adds = append(server.Adds, problem.Kind)
			}
		}
		j.agent.Lost += server.Lost
	}
}

// leaveOut names the server without which the client has the fewest problems, the smallest of several.
func (j *judging) leaveOut() {
	best := len(j.agent.Problems)
	if best == 0 || len(j.lists) == 1 {
		return
	}
	var tools []one
	if j.row.Run != nil {
		tools, _ = renamed(j.row, j.lists)
	}
	bySize := slices.SortedStableFunc(slices.Values(j.agent.Servers), func(a, b report.AgentServer) int { return cmp.Compare(a.Tools, b.Tools) })
	for _, left := range bySize {
		if problems := j.without(left, tools); problems < best {
			best, j.agent.LeaveOut = problems, left.Name
		}
	}
}

// without returns how many problems there are without a server, given all tools under their names.
func (j *judging) without(left report.AgentServer, tools []one) int {
	problems, same, isNamed := 0, 0, false
	for _, problem := range j.agent.Problems {
		switch problem.Kind {
		case report.SameName:
			same++
			isNamed = isNamed || problem.Server == left.Name || problem.With == left.Name
		case report.TooManyTokens:
			if j.row.Run.Own.Tokens+j.agent.Tokens-left.Tokens > j.agent.Window {
				problems++
			}
		default:
			if problem.Server != "" && problem.Server != left.Name || problem.Server == "" && problem.Over > left.Tools {
				problems++
			}
		}
	}
	if isNamed {
		_, lost := distinct(j.row, slices.DeleteFunc(slices.Clone(tools), func(tool one) bool { return tool.server == left.Name }))
		same = len(lost)
	}
	return problems + same
}
