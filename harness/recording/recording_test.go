package recording_test

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/recording"
	"toolproof/recordings"
	"toolproof/schema"
)

// request is a request with one declaration, in any spelling.
func request(t *testing.T, dialect, declaration string) provider.Request {
	t.Helper()
	node, err := schema.Parse([]byte(declaration))
	if err != nil {
		t.Fatal(err)
	}
	return provider.Request{Dialect: dialect, Declarations: []*schema.Node{node}}
}

const (
	chat     = "openai/chat"
	refused  = `{"name":"f","parameters":{"type":"string"}}`
	accepted = `{"status":200,"body":{}}`
	refusal  = `{"status":400,"body":{"error":{"message":"Invalid schema for function 'f': no","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}}`
)

// file is a recording to be written.
type file struct {
	dialect, declaration, response, date string
	edit                                 func(members map[string]any) // makes it invalid
	name                                 string                       // empty for the right name
}

// add adds a recording to the files and returns its name.
func add(t *testing.T, files fstest.MapFS, written file) string {
	t.Helper()
	digest := request(t, written.dialect, written.declaration).Digest()
	members := map[string]any{
		"version": recording.Version, "dialect": written.dialect, "digest": digest, "grade": "reported", "source": "https://example.com/1",
		"date": written.date, "model": "m", "request": map[string]any{"path": "/", "declarations": []any{json.RawMessage(written.declaration)}},
		"response": json.RawMessage(written.response),
	}
	if written.edit != nil {
		written.edit(members)
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	name := written.name
	if name == "" {
		name = path.Join(written.dialect, strings.TrimPrefix(digest, "sha256:")+".json")
	}
	files[name] = &fstest.MapFile{Data: text}
	return name
}

func TestLoad(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"README.md": {Data: []byte("not a recording")}, "openai/chat/notes.txt": {Data: []byte("{")}}
	name := add(t, files, file{dialect: chat, declaration: refused, response: refusal, date: "2026-01-02"})
	add(t, files, file{dialect: "openai/chat-strict", declaration: refused, response: accepted, date: "2026-01-02"})
	store, err := recording.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(store.All) != 2 {
		t.Fatalf("%d recordings", len(store.All))
	}
	found := store.Of(request(t, chat, refused))
	if len(found) != 1 || found[0].File != name || found[0].Accepted() || found[0].Date != "2026-01-02" {
		t.Fatalf("Of = %+v", found)
	}
	if got, want := found[0].Name(), chat+"/"+path.Base(name)[:12]; got != want {
		t.Errorf("Name() = %q, want %q", got, want)
	}
	if strict := store.Of(request(t, "openai/chat-strict", refused)); len(strict) != 1 || !strict[0].Accepted() {
		t.Errorf("the other dialect: %+v", strict)
	}
}

// TestDigest: an answer is served for exactly the same declarations on exactly the same
// surface.
func TestDigest(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	add(t, files, file{dialect: chat, declaration: `{"name":"f","parameters":{"minimum":1.0,"type":"object"}}`, response: refusal, date: "2026-01-02"})
	store, err := recording.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, dialect, declaration string
		want                       int
	}{
		{"the same", chat, `{"name":"f","parameters":{"minimum":1.0,"type":"object"}}`, 1},
		{"white space and escapes", chat, "{\"name\": \"\\u0066\",\n\"parameters\": {\"minimum\": 1.0, \"type\": \"object\"}}", 1},
		{"another order", chat, `{"name":"f","parameters":{"type":"object","minimum":1.0}}`, 0},
		{"another spelling of a number", chat, `{"name":"f","parameters":{"minimum":1,"type":"object"}}`, 0},
		{"another name", chat, `{"name":"g","parameters":{"minimum":1.0,"type":"object"}}`, 0},
		{"another surface", "openai/chat-strict", `{"name":"f","parameters":{"minimum":1.0,"type":"object"}}`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := len(store.Of(request(t, test.dialect, test.declaration))); got != test.want {
				t.Errorf("%d recordings, want %d", got, test.want)
			}
		})
	}
	one := request(t, chat, refused)
	two := provider.Request{Dialect: chat, Declarations: append(one.Declarations, one.Declarations...)}
	if one.Digest() == two.Digest() {
		t.Error("the number of declarations does not count")
	}
}

