package recording_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// answered is an answer to declarations of Chat Completions.
func answered(t *testing.T, status int, body string, declarations ...string) recording.Answered {
	t.Helper()
	answer := recording.Answered{
		Request: provider.Request{Dialect: chat, Path: openai.Chat.Path}, Grade: recording.Recorded, Source: "verify live", Date: "2026-11-20", Model: "m",
		Status: status, Body: []byte(body), Headers: map[string][]string{"Content-Type": {"application/json"}, "Openai-Organization": {"somebody"}},
	}
	for _, declaration := range declarations {
		node, err := schema.Parse([]byte(declaration))
		if err != nil {
			t.Fatal(err)
		}
		answer.Request.Declarations = append(answer.Request.Declarations, node)
	}
	return answer
}

func write(t *testing.T, folder recording.Folder, answer recording.Answered) string {
	t.Helper()
	name, err := folder.Write(answer)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func filesOf(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, chat, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

const (
	ok       = `{"id":"chatcmpl-0123456789abcdef","created":1700000000,"choices":[{"message":{"content":"ask me@example.com"}}],"tools":[{"name":"f","parameters":{"properties":{"id":{"type":"string","id":"kept"}}}}]}`
	no       = `{"error":{"message":"Invalid schema for function 'f': no","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`
	f        = `{"name":"f","parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"enum":["<é>"]}}}}`
	g        = `{"name":"g","parameters":{"type":"object"}}`
	f2       = `{"name":"f_2","parameters":{"type":"object"}}`
	ownOfTwo = `{"name":"f","parameters":{"type":"object"}}`
)

// TestWrite: what is written reads back as it was sent, without identifiers of an account
// or a request, and with the declarations that the provider echoes.
func TestWrite(t *testing.T) {
	t.Parallel()
	folder := recording.Folder{Path: t.TempDir(), Secrets: []string{"", "f"}} // neither counts as a key
	name := write(t, folder, answered(t, 200, ok, f))
	text, err := os.ReadFile(filepath.Join(folder.Path, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []string{"\n      " + f + "\n", `"Content-Type": "application/json"`, `"id":"kept"`, `"id":{"type":"string"`} {
		if !strings.Contains(string(text), expected) {
			t.Errorf("%s is not in\n%s", expected, text)
		}
	}
	for _, personal := range []string{"0123456789abcdef", "1700000000", "example.com", "somebody"} {
		if strings.Contains(string(text), personal) {
			t.Errorf("%s is in\n%s", personal, text)
		}
	}
	store, err := recording.Load(os.DirFS(folder.Path))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := recording.Replay{Store: store, Dialect: openai.Chat}.Send(t.Context(), request(t, chat, f))
	if err != nil || answer.Verdict != provider.Accepted || answer.Evidence != provider.Recorded || answer.Date != "2026-11-20" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestWriteAgain: the same answer replaces a recording, another one is added, and what
// others published stays.
func TestWriteAgain(t *testing.T) {
	t.Parallel()
	folder := recording.Folder{Path: t.TempDir()}
	first := answered(t, 200, ok, f)
	first.Grade = "reported"
	name := write(t, folder, first)
	recorded := answered(t, 200, ok, f)
	second := write(t, folder, recorded)
	recorded.Date = "2026-11-21"
	if again := write(t, folder, recorded); again != second || second == name {
		t.Errorf("%s, %s, %s", name, second, again)
	}
	refusal := answered(t, 400, no, f)
	refusal.Date = "2026-11-22"
	third := write(t, folder, refusal)
	if got := filesOf(t, folder.Path); len(got) != 3 || third == second {
		t.Errorf("files: %s", got)
	}
	store, err := recording.Load(os.DirFS(folder.Path))
	if err != nil {
		t.Fatal(err)
	}
	var dates []provider.Date
	for _, answer := range store.Of(request(t, chat, f)) {
		dates = append(dates, answer.Date)
	}
	if expected := []provider.Date{"2026-11-22", "2026-11-21", "2026-11-20"}; !slices.Equal(dates, expected) {
		t.Errorf("the dates %s, expected %s", dates, expected)
	}
}

// TestWriteOthers: independent runs keep all their answers, whether they write to one
// folder at the same time or to folders that are merged later.
func TestWriteOthers(t *testing.T) {
	t.Parallel()
	const runs = 20
	folder := recording.Folder{Path: t.TempDir()}
	var group sync.WaitGroup
	names := make([]string, runs)
	for i := range runs {
		answer := answered(t, 400, strings.Replace(no, ": no", ": no "+strconv.Itoa(i%(runs/2)), 1), f)
		apart := write(t, recording.Folder{Path: t.TempDir()}, answer)
		group.Go(func() {
			var err error
			if names[i], err = folder.Write(answer); err != nil || names[i] != apart {
				t.Errorf("%s and %s, %v", names[i], apart, err)
			}
		})
	}
	group.Wait()
	store, err := recording.Load(os.DirFS(folder.Path))
	if err != nil || len(store.All) != runs/2 || len(filesOf(t, folder.Path)) != runs/2 {
		t.Errorf("%d recordings in %s, %v", len(store.All), filesOf(t, folder.Path), err)
	}
}

// TestTry: a folder that cannot be written to is an error before the run.
func TestTry(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := (recording.Folder{Path: filepath.Join(folder, "new")}).Try(); err != nil {
		t.Error(err)
	}
	if names, _ := filepath.Glob(filepath.Join(folder, "new", "*")); len(names) > 0 {
		t.Errorf("there is %s", names)
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (recording.Folder{Path: file}).Try(); err == nil {
		t.Error("a file is no folder")
	}
}

// TestWriteSecret: a key anywhere prevents the write, and the error does not contain it.
func TestWriteSecret(t *testing.T) {
	t.Parallel()
	const key, odd = "a-key-of-no-known-form", `a"key\of<no>form`
	escaped := schema.NewString(odd).String()
	twice := schema.NewString(escaped).String()
	for name, answer := range map[string]recording.Answered{
		"an odd key in the body":       answered(t, 200, `{"choices":[`+escaped+`]}`, f),
		"an odd key in text in a text": answered(t, 200, `{"choices":[`+twice+`]}`, f),
		"an odd key by numbers":        answered(t, 200, `{"choices":["\u0061\u0022key\u005cof\u003cno\u003eform"]}`, f),
		"an odd key in a declaration":  answered(t, 200, ok, `{"name":"f","description":`+escaped+`}`),
		"an odd key in an address":     answered(t, 200, `{"choices":["https://h/?key=a%22key%5Cof%3Cno%3Eform"]}`, f),
		"the key in the body":          answered(t, 200, `{"choices":["`+key+`"]}`, f),
		"the key in a declaration":     answered(t, 200, ok, `{"name":"f","description":"`+key+`"}`),
		"a pattern in the body":        answered(t, 400, strings.Replace(no, "no", "sk-proj-0123456789012345678901", 1), f),
		"a pattern in the schema":      answered(t, 200, ok, `{"name":"f","description":"AIzaSyA1234567890123456789012345678901234"}`),
		"a private key in the body":    answered(t, 200, `{"choices":["-----BEGIN PRIVATE KEY-----"]}`, f),
	} {
		folder := recording.Folder{Path: t.TempDir(), Secrets: []string{"", key, odd}}
		_, err := folder.Write(answer)
		if !errors.Is(err, recording.ErrSecret) || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "sk-") {
			t.Errorf("%s: %v", name, err)
		}
		if got := filesOf(t, folder.Path); len(got) > 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestMany: declarations accepted together are accepted one by one, also under a name
// that another one had; a refusal of several says nothing about each.
func TestMany(t *testing.T) {
	t.Parallel()
	folder := recording.Folder{Path: t.TempDir()}
	many := answered(t, 200, ok, f, f2, g)
	many.Request.Declarations[0] = many.Request.Declarations[0].Clone()
	many.Renamed = map[string]string{"f_2": "f"}
	write(t, folder, many)
	refused := answered(t, 400, no, g, f)
	write(t, folder, refused)
	store, err := recording.Load(os.DirFS(folder.Path))
	if err != nil {
		t.Fatal(err)
	}
	for declaration, expected := range map[string]int{f: 1, ownOfTwo: 1, g: 1, f2: 0} {
		if got := len(store.Of(request(t, chat, declaration))); got != expected {
			t.Errorf("%d answers to %s, expected %d", got, declaration, expected)
		}
	}
	many.Renamed = map[string]string{"f_2": "h"}
	if name, err := folder.Write(many); err == nil {
		t.Errorf("%s was written: its own name was never sent", name)
	}

	// Newer answers to each of them supersede it, but not those of another model.
	isSuperseded := func() bool {
		store, err := recording.Load(os.DirFS(folder.Path))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(store.All, func(recorded *recording.Recording) bool {
			return recorded.Accepted() && len(recorded.Request.Declarations) == 3
		})
		return store.IsSuperseded(store.All[i])
	}
	for i, declaration := range []string{f, ownOfTwo, g, g} {
		if isSuperseded() {
			t.Errorf("superseded after %d others", i)
		}
		newer := answered(t, 200, ok, declaration)
		newer.Date = "2026-11-21"
		if i == 2 {
			newer.Model = "another"
		}
		write(t, folder, newer)
	}
	if !isSuperseded() {
		t.Error("not superseded")
	}
}

// TestEmulated: answers of the emulator are never evidence.
func TestEmulated(t *testing.T) {
	t.Parallel()
	folder := recording.Folder{Path: t.TempDir()}
	answer := answered(t, 200, ok, f)
	answer.Grade = recording.Emulated
	write(t, folder, answer)
	if store, err := recording.Load(os.DirFS(folder.Path)); err == nil || len(store.All) > 0 {
		t.Errorf("%d recordings, %v", len(store.All), err)
	}
	store, err := recording.LoadAny(os.DirFS(folder.Path))
	if err != nil || len(store.All) != 1 {
		t.Fatal(err)
	}
	response, err := store.All[0].Answer(openai.Chat)
	if err != nil || response.Evidence != provider.Predicted {
		t.Errorf("%+v, %v", response, err)
	}
}

// TestScan finds secrets in files of any kind.
func TestScan(t *testing.T) {
	t.Parallel()
	leaks, err := recording.Scan(fstest.MapFS{
		"a/b.json":            {Data: []byte("{}\n\"ghp_012345678901234567890123456789abcdef\"")},
		"c.json.unfinished":   {Data: []byte("my-secret")},
		"d.txt":               {Data: []byte("sk-short AIza-short risk-assessment-of-a-large-organization")},
		"e.json":              {Data: []byte(`"Bearer abcdefghijklmnopqrstuvwxyz"`)},
		"f/g/h.json":          {Data: []byte("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc")},
		"openai/chat/ok.json": {Data: []byte(f)},
	}, []string{"my-secret", ""})
	if err != nil {
		t.Fatal(err)
	}
	expected := []recording.Leak{{File: "a/b.json", Line: 2}, {File: "c.json.unfinished", Line: 1}, {File: "e.json", Line: 1}, {File: "f/g/h.json", Line: 1}}
	if !slices.Equal(leaks, expected) {
		t.Errorf("%v, expected %v", leaks, expected)
	}
}
