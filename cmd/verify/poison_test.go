package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/schema"
)

// poison acts on a terminal, in the log of a workflow and in Markdown: it sets a title,
// clears the screen, turns the direction, begins lines with commands, and has a picture,
// a link, HTML and a mention. Of each that is seen, the word evil is left.
const poison = "evil\x1b]0;evil\x07\x1b[2J\u009b31m\x7f\u202e\u2066\u200b\n::error::evil\n  ::stop-commands::evil\n##[add-path]evil\r\n" +
	"##vso[task]evil <img src=x onerror=evil()>[evil](https://evil.example)![evil](https://evil.example/i.png)|`` https://evil.example " +
	"www.evil.example evil@evil.example @evil *evil* _evil_ `evil` &lt;\u2028\U000e0041\ufeff"

// quoted is the poison as a string of JSON.
func quoted(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(poison)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// poisoned is a run of the program over what is poisoned.
type poisoned struct {
	arguments []string
	input     string
	// isMarkdown and isJSON say what standard output is; isSilent that nothing of the
	// poison is repeated, where a word such as a server's phrase for a status may be.
	isMarkdown, isJSON, isSilent bool
	// format is what --format says; the three above follow from it.
	format string
}

// lab has the files and servers that the runs are about.
type lab struct {
	t      *testing.T
	folder string
	quoted string
}

// file writes a file whose name is poisoned too, and returns its path.
func (l lab) file(ending, text string) string {
	l.t.Helper()
	name := filepath.Join(l.folder, "evil\x1b]0;evil\x07\u202e\n::error::evil\n##[x]"+ending)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return name
}

func (l lab) server(handler http.HandlerFunc) string {
	web := httptest.NewServer(handler)
	l.t.Cleanup(web.Close)
	return web.URL
}

// results are the lines of a run, with another verdict in each.
func (l lab) results(verdict string) string {
	const end = `{"version":1,"summary":{"tools":1,"read":1,"judged":1,"targets":{},"evidence":{},"conforms":false}}`
	finding := `[{"rule":"r","severity":"critical","message":` + l.quoted + `,"at":"/evil","line":0,"col":0}]`
	line := func(members string) string {
		return `{"version":1,"id":"","tool":` + l.quoted + `,"source":` + l.quoted + `,"line":1,` + members + "}\n"
	}
	return line(`"target":"gemini","dialect":"gemini/parameters","status":"fail","error":"","normalized":{"verdict":"`+verdict+`","evidence":"predicted","findings":`+finding+
		`,"tool":{"name":`+l.quoted+`},"strict":false,"fallback":`+l.quoted+`,"loss":"exact","changes":[]}`) +
		line(`"target":"openai","dialect":"openai/chat","status":"inconclusive","error":`+l.quoted) +
		line(`"target":`+l.quoted+`,"dialect":`+l.quoted+`,"status":"error","error":`+l.quoted+`,"fixture":`+l.quoted+`,"side":"raw","normalizer":`+l.quoted) + end
}

// recordings writes a folder with a recording from a poisoned source.
func (l lab) recordings() string {
	l.t.Helper()
	folder := filepath.Join(l.folder, "recordings")
	request := provider.Request{Dialect: "gemini/parameters", Path: "/evil", Declarations: []*schema.Node{schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(poison)})}}
	_, err := recording.Folder{Path: folder}.Write(recording.Answered{
		Request: request, Grade: recording.Recorded, Source: poison, Date: "2026-01-01", Model: poison, Status: 200, Body: []byte(`{"candidates":[` + l.quoted + `]}`),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "evil\x1b[2J\n::error::evil"), []byte("AIzaCANARYcanaryCANARYcanaryCANARYcanar"), 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return folder
}

