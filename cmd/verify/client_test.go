package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/agent"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/agent/client"
	"toolproof/harness/server"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// beGemini is an agent for the scripts, which is configured as Gemini CLI is. It leaves out
// a tool whose name begins with dropped, takes patterns out, and sends none where a name
// begins with true.
func beGemini() {
	if slices.Contains(os.Args, "--version") {
		fmt.Println("0.1.0-fake")
		return
	}
	if err := geminiAnswers(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func geminiAnswers() error {
	written, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".gemini", "settings.json"))
	if err != nil {
		return err
	}
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"` //nolint:tagliatelle // Gemini CLI writes it so
	}
	if err := json.Unmarshal(written, &config); err != nil {
		return err
	}
	var declarations []*schema.Node
	for name, started := range config.Servers {
		text, err := server.Program(context.Background(), started.Command, started.Args...).List(context.Background())
		if err != nil {
			return err
		}
		list, err := schema.Parse(text)
		if err != nil || bytes.Contains(text, []byte(`"name":"true`)) {
			continue
		}
		for _, tool := range list.Get("tools").Elements {
			if strings.HasPrefix(tool.GetString("name"), "dropped") {
				continue
			}
			parameters := tool.Get("inputSchema").Clone()
			parameters.Each(func(node *schema.Node) bool {
				node.Delete("pattern")
				return true
			})
			declarations = append(declarations, schema.NewObject(
				schema.Member{Key: "name", Value: schema.NewString("mcp_" + name + "_" + tool.GetString("name"))},
				schema.Member{Key: "description", Value: tool.Get("description")}, schema.Member{Key: "parametersJsonSchema", Value: parameters}))
		}
	}
	body, err := json.Marshal(map[string]any{
		"contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "Say hello."}}}},
		"tools":    []any{map[string]any{"functionDeclarations": declarations}},
	})
	if err != nil {
		return err
	}
	answer, err := http.Post(os.Getenv("GOOGLE_GEMINI_BASE_URL")+"/v1beta/models/gemini-2.5-flash:generateContent", "application/json", bytes.NewReader(body)) //nolint:noctx // the script has a limit
	if err != nil {
		return err
	}
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the API says %d: %s", answer.StatusCode, said)
	}
	return errors.Join(err, answer.Body.Close())
}

// TestClientLines checks that what verify client writes is what it publishes.
func TestClientLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/client.schema.json")
	tools := []agent.Tool{
		{Tool: arrival.Tool{Name: "a", Sent: "s_a", State: arrival.Changed, Loss: rewrite.Both, Changes: []arrival.Change{{At: "/parameters", Unknown: true, After: schema.NewObject()}}, Refused: []verdict.Finding{{Severity: "critical", Message: "no"}}}},
		{Tool: arrival.Absent("b"), Costs: 1, Says: []string{"b is bad"}},
	}
	var out bytes.Buffer
	s := &session{&cli.Session{Out: bufio.NewWriter(&out)}}
	reports := []agent.Report{
		{Version: 1, Client: "codex", Surface: "responses", Model: "gpt-5", Date: "2026-11-22", Runs: 1, Habits: []string{"x"}, Request: &agent.Request{Path: "/v1/responses", Status: 400, Message: "no"}, Tools: tools, Output: "x"},
		{Version: 1, Client: "cline", Surface: "gemini", Model: "m", Date: "2026-11-22", Runs: 2, IsLate: true, ExitCode: -1, Habits: []string{}, Tools: tools[1:]},
	}
	for i := range reports {
		s.writeClientLine(&reports[i])
	}
	s.writeClientSummary(reports)
	_ = s.Out.Flush()
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		clitest.Validate(t, compiled, line, "client line")
	}
	if want := `"summary":{"runs":2,"tools":3,"kept":0,"changed":1,"deferred":0,"missing":2,"silent":0,"refused":1,"refused_requests":1,"conforms":false}`; !bytes.Contains(lines[2], []byte(want)) {
		t.Errorf("the summary is %s", lines[2])
	}
}

// TestClientIsNotInstalled asks for an agent that is not in the path.
func TestClientIsNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, errs := clitest.Output(t, run, "", cli.CodeBroken, "client", "codex", "--tools", "x.json")
	if !strings.HasPrefix(errs, "verify: Codex is not installed: ") || !strings.HasSuffix(errs, "hint: npm install --global @openai/codex\n") {
		t.Errorf("it says %s", errs)
	}
	if _, errs := clitest.Output(t, run, "", cli.CodeBroken, "client", "--all", "--tools", "x.json"); !strings.HasPrefix(errs, "verify: no agent is installed") {
		t.Errorf("it says %s", errs)
	}
	out, _ := clitest.Output(t, run, "", cli.CodeConforms, "list", "clients")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != len(client.Agents) || strings.Count(out, "not installed: ") != len(lines) {
		t.Errorf("it lists %s", out)
	}
}

// TestPoisonOfClients: nothing that an agent or a server writes acts in a report. A version
// has digits and letters alone, and habits are sentences of the row.
func TestPoisonOfClients(t *testing.T) {
	t.Parallel()
	value := schema.NewObject(schema.Member{Key: clitest.Poison, Value: schema.NewString(clitest.Poison)})
	tools := []agent.Tool{
		{Tool: arrival.Tool{
			Name: clitest.Poison, Sent: clitest.Poison, State: arrival.Changed, Loss: rewrite.Both, Dialect: "gemini/parameters",
			Changes: []arrival.Change{{At: schema.Pointer("").Child(clitest.Poison), Loss: rewrite.Both, Before: value, After: value}},
			Refused: []verdict.Finding{{Severity: "critical", Message: clitest.Poison, At: schema.Pointer("").Child(clitest.Poison)}},
		}},
		{Tool: arrival.Absent(clitest.Poison), Costs: 1, Says: []string{clitest.Poison}},
	}
	reports := []agent.Report{{
		Version: 1, Client: "codex", ClientVersion: "1.0", Surface: "responses", Model: "gpt-5", Date: "2026-11-22", Runs: 1,
		Habits: []string{}, Request: &agent.Request{Path: clitest.Poison, Status: 400, Message: clitest.Poison}, Tools: tools, Output: clitest.Poison,
	}}
	for _, flags := range []clientFlags{{}, {asPage: true}, {asJSON: true}} {
		var out bytes.Buffer
		s := &session{&cli.Session{Log: &escape.Writer{Out: &out}}}
		s.Out = bufio.NewWriter(s.Log)
		write := s.clientWriter(flags)
		write.each(&reports[0])
		write.last(reports)
		_ = s.Out.Flush()
		where := fmt.Sprintf("page %t, JSON %t", flags.asPage, flags.asJSON)
		if !strings.Contains(out.String(), "evil") {
			t.Errorf("%s shows nothing of the poison", where)
		}
		if flags.asJSON {
			clitest.KeepsValues(t, where, out.String())
		} else {
			clitest.IsHarmless(t, where, out.String())
		}
		if flags.asPage {
			clitest.IsPlain(t, where, out.String())
		}
	}
}
