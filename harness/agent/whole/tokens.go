package whole

import (
	"iter"

	"toolproof/harness/advice"
	"toolproof/harness/agent/client"
	"toolproof/harness/report"
	"toolproof/schema"
)

// Listed returns what Judge has to know of the tools of a server: their names, and how many tokens each
// is in the requests of each client, by an estimate of the JSON that the client sends. A tool without a
// name is left out.
func Listed(server string, tools iter.Seq[schema.Tool]) []report.ListedTool {
	listed := []report.ListedTool{}
	for tool := range tools {
		if tool.Name == "" {
			continue
		}
		tokens := make(map[string]int, len(client.Agents))
		for _, row := range client.Agents {
			if surface := row.Run.Surfaces[0].Name; dialects[surface] != nil {
				tokens[row.Name] = tokensOf(row.Run, surface, server, tool)
			}
		}
		listed = append(listed, report.ListedTool{Name: tool.Name, Tokens: tokens})
	}
	return listed
}

// tokensOf estimates the tokens of a tool of a server as a client declares it on a surface.
func tokensOf(run *client.Run, surface, server string, tool schema.Tool) int {
	if tool.Parameters == nil {
		tool.Parameters = schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	}
	treated := run.Treated(surface, tool)
	_, treated.Name = run.Sent(server, tool.Name)
	tokens := 0
	for _, declaration := range dialects[surface].Encode([]schema.Tool{treated}).Declarations {
		tokens += advice.Tokens(string(declaration.JSON()))
	}
	return tokens
}