// checkout writes the data of a checkout: none but the given fixture, or all.
func (l lab) checkout(name, given string) string {
	l.t.Helper()
	folder := filepath.Join(l.folder, name)
	err := os.MkdirAll(filepath.Join(folder, "recordings"), 0o700)
	if given == "" {
		err = errors.Join(err, os.CopyFS(filepath.Join(folder, "fixtures"), os.DirFS("../../fixtures")))
	} else {
		err = errors.Join(err, os.MkdirAll(filepath.Join(folder, "fixtures"), 0o700),
			os.WriteFile(filepath.Join(folder, "fixtures", "fixture.schema.json"), []byte("{}"), 0o600),
			os.WriteFile(filepath.Join(folder, "fixtures", "evil.json"), []byte(given), 0o600))
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return folder
}

// gateway are the arguments that ask a gateway which changes nothing.
func (l lab) gateway(more ...string) []string {
	return append([]string{"gateway", "--command", os.Args[0] + " gateway-of-tests {port} {upstream}", "--model", "gpt-4.1"}, more...)
}

// agent puts an agent into the path that says the poison, and then does as Gemini CLI does.
func (l lab) agent(words string) {
	l.t.Helper()
	self, err := filepath.Abs(os.Args[0])
	folder := filepath.Join(l.t.TempDir(), "bin")
	err = errors.Join(err, os.Mkdir(folder, 0o700))
	script := "#!/bin/sh\ncat '" + words + "' >&2\nexec '" + self + "' gemini-of-tests \"$@\"\n"
	if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "gemini"), []byte(script), 0o700)); err != nil {
		l.t.Fatal(err)
	}
	l.t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// spaceless writes a file whose path has no space.
func (l lab) spaceless(text string) string {
	l.t.Helper()
	name := filepath.Join(l.folder, "words")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return name
}

