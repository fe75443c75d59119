package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolproof/internal/calibrate"
)

// TestDocs checks that the committed documentation is what the data says.
func TestDocs(t *testing.T) {
	t.Parallel()
	const folder = "../../docs"
	pages, err := dialectPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pages["rules.md"], pages["conversations.md"] = rulesPage(), conversationsPage()
	if pages["evidence.md"], err = evidencePage(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages[projectSchemaFile] = projectSchema()
	if pages[clientsFile], err = clientsPage(folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is not current (%v): make docs", name, err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(folder, dialectFolder))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, ok := pages[dialectFolder+"/"+entry.Name()]; !ok {
			t.Errorf("docs/dialects/%s is of no dialect: remove it", entry.Name())
		}
	}
}

// TestPage checks what a page says of keywords whose history is known.
func TestPage(t *testing.T) {
	t.Parallel()
	pages, err := dialectPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := pages["dialects/gemini-parameters.md"]
	for _, row := range []string{
		"\n| const | refused | | [",                 // refused by an answer
		"\n| title | accepted | [",                  // was refused once, and is accepted
		"\n| oneOf | refused, as a rule says | | |", // by the proto
		"\n| minLength | ",                          // there is a row for each
		"\n| unknown\\_name | rejects | ",
	} {
		if !strings.Contains(text, row) {
			t.Errorf("the page has no row %q", row)
		}
	}
}

// TestCheckers checks that our row beside other checkers is that of the calibration,
// and that no row has a false refusal.
func TestCheckers(t *testing.T) {
	t.Parallel()
	kept, err := readBaseline("../../docs/calibration.json", ": ", calibrate.ReadSummary)
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{"| **toolproof** |"}
	for _, group := range [][]string{
		{"openai/chat-strict", "openai/responses-strict", "openai/response_format", "openai/text_format"},
		{"anthropic/tools-strict", "anthropic/output_format"},
		{"gemini/parameters"},
	} {
		var accepted, refused calibrate.Agreed
		for _, agreement := range kept.Dialects {
			if slices.Contains(group, agreement.Dialect) {
				accepted.Of, accepted.Agreed = accepted.Of+agreement.Accepted.Of, accepted.Agreed+agreement.Accepted.Agreed
				refused.Of, refused.Agreed = refused.Of+agreement.Refused.Of, refused.Agreed+agreement.Refused.Agreed
			}
		}
		if accepted.Agreed < accepted.Of {
			t.Errorf("%v: %d of %d accepted are refused", group, accepted.Of-accepted.Agreed, accepted.Of)
		}
		cells = append(cells, fmt.Sprintf("%d of %d | %d of %d |", accepted.Of-accepted.Agreed, accepted.Of, refused.Agreed, refused.Of))
	}
	row := strings.Join(cells, " ")
	page, err := os.ReadFile("../../docs/checkers.md")
	if err != nil || !strings.Contains(string(page), "\n"+row+"\n") {
		t.Errorf("docs/checkers.md is not current (%v); its row is\n%s", err, row)
	}
}

// TestAgreement checks that the models agree with the evidence at least as they did.
// The evidence is not part of the project.
func TestAgreement(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("TOOLPROOF_CORPUS")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(corpus), "evidence", "*.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Skipf("no evidence to hold the models against: set TOOLPROOF_CORPUS to the folder beside it: %v", err)
	}
	verifyOf(t, "", exitConforms, append([]string{"calibrate", "--json", "--baseline", "../../docs/calibration.json"}, files...)...)
}
