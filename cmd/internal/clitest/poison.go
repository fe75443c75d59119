package clitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/schema"
)

// Poison is a text that acts on a terminal, in the log of a workflow and in Markdown: it sets a
// title, clears the screen, changes the direction, begins lines with commands, and has a
// picture, a link, HTML and a mention. Each leaves the word evil where it is seen.
const Poison = "evil\x1b]0;evil\x07\x1b[2J\u009b31m\x7f\u202e\u2066\u200b\n::error::evil\n  ::stop-commands::evil\n##[add-path]evil\r\n" +
	"##vso[task]evil <img src=x onerror=evil()>[evil](https://evil.example)![evil](https://evil.example/i.png)|`` https://evil.example " +
	"www.evil.example evil@evil.example @evil *evil* _evil_ `evil` &lt;\u2028\U000e0041\ufeff"

// quoted returns the poison as a JSON string.
func quoted(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(Poison)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Poisoned is a run of the program over poisoned texts.
type Poisoned struct {
	Arguments []string
	Input     string
	// IsMarkdown and IsJSON tell the format of standard output. IsSilent means that nothing of
	// the poison is repeated, where for example the phrase of an HTTP status could be.
	IsMarkdown, IsJSON, IsSilent bool
	// Format is the value of --format, which implies the three above.
	Format string
}

// Place is a folder with the files and servers of poisoned runs. Quoted is the poison as a JSON
// string.
type Place struct {
	t      *testing.T
	Folder string
	Quoted string
}

// NewPlace returns a place in an empty folder.
func NewPlace(t *testing.T) Place {
	t.Helper()
	return Place{t, t.TempDir(), quoted(t)}
}

// File writes a file whose name is poisoned, too, and returns its path.
func (p Place) File(ending, text string) string {
	p.t.Helper()
	name := filepath.Join(p.Folder, "evil\x1b]0;evil\x07\u202e\n::error::evil\n##[x]"+ending)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return name
}

// Server starts a server that ends with the test, and returns its URL.
func (p Place) Server(handler http.HandlerFunc) string {
	web := httptest.NewServer(handler)
	p.t.Cleanup(web.Close)
	return web.URL
}

// Results returns the lines of a run with poisoned results. The verdict is that of the first.
func (p Place) Results(verdict string) string {
	const end = `{"version":1,"summary":{"tools":1,"read":1,"judged":1,"targets":{},"evidence":{},"conforms":false}}`
	finding := `[{"rule":"r","severity":"critical","message":` + p.Quoted + `,"at":"/evil","line":0,"col":0}]`
	line := func(members string) string {
		return `{"version":1,"id":"","tool":` + p.Quoted + `,"source":` + p.Quoted + `,"line":1,` + members + "}\n"
	}
	return line(`"target":"gemini","dialect":"gemini/parameters","status":"fail","error":"","normalized":{"verdict":"`+verdict+`","evidence":"predicted","findings":`+finding+
		`,"tool":{"name":`+p.Quoted+`},"strict":false,"fallback":`+p.Quoted+`,"loss":"exact","changes":[]}`) +
		line(`"target":"openai","dialect":"openai/chat","status":"inconclusive","error":`+p.Quoted) +
		line(`"target":`+p.Quoted+`,"dialect":`+p.Quoted+`,"status":"error","error":`+p.Quoted+`,"fixture":`+p.Quoted+`,"side":"raw","normalizer":`+p.Quoted) + end
}

// Recordings writes a folder with a recording from a poisoned source.
func (p Place) Recordings() string {
	p.t.Helper()
	folder := filepath.Join(p.Folder, "recordings")
	declaration := schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(Poison)})
	request := provider.Request{Dialect: google.GeminiParameters.Name, Path: "/evil", Declarations: []*schema.Node{declaration}}
	_, err := recording.Folder{Path: folder}.Write(recording.Answered{
		Request: request, Grade: recording.Recorded, Source: Poison, Date: "2026-01-01", Model: Poison, Status: 200, Body: []byte(`{"candidates":[` + p.Quoted + `]}`),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "evil\x1b[2J\n::error::evil"), []byte("AIzaCANARYcanaryCANARYcanaryCANARYcanar"), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return folder
}

