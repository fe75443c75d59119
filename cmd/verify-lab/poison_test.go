package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/emulator"
)

// runsOf returns runs of every command over poisoned texts.
func runsOf(t *testing.T, l clitest.Place) map[string][]clitest.Poisoned {
	t.Helper()
	tool := `{"name":` + l.Quoted + `,"description":` + l.Quoted + `,"parameters":{"type":"object","properties":{` + l.Quoted + `:{"const":` + l.Quoted + `}}}}`
	tools := l.File("tools.json", `[`+tool+`,`+tool+`,{"name":3,"x":`+l.Quoted+`}]`)
	single := l.File("tool.json", tool)
	broken := l.File("broken.json", clitest.Poison)
	answer := l.File("answer.json", `{"error":{"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field. "}}`)
	words := l.File("words.txt", clitest.Poison)
	absent := filepath.Join(l.Folder, "evil\x1b[2J\n::error::evil")
	evidence := l.File("evidence.jsonl", `{"id":`+l.Quoted+`,"path":"gemini.parameters","date":"2026-05-01","message":`+l.Quoted+`,"message_completeness":"complete","schema":{"type":"object"}}`)
	agreed := l.File("agreed.json", `{"dialects":[{"dialect":`+l.Quoted+`,"accepted":{"of":1,"agreed":1},"refused":{"of":0,"agreed":0},"messages":{"of":0,"exact":0},"disagreements":[]}],"set_aside":{}}`)
	cassette := l.File("cassette.json", `{"interactions":[{"request":{"method":"POST","uri":"https://api.openai.com/v1/chat/completions","body":{"string":`+
		clitest.Embedded(t, `{"model":"m","messages":[],"tools":[{"type":"function","function":`+tool+`}]}`)+`}},"response":{"status":{"code":400},"body":{"string":`+
		clitest.Embedded(t, `{"error":{"message":`+l.Quoted+`,"type":"invalid_request_error"}}`)+`}}}]}`)
	kept := l.Recordings()
	checkout := l.Checkout("checkout", "")
	hostile := l.Checkout("hostile", `{"id":"evil","title":`+l.Quoted+`,"source":{"kind":"found","section":`+l.Quoted+`},"tool":`+tool+
		`,"expect":{"gemini/parameters":{"raw":{"verdict":"rejected","message":`+l.Quoted+`}}}}`)
	refusing := l.Server(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":`+l.Quoted+`,"code":400,"status":"INVALID_ARGUMENT","type":`+l.Quoted+`}}`)
	})
	emulated := l.Server(emulator.New(emulator.Options{}).ServeHTTP)
	return map[string][]clitest.Poisoned{
		"verify-lab gateway-run": {{Arguments: []string{"gateway-run", clitest.Poison}}, {Arguments: []string{"gateway-run"}, Input: clitest.Poison, IsSilent: true}},
		"verify-lab scan-one":    {{Arguments: []string{"scan-one", clitest.Poison}}, {Arguments: []string{"scan-one"}, Input: clitest.Poison, IsSilent: true}},
		"verify-lab scan": {
			{Arguments: []string{"scan", "--results", filepath.Join(l.Folder, "scanned"), l.File("servers.json", `{"name":`+l.Quoted+`,"packages":[{"registryType":`+l.Quoted+`,"identifier":`+l.Quoted+`}]}`)}, IsSilent: true},
			{Arguments: []string{"scan", "--results", broken, words}},
			{Arguments: []string{"scan", "--results", absent, absent}},
		},
		"verify-lab import":           {{Arguments: []string{"import", cassette}, IsJSON: true}, {Arguments: []string{"import", broken}}, {Arguments: []string{"import", absent}}},
		"verify-lab reduce":           {{Arguments: []string{"reduce", "--to", kept, evidence}, IsSilent: true}, {Arguments: []string{"reduce", "--to", kept, absent}}},
		"verify-lab recordings":       {{Arguments: []string{"recordings", clitest.Poison}, IsSilent: true}, {Arguments: []string{"recordings", "--" + clitest.Poison}}},
		"verify-lab recordings list":  {{Arguments: []string{"recordings", "list", "--folder", kept}}, {Arguments: []string{"recordings", "list", "--folder", absent}}},
		"verify-lab recordings show":  {{Arguments: []string{"recordings", "show", "--folder", kept, "gemini"}}, {Arguments: []string{"recordings", "show", clitest.Poison}}},
		"verify-lab recordings prune": {{Arguments: []string{"recordings", "prune", "--dry-run", "--folder", absent}}},
		"verify-lab recordings scan":  {{Arguments: []string{"recordings", "scan", "--folder", kept}}},
		"verify-lab docs":             {{Arguments: []string{"docs", filepath.Join(words, "evil")}}},
		"verify-lab data":             {{Arguments: []string{"data", "--address", clitest.Poison, filepath.Join(words, "evil")}}},
		"verify-lab calibrate": {
			{Arguments: []string{"calibrate", evidence}},
			{Arguments: []string{"calibrate", "--json", evidence}, IsJSON: true},
			{Arguments: []string{"calibrate", "--baseline", agreed, evidence}},
			{Arguments: []string{"calibrate", broken}},
			{Arguments: []string{"calibrate", absent}},
		},
		"verify-lab gateway": {
			{Arguments: gatewayOf("--verbose", single)},
			{Arguments: gatewayOf("--markdown", single), IsMarkdown: true},
			{Arguments: gatewayOf("--json", single), IsJSON: true},
			{Arguments: gatewayOf(broken)},
			{Arguments: gatewayOf(absent)},
			{Arguments: []string{"gateway", clitest.Poison}},
			{Arguments: []string{"gateway", "--start-timeout", "300ms", "--command", "cat " + l.Spaceless(clitest.Poison), "--model", clitest.Poison, single}},
		},
		"verify-lab stats": {
			{Arguments: []string{"stats", tools}, IsSilent: true},
			{Arguments: []string{"stats", "--json", "--label", clitest.Poison, tools}, IsJSON: true},
			{Arguments: []string{"stats", broken}},
			{Arguments: []string{"stats", absent}},
			{Arguments: []string{"stats", "--as-of", clitest.Poison, tools}},
		},
		"verify-lab add": {
			{Arguments: []string{"add", "--data", checkout, "--provider", "gemini", "--schema", single, "--error", words, "--date", "today"}},
			{Arguments: []string{"add", "--data", checkout, "--schema", broken, "--error", words, "--date", "today"}},
			{Arguments: []string{"add", "--data", hostile, "--schema", single, "--error", answer, "--date", "today"}},
			{Arguments: []string{"add", "--source", clitest.Poison, "--schema", single, "--error", answer, "--date", "today"}},
		},
		"verify-lab":       {{Arguments: []string{clitest.Poison}}, {Arguments: []string{"--" + clitest.Poison}}},
		"verify-lab peers": {{Arguments: []string{"peers", "--pages", "--docs", absent}}, {Arguments: []string{"peers", "--" + clitest.Poison}}},
		"verify-lab live": {
			{Arguments: []string{"live", "--provider", "gemini", "--target", "gemini", "--retry-wait", "1ms", "--base-url", refusing, single}},
			{Arguments: []string{"live", "--provider", "openai", "--target", "openai", "--retry-wait", "1ms", "--json", "--base-url", refusing, single}, IsJSON: true},
			{Arguments: []string{"live", "--provider", "gemini", "--target", "gemini", "--raw", "--base-url", emulated, single}},
			{Arguments: []string{"live", "--provider", "gemini", "--target", "gemini", "--retry-wait", "1ms", "--model", clitest.Poison, "--base-url", emulated, single}},
		},
		"verify-lab explore": {{Arguments: []string{"explore", "--provider", clitest.Poison}}},
		"verify-lab minimize": {
			{Arguments: []string{"minimize", "--live", "--target", "gemini/parameters", "--base-url", refusing, single}},
		},
		"verify-lab new": {
			{Arguments: []string{"new", clitest.Poison}},
			{Arguments: []string{"new", "rule", clitest.Poison}},
			{Arguments: []string{"new", "rule", clitest.Poison + "/evil"}},
			{Arguments: []string{"new", "rule", "evil", "--target", clitest.Poison}},
			{Arguments: []string{"new", "surface", "--data", checkout, clitest.Poison}},
		},
		"verify-lab history": {
			{Arguments: []string{"history", "--to", filepath.Join(l.Folder, "measured"), "--from", broken}},
			{Arguments: []string{"history", "--to", filepath.Join(l.Folder, "measured"), "--from", absent}},
			{Arguments: []string{"history", "--to", filepath.Join(l.Folder, "measured"), "--servers", words, clitest.Poison}},
		},
		"verify-lab site":                  {{Arguments: []string{"site", filepath.Join(words, "evil")}}},
		"verify-lab help":                  {{Arguments: []string{"help", clitest.Poison}, IsSilent: true}},
		"verify-lab completion":            {{Arguments: []string{"completion", "--" + clitest.Poison}}},
		"verify-lab completion bash":       {{Arguments: []string{"completion", "bash", "--" + clitest.Poison}}},
		"verify-lab completion fish":       {{Arguments: []string{"completion", "fish", "--" + clitest.Poison}}},
		"verify-lab completion zsh":        {{Arguments: []string{"completion", "zsh", "--" + clitest.Poison}}},
		"verify-lab completion powershell": {{Arguments: []string{"completion", "powershell", "--" + clitest.Poison}}},
	}
}

// gatewayOf returns the arguments for a gateway that changes nothing.
func gatewayOf(more ...string) []string {
	return append([]string{"gateway", "--command", os.Args[0] + " gateway-of-tests {port} {upstream}", "--model", "gpt-4.1"}, more...)
}

// TestPoison feeds hostile texts to every command and checks that nothing in its output still
// acts.
func TestPoison(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "AIzaCANARYcanaryCANARYcanaryCANARYcanar")
	t.Setenv("OPENAI_API_KEY", "sk-CANARYcanaryCANARYcanary")
	place := clitest.NewPlace(t)
	clitest.CheckPoison(t, run, newRoot(&session{&cli.Session{}}), place.Folder, runsOf(t, place))
}
