package compatible_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/compatible"
	"toolproof/harness/provider/walle"
	"toolproof/schema"
)

// corpusFolder returns the folder of the corpus, which is not part of the project.
func corpusFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TOOLPROOF_CORPUS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(folder, "..", "evidence", "engines")); err != nil {
		t.Skipf("no answers of the validator: set TOOLPROOF_CORPUS to the folder of the corpus, with evidence beside it: %v", err)
	}
	return folder
}

// eachLine reads a file of compressed JSON Lines.
func eachLine(t *testing.T, file string, read func(line []byte)) {
	t.Helper()
	opened, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	unpacked, err := gzip.NewReader(opened)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		read(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// agreement counts how far a model agrees with the validator.
type agreement struct{ asked, otherwise, worded, wordedOtherwise int }

// TestAgreesWithWalle asks the models what the validator was asked: each tool of the corpus,
// and each schema of the JSON Schema test suite. Half of them were held out while the rules
// were written.
func TestAgreesWithWalle(t *testing.T) {
	t.Parallel()
	folder := corpusFolder(t)
	schemas := map[[2]string]*schema.Node{}
	for set, file := range map[string]string{"tools": "tools.jsonl.gz", "suite": "json_schema_test_suite.jsonl.gz"} {
		eachLine(t, filepath.Join(folder, file), func(line []byte) {
			var row struct {
				ID     string          `json:"id"`
				Schema json.RawMessage `json:"schema"`
			}
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			schemas[[2]string{set, row.ID}] = read(t, string(row.Schema))
		})
	}
	for _, dialect := range []*provider.Dialect{compatible.MoonshotResponseFormat, compatible.MoonshotChat} {
		var halves [2]agreement
		eachLine(t, filepath.Join(folder, "..", "evidence", "engines", "walle-strict.jsonl.gz"), func(line []byte) {
			var row struct {
				Set     string `json:"set"`
				ID      string `json:"id"`
				Verdict string `json:"verdict"`
				Message string `json:"message"`
			}
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			hash := fnv.New32a()
			hash.Write([]byte(row.ID))
			half := &halves[hash.Sum32()&1]
			parameters := schemas[[2]string{row.Set, row.ID}]
			if dialect == compatible.MoonshotChat && (row.Set == "suite" || !parameters.Has("type")) {
				return // which need not be arguments: the server says more of their root
			}
			model := provider.Model{Dialect: dialect, AsOf: walle.Versions[0].Date}
			said, err := model.Send(t.Context(), dialect.Encode([]schema.Tool{{Name: "f", Parameters: parameters}}))
			if err != nil {
				t.Fatal(err)
			}
			half.asked++
			if string(said.Verdict) != row.Verdict {
				half.otherwise++
				t.Errorf("%s: %s %s: %s, and the validator says %s %s", dialect.Name, row.ID, said.Verdict, said.Message, row.Verdict, row.Message)
				return
			}
			if said.Verdict == provider.Rejected {
				half.worded++
				if !dialect.Says(said, "details: <"+row.Message+">", true) {
					half.wordedOtherwise++
					t.Errorf("%s: %s\n%s\nand the validator says\n%s", dialect.Name, row.ID, said.Message, row.Message)
				}
			}
		})
		t.Logf("%s: developed on %+v, held out %+v", dialect.Name, halves[0], halves[1])
	}
}
