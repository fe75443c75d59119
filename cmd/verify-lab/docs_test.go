package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
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

// pagesOfDialects returns the pages of the dialects.
var pagesOfDialects = sync.OnceValues(func() (map[string]string, error) { return dialectPages(context.Background()) })

// TestDocs checks that every page can be made, is not empty and has no broken links, and that
// the committed schema of toolproof.json is the one that the program reads by.
func TestDocs(t *testing.T) {
	t.Parallel()
	const folder = "../../docs"
	files, err := docsFiles(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if name == projectSchemaFile {
			if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != string(text) {
				t.Errorf("docs/%s is not current (%v): make docs", name, err)
			}
			continue
		}
		if len(strings.Fields(string(text))) < 50 {
			t.Errorf("%s says next to nothing:\n%s", name, text)
		}
		for _, link := range linked.FindAllStringSubmatch(string(text), -1) {
			to, _, _ := strings.Cut(link[1], "#")
			to = path.Join(path.Dir(name), to)
			if _, err := os.Stat(filepath.Join(folder, to)); err != nil && files[to] == nil {
				t.Errorf("%s links to %s, which does not exist", name, link[1])
			}
		}
	}
	for _, name := range []string{"advice.md", "clients.md", "conversations.md", "dialects/" + "README.md", "evidence.md", "gateways-measured.md", "peers.md", "rules.md"} {
		if files[path.Join(generated, name)] == nil {
			t.Errorf("there is no page %s", name)
		}
	}
}

// TestPage checks what a page tells about keywords with a known history.
func TestPage(t *testing.T) {
	t.Parallel()
	pages, err := pagesOfDialects()
	if err != nil {
		t.Fatal(err)
	}
	text := pages["dialects/gemini-parameters.md"]
	for _, row := range []string{
		"\n| const | refused | | [",                 // refused by an answer
		"\n| title | accepted | [",                  // refused earlier, and accepted now
		"\n| oneOf | refused, as a rule says | | |", // refused by the proto
		"\n| minLength | ",                          // every keyword has a row
		"\n| unknown\\_name | rejects | ",
	} {
		if !strings.Contains(text, row) {
			t.Errorf("the page has no row %q", row)
		}
	}
}

// oursBesideOthers matches our rows beside other checkers.
var oursBesideOthers = regexp.MustCompile(`(?m)^\| ([^ |]+) \| toolproof this commit \| (\d+) of (\d+) \| (\d+ of \d+) \|$`)

// falseRefusals are the acceptances of the evidence that a model refuses, by surface: any other
// surface has none. Of text_format it is a pattern with look-around, which a provider took once.
var falseRefusals = map[string]string{"openai/text_format": "1"}

// TestCheckers checks that our rows beside other checkers agree with the calibration, and that
// none has a false refusal but those that are known.
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
		if want := cmp.Or(falseRefusals[found[1]], "0"); found[2] != want {
			t.Errorf("%s: %s false refusals, want %s", found[1], found[2], want)
		}
		// Requests to several surfaces do not count there.
		one, accepted := kept.Dialects[at], 0
		if _, err := fmt.Sscan(found[3], &accepted); err != nil || accepted == 0 || accepted > one.Accepted.Of {
			t.Errorf("%s: %s accepted, and the calibration has %d", found[1], found[3], one.Accepted.Of)
		}
		if want := fmt.Sprintf("%d of %d", one.Refused.Agreed, one.Refused.Of); found[4] != want {
			t.Errorf("%s: %s found, and the calibration has %s: make peers", found[1], found[4], want)
		}
	}
	const least = 6
	if rows < least {
		t.Errorf("docs/checkers.md has %d rows of ours, want %d", rows, least)
	}
}

// TestAgreement checks that the models agree with the evidence at least as well as before. The
// evidence is not part of the repository.
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
