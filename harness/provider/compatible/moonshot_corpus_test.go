package compatible

import (
	"hash/fnv"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/walle"
	"toolproof/lab/corpus"
	"toolproof/schema"
)

// agreement counts how often a model agrees with the validator.
type agreement struct{ asked, otherwise, worded, wordedOtherwise int }

// TestAgreesWithWalle compares the models with the recorded answers of the validator, for
// each tool of the corpus and each schema of the JSON Schema test suite. Half of them
// were held out while the rules were written. A short test asks for one in seven, a
// prime, lest it skip all tools of a server.
func TestAgreesWithWalle(t *testing.T) {
	t.Parallel()
	interval := 1
	if testing.Short() {
		interval = 7
	}
	answers := corpus.Answers(t, interval, "walle-strict")
	for _, dialect := range []*provider.Dialect{moonshotResponseFormat, MoonshotChat} {
		var halves [2]agreement
		for _, row := range answers {
			hash := fnv.New32a()
			hash.Write([]byte(row.ID))
			half := &halves[hash.Sum32()&1]
			if dialect == MoonshotChat && (row.Set == "suite" || !row.Schema.Has("type")) {
				continue // need not be arguments, whose root the server restricts further
			}
			model := provider.Model{Dialect: dialect, AsOf: walle.Versions[0].Date}
			said, err := model.Send(t.Context(), dialect.Encode([]schema.Tool{{Name: "f", Parameters: row.Schema}}))
			if err != nil {
				t.Fatal(err)
			}
			half.asked++
			if string(said.Verdict) != row.Verdict {
				half.otherwise++
				t.Errorf("%s: %s %s: %s, and the validator says %s %s", dialect.Name, row.ID, said.Verdict, said.Message, row.Verdict, row.Message)
				continue
			}
			if said.Verdict == provider.Rejected {
				half.worded++
				if !dialect.Says(said, "details: <"+row.Message+">", true) {
					half.wordedOtherwise++
					t.Errorf("%s: %s\n%s\nand the validator says\n%s", dialect.Name, row.ID, said.Message, row.Message)
				}
			}
		}
		if halves[0].asked == 0 || halves[1].asked == 0 {
			t.Errorf("%s: nothing was asked: %+v", dialect.Name, halves)
		}
		t.Logf("%s: developed on %+v, held out %+v", dialect.Name, halves[0], halves[1])
	}
}