// runs are poisoned runs of every command. A command that is not here fails the test.
func (l lab) runs() map[string][]poisoned {
	tool := `{"name":` + l.quoted + `,"description":` + l.quoted + `,"parameters":{"type":"object","properties":{` + l.quoted + `:{"const":` + l.quoted + `}}}}`
	tools := l.file("tools.json", `[`+tool+`,`+tool+`,{"name":3,"x":`+l.quoted+`}]`)
	single := l.file("tool.json", tool)
	broken := l.file("broken.json", poison)
	answer := l.file("answer.json", `{"error":{"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field. "}}`)
	words := l.file("words.txt", poison)
	l.agent(l.spaceless(poison))
	absent := filepath.Join(l.folder, "evil\x1b[2J\n::error::evil")
	before, after := l.file("old.jsonl", l.results("accepted")), l.file("new.jsonl", l.results("rejected"))
	evidence := l.file("evidence.jsonl", `{"id":`+l.quoted+`,"path":"gemini.parameters","date":"2026-05-01","message":`+l.quoted+`,"message_completeness":"complete","schema":{"type":"object"}}`)
	agreed := l.file("agreed.json", `{"dialects":[{"dialect":`+l.quoted+`,"accepted":{"of":1,"agreed":1},"refused":{"of":0,"agreed":0},"messages":{"of":0,"exact":0},"disagreements":[]}],"set_aside":{}}`)
	baseline := l.file("baseline.jsonl", `{"source":`+l.quoted+`,"id":"","tool":`+l.quoted+`,"target":"gemini","rule":"r","at":""}`)
	cassette := l.file("cassette.json", `{"interactions":[{"request":{"method":"POST","uri":"https://api.openai.com/v1/chat/completions","body":{"string":`+
		embedded(l.t, `{"model":"m","messages":[],"tools":[{"type":"function","function":`+tool+`}]}`)+`}},"response":{"status":{"code":400},"body":{"string":`+
		embedded(l.t, `{"error":{"message":`+l.quoted+`,"type":"invalid_request_error"}}`)+`}}}]}`)
	kept := l.recordings()
	checkout := l.checkout("checkout", "")
	hostile := l.checkout("hostile", `{"id":"evil","title":`+l.quoted+`,"source":{"kind":"found","section":`+l.quoted+`},"tool":`+tool+
		`,"expect":{"gemini/parameters":{"raw":{"verdict":"rejected","message":`+l.quoted+`}}}}`)
	unexpected := l.checkout("failing", `{"$schema":"../fixture.schema.json","id":"evil","title":"evil","source":{"kind":"found","section":"evil","date":"2026-01-01"},"tool":`+tool+
		`,"expect":{"gemini/parameters":{"raw":{"verdict":"rejected","message":`+l.quoted+`}}}}`)
	refusing := l.server(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":`+l.quoted+`,"code":400,"status":"INVALID_ARGUMENT","type":`+l.quoted+`}}`)
	})
	emulated := l.server(emulator.New(emulator.Options{}).ServeHTTP)
	listing := l.server(answering(`{"tools":[` + strings.Replace(tool, "parameters", "inputSchema", 1) + `]}`))
	failing := l.server(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, poison, http.StatusTeapot) })
	mad := l.server(func(w http.ResponseWriter, request *http.Request) {
		var asked struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.NewDecoder(request.Body).Decode(&asked)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"error":{"code":1,"message":`+l.quoted+`}}`)
	})

	configuration := l.file("configuration.json", `{"mcpServers":{`+l.quoted+`:{"type":"http","url":"`+listing+`"},`+
		`"says":{"command":"sh","args":["-c","cat \"$1\" >&2; exit 1","sh",`+embedded(l.t, words)+`]},`+
		`"absent":{"command":`+l.quoted+`},"lacks":{"command":"${`+l.quoted[1:len(l.quoted)-1]+`}"},"type":{"type":`+l.quoted+`},`+
		`"off":{"command":`+l.quoted+`,"disabled":true},"broken":{"type":"http","url":`+l.quoted+`}}}`)

	config := l.file("config.json", `{"mcpServers":{`+l.quoted+`:{}}}`)
	other := l.file("other.json", `{`+l.quoted+`:1}`)
	misspelt := l.file("misspelt.json", `{"name":`+l.quoted+`,"inputschema":{"type":"object"}}`)
	yaml := l.file("tools.yaml", "- name: "+strconv.QuoteToASCII(poison)+"\n  parameters: {type: object, properties: {"+strconv.QuoteToASCII(poison)+": {const: 1}}}\n")
	tagged := l.file("tagged.yaml", "a: !!int "+strconv.QuoteToASCII(poison)+"\n")

	ignoring := func(ending, day string) string {
		return l.file(ending, `{"sources":[`+embedded(l.t, single)+`],"targets":["gemini"],"ignore":[{"tool":"*","rule":"unknown_name","reason":`+l.quoted[:200]+`","until":"`+day+`"},`+
			`{"tool":`+l.quoted[:150]+`","rule":"unknown_name","reason":"evil","until":"9999-12-31"}]}`)
	}
	project, expired := ignoring("project.json", "9999-12-31"), ignoring("expired.json", "2020-01-31")
	mistaken := l.file("mistaken.json", `{"sources":[{`+l.quoted+`:1},`+l.quoted+`],"targets":[`+l.quoted+`],"severity":{`+l.quoted+`:1},"ignore":[{"until":`+l.quoted+`}],`+l.quoted+`:1}`)
	starting := l.file("starting.json", `{"sources":[{"server":[`+l.quoted+`]},{"config":`+embedded(l.t, configuration)+`}]}`)

	all := []poisoned{{arguments: []string{"check", tools}}, {arguments: []string{"check", "--verbose", "--target", "all", tools}}, {arguments: []string{"check", "--target", "gemini", "--diff", tools}}}
	runs := map[string][]poisoned{
		"verify": {
			{arguments: []string{"--fixture", poison}},
			{arguments: []string{"--data", hostile}},
			{arguments: []string{"--data", hostile, "--json"}},
			{arguments: []string{poison}},
			{arguments: []string{"--" + poison}},
			{arguments: []string{"--data", absent}},
			{arguments: []string{"--require", poison}},
		},
		"verify check": append(
			all, poisoned{arguments: []string{"check", "--json", tools}, isJSON: true}, poisoned{arguments: []string{"check", "--quiet", tools}},
			poisoned{arguments: []string{"check", broken}}, poisoned{arguments: []string{"check", absent}}, poisoned{arguments: []string{"check", "-"}, input: tool},
			poisoned{arguments: []string{"check", "--error", answer, single}}, poisoned{arguments: []string{"check", "--error", words, single}, isSilent: true},
			poisoned{arguments: []string{"check", "--error", answer, "--json", single}, isJSON: true}, poisoned{arguments: []string{"check", "--error", absent, single}},
			poisoned{arguments: []string{"check", "--target", "gemini", "--verbose", "--baseline", baseline, single}}, poisoned{arguments: []string{"check", "--baseline", absent, single}},
			poisoned{arguments: []string{"check", "--baseline", broken, single}}, poisoned{arguments: []string{"check", "--target", poison, single}},
			poisoned{arguments: []string{"check", "--target", "gemini", "--write-baseline", filepath.Join(l.folder, "written.jsonl"), tools}},
			poisoned{arguments: []string{"check", config}}, poisoned{arguments: []string{"check", other}}, poisoned{arguments: []string{"check", misspelt}},
			poisoned{arguments: []string{"check", yaml}}, poisoned{arguments: []string{"check", tagged}}, poisoned{arguments: []string{"check", l.folder}},
			poisoned{arguments: []string{"check", "--json", config}}, poisoned{arguments: []string{"check", "--json", yaml}, isJSON: true}, poisoned{arguments: []string{"check", filepath.Join(l.folder, "**", poison+"*")}},
			poisoned{arguments: []string{"check", "--", "sh", "-c", `cat "$1" >&2; cat "$2"`, poison, words, tools}},
			poisoned{arguments: []string{"check", "--", "cat", words}}, poisoned{arguments: []string{"check", "--", absent}},
			poisoned{arguments: []string{"check", "--config", mistaken}}, poisoned{arguments: []string{"check", "--config", broken}}, poisoned{arguments: []string{"check", "--config", absent}},
			poisoned{arguments: []string{"check", "--config", project, "--verbose"}}, poisoned{arguments: []string{"check", "--config", starting}},
			poisoned{arguments: []string{"check", "--config", l.file("command.json", `{"sources":[{"command":[`+l.quoted+`]}]}`)}},
		),
		"verify advise": {
			{arguments: []string{"advise", tools}},
			{arguments: []string{"advise", "--verbose", "--rule", "all", "--target", "ollama", tools}},
			{arguments: []string{"advise", "--json", tools}, isJSON: true},
			{arguments: []string{"advise", broken}},
			{arguments: []string{"advise", absent}},
			{arguments: []string{"advise", "--rule", poison, tools}},
			{arguments: []string{"advise", "--fail-on", poison, tools}},
			{arguments: []string{"advise", "--language", poison, "--verbose", yaml}},
			{arguments: []string{"advise", "--config", project, "--fail-on", "advice", "--verbose"}},
			{arguments: []string{"advise", "--", "cat", tools}},
		},
		"verify mcp": {
			{arguments: []string{"mcp", "--url", listing}},
			{arguments: []string{"mcp", "--advice", "--url", listing}},
			{arguments: []string{"mcp", "--url", listing, "--json"}, isJSON: true},
			{arguments: []string{"mcp", "--url", failing}, isSilent: true},
			{arguments: []string{"mcp", "--url", mad}},
			{arguments: []string{"mcp", "--url", poison}, isSilent: true},
			{arguments: []string{"mcp", "--", "sh", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{arguments: []string{"mcp", "--", "sh", "-c", `cat "$1"`, "sh", words}, isSilent: true},
			{arguments: []string{"mcp", "--", absent}},
			{arguments: []string{"mcp", "--config", configuration}},
			{arguments: []string{"mcp", "--config", configuration, "--json"}, isJSON: true},
			{arguments: []string{"mcp", "--config", configuration, "--dry-run"}},
			{arguments: []string{"mcp", "--config", broken}},
			{arguments: []string{"mcp", "--config", absent}},
			{arguments: []string{"mcp", "--url", listing, "--header", poison + ": x"}},
		},
		"verify normalize": {
			{arguments: []string{"normalize", "--target", "openai-strict", tools}, isJSON: true},
			{arguments: []string{"normalize", "--target", "gemini", broken}},
			{arguments: []string{"normalize", "--target", poison, tools}},
		},
		"verify diff": {{arguments: []string{"diff", "--target", "gemini", tools}}, {arguments: []string{"diff", "--target", "gemini", broken}}},
		"verify test": {
			{arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' "$1"; done`, "sh", `{"id":1,"error":` + l.quoted + `}`}},
			{arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--json", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' "$1"; done`, "sh", `{"id":1,"error":` + l.quoted + `}`}, isJSON: true},
			{arguments: []string{"test", "--target", "gemini", "--exec", "evil\x1b[2J"}},
		},
		"verify calibrate": {
			{arguments: []string{"calibrate", evidence}},
			{arguments: []string{"calibrate", "--json", evidence}, isJSON: true},
			{arguments: []string{"calibrate", "--baseline", agreed, evidence}},
			{arguments: []string{"calibrate", broken}},
			{arguments: []string{"calibrate", absent}},
		},
		"verify client": {
			{arguments: []string{"client", "gemini-cli", "--tools", single}},
			{arguments: []string{"client", "gemini-cli", "--tools", single, "--json"}, isJSON: true},
			{arguments: []string{"client", "gemini-cli", "--tools", single, "--markdown"}, isMarkdown: true},
			{arguments: []string{"client", "gemini-cli", "--url", listing}},
			{arguments: []string{"client", "gemini-cli", "--tools", broken}},
			{arguments: []string{"client", "gemini-cli", "--config", broken}},
			{arguments: []string{"client", "gemini-cli", "--server", "sh", "--", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{arguments: []string{"client", poison}},
		},
		"verify client-run":    {{arguments: []string{"client-run", poison}}, {arguments: []string{"client-run"}, input: poison, isSilent: true}},
		"verify gateway-run":   {{arguments: []string{"gateway-run", poison}}, {arguments: []string{"gateway-run"}, input: poison, isSilent: true}},
		"verify client-server": {{arguments: []string{"client-server", absent}}},
		"verify gateway": {
			{arguments: l.gateway("--verbose", single)},
			{arguments: l.gateway("--markdown", single), isMarkdown: true},
			{arguments: l.gateway("--json", single), isJSON: true},
			{arguments: l.gateway(broken)},
			{arguments: l.gateway(absent)},
			{arguments: []string{"gateway", poison}},
			{arguments: []string{"gateway", "--start-timeout", "300ms", "--command", "cat " + l.spaceless(poison), "--model", poison, single}},
		},
		"verify import":           {{arguments: []string{"import", cassette}, isJSON: true}, {arguments: []string{"import", broken}}, {arguments: []string{"import", absent}}},
		"verify report":           formatsOf(after, broken, absent),
		"verify compare":          {{arguments: []string{"compare", before, after}}, {arguments: []string{"compare", "--json", before, after}, isJSON: true}, {arguments: []string{"compare", "--markdown", before, after}, isMarkdown: true}, {arguments: []string{"compare", "--html", before, after}, format: report.HTMLFormat}, {arguments: []string{"compare", before, broken}}},
		"verify init":             {{arguments: []string{"init", poison}}, {arguments: []string{"init", "--" + poison}}},
		"verify recordings":       {{arguments: []string{"recordings", poison}, isSilent: true}, {arguments: []string{"recordings", "--" + poison}}},
		"verify recordings list":  {{arguments: []string{"recordings", "list", "--folder", kept}}, {arguments: []string{"recordings", "list", "--folder", absent}}},
		"verify recordings show":  {{arguments: []string{"recordings", "show", "--folder", kept, "gemini"}}, {arguments: []string{"recordings", "show", poison}}},
		"verify recordings prune": {{arguments: []string{"recordings", "prune", "--dry-run", "--folder", absent}}},
		"verify recordings scan":  {{arguments: []string{"recordings", "scan", "--folder", kept}}},
		"verify list":             {{arguments: []string{"list", poison}, isSilent: true}},
		"verify explain":          {{arguments: []string{"explain", poison}}},
		"verify docs":             {{arguments: []string{"docs", filepath.Join(words, "evil")}}, {arguments: []string{"docs", "--site", filepath.Join(words, "evil")}}},
		"verify stats": {
			{arguments: []string{"stats", tools}, isSilent: true},
			{arguments: []string{"stats", "--json", "--label", poison, tools}, isJSON: true},
			{arguments: []string{"stats", broken}},
			{arguments: []string{"stats", absent}},
			{arguments: []string{"stats", "--as-of", poison, tools}},
		},
		// A call is answered while standard input is open: TestMCPServer has calls.
		"verify mcp-server": {{
			arguments: []string{"mcp-server"}, isSilent: true,
			input: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":` + l.quoted + `,"version":"1"}}}` + "\n",
		}},
		"verify version":               {{arguments: []string{"version", poison}}},
		"verify help":                  {{arguments: []string{"help", poison}, isSilent: true}},
		"verify completion":            {{arguments: []string{"completion", "--" + poison}}},
		"verify completion bash":       {{arguments: []string{"completion", "bash", "--" + poison}}},
		"verify completion fish":       {{arguments: []string{"completion", "fish", "--" + poison}}},
		"verify completion zsh":        {{arguments: []string{"completion", "zsh", "--" + poison}}},
		"verify serve":                 {{arguments: []string{"serve", "--addr", poison}}, {arguments: []string{"serve", "--fault", poison}}, {arguments: []string{"serve", "--tls-cert", filepath.Join(absent, "evil")}}},
		"verify completion powershell": {{arguments: []string{"completion", "powershell", "--" + poison}}},
		"verify live": {
			{arguments: []string{"live", "--provider", "gemini", "--target", "gemini", "--retry-wait", "1ms", "--base-url", refusing, single}},
			{arguments: []string{"live", "--provider", "openai", "--target", "openai", "--retry-wait", "1ms", "--json", "--base-url", refusing, single}, isJSON: true},
			{arguments: []string{"live", "--provider", "gemini", "--target", "gemini", "--raw", "--base-url", emulated, single}},
			{arguments: []string{"live", "--provider", "gemini", "--target", "gemini", "--retry-wait", "1ms", "--model", poison, "--base-url", emulated, single}},
			{arguments: []string{"live", "--provider", poison}},
			{arguments: []string{"live", "--provider", "gemini", broken}},
			{arguments: []string{"live", "--provider", "gemini", "--dry-run", "--model", poison, single}},
		},
		"verify minimize": {
			{arguments: []string{"minimize", "--dialect", "gemini/parameters", single}},
			{arguments: []string{"minimize", "--json", "--dialect", "gemini/parameters", single}, isJSON: true},
			{arguments: []string{"minimize", "--dialect", "gemini/parameters", broken}},
			{arguments: []string{"minimize", "--dialect", "gemini/parameters", tools}},
			{arguments: []string{"minimize", "--live", "--dialect", "gemini/parameters", "--base-url", refusing, single}},
			{arguments: []string{"minimize", "--dialect", poison, single}},
		},
		"verify add": {
			{arguments: []string{"add", "--data", checkout, "--provider", "gemini", "--schema", single, "--error", words}},
			{arguments: []string{"add", "--data", checkout, "--schema", broken, "--error", words}},
			{arguments: []string{"add", "--data", hostile, "--schema", single, "--error", answer}},
			{arguments: []string{"add", "--source", poison, "--schema", single, "--error", answer}},
		},
	}
	for name, one := range map[string]poisoned{
		"verify":        {arguments: []string{"--data", unexpected}},
		"verify check":  {arguments: []string{"check", "--target", "gemini,openai", "--advice", tools}},
		"verify advise": {arguments: []string{"advise", "--fail-on", "advice", tools}},
		"verify mcp":    {arguments: []string{"mcp", "--url", listing}},
		"verify test":   {arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' "$1"; done`, "sh", `{"id":1,"error":` + l.quoted + `}`}},
	} {
		runs[name] = append(runs[name], inFormats(one)...)
	}
	for _, name := range []string{project, expired} {
		runs["verify check"] = append(runs["verify check"], inFormats(poisoned{arguments: []string{"check", "--config", name}})...)
	}
	return runs
}

// formatsOf are the reports of results in every format.
func formatsOf(results, broken, absent string) []poisoned {
	runs := []poisoned{{arguments: []string{"report", "--format", poison, results}}, {arguments: []string{"report", broken}}, {arguments: []string{"report", absent}}}
	return append(runs, inFormats(poisoned{arguments: []string{"report", results}})...)
}

// inFormats are a run in every format.
func inFormats(one poisoned) []poisoned {
	var runs []poisoned
	for _, format := range formatNames() {
		runs = append(runs, poisoned{
			arguments: inFormat(one.arguments, format), input: one.input, format: format, isMarkdown: format == "markdown", isJSON: format == "json",
			isSilent: format == "badge", // it has counts alone
		})
	}
	return runs
}

// embedded is a text as a string of JSON.
func embedded(t *testing.T, text string) string {
	t.Helper()
	made, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

// answering is an MCP server that answers tools/list with a result.
func answering(list string) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var asked struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(request.Body).Decode(&asked)
		if asked.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := `{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"error":{"code":-32601,"message":"no"}}`
		switch asked.Method {
		case "initialize":
			result = `{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`
		case "tools/list":
			result = `{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":` + list + `}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result)
	}
}

// TestPoison feeds what others write to every command, in every format, and looks for
// what still acts in what it prints.
func TestPoison(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "AIzaCANARYcanaryCANARYcanaryCANARYcanar")
	t.Setenv("OPENAI_API_KEY", "sk-CANARYcanaryCANARYcanary")
	sarif := compileSchema(t, "../../harness/report/testdata/sarif-schema-2.1.0.json")
	place := lab{t, t.TempDir(), quoted(t)}
	runs := place.runs()
	for _, name := range commandsOf(t) {
		given := runs[name]
		if len(given) == 0 {
			t.Errorf("%s is not poisoned: give it a run above", name)
		}
		for _, one := range given {
			var out, errs bytes.Buffer
			code := run(t.Context(), one.arguments, strings.NewReader(one.input), &out, &errs)
			where := strings.ReplaceAll(strings.Join(one.arguments, " "), place.folder, "")
			if !one.isSilent && !strings.Contains(out.String()+errs.String(), "evil") {
				t.Errorf("%q ended with %d and shows nothing of the poison:\n%s%s", where, code, out.String(), errs.String())
			}
			shown := out.String()
			if one.format == report.GitHubFormat {
				shown = withoutAnnotations(t, where, shown)
			}
			isHarmless(t, where, shown)
			isHarmless(t, where, errs.String())
			if one.isMarkdown {
				isPlain(t, where, out.String())
			}
			if one.format == report.HTMLFormat {
				isText(t, where, out.String())
			}
			if one.format == "sarif" {
				validate(t, sarif, out.Bytes(), where)
			}
			if one.isJSON {
				keepsValues(t, where, out.String())
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(place.folder, "written.jsonl"))
	if err != nil || !bytes.Contains(text, []byte("evil")) {
		t.Errorf("the baseline is %q, %v", text, err)
	}
	isHarmless(t, "the baseline", string(text))
}

// element is what HTML makes an element or a link of, of the poison's.
var element = regexp.MustCompile(`<(img|a) [^>]*(x|evil)|onerror=evil\(\)>|href="[^"#]`)

// isText looks for elements in a page that others wrote. What a page has of its own is no
// image, and its links stay in it.
func isText(t *testing.T, where, page string) {
	t.Helper()
	_, body, _ := strings.Cut(page, "<body>")
	body, _, _ = strings.Cut(body, "<script>")
	if found := element.FindString(body); found != "" {
		t.Errorf("%q prints HTML of others, %q:\n%s", where, found, body)
	}
}

// commandsOf returns the names of all commands that do something.
func commandsOf(t *testing.T) []string {
	t.Helper()
	root := newRoot(&session{&cli.Session{}})
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

// acts are letters that act on a terminal or hide there.
var acts = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")

// commands are what a workflow obeys.
var commands = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)

// annotation is the beginning of a command that shows a message, up to the message: file,
// line, column and title, without a letter that ends one of them.
var annotation = regexp.MustCompile(`^::(error|warning|notice)( file=[^:,\n]*,line=\d+(,col=\d+)?,title=[^:,\n]*| title=[^:,\n]*)::`)

// withoutAnnotations returns what is left of a log of annotations without their beginnings:
// what others wrote is in their files, titles and messages, and no line is without one.
func withoutAnnotations(t *testing.T, where, text string) string {
	t.Helper()
	var left strings.Builder
	for line := range strings.Lines(text) {
		begin := annotation.FindString(line)
		if begin == "" {
			t.Errorf("%q prints a line that is no annotation:\n%s", where, line)
		}
		// The message stands behind the command, and is read as one with it.
		left.WriteString(strings.TrimPrefix(begin, "::") + strings.TrimPrefix(line, begin))
	}
	return left.String()
}

// folded is the beginning of what a page folds: words of our own, or others' in a code
// element, where nothing but entities means something.
var folded = regexp.MustCompile(`^<details><summary>(what is wrong|<code>[^<>]*</code>: \d+ places?( in \d+ tools?)?)</summary>\n$`)

// isHarmless looks for what acts on a terminal or in a log.
func isHarmless(t *testing.T, where, text string) {
	t.Helper()
	if at := acts.FindStringIndex(text); at != nil || !utf8.ValidString(text) {
		t.Errorf("%q prints what acts on a terminal, at %v:\n%q", where, at, text)
	}
	if found := commands.FindString(text); found != "" {
		t.Errorf("%q prints a command of a workflow, %q:\n%s", where, found, text)
	}
}

// markdown is what Markdown makes something of.
var markdown = regexp.MustCompile(`\]\(|!\[|<[A-Za-z/!]|https?:|www\.|@|evil\*|_evil`)

// isPlain looks for Markdown in what is no code span.
func isPlain(t *testing.T, where, text string) {
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

// withoutCode leaves out the code spans of a line, as CommonMark finds them.
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

// keepsValues checks that an escaped text of JSON still says the same.
func keepsValues(t *testing.T, where, text string) {
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
	if !slices.ContainsFunc(strs, func(one string) bool { return strings.Contains(one, poison) }) {
		t.Errorf("%q changes the values:\n%s", where, text)
	}
}

// TestPoisonedLog: what the emulator's server has to say goes the same way.
func TestPoisonedLog(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, announced := io.Pipe()
	errs := &lockedBuffer{}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--tls-cert", filepath.Join(t.TempDir(), "emulator.pem")}, strings.NewReader(""), announced, errs)
	}()
	address := make([]byte, 100)
	size, err := out.Read(address)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(strings.TrimSpace(string(address[:size])), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, poison); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, connection) // until it is closed
	stop()
	<-ended
	if !strings.Contains(errs.String(), "TLS handshake error") {
		t.Errorf("the log is %q", errs.String())
	}
	isHarmless(t, "verify serve", errs.String())
}

// lockedBuffer is written to by several at once.
type lockedBuffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.String()
}
