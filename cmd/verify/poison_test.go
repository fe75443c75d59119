package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/report"
)

// runs are poisoned runs of every command. A command that is not here fails the test.
func runsOf(t *testing.T, l clitest.Place) map[string][]clitest.Poisoned {
	t.Helper()
	tool := `{"name":` + l.Quoted + `,"description":` + l.Quoted + `,"parameters":{"type":"object","properties":{` + l.Quoted + `:{"const":` + l.Quoted + `}}}}`
	tools := l.File("tools.json", `[`+tool+`,`+tool+`,{"name":3,"x":`+l.Quoted+`}]`)
	single := l.File("tool.json", tool)
	changed := l.File("changed.json", `{"name":`+l.Quoted+`,"description":"evil `+l.Quoted[1:]+`,"parameters":{"type":"object","properties":{`+l.Quoted+`:{"enum":[1,`+l.Quoted+`]},"x":{"description":`+l.Quoted+`}},"required":[`+l.Quoted+`]}}`)
	broken := l.File("broken.json", clitest.Poison)
	answer := l.File("answer.json", `{"error":{"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field. "}}`)
	words := l.File("words.txt", clitest.Poison)
	putAgent(t, l.Spaceless(clitest.Poison))
	absent := filepath.Join(l.Folder, "evil\x1b[2J\n::error::evil")
	before, after := l.File("old.jsonl", l.Results("accepted")), l.File("new.jsonl", l.Results("rejected"))
	baseline := l.File("baseline.jsonl", `{"source":`+l.Quoted+`,"id":"","tool":`+l.Quoted+`,"target":"gemini","rule":"r","at":""}`)
	hostile := l.Checkout("hostile", `{"id":"evil","title":`+l.Quoted+`,"source":{"kind":"found","section":`+l.Quoted+`},"tool":`+tool+
		`,"expect":{"gemini/parameters":{"raw":{"verdict":"rejected","message":`+l.Quoted+`}}}}`)
	unexpected := l.Checkout("failing", `{"$schema":"../fixture.schema.json","id":"evil","title":"evil","source":{"kind":"found","section":"evil","date":"2026-01-01"},"tool":`+tool+
		`,"expect":{"gemini/parameters":{"raw":{"verdict":"rejected","message":`+l.Quoted+`}}}}`)
	listing := l.Server(clitest.Answering(`{"tools":[` + strings.Replace(tool, "parameters", "inputSchema", 1) + `]}`))
	failing := l.Server(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, clitest.Poison, http.StatusTeapot) })
	mad := l.Server(func(w http.ResponseWriter, request *http.Request) {
		var asked struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.NewDecoder(request.Body).Decode(&asked)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"error":{"code":1,"message":`+l.Quoted+`}}`)
	})

	configuration := l.File("configuration.json", `{"mcpServers":{`+l.Quoted+`:{"type":"http","url":"`+listing+`"},`+
		`"says":{"command":"sh","args":["-c","cat \"$1\" >&2; exit 1","sh",`+clitest.Embedded(t, words)+`]},`+
		`"absent":{"command":`+l.Quoted+`},"lacks":{"command":"${`+l.Quoted[1:len(l.Quoted)-1]+`}"},"type":{"type":`+l.Quoted+`},`+
		`"off":{"command":`+l.Quoted+`,"disabled":true},"broken":{"type":"http","url":`+l.Quoted+`}}}`)

	lock := l.File("lock", `{"lock":1,"source":`+l.Quoted+`,"tools":[`+tool+`]}`)
	locked := l.File("locked.json", `{"sources":[`+clitest.Embedded(t, changed)+`],"lock":`+clitest.Embedded(t, lock)+`}`)
	config := l.File("config.json", `{"mcpServers":{`+l.Quoted+`:{}}}`)
	other := l.File("other.json", `{`+l.Quoted+`:1}`)
	misspelt := l.File("misspelt.json", `{"name":`+l.Quoted+`,"inputschema":{"type":"object"}}`)
	yaml := l.File("tools.yaml", "- name: "+strconv.QuoteToASCII(clitest.Poison)+"\n  parameters: {type: object, properties: {"+strconv.QuoteToASCII(clitest.Poison)+": {const: 1}}}\n")
	tagged := l.File("tagged.yaml", "a: !!int "+strconv.QuoteToASCII(clitest.Poison)+"\n")

	ignoring := func(ending, day string) string {
		return l.File(ending, `{"sources":[`+clitest.Embedded(t, single)+`],"targets":["gemini"],"ignore":[{"tool":"*","rule":"unknown_name","reason":`+l.Quoted[:200]+`","until":"`+day+`"},`+
			`{"tool":`+l.Quoted[:150]+`","rule":"unknown_name","reason":"evil","until":"9999-12-31"}]}`)
	}
	project, expired := ignoring("project.json", "9999-12-31"), ignoring("expired.json", "2020-01-31")
	mistaken := l.File("mistaken.json", `{"sources":[{`+l.Quoted+`:1},`+l.Quoted+`],"targets":[`+l.Quoted+`],"severity":{`+l.Quoted+`:1},"ignore":[{"until":`+l.Quoted+`}],`+l.Quoted+`:1}`)
	starting := l.File("starting.json", `{"sources":[{"server":[`+l.Quoted+`]},{"config":`+clitest.Embedded(t, configuration)+`}]}`)

	all := []clitest.Poisoned{{Arguments: []string{"check", tools}}, {Arguments: []string{"check", "--verbose", "--target", "all", tools}}, {Arguments: []string{"check", "--target", "gemini", "--diff", tools}}}
	runs := map[string][]clitest.Poisoned{
		"verify": {
			{Arguments: []string{"--fixture", clitest.Poison}},
			{Arguments: []string{"--data", hostile}},
			{Arguments: []string{"--data", hostile, "--json"}},
			{Arguments: []string{clitest.Poison}},
			{Arguments: []string{"--" + clitest.Poison}},
			{Arguments: []string{"--data", absent}},
			{Arguments: []string{"--require", clitest.Poison}},
		},
		"verify check": append(
			all, clitest.Poisoned{Arguments: []string{"check", "--json", tools}, IsJSON: true}, clitest.Poisoned{Arguments: []string{"check", "--quiet", tools}},
			clitest.Poisoned{Arguments: []string{"check", broken}}, clitest.Poisoned{Arguments: []string{"check", absent}}, clitest.Poisoned{Arguments: []string{"check", "-"}, Input: tool},
			clitest.Poisoned{Arguments: []string{"check", "--error", answer, single}}, clitest.Poisoned{Arguments: []string{"check", "--error", words, single}, IsSilent: true},
			clitest.Poisoned{Arguments: []string{"check", "--error", answer, "--json", single}, IsJSON: true}, clitest.Poisoned{Arguments: []string{"check", "--error", absent, single}},
			clitest.Poisoned{Arguments: []string{"check", "--target", "gemini", "--verbose", "--baseline", baseline, single}}, clitest.Poisoned{Arguments: []string{"check", "--baseline", absent, single}},
			clitest.Poisoned{Arguments: []string{"check", "--baseline", broken, single}}, clitest.Poisoned{Arguments: []string{"check", "--target", clitest.Poison, single}},
			clitest.Poisoned{Arguments: []string{"check", "--target", "gemini", "--write-baseline", filepath.Join(l.Folder, "written.jsonl"), tools}},
			clitest.Poisoned{Arguments: []string{"check", config}}, clitest.Poisoned{Arguments: []string{"check", other}}, clitest.Poisoned{Arguments: []string{"check", misspelt}},
			clitest.Poisoned{Arguments: []string{"check", yaml}}, clitest.Poisoned{Arguments: []string{"check", tagged}}, clitest.Poisoned{Arguments: []string{"check", l.Folder}},
			clitest.Poisoned{Arguments: []string{"check", "--json", config}}, clitest.Poisoned{Arguments: []string{"check", "--json", yaml}, IsJSON: true}, clitest.Poisoned{Arguments: []string{"check", filepath.Join(l.Folder, "**", clitest.Poison+"*")}},
			clitest.Poisoned{Arguments: []string{"check", "--", "sh", "-c", `cat "$1" >&2; cat "$2"`, clitest.Poison, words, tools}},
			clitest.Poisoned{Arguments: []string{"check", "--", "cat", words}}, clitest.Poisoned{Arguments: []string{"check", "--", absent}},
			clitest.Poisoned{Arguments: []string{"check", "--config", mistaken}}, clitest.Poisoned{Arguments: []string{"check", "--config", broken}}, clitest.Poisoned{Arguments: []string{"check", "--config", absent}},
			clitest.Poisoned{Arguments: []string{"check", "--config", project, "--verbose"}}, clitest.Poisoned{Arguments: []string{"check", "--config", starting}},
			clitest.Poisoned{Arguments: []string{"check", "--config", l.File("command.json", `{"sources":[{"command":[`+l.Quoted+`]}]}`)}},
		),
		"verify advise": {
			{Arguments: []string{"advise", tools}},
			{Arguments: []string{"advise", "--verbose", "--rule", "all", "--target", "ollama", tools}},
			{Arguments: []string{"advise", "--json", tools}, IsJSON: true},
			{Arguments: []string{"advise", broken}},
			{Arguments: []string{"advise", absent}},
			{Arguments: []string{"advise", "--rule", clitest.Poison, tools}},
			{Arguments: []string{"advise", "--fail-on", clitest.Poison, tools}},
			{Arguments: []string{"advise", "--language", clitest.Poison, "--verbose", yaml}},
			{Arguments: []string{"advise", "--config", project, "--fail-on", "advice", "--verbose"}},
			{Arguments: []string{"advise", "--", "cat", tools}},
		},
		"verify mcp": {
			{Arguments: []string{"mcp", "--url", listing}},
			{Arguments: []string{"mcp", "--advice", "--url", listing}},
			{Arguments: []string{"mcp", "--url", listing, "--json"}, IsJSON: true},
			{Arguments: []string{"mcp", "--url", failing}, IsSilent: true},
			{Arguments: []string{"mcp", "--url", mad}},
			{Arguments: []string{"mcp", "--url", clitest.Poison}, IsSilent: true},
			{Arguments: []string{"mcp", "--", "sh", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{Arguments: []string{"mcp", "--", "sh", "-c", `cat "$1"`, "sh", words}, IsSilent: true},
			{Arguments: []string{"mcp", "--", absent}},
			{Arguments: []string{"mcp", "--config", configuration}},
			{Arguments: []string{"mcp", "--config", configuration, "--json"}, IsJSON: true},
			{Arguments: []string{"mcp", "--config", configuration, "--dry-run"}},
			{Arguments: []string{"mcp", "--config", broken}},
			{Arguments: []string{"mcp", "--config", absent}},
			{Arguments: []string{"mcp", "--url", listing, "--header", clitest.Poison + ": x"}},
		},
		"verify normalize": {
			{Arguments: []string{"normalize", "--target", "openai-strict", tools}, IsJSON: true},
			{Arguments: []string{"normalize", "--target", "gemini", broken}},
			{Arguments: []string{"normalize", "--target", clitest.Poison, tools}},
		},
		"verify diff": {
			{Arguments: []string{"diff", single, changed}},
			{Arguments: []string{"diff", "--verbose", changed, single}},
			{Arguments: []string{"diff", "--json", single, changed}, IsJSON: true},
			{Arguments: []string{"diff", "--markdown", single, changed}, IsMarkdown: true},
			{Arguments: []string{"diff", single, tools}},
			{Arguments: []string{"diff", broken, single}},
			{Arguments: []string{"diff", absent, single}},
			{Arguments: []string{"diff", "git:-" + clitest.Poison + ":a", single}},
			{Arguments: []string{"diff", "npm:-" + clitest.Poison, single}},
			{Arguments: []string{"diff", "--fail-on", clitest.Poison, single, single}},
			{Arguments: []string{"diff", "--verbose", listing, changed}},
			{Arguments: []string{"diff", single, "--", absent}},
			{Arguments: []string{"diff", "--config", locked}},
			{Arguments: []string{"diff", "--write-lock", "--config", absent}},
		},
		"verify test": {
			{Arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{Arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' "$1"; done`, "sh", `{"id":1,"error":` + l.Quoted + `}`}},
			{Arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--json", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' "$1"; done`, "sh", `{"id":1,"error":` + l.Quoted + `}`}, IsJSON: true},
			{Arguments: []string{"test", "--target", "gemini", "--exec", "evil\x1b[2J"}},
		},
		"verify client": {
			{Arguments: []string{"client", "gemini-cli", "--tools", single}},
			{Arguments: []string{"client", "gemini-cli", "--tools", single, "--json"}, IsJSON: true},
			{Arguments: []string{"client", "gemini-cli", "--tools", single, "--markdown"}, IsMarkdown: true},
			{Arguments: []string{"client", "gemini-cli", "--url", listing}},
			{Arguments: []string{"client", "gemini-cli", "--tools", broken}},
			{Arguments: []string{"client", "gemini-cli", "--config", broken}},
			{Arguments: []string{"client", "gemini-cli", "--server", "sh", "--", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{Arguments: []string{"client", clitest.Poison}},
		},
		"verify guard":         {{Arguments: []string{"guard", "--", clitest.Poison}}},
		"verify client-run":    {{Arguments: []string{"client-run", clitest.Poison}}, {Arguments: []string{"client-run"}, Input: clitest.Poison, IsSilent: true}},
		"verify client-server": {{Arguments: []string{"client-server", absent}}},
		"verify report":        formatsOf(after, broken, absent),
		"verify compare":       {{Arguments: []string{"compare", before, after}}, {Arguments: []string{"compare", "--json", before, after}, IsJSON: true}, {Arguments: []string{"compare", "--markdown", before, after}, IsMarkdown: true}, {Arguments: []string{"compare", "--html", before, after}, Format: report.HTMLFormat}, {Arguments: []string{"compare", before, broken}}},
		"verify init":          {{Arguments: []string{"init", clitest.Poison}}, {Arguments: []string{"init", "--" + clitest.Poison}}},
		"verify list":          {{Arguments: []string{"list", clitest.Poison}, IsSilent: true}},
		"verify explain":       {{Arguments: []string{"explain", clitest.Poison}}},
		// A call is answered while standard input is open: TestMCPServer has calls.
		"verify mcp-server": {{
			Arguments: []string{"mcp-server"}, IsSilent: true,
			Input: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":` + l.Quoted + `,"version":"1"}}}` + "\n",
		}},
		"verify conformance": {
			{Arguments: []string{"conformance", "--command", "sh", "--", "-c", `cat "$1" >&2; exit 1`, "sh", words}},
			{Arguments: []string{"conformance", "--json", "--command", "sh", "--", "-c", `printf '%s\n' "$1"`, "sh", l.Quoted}},
			{Arguments: []string{"conformance", "--command", "sh", "--surface", clitest.Poison}},
			{Arguments: []string{"conformance", "--command", "sh", "--expected-failures", broken}},
		},
		"verify rpc": {
			{Arguments: []string{"rpc"}, Input: `{"id":` + l.Quoted + `,"method":` + l.Quoted + "}\n", IsJSON: true},
			{Arguments: []string{"rpc"}, Input: `{"id":1,"method":"check","params":{"tools":` + l.Quoted + "}}\n"},
			{Arguments: []string{"rpc", clitest.Poison}},
		},
		"verify version":               {{Arguments: []string{"version", clitest.Poison}}},
		"verify help":                  {{Arguments: []string{"help", clitest.Poison}, IsSilent: true}},
		"verify completion":            {{Arguments: []string{"completion", "--" + clitest.Poison}}},
		"verify completion bash":       {{Arguments: []string{"completion", "bash", "--" + clitest.Poison}}},
		"verify completion fish":       {{Arguments: []string{"completion", "fish", "--" + clitest.Poison}}},
		"verify completion zsh":        {{Arguments: []string{"completion", "zsh", "--" + clitest.Poison}}},
		"verify record":                {{Arguments: []string{"record", "--", clitest.Poison}}},
		"verify wrap":                  {{Arguments: []string{"wrap", "--", clitest.Poison}}, {Arguments: []string{"wrap", "--target", clitest.Poison, "--", "sh"}}, {Arguments: []string{"wrap", clitest.Poison}, IsSilent: true}},
		"verify serve":                 {{Arguments: []string{"serve", "--addr", clitest.Poison}}, {Arguments: []string{"serve", "--fault", clitest.Poison}}, {Arguments: []string{"serve", "--tls-cert", filepath.Join(absent, "evil")}}},
		"verify completion powershell": {{Arguments: []string{"completion", "powershell", "--" + clitest.Poison}}},
		"verify live": {
			{Arguments: []string{"live", "--provider", clitest.Poison}},
			{Arguments: []string{"live", "--provider", "gemini", broken}},
			{Arguments: []string{"live", "--provider", "gemini", "--dry-run", "--model", clitest.Poison, single}},
		},
		"verify minimize": {
			{Arguments: []string{"minimize", "--target", "gemini/parameters", single}},
			{Arguments: []string{"minimize", "--json", "--target", "gemini/parameters", single}, IsJSON: true},
			{Arguments: []string{"minimize", "--target", "gemini/parameters", broken}},
			{Arguments: []string{"minimize", "--target", "gemini/parameters", tools}},
			{Arguments: []string{"minimize", "--target", clitest.Poison, single}},
		},
	}
	for name, one := range map[string]clitest.Poisoned{
		"verify":        {Arguments: []string{"--data", unexpected}},
		"verify check":  {Arguments: []string{"check", "--target", "gemini,openai", "--advice", tools}},
		"verify advise": {Arguments: []string{"advise", "--fail-on", "advice", tools}},
		"verify mcp":    {Arguments: []string{"mcp", "--url", listing}},
		"verify test":   {Arguments: []string{"test", "--target", "gemini", "--fixture", "property-named-const", "--exec", "sh", "--", "-c", `while read x; do printf '%s\n' "$1"; done`, "sh", `{"id":1,"error":` + l.Quoted + `}`}},
	} {
		runs[name] = append(runs[name], inFormats(one)...)
	}
	for _, name := range []string{project, expired} {
		runs["verify check"] = append(runs["verify check"], inFormats(clitest.Poisoned{Arguments: []string{"check", "--config", name}})...)
	}
	return runs
}

// formatsOf are the reports of results in every format.
func formatsOf(results, broken, absent string) []clitest.Poisoned {
	runs := []clitest.Poisoned{{Arguments: []string{"report", "--format", clitest.Poison, results}}, {Arguments: []string{"report", broken}}, {Arguments: []string{"report", absent}}}
	return append(runs, inFormats(clitest.Poisoned{Arguments: []string{"report", results}})...)
}

// inFormats are a run in every format.
func inFormats(one clitest.Poisoned) []clitest.Poisoned {
	var runs []clitest.Poisoned
	for _, format := range formatNames() {
		runs = append(runs, clitest.Poisoned{
			Arguments: inFormat(one.Arguments, format), Input: one.Input, Format: format, IsMarkdown: format == "markdown", IsJSON: format == "json",
			IsSilent: format == "badge", // it has counts alone
		})
	}
	return runs
}

// putAgent puts an agent into the path that says the poison, and then does as Gemini CLI does.
func putAgent(t *testing.T, words string) {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	folder := filepath.Join(t.TempDir(), "bin")
	err = errors.Join(err, os.Mkdir(folder, 0o700))
	script := "#!/bin/sh\ncat '" + words + "' >&2\nexec '" + self + "' gemini-of-tests \"$@\"\n"
	if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "gemini"), []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestPoison feeds what others write to every command, in every format, and looks for
// what still acts in what it prints.
func TestPoison(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "AIzaCANARYcanaryCANARYcanaryCANARYcanar")
	t.Setenv("OPENAI_API_KEY", "sk-CANARYcanaryCANARYcanary")
	place := clitest.NewPlace(t)
	clitest.CheckPoison(t, run, newRoot(&session{&cli.Session{}}), place.Folder, runsOf(t, place))
	text, err := os.ReadFile(filepath.Join(place.Folder, "written.jsonl"))
	if err != nil || !bytes.Contains(text, []byte("evil")) {
		t.Errorf("the baseline is %q, %v", text, err)
	}
	clitest.IsHarmless(t, "the baseline", string(text))
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
	if _, err := io.WriteString(connection, clitest.Poison); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, connection) // until it is closed
	stop()
	<-ended
	if !strings.Contains(errs.String(), "TLS handshake error") {
		t.Errorf("the log is %q", errs.String())
	}
	clitest.IsHarmless(t, "verify serve", errs.String())
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
