package main

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/lab/gateway"
)

// serveGateway serves a gateway at a port that passes requests on to an address.
func serveGateway(port, upstream string) error {
	to, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(request *httputil.ProxyRequest) { request.SetURL(to) }}
	return http.ListenAndServe("127.0.0.1:"+port, proxy)
}

// TestGateway sends tools through a gateway that changes nothing: it finds the provider's
// refusals, in text, in Markdown and in lines of the published form.
func TestGateway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.json")
	tools := `{"tools":[{"name":"good","description":"Does.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},
{"name":"bad","description":"Does.","inputSchema":{"type":"object","properties":{"a":{"type":"array"}}}}]}`
	if err := os.WriteFile(file, []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := func(more ...string) []string {
		return append([]string{"gateway", "--command", os.Args[0] + " gateway-of-tests {port} {upstream}", "--model", "gpt-4.1", file}, more...)
	}
	text, _ := clitest.Output(t, run, "", cli.CodeFails, arguments()...)
	if !strings.Contains(text, "1 of 2 tools pass through whole") || !strings.Contains(text, "bad: Invalid schema for function 'bad'") {
		t.Errorf("the text is\n%s", text)
	}
	page, _ := clitest.Output(t, run, "", cli.CodeFails, arguments("--markdown")...)
	if !strings.Contains(page, "| 1 of 2 | 0 | 1 | 0 | 0 | 400, the caller gets 400 | 20") {
		t.Errorf("the page is\n%s", page)
	}
	line, _ := clitest.Output(t, run, "", cli.CodeFails, arguments("--json")...)
	clitest.Validate(t, clitest.CompileSchema(t, "../../docs/schema/gateway.schema.json"), []byte(line), "gateway line")
	var report gateway.Report
	if err := json.Unmarshal([]byte(line), &report); err != nil || len(report.Tools) != 2 || report.Tools[0].Passage.Calls[0] != "good" {
		t.Errorf("the line is %s, %v", line, err)
	}
}

// TestGatewayWithoutVerdict asks a gateway that knows no path: nothing is learnt about the tools.
func TestGatewayWithoutVerdict(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(file, []byte(`{"tools":[{"name":"good","inputSchema":{"type":"object"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs := clitest.Output(t, run, "", cli.CodeInconclusive, "gateway", "--command", os.Args[0]+" gateway-of-tests {port} {upstream}", "--path", "/none", "--model", "gpt-4.1", file)
	if !strings.Contains(errs, "it answers no request") {
		t.Errorf("it says %s", errs)
	}
}

// TestGatewayUsage checks that each mistake gets one hint.
func TestGatewayUsage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{nil, "the name of a gateway is required"},
		{[]string{"portkee", "x.json"}, `unknown gateway "portkee"`},
		{[]string{"--command", "none-such-program", "--model", "m", "x.json"}, "name a program with --command"},
		{[]string{"--command", "true", "x.json"}, "--model is required"},
		{[]string{"--command", "true", "--model", "m", "--in", "grpc", "x.json"}, "--in is chat, responses or messages"},
		{[]string{"--url", "http://127.0.0.1:1", "--model", "m", "x.json"}, "--url requires --listen"},
		{[]string{"--url", "http://192.0.2.1:1", "--header", "X-Key: CANARY", "--listen", "127.0.0.1:0", "--model", "m", "x.json"}, "--url: the key would travel unencrypted: 192.0.2.1:1 is not this machine"},
		{[]string{"--url", "http://u:CANARY@192.0.2.1:1", "--listen", "127.0.0.1:0", "--model", "m", "x.json"}, "--url: the key would travel unencrypted: 192.0.2.1:1 is not this machine"},
		{[]string{"--url", "http://127.0.0.1:1", "--listen", "0.0.0.0:1", "--model", "m", "x.json"}, "--url requires --listen"},
		{[]string{"--command", "true", "--model", "m"}, "a file of tools is required"},
	} {
		_, errs := clitest.Output(t, run, "", cli.CodeBroken, append([]string{"gateway"}, test.arguments...)...)
		if !strings.Contains(errs, test.want) || strings.Count(errs, "hint:") > 1 {
			t.Errorf("%q: %s", test.arguments, errs)
		}
	}
}
