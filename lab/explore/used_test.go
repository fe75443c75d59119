package explore

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"toolproof/harness/construct"
	"toolproof/harness/toolfile"
	files "toolproof/lab/corpus"
	"toolproof/schema"
)

// leastUsed is the smallest number of tools for which a construct is in the corpus file.
const leastUsed = 3

// share is the interval of the tools that a short test reads.
const share = 8

// TestCorpus compares the corpus file with the corpus. UPDATE=1 writes it anew. A short test
// reads one tool in eight and checks that constructs which three of them use are in the file
// with at least that number of tools; make whole reads all.
func TestCorpus(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join(files.Folder(), "tools.jsonl.gz"))
	if err != nil {
		files.Missing(t, err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		text = oneOf(share, text)
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []*schema.Node
	for _, tool := range tools {
		if tool.Err == nil {
			all = append(all, tool.Parameters)
		}
	}
	var used []Used
	for _, one := range Count(all) {
		if one.Tools >= leastUsed {
			used = append(used, one)
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("corpus.tsv", []byte(written(used)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		isWithin(t, used, share)
	} else if written(used) != corpus {
		t.Error("corpus.tsv is not of this corpus: UPDATE=1 go test ./lab/explore writes it")
	}
}

// oneOf returns one in many lines.
func oneOf(many int, text []byte) []byte {
	var some []byte
	at := 0
	for line := range bytes.Lines(text) {
		if at%many == 0 {
			some = append(some, line...)
		}
		at++
	}
	return some
}

// isWithin compares counts of one in many tools with the counts of all: none may be larger, and
// their sum must be about that share.
func isWithin(t *testing.T, used []Used, many int) {
	t.Helper()
	all, uses, wanted := map[construct.Construct]int{}, 0, 0
	for _, one := range Corpus() {
		all[one.Construct] = one.Tools
		wanted += one.Tools
	}
	for _, one := range used {
		uses += one.Tools
		if one.Tools > all[one.Construct] {
			t.Errorf("corpus.tsv has %d tools for %s, and %d of one in %d use it", all[one.Construct], one.Construct, one.Tools, many)
		}
	}
	if part := uses * many; part < wanted*9/10 || part > wanted*11/10 {
		t.Errorf("one tool in %d has %d uses, and corpus.tsv has %d", many, uses, wanted)
	}
}

// TestProbes makes the declarations for constructs in real tools and for all keywords.
func TestProbes(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		made, used, missing := 0, Corpus(), 0
		for _, one := range used {
			whole, part := probe{one.Construct, strict}.parameters()
			if whole == nil {
				missing += one.Tools
				t.Logf("%d tools: no declaration for %s", one.Tools, one.Construct)
				continue
			}
			made++
			if part != nil && whole.Get("properties").Get("a") != part {
				t.Errorf("%s: the part is no property of %s", one.Construct, whole)
			}
		}
		if made*20 < len(used)*19 {
			t.Errorf("strict %t: %d of %d constructs have a declaration", strict, made, len(used))
		}
		t.Logf("strict %t: %d of %d constructs have a declaration; %d uses are missing", strict, made, len(used), missing)
	}
	for _, one := range table() {
		if whole, _ := (probe{one, false}).parameters(); whole == nil {
			t.Errorf("no declaration for %s", one)
		}
	}
}
