package recording_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// reduced returns a reduced recording of openai/chat.
func reduced(t *testing.T, declaration, model string) *recording.Recording {
	t.Helper()
	node, err := schema.Parse([]byte(declaration))
	if err != nil {
		t.Fatal(err)
	}
	made := &recording.Recording{Version: recording.Version, Dialect: chat, Grade: recording.Recorded, Source: "verify record, api.openai.com", Date: "2026-01-02", Model: model, Reduced: true}
	made.Request.Declarations, made.Response.Status = []*schema.Node{node}, 200
	return made
}

// TestAppender adds recordings from several goroutines, again after a run that was killed while
// it wrote, and what is known already.
func TestAppender(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, filepath.FromSlash(chat), "reduced.jsonl")
	for round := range 2 {
		appender := recording.NewAppender(folder, []string{"a-key-of-the-account"})
		var writers sync.WaitGroup
		for i := range 40 {
			writers.Go(func() {
				one := reduced(t, `{"name":"f","parameters":{"minimum":`+string(rune('0'+i%8))+`}}`, "m")
				if isNew, err := appender.Add(one); err != nil || isNew && round > 0 {
					t.Errorf("round %d: new %t, %v", round, isNew, err)
				}
			})
		}
		writers.Wait()
		if _, err := appender.Add(reduced(t, `{"name":"a-key-of-the-account"}`, "m")); !errors.Is(err, recording.ErrSecret) {
			t.Errorf("a key: %v", err)
		}
		if files, err := appender.Close(); err != nil || len(files) != 1 || files[0] != chat+"/reduced.jsonl" {
			t.Errorf("files %v, %v", files, err)
		}
		text, err := os.ReadFile(name)
		if err != nil || strings.Count(string(text), "\n") != 8 || strings.Contains(string(text), "key") {
			t.Errorf("%v: the file is\n%s", err, text)
		}
		if err := os.WriteFile(name, append(text, `{"version":1,"dia`...), 0o600); err != nil { // killed
			t.Fatal(err)
		}
		store, err := recording.Load(os.DirFS(folder))
		if err != nil || len(store.All) != 8 {
			t.Fatalf("after a run that was killed: %v", err)
		}
	}
	appender := recording.NewAppender(folder, nil)
	if isNew, err := appender.Add(reduced(t, `{"name":"f","parameters":{"minimum":0}}`, "another model")); err != nil || !isNew {
		t.Errorf("another model: %t, %v", isNew, err)
	}
	if _, err := appender.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err := recording.Load(os.DirFS(folder)); err != nil || len(store.All) != 9 {
		t.Errorf("a line that was not finished stays: %v", err)
	}
}

// TestReducedAnswersNothing: a reduced recording is there for whoever counts, and answers no
// request, not even one of the same text.
func TestReducedAnswersNothing(t *testing.T) {
	t.Parallel()
	line, err := reduced(t, refused, "m").Line()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{chat + "/reduced.jsonl": {Data: line}}
	name := add(t, files, file{dialect: chat, declaration: refused, response: refusal, date: "2025-01-02"})
	store, err := recording.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(store.All) != 2 || len(store.On(chat)) != 2 {
		t.Errorf("%d recordings, %d of the surface", len(store.All), len(store.On(chat)))
	}
	answers := store.Of(request(t, chat, refused))
	if len(answers) != 1 || answers[0].File != name {
		t.Errorf("%d answers", len(answers))
	}
	if answer, err := store.On(chat)[1].Answer(openai.Chat); err != nil || answer.Verdict != provider.Accepted || answer.Evidence != provider.Recorded {
		t.Errorf("its answer is %+v, %v", answer, err)
	}
	for _, test := range []struct{ name, line, want string }{
		{chat + "/reduced.jsonl", strings.Replace(string(line), `,"reduced":true`, "", 1), "it is not reduced"},
		{"openai/chat-strict/reduced.jsonl", string(line), "it is of openai/chat"},
		{chat + "/reduced.jsonl", strings.Replace(string(line), `"recorded"`, `"relayed"`, 1), `the grade "relayed" is no evidence`},
		{chat + "/reduced.jsonl", "{}\n", "format version 0"},
	} {
		if _, err := recording.Load(fstest.MapFS{test.name: {Data: []byte(test.line)}}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.line, err, test.want)
		}
	}
}

// TestAlso joins stores: further recordings answer too, as far as they are evidence.
func TestAlso(t *testing.T) {
	t.Parallel()
	inside, outside := fstest.MapFS{}, fstest.MapFS{}
	old := add(t, inside, file{dialect: chat, declaration: refused, response: refusal, date: "2025-01-02"})
	newer := add(t, outside, file{dialect: chat, declaration: refused, response: accepted, date: "2026-01-02"})
	add(t, outside, file{dialect: chat, declaration: `{"name":"g"}`, response: accepted, date: "2026-01-02", edit: func(members map[string]any) { members["grade"] = "emulated" }})
	lazy, err := recording.Lazy(inside)
	if err != nil {
		t.Fatal(err)
	}
	more, err := recording.LoadAny(outside)
	if err != nil {
		t.Fatal(err)
	}
	joined := lazy.Also(more)
	if answers := joined.Of(request(t, chat, refused)); len(answers) != 2 || answers[0].File != newer || answers[1].File != old {
		t.Errorf("%d answers", len(answers))
	}
	if on := joined.On(chat); len(on) != 2 {
		t.Errorf("%d recordings of the surface", len(on))
	}
	if answers := joined.Of(request(t, chat, `{"name":"g"}`)); len(answers) != 0 {
		t.Error("the emulator answers")
	}
}
