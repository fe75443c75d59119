package engines_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/schema"
)

// TestLlamaAgreesWithEvidence holds the models against what the converter and the reader of
// grammars of llama.cpp answered to every tool and every schema of the test suite. What is
// told of a grammar there lacks the server's words before it.
func TestLlamaAgreesWithEvidence(t *testing.T) {
	t.Parallel()
	type row struct {
		Set     string       `json:"set"`
		ID      string       `json:"id"`
		Schema  *schema.Node `json:"schema"`
		Verdict string       `json:"verdict"`
		Message string       `json:"message"`
	}
	schemas := map[string]*schema.Node{}
	lines(t, "tools.jsonl.gz", func(tool row) { schemas["tools "+tool.ID] = tool.Schema })
	lines(t, "json_schema_test_suite.jsonl.gz", func(one row) { schemas["suite "+one.ID] = one.Schema })
	asked := 0
	lines(t, "../evidence/engines/llamacpp.jsonl.gz", func(answer row) {
		asked++
		want := fmt.Sprintf("%s %s", answer.Verdict, answer.Message)
		tool := schema.Tool{Name: "f", Parameters: schemas[answer.Set+" "+answer.ID]}
		for _, dialect := range []*provider.Dialect{engines.LlamaChat, engines.LlamaResponseFormat} {
			response, err := (&provider.Model{Dialect: dialect}).Send(t.Context(), dialect.Encode([]schema.Tool{tool}))
			if err != nil {
				t.Errorf("%s: %v", answer.ID, err)
				continue
			}
			got := fmt.Sprintf("%s %s", response.Verdict, strings.TrimPrefix(response.Message, "Failed to initialize samplers: "))
			switch {
			case response.Message == "llama-server crashes":
				got = "crashes "
			case len(response.Ignored) == 1 && response.Ignored[0].Rule.Name == "no_grammar":
				got = "rejected failed to parse grammar"
			}
			if got != want {
				t.Errorf("%s, %s %s:\ngot  %.300s\nwant %.300s", dialect.Name, answer.Set, answer.ID, got, want)
			}
		}
	})
	if asked == 0 {
		t.Error("nothing was asked")
	}
}

func llamaSays(t *testing.T, dialect *provider.Dialect, day provider.Date, schemas ...string) provider.Response {
	t.Helper()
	tools := make([]schema.Tool, len(schemas))
	for i, text := range schemas {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		tools[i] = schema.Tool{Name: fmt.Sprintf("f%d", i), Parameters: node}
	}
	response, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(context.Background(), dialect.Encode(tools))
	if err != nil {
		t.Fatal(err)
	}
	return response
}
