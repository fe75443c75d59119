package engines_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/schema"
)

// lines decodes a file of compressed JSON Lines in the folder of the corpus. Without one
// the test is skipped.
func lines[T any](t *testing.T, name string, visit func(T)) {
	t.Helper()
	folder := os.Getenv("TOOLPROOF_CORPUS")
	if folder == "" {
		folder = "../../../../shared/corpus"
	}
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Skipf("no corpus: set TOOLPROOF_CORPUS to its folder: %v", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewScanner(unzipped)
	reader.Buffer(nil, 1<<24)
	for reader.Scan() {
		var row T
		if err := json.Unmarshal(reader.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		visit(row)
	}
	if reader.Err() != nil {
		t.Fatal(reader.Err())
	}
}

// TestXGrammarAgreesWithEvidence holds the model against what xgrammar 0.1.27 answered to
// every tool and every schema of the test suite.
func TestXGrammarAgreesWithEvidence(t *testing.T) {
	t.Parallel()
	schemas := map[string]*schema.Node{}
	type row struct {
		Set     string       `json:"set"`
		ID      string       `json:"id"`
		Schema  *schema.Node `json:"schema"`
		Verdict string       `json:"verdict"`
		Message string       `json:"message"`
	}
	lines(t, "tools.jsonl.gz", func(tool row) { schemas["tools "+tool.ID] = tool.Schema })
	lines(t, "json_schema_test_suite.jsonl.gz", func(of row) { schemas["suite "+of.ID] = of.Schema })
	count, verdicts, refused, words := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	lines(t, "../evidence/engines/xgrammar.jsonl.gz", func(want row) {
		count[want.Set]++
		given := schemas[want.Set+" "+want.ID]
		declaration := schema.NewObject(schema.Member{Key: "schema", Value: given})
		model := provider.Model{Dialect: engines.XGrammar}
		got, err := model.Send(t.Context(), provider.Request{Dialect: engines.XGrammar.Name, Declarations: []*schema.Node{declaration}})
		if err != nil {
			t.Errorf("%s: %v", want.ID, err)
			return
		}
		if string(got.Verdict) == want.Verdict {
			verdicts[want.Set]++
		} else {
			t.Logf("%s %s: %s, want %s: %q, want %q: %s", want.Set, want.ID, got.Verdict, want.Verdict, got.Message, want.Message, cut(given.String()))
		}
		if want.Verdict != "rejected" {
			return
		}
		refused[want.Set]++
		if strings.TrimSpace(got.Message) == want.Message { // the evidence has no space at the end
			words[want.Set]++
		} else {
			t.Logf("%s %s:\n got %q\nwant %q", want.Set, want.ID, cut(got.Message), cut(want.Message))
		}
	})
	for _, set := range []string{"tools", "suite"} {
		t.Logf("%s: %d of %d verdicts, %d of %d words", set, verdicts[set], count[set], words[set], refused[set])
		if verdicts[set] < count[set] || words[set] < refused[set] || count[set] == 0 {
			t.Errorf("%s: the model differs from the evidence", set)
		}
	}
}

func cut(text string) string {
	const most = 400
	if len(text) > most {
		return text[:most] + "..."
	}
	return strings.TrimSpace(text)
}
