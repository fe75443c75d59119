package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/lab/calibrate"
)

// pagesOfDialects are those that verify-lab docs makes.
var pagesOfDialects = sync.OnceValues(func() (map[string]string, error) { return dialectPages(context.Background()) })

// TestDocs checks that the committed documentation is what the data says.
func TestDocs(t *testing.T) {
	t.Parallel()
	const folder = "../../docs"
	made, err := pagesOfDialects()
	if err != nil {
		t.Fatal(err)
	}
	pages := maps.Clone(made)
	pages["rules.md"], pages["conversations.md"] = rulesPage(), conversationsPage()
	if pages["evidence.md"], err = evidencePage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pages[adviceFile], err = advicePage(folder); err != nil {
		t.Fatal(err)
	}
	pages[projectSchemaFile] = cli.ProjectSchema()
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
	pages, err := pagesOfDialects()
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

// oursBesideOthers are our rows beside other checkers, which have no false refusal.
var oursBesideOthers = regexp.MustCompile(`(?m)^\| ([^ |]+) \| toolproof this commit \| 0 of (\d+) \| (\d+ of \d+) \|$`)

// TestCheckers checks that our rows beside other checkers are those of the calibration, and
// that none has a false refusal.
func TestCheckers(t *testing.T) {
	t.Parallel()
	kept, err := cli.ReadBaseline("../../docs/calibration.json", ": ", calibrate.ReadSummary)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/checkers.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, found := range oursBesideOthers.FindAllStringSubmatch(string(page), -1) {
		rows++
		at := slices.IndexFunc(kept.Dialects, func(one calibrate.Agreement) bool { return one.Dialect == found[1] })
		if at < 0 {
			t.Errorf("%s: calibration.json has no such surface", found[1])
			continue
		}
		// A request to several surfaces is left out there.
		one, accepted := kept.Dialects[at], 0
		if _, err := fmt.Sscan(found[2], &accepted); err != nil || accepted == 0 || accepted > one.Accepted.Of {
			t.Errorf("%s: %s accepted, and the calibration has %d", found[1], found[2], one.Accepted.Of)
		}
		if want := fmt.Sprintf("%d of %d", one.Refused.Agreed, one.Refused.Of); found[3] != want {
			t.Errorf("%s: %s found, and the calibration has %s: make peers", found[1], found[3], want)
		}
	}
	const least = 6
	if rows < least {
		t.Errorf("docs/checkers.md has %d rows of ours, want %d", rows, least)
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
	clitest.Output(t, run, "", cli.CodeConforms, append([]string{"calibrate", "--json", "--baseline", "../../docs/calibration.json"}, files...)...)
}
