package corpus_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"toolproof/lab/corpus"
)

// ended is a Test that records how it ended.
type ended struct {
	testing.TB

	failed, skipped bool
}

func (e *ended) Helper() {}

func (e *ended) Fatalf(string, ...any) { e.failed = true; panic(e) }
func (e *ended) Fatal(...any)          { e.failed = true; panic(e) }
func (e *ended) Skipf(string, ...any)  { e.skipped = true; panic(e) }

func answers(t *testing.T, interval int, engine string) (of []corpus.Answer, end ended) {
	t.Helper()
	defer func() {
		if caught := recover(); caught != nil && caught != any(&end) {
			panic(caught)
		}
	}()
	return corpus.Answers(&end, interval, engine), end
}

// TestNothingIsSkippedSilently checks that a missing file fails the test if the folder is
// named.
func TestNothingIsSkippedSilently(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		if _, err := writer.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TOOLPROOF_CORPUS", filepath.Join(folder, "corpus"))
	if _, end := answers(t, 1, "all"); !end.failed {
		t.Error("no corpus is no failure")
	}
	write("corpus/tools.jsonl.gz", `{"id":"a","schema":{}}`)
	write("corpus/json_schema_test_suite.jsonl.gz", `{"id":"b","schema":true}`)
	write("evidence/engines/all.jsonl.gz", `{"set":"tools","id":"a","verdict":"accepted"}`+"\n"+`{"set":"suite","id":"b","verdict":"rejected","message":"m"}`)
	write("evidence/engines/few.jsonl.gz", `{"set":"tools","id":"a","verdict":"accepted"}`)
	write("evidence/engines/other.jsonl.gz", `{"set":"tools","id":"a","verdict":"accepted"}`+"\n"+`{"set":"suite","id":"c","verdict":"accepted"}`)
	write("evidence/engines/none.jsonl.gz", "")
	for _, engine := range []string{"few", "other", "none", "missing"} {
		if _, end := answers(t, 1, engine); !end.failed {
			t.Errorf("%s: no failure", engine)
		}
	}
	given, end := answers(t, 1, "all")
	if len(given) != 2 || given[1].Message != "m" || given[1].Schema == nil || end.failed {
		t.Errorf("got %+v", given)
	}
	write("corpus/tools.jsonl.gz", `{"id":"a","schema":{}}`+"\n"+`{"id":"d","schema":{}}`+"\n"+`{"id":"e","schema":{}}`)
	write("evidence/engines/more.jsonl.gz", `{"set":"suite","id":"b"}`+"\n"+`{"set":"tools","id":"d"}`+"\n"+`{"set":"tools","id":"e"}`+"\n"+`{"set":"tools","id":"a"}`)
	if some, end := answers(t, 2, "more"); len(some) != 3 || some[0].ID+some[1].ID+some[2].ID != "bea" || end.failed {
		t.Errorf("one of two: got %+v", some)
	}
	if _, end := answers(t, 2, "all"); !end.failed {
		t.Error("a schema of the interval has no answer, and nothing failed")
	}
	t.Setenv("TOOLPROOF_CORPUS", "")
	t.Chdir(folder)
	if _, end := answers(t, 1, "all"); !end.skipped {
		t.Error("without a corpus that is named the test is not skipped")
	}
}
