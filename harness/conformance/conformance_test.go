package conformance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/conformance"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// TestMain makes this program a client of Chat Completions without streams, in the manner that CLIENT says.
func TestMain(m *testing.M) {
	if manner := os.Getenv("CLIENT"); manner != "" {
		if err := client(manner); err != nil {
			fmt.Printf(`{"error":%q}`+"\n", err)
		}
		return
	}
	os.Exit(m.Run())
}

// client runs a loop of calls. It is right in the manner "right" and loses, changes or hides something in others.
func client(manner string) error {
	if manner == "silent" {
		return nil
	}
	if manner == "chatty" {
		fmt.Println("hello")
		return nil
	}
	var scenario struct {
		Model string `json:"model"`
		Tools []struct {
			Name       string          `json:"name"`
			Result     string          `json:"result"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&scenario); err != nil {
		return err
	}
	tool := scenario.Tools[0]
	messages := []any{map[string]any{"role": "user", "content": "hi"}}
	for {
		body, err := json.Marshal(map[string]any{"model": scenario.Model, "messages": messages, "tools": []any{
			map[string]any{"type": "function", "function": map[string]any{"name": tool.Name, "parameters": tool.Parameters}},
		}})
		if err != nil {
			return err
		}
		response, err := http.Post(os.Getenv("EMULATOR_URL")+"/v1/chat/completions", "application/json", bytes.NewReader(body)) //nolint:noctx // it is short
		if err != nil {
			return err
		}
		data, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return err
		}
		var answer struct {
			Choices []struct {
				Message json.RawMessage `json:"message"`
			} `json:"choices"`
		}
		var message struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			return err
		}
		if err := json.Unmarshal(answer.Choices[0].Message, &message); err != nil {
			return err
		}
		if len(message.ToolCalls) == 0 {
			fmt.Printf(`{"text":%q}`+"\n", message.Content)
			return nil
		}
		messages = append(messages, answer.Choices[0].Message)
		for i, call := range message.ToolCalls {
			if manner != "loses" || i == 0 {
				fmt.Printf(`{"call":{"name":%q,"arguments":%s}}`+"\n", call.Function.Name, call.Function.Arguments)
			}
			messages = append(messages, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": tool.Result})
		}
	}
}

// TestRun tests what is said of right and wrong clients.
func TestRun(t *testing.T) {
	for _, test := range []struct{ manner, scenario, why string }{
		{"right", "one-call", ""},
		{"right", "two-calls", ""},
		{"right", "no-arguments", ""},
		{"loses", "two-calls", "calls lost or changed in silence"},
		{"silent", "one-call", "no request came"},
		{"chatty", "one-call", "the client printed a line that is no object"},
	} {
		t.Setenv("CLIENT", test.manner)
		got, err := conformance.Run(t.Context(), []string{os.Args[0]}, find(t, test.scenario), provider.ChatCompletions)
		if err != nil {
			t.Fatal(err)
		}
		if got.Passes != (test.why == "") || !strings.HasPrefix(got.Why, test.why) {
			t.Errorf("%s, %s: passes %t: %q, want %q", test.manner, test.scenario, got.Passes, got.Why, test.why)
		}
	}
}

func find(t *testing.T, name string) *conformance.Scenario {
	t.Helper()
	scenarios, err := conformance.Load("2026-11")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(scenarios, func(scenario conformance.Scenario) bool { return scenario.Name == name })
	if i < 0 {
		t.Fatalf("no scenario %s", name)
	}
	return &scenarios[i]
}

// TestQuirks tests that the scenarios have each quirk on each of its APIs.
func TestQuirks(t *testing.T) {
	t.Parallel()
	for _, quirk := range emulator.Quirks {
		scenario := find(t, "quirk-"+quirk.Name)
		if !slices.Equal(scenario.APIs, quirk.APIs) || scenario.IsError != (quirk.Outcome == emulator.Failed) {
			t.Errorf("the scenario of %s is for %v, and an error is wanted: %t", quirk.Name, scenario.APIs, scenario.IsError)
		}
	}
}

// TestExpected tests reasons and stale entries.
func TestExpected(t *testing.T) {
	t.Parallel()
	expected, err := conformance.ParseExpected([]byte(`{"a x":"a reason","b x":"stale","c x":"did not run"}`))
	if err != nil {
		t.Fatal(err)
	}
	results := []conformance.Result{{Scenario: "a", API: "x"}, {Scenario: "b", API: "x", Passes: true}}
	if stale := expected.Apply(results); !slices.Equal(stale, []string{"b x", "c x"}) || results[0].Expected != "a reason" {
		t.Errorf("got %q, %+v", stale, results)
	}
	for _, wrong := range []string{`{"a":" "}`, `[]`} {
		if _, err := conformance.ParseExpected([]byte(wrong)); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}