// TestLint checks what Load says about invalid files.
func TestLint(t *testing.T) {
	t.Parallel()
	set := func(key string, value any) func(map[string]any) {
		return func(members map[string]any) { members[key] = value }
	}
	for _, test := range []struct {
		name string
		edit func(map[string]any)
		file string
		want string // in the error; empty if valid
	}{
		{"nothing wrong", nil, "", ""},
		{"partial", set("partial", true), "", ""},
		{"format of tomorrow", set("version", recording.Version+1), "", "format version 2, this program reads 1: record it again"},
		{"no version", func(members map[string]any) { delete(members, "version") }, "", "format version 0"},
		{"misspelt member", set("sorce", "x"), "", `unknown object member name "sorce"`},
		{"no source", set("source", ""), "", "needs a source and a date"},
		{"no date", set("date", ""), "", "needs a source and a date"},
		{"made up by the emulator", set("grade", "emulated"), "", `the grade "emulated" is no evidence`},
		{"predicted", set("grade", "predicted"), "", `the grade "predicted" is no evidence`},
		{"no grade", set("grade", ""), "", `the grade "" is no evidence`},
		{"in the folder of another dialect", nil, "openai/chat-strict/x.json", "the file of sha256:"},
		{"under another name", nil, "openai/chat/abc.json", "the file of sha256:"},
		{"changed declarations", set("request", map[string]any{"path": "/", "declarations": []any{map[string]any{"name": "g"}}}), "", "the digest of the declarations is sha256:"},
		{"another dialect inside", set("dialect", "openai/chat-strict"), "", "the file of sha256:"},
		{"declaration with a name twice", set("request", json.RawMessage(`{"path":"/","declarations":[{"name":"f","name":"f"}]}`)), "", "duplicate object member name"},
		{"day in words", set("date", "yesterday"), "", `the date "yesterday" is no day`},
		{"month for a day", set("date", "2026-01"), "", `the date "2026-01" is no day`},
		{"no status", set("response", map[string]any{"body": map[string]any{}}), "", "needs the status"},
		{"null for a declaration", set("request", json.RawMessage(`{"path":"/","declarations":[null]}`)), "", "null is no declaration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			name := add(t, files, file{dialect: chat, declaration: refused, response: refusal, date: "2026-01-02", edit: test.edit, name: test.file})
			store, err := recording.Load(files)
			switch {
			case test.want == "" && (err != nil || len(store.All) != 1):
				t.Errorf("Load: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), name+": ") || !strings.Contains(err.Error(), test.want)):
				t.Errorf("Load: %v, want %q and %q in it", err, name, test.want)
			case test.want != "" && len(store.All) != 0:
				t.Error("it was loaded all the same")
			}
		})
	}
}

