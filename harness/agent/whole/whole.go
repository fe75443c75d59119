// Package whole judges the tools of all servers of a configuration together, as each client sends
// them: under the client's names, in one request.
//
// It judges names and numbers alone. What is wrong with the schema of a tool is the same with other
// servers and without them.
package whole

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/agent/client"
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/openai"
	"toolproof/harness/report"
	"toolproof/schema"
)

// Server is a server with the names of its tools.
type Server struct {
	Name string
	// Clients are the names of the clients that start the server; nil means that any may.
	Clients []string
	Tools   []string
}

// dialects are the surfaces of clients, by their names there.
var dialects = map[string]*provider.Dialect{
	"chat":      openai.Chat,
	"responses": openai.Responses,
	"messages":  anthropic.Tools,
	"gemini":    google.GeminiParametersJSONSchema,
}

// Judge returns what becomes of the tools with each client that was measured, or whose greatest number
// of tools is known, and that starts a server with a tool. It judges the usual surface of a client, on
// a day.
func Judge(ctx context.Context, day provider.Date, servers []Server) ([]report.Agent, error) {
	var agents []report.Agent
	for _, row := range client.Rows {
		var its []Server
		for _, server := range servers {
			if len(server.Tools) > 0 && (server.Clients == nil || slices.Contains(server.Clients, row.Name)) {
				its = append(its, server)
			}
		}
		if len(its) == 0 || row.Run == nil && row.Limit == nil {
			continue
		}
		agent, err := judge(ctx, day, row, its)
		if err != nil {
			return nil, err
		}
		if len(agent.Problems) > 0 && len(its) > 1 {
			if agent.LeaveOut, err = leaveOut(ctx, day, row, its, len(agent.Problems)); err != nil {
				return nil, err
			}
		}
		agents = append(agents, agent)
	}
	return agents, nil
}

// leaveOut returns the server without which a client has the fewest problems, the smallest of several;
// empty if no server makes a difference.
func leaveOut(ctx context.Context, day provider.Date, row *client.Row, servers []Server, problems int) (string, error) {
	best, name := problems, ""
	bySize := slices.SortedStableFunc(slices.Values(servers), func(a, b Server) int { return cmp.Compare(len(a.Tools), len(b.Tools)) })
	for _, left := range bySize {
		others := slices.DeleteFunc(slices.Clone(servers), func(server Server) bool { return server.Name == left.Name })
		without, err := judge(ctx, day, row, others)
		if err != nil {
			return "", err
		}
		if len(without.Problems) < best {
			best, name = len(without.Problems), left.Name
		}
	}
	return name, nil
}

// judge returns what becomes of the tools of servers with one client.
func judge(ctx context.Context, day provider.Date, row *client.Row, servers []Server) (report.Agent, error) {
	agent := report.Agent{Name: row.Name, Problems: []report.AgentProblem{}}
	for _, server := range servers {
		agent.Tools += len(server.Tools)
	}
	if limit := row.Limit; limit != nil && agent.Tools > limit.Tools {
		agent.Problems = append(agent.Problems, report.AgentProblem{
			Kind: report.TooManyTools, Says: fmt.Sprintf("%d tools; as of %s: %s", agent.Tools, limit.Date, limit.Says), Source: limit.Source,
		})
	}
	if row.Run == nil {
		return agent, nil
	}
	agent.Surface = row.Run.Surfaces[0].Name
	sent, same := together(row, servers)
	agent.Lost, agent.Problems = agent.Tools-len(sent), append(agent.Problems, same...)
	refused, err := refused(ctx, day, row, agent.Surface, sent)
	if len(refused) > 0 {
		agent.Refused, agent.Problems = true, append(agent.Problems, refused...)
	}
	return agent, err
}

// one is a tool as a client sends it.
type one struct{ server, tool, space, name string }

// String returns the tool as SERVER/TOOL.
func (o one) String() string { return o.server + "/" + o.tool }

// together returns the tools that a client sends, and a problem for each whose name another tool has.
func together(row *client.Row, servers []Server) (sent []one, same []report.AgentProblem) {
	type key struct{ space, name string }
	named := map[key]one{}
	if own := row.BuiltIn; own != nil && row.Run.Prefix == "" && row.Run.Names.Space == "" {
		for _, name := range slices.Concat(own.Commands, own.Others) {
			named[key{"", name}] = one{server: "the client's own", tool: name, name: name}
		}
	}
	for _, server := range servers {
		for _, tool := range server.Tools {
			space, name := row.Run.Sent(server.Name, tool)
			this, at := one{server.Name, tool, space, name}, key{space, name}
			if space != "" {
				at.space = server.Name // clients keep namespaces of one name apart by a hash
			}
			if other, isTaken := named[at]; isTaken {
				says := "it sends one of them"
				if row.Run.Names.SendsEqual {
					says, sent = "it sends both", append(sent, this)
				}
				same = append(same, report.AgentProblem{
					Kind: report.SameName, Server: server.Name, Tool: tool, Sent: name, Says: fmt.Sprintf("%s and %s are both %s: %s", other, this, name, says),
				})
				continue
			}
			named[at] = this
			sent = append(sent, this)
		}
	}
	return sent, same
}

// refused returns what the provider says to the names and the number of the tools in a request. Tools in
// namespaces are judged one by one: how many one namespace takes is not known.
func refused(ctx context.Context, day provider.Date, row *client.Row, surface string, sent []one) ([]report.AgentProblem, error) {
	if slices.ContainsFunc(row.Run.Treatments, func(t client.Treatment) bool { return t.SendsNone && slices.Contains(t.On, surface) }) {
		return nil, nil
	}
	dialect := dialects[surface]
	parameters, err := schema.Parse([]byte(`{"type":"object","properties":{"x":{"type":"string"}}}`))
	if err != nil {
		return nil, err
	}
	lists := [][]one{sent}
	if row.Run.Names.Space != "" {
		lists = slices.Collect(slices.Chunk(sent, 1))
	}
	var problems []report.AgentProblem
	for _, list := range lists {
		tools := make([]schema.Tool, len(list))
		for i, tool := range list {
			tools[i] = schema.Tool{Name: tool.name, Description: schema.NewString("A tool."), Parameters: parameters}
		}
		found, err := (&provider.Model{Dialect: dialect, AsOf: day, ModelName: row.Run.Surface(surface).Model}).Standing(ctx, dialect.Encode(tools))
		if err != nil {
			return nil, fmt.Errorf("judging the tools that %s sends: %w", row.Title, err)
		}
		for _, finding := range found {
			problem := report.AgentProblem{Kind: report.Refused, Says: strings.TrimSpace(finding.Message), Dialect: dialect.Name}
			if finding.Rule != nil {
				problem.Rule = finding.Rule.Name
			}
			if at := finding.Declaration; at >= 0 && at < len(list) {
				problem.Server, problem.Tool, problem.Sent = list[at].server, list[at].tool, list[at].name
			}
			problems = append(problems, problem)
		}
	}
	return problems, nil
}