// Checkout writes the data of a checkout with only the given fixture, or with all if there is
// none.
func (p Place) Checkout(name, fixture string) string {
	p.t.Helper()
	folder := filepath.Join(p.Folder, name)
	err := os.MkdirAll(filepath.Join(folder, "recordings"), 0o700)
	if fixture == "" {
		err = errors.Join(err, os.CopyFS(filepath.Join(folder, "fixtures"), os.DirFS("../../fixtures")))
	} else {
		err = errors.Join(err, os.MkdirAll(filepath.Join(folder, "fixtures"), 0o700),
			os.WriteFile(filepath.Join(folder, "fixtures", "fixture.schema.json"), []byte("{}"), 0o600),
			os.WriteFile(filepath.Join(folder, "fixtures", "evil.json"), []byte(fixture), 0o600))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return folder
}

// Spaceless writes a file whose path has no space.
func (p Place) Spaceless(text string) string {
	p.t.Helper()
	name := filepath.Join(p.Folder, "words")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return name
}

// Embedded returns a text as a JSON string.
func Embedded(t *testing.T, text string) string {
	t.Helper()
	encoded, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// Answering is an MCP server that answers tools/list with a result.
func Answering(list string) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(request.Body).Decode(&call)
		if call.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := `{"jsonrpc":"2.0","id":` + string(call.ID) + `,"error":{"code":-32601,"message":"no"}}`
		switch call.Method {
		case "initialize":
			result = `{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`
		case "tools/list":
			result = `{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":` + list + `}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result)
	}
}

// CheckPoison runs every command of a program over poisoned texts and checks that nothing in
// its output still acts. It fails the test for a command without a run.
func CheckPoison(t *testing.T, program Program, root *cobra.Command, folder string, runs map[string][]Poisoned) {
	t.Helper()
	sarif := CompileSchema(t, "../../harness/report/testdata/sarif-schema-2.1.0.json")
	for _, name := range CommandsOf(root) {
		poisoned := runs[name]
		if len(poisoned) == 0 {
			t.Errorf("%s is not poisoned: give it a run", name)
		}
		for _, run := range poisoned {
			var out, errs bytes.Buffer
			code := program(t.Context(), run.Arguments, strings.NewReader(run.Input), &out, &errs)
			where := strings.ReplaceAll(strings.Join(run.Arguments, " "), folder, "")
			if !run.IsSilent && !strings.Contains(out.String()+errs.String(), "evil") {
				t.Errorf("%q ended with %d and shows nothing of the poison:\n%s%s", where, code, out.String(), errs.String())
			}
			shown := out.String()
			if run.Format == report.GitHubFormat {
				shown = withoutAnnotations(t, where, shown)
			}
			IsHarmless(t, where, shown)
			IsHarmless(t, where, errs.String())
			if run.IsMarkdown {
				IsPlain(t, where, out.String())
			}
			if run.Format == report.HTMLFormat {
				isText(t, where, out.String())
			}
			if run.Format == "sarif" {
				Validate(t, sarif, out.Bytes(), where)
			}
			if run.IsJSON {
				KeepsValues(t, where, out.String())
			}
		}
	}
}

// element matches HTML elements and links that come from the poison.
var element = regexp.MustCompile(`<(img|a) [^>]*(x|evil)|onerror=evil\(\)>|href="[^"#]`)

// isText checks that a page has no elements from untrusted texts. The page's own markup has no
// images, and its links stay within it.
func isText(t *testing.T, where, page string) {
	t.Helper()
	_, body, _ := strings.Cut(page, "<body>")
	body, _, _ = strings.Cut(body, "<script>")
	if found := element.FindString(body); found != "" {
		t.Errorf("%q prints HTML of others, %q:\n%s", where, found, body)
	}
}

// CommandsOf returns the names of all commands of a program that do something.
func CommandsOf(root *cobra.Command) []string {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var names []string
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		names = append(names, command.CommandPath())
		for _, child := range command.Commands() {
			visit(child)
		}
	}
	visit(root)
	return names
}

// acts matches characters that act on a terminal or hide there.
var acts = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")

// commands matches what a workflow obeys.
var commands = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)

// annotation matches the beginning of a command that shows a message: file, line, column and
// title, without a character that ends one of them.
var annotation = regexp.MustCompile(`^::(error|warning|notice)( file=[^:,\n]*,line=\d+(,col=\d+)?,title=[^:,\n]*| title=[^:,\n]*)::`)

// withoutAnnotations returns a log of annotations without the beginnings of the commands.
// Untrusted texts are in their files, titles and messages, and every line must have one.
func withoutAnnotations(t *testing.T, where, text string) string {
	t.Helper()
	var left strings.Builder
	for line := range strings.Lines(text) {
		begin := annotation.FindString(line)
		if begin == "" {
			t.Errorf("%q prints a line that is no annotation:\n%s", where, line)
		}
		// The message follows the command and is read as one with it.
		left.WriteString(strings.TrimPrefix(begin, "::") + strings.TrimPrefix(line, begin))
	}
	return left.String()
}

// folded matches the beginning of a folded part of a page: our own words, or untrusted ones in
// a code element, in which only entities mean something.
var folded = regexp.MustCompile(`^<details><summary>(what is wrong|<code>[^<>]*</code>: \d+ places?( in \d+ tools?)?)</summary>\n$`)

// IsHarmless checks that a text has nothing that acts on a terminal or in a log.
func IsHarmless(t *testing.T, where, text string) {
	t.Helper()
	if at := acts.FindStringIndex(text); at != nil || !utf8.ValidString(text) {
		t.Errorf("%q prints what acts on a terminal, at %v:\n%q", where, at, text)
	}
	if found := commands.FindString(text); found != "" {
		t.Errorf("%q prints a command of a workflow, %q:\n%s", where, found, text)
	}
}

// markdown matches Markdown syntax.
var markdown = regexp.MustCompile(`\]\(|!\[|<[A-Za-z/!]|https?:|www\.|@|evil\*|_evil`)

// IsPlain checks that a text has no Markdown outside of code spans.
func IsPlain(t *testing.T, where, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if folded.MatchString(line) || line == "</details>\n" {
			continue
		}
		if left := withoutCode(line); markdown.MatchString(left) {
			t.Errorf("%q prints Markdown of others: %q is left of\n%s", where, left, line)
		}
	}
}