// TestLoadTellsAll: an invalid file hides neither the others nor their errors.
func TestLoadTellsAll(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"openai/chat/a.json": {Data: []byte(`{"version":1`)}, "openai/chat/b.json": {Data: []byte(`[]`)}, "openai/chat/c.json": {Data: []byte(`{}{}`)},
	}
	add(t, files, file{dialect: chat, declaration: refused, response: refusal, date: "2026-01-02"})
	store, err := recording.Load(files)
	if err == nil || !strings.Contains(err.Error(), "a.json: ") || !strings.Contains(err.Error(), "b.json: ") || !strings.Contains(err.Error(), "c.json: reading a recording: jsontext: invalid character") {
		t.Errorf("Load: %v", err)
	}
	if len(store.All) != 1 {
		t.Errorf("%d recordings", len(store.All))
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	old := add(t, files, file{dialect: chat, declaration: refused, response: refusal, date: "2025-01-02"})
	// A further answer to the same request has a longer name.
	add(t, files, file{
		dialect: chat, declaration: refused, response: accepted, date: "2026-01-02", name: strings.TrimSuffix(old, ".json") + ".2026.json",
		edit: func(members map[string]any) {
			members["grade"], members["source"] = "recorded", "https://example.com/2"
		},
	})
	store, err := recording.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	replay := recording.Replay{Store: store, Dialect: openai.Chat}
	response, err := replay.Send(t.Context(), request(t, chat, refused))
	want := provider.Response{Verdict: provider.Accepted, Status: 200, Evidence: provider.Recorded, Date: "2026-01-02", Source: "https://example.com/2"}
	if diff := cmp.Diff(want, response); err != nil || diff != "" {
		t.Errorf("Send: %v (-want +got):\n%s", err, diff)
	}
	var dates []string
	for _, answer := range store.Of(request(t, chat, refused)) {
		dates = append(dates, string(answer.Date))
	}
	if diff := cmp.Diff([]string{"2026-01-02", "2025-01-02"}, dates); diff != "" {
		t.Errorf("the newest first (-want +got):\n%s", diff)
	}
	if _, err := replay.Send(t.Context(), request(t, chat, `{"name":"g"}`)); !errors.Is(err, recording.ErrNotRecorded) {
		t.Errorf("a request that nobody recorded: %v", err)
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, response string
		want           provider.Response
		wrong          bool
	}{
		{
			"refusal", refusal,
			provider.Response{
				Verdict: provider.Rejected, Status: 400, Message: "Invalid schema for function 'f': no", Param: "tools[0].function.parameters",
				Code: "invalid_function_parameters", Evidence: provider.Reported, Date: "2026-01-02", Source: "https://example.com/1",
			},
			false,
		},
		{
			"part of the words", `{"status":400,"fragment":"array schema missing items"}`,
			provider.Response{
				Verdict: provider.Rejected, Status: 400, Message: "array schema missing items", Evidence: provider.Reported, Date: "2026-01-02", Source: "https://example.com/1",
			},
			false,
		},
		{"acceptance without a body", `{"status":200}`, provider.Response{Verdict: provider.Accepted, Status: 200, Evidence: provider.Reported, Date: "2026-01-02", Source: "https://example.com/1"}, false},
		{"nothing about a declaration", `{"status":401,"body":{"error":{"message":"no key"}}}`, provider.Response{}, true},
		{"no body", `{"status":400}`, provider.Response{}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			add(t, files, file{dialect: chat, declaration: refused, response: test.response, date: "2026-01-02"})
			store, err := recording.Load(files)
			if err != nil {
				t.Fatal(err)
			}
			response, err := store.All[0].Answer(openai.Chat)
			if (err != nil) != test.wrong {
				t.Errorf("Answer: %v", err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "reading recording "+store.All[0].Name()+": ") {
				t.Errorf("Answer: %v, want the recording's name in it", err)
			}
			if diff := cmp.Diff(test.want, response); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDaysAreThoseOfLoad compares Days with Load.
func TestDaysAreThoseOfLoad(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	var want []provider.Date
	for _, recorded := range store.All {
		want = append(want, recorded.Date)
	}
	days, err := recording.Days(recordings.Files)
	if diff := cmp.Diff(want, days); diff != "" || err != nil {
		t.Errorf("days (-want +got): %v\n%s", err, diff)
	}
	for _, text := range []string{``, `{`, `{"a":1}`, `[]`, `{"date":`, `{"date"`, `{"a":{`} {
		if days, err := recording.Days(fstest.MapFS{"a.json": {Data: []byte(text)}}); err == nil {
			t.Errorf("%q has the day %q", text, days)
		}
	}
}

// TestLazyAnswersAsLoad asks both about each recorded request, and about one that is not
// recorded.
func TestLazyAnswersAsLoad(t *testing.T) {
	t.Parallel()
	loaded, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	lazy, err := recording.Lazy(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	namesOf := func(answers []*recording.Recording) (names []string) {
		for _, answer := range answers {
			names = append(names, answer.File)
		}
		return names
	}
	for _, recorded := range loaded.All {
		if recorded.Reduced {
			continue // it answers no request
		}
		request := provider.Request{Dialect: recorded.Dialect, Declarations: recorded.Request.Declarations}
		if want, got := namesOf(loaded.Of(request)), namesOf(lazy.Of(request)); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: the answers are %q, want %q", recorded.File, got, want)
		}
		request.Declarations = []*schema.Node{schema.NewString("nobody has sent this")}
		if got := lazy.Of(request); got != nil {
			t.Errorf("%s: an answer to what was not sent: %q", recorded.Dialect, namesOf(got))
		}
	}
	if got := lazy.Of(provider.Request{Dialect: "no/surface"}); got != nil {
		t.Errorf("an answer of no surface: %q", namesOf(got))
	}
	defer func() {
		if recover() == nil {
			t.Error("a file that is no recording is passed over")
		}
	}()
	broken, err := recording.Lazy(fstest.MapFS{"a/b/c.json": &fstest.MapFile{Data: []byte("{}")}})
	if err != nil {
		t.Fatal(err)
	}
	broken.Of(provider.Request{Dialect: "a/b"})
}

// TestLazyTakesNone: adding to a store of Lazy would lose the recordings that it has not
// read.
func TestLazyTakesNone(t *testing.T) {
	t.Parallel()
	lazy, err := recording.Lazy(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("it takes a recording, and loses the others")
		}
	}()
	lazy.With(&recording.Recording{})
}
