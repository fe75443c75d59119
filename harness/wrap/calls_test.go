package wrap_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/wrap"
	"toolproof/lab/corpus"
	"toolproof/normalizers"
	"toolproof/schema"
	"toolproof/schema/instance"
	"toolproof/schema/instance/sample"
)

// listed returns a tool as a server lists it.
func listed(tool schema.Tool) *schema.Node {
	node := schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(tool.Name)})
	if tool.Description != nil {
		node.Set("description", tool.Description)
	}
	if tool.Parameters != nil {
		node.Set("inputSchema", tool.Parameters)
	}
	return node
}

// realTools are the tricky tools, each with one trick, and sixty tools of the corpus.
func realTools(t *testing.T) []*schema.Node {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "lab", "clients", "agents", "tricky-tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	tricky, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	tools := slices.Clone(tricky.Get("tools").Elements)
	const count = 60
	all, err := corpus.Tools(1)
	if err != nil {
		corpus.Missing(t, err)
	}
	for i := range count {
		tools = append(tools, listed(all[i*len(all)/count]))
	}
	return tools
}

// TestCalls calls real tools with arguments that the tools which the client sees accept, as the emulator
// makes them. Providers take these tools; every call that arrives is valid by the server's own schema;
// and a call is refused only if that schema refuses it.
func TestCalls(t *testing.T) {
	t.Parallel()
	tools := realTools(t)
	for _, test := range []struct {
		client  string
		surface *provider.Dialect
		least   int // of a hundred calls, how many arrive
	}{
		{"nobody", google.GeminiParameters, 90},
		{"claude-code", anthropic.Tools, 98},
		{"gemini-cli-mcp-client", google.GeminiParametersJSONSchema, 98},
	} {
		t.Run(test.client, func(t *testing.T) {
			t.Parallel()
			arrived, refused := 0, 0
			for i, tool := range tools {
				session := &wrap.Session{Target: func(string) *normalizers.Pipeline { return wrap.TargetOf(test.client) }, Warn: func(sentence string) { t.Error(sentence) }}
				answer, err := schema.Parse([]byte(lists(t, session, `{}`, schema.NewObject(schema.Member{Key: "tools", Value: schema.NewArray(tool)}).String())))
				if err != nil {
					t.Fatal(err)
				}
				seen := answer.Get("result").Get("tools").Elements[0]
				seenTool := schema.Tool{Name: seen.GetString("name"), Description: seen.Get("description"), Parameters: seen.Get("inputSchema")}
				for _, surface := range []*provider.Dialect{mcp.InputSchema, test.surface} {
					mustAccept(t, surface, seenTool)
				}
				accepts := accepting(tool.Get("inputSchema"))
				for seed := range uint64(5) {
					arguments := sample.Object(seenTool.Parameters, rand.New(rand.NewPCG(seed, uint64(i))))
					if arguments == nil {
						continue
					}
					request := schema.NewObject(schema.Member{Key: "name", Value: seen.Get("name")}, schema.Member{Key: "arguments", Value: arguments})
					toServer, answers := session.FromClient(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+request.String()+`}`))
					if len(answers) > 0 {
						refused++
						if accepts != nil && accepts.Accepts(arguments) {
							t.Errorf("%s: %s is refused: %s", tool.GetString("name"), arguments, answers[0])
						}
						continue
					}
					arrived++
					var call struct {
						Params struct {
							Name      string          `json:"name"`
							Arguments json.RawMessage `json:"arguments"`
						} `json:"params"`
					}
					if err := json.Unmarshal(toServer, &call); err != nil {
						t.Fatal(err)
					}
					restored, err := schema.Parse(call.Params.Arguments)
					if err != nil || call.Params.Name != tool.GetString("name") || accepts != nil && !accepts.Accepts(restored) {
						t.Errorf("%s: %s arrives as %s, %v", tool.GetString("name"), arguments, toServer, err)
					}
				}
			}
			t.Logf("%d of %d calls arrive", arrived, arrived+refused)
			if arrived*100 < test.least*(arrived+refused) {
				t.Errorf("%d of %d calls arrive", arrived, arrived+refused)
			}
		})
	}
}

// accepting returns the schema of a server, or nil if it is none.
func accepting(parameters *schema.Node) *instance.Schema {
	if parameters == nil {
		return nil
	}
	compiled, err := instance.Compile(parameters)
	if err != nil {
		return nil // it judges nothing
	}
	return compiled
}

// mustAccept fails the test if a surface refuses a tool.
func mustAccept(t *testing.T, surface *provider.Dialect, tool schema.Tool) {
	t.Helper()
	model := &provider.Model{Dialect: surface}
	response, err := model.Send(t.Context(), surface.Encode([]schema.Tool{tool}))
	if err != nil || response.Verdict != provider.Accepted {
		t.Errorf("%s refuses %s: %v, %v", surface.Name, tool.Name, response.Findings, err)
	}
}