// withoutCode removes the code spans of a line, as CommonMark finds them.
func withoutCode(line string) string {
	var left strings.Builder
	for line != "" {
		plain := strings.IndexByte(line, '`')
		if plain < 0 {
			break
		}
		left.WriteString(line[:plain])
		line = line[plain:]
		fence := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		line = line[len(fence):]
		end := regexp.MustCompile("(?:^|[^`])(" + fence + ")(?:[^`]|$)").FindStringSubmatchIndex(line)
		if end == nil {
			left.WriteString(fence)
			continue
		}
		line = line[end[3]:]
	}
	return left.String() + line
}

// KeepsValues checks that escaping a JSON text has not changed its values.
func KeepsValues(t *testing.T, where, text string) {
	t.Helper()
	var strs []string
	var visit func(any)
	visit = func(value any) {
		switch value := value.(type) {
		case string:
			strs = append(strs, value)
		case []any:
			for _, element := range value {
				visit(element)
			}
		case map[string]any:
			for key, element := range value {
				strs = append(strs, key)
				visit(element)
			}
		}
	}
	for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More(); {
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Errorf("%q prints what is no JSON: %v\n%s", where, err, text)
			return
		}
		visit(value)
	}
	if !slices.ContainsFunc(strs, func(text string) bool { return strings.Contains(text, Poison) }) {
		t.Errorf("%q prints JSON in which no value is the poison: escape nothing in JSON, and leave IsJSON out if the values are never others' words:\n%s", where, text)
	}
}
