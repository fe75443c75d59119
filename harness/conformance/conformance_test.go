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
	"strconv"
	"strings"
	"testing"
	"time"

	"toolproof/harness/conformance"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// TestMain makes this program a client without streams, in the manner that CLIENT says.
func TestMain(m *testing.M) {
	if manner := os.Getenv("CLIENT"); manner != "" {
		if err := run(manner); err != nil {
			fmt.Printf(`{"error":%q}`+"\n", err)
		}
		return
	}
	os.Exit(m.Run())
}

// run runs a client. It is right in the manner "right", and loses, changes or hides something in others.
func run(manner string) error {
	c := &client{manner: manner}
	if err := json.NewDecoder(os.Stdin).Decode(&c.asked); err != nil {
		return err
	}
	switch {
	case manner == "silent":
		return nil
	case manner == "chatty":
		fmt.Println("hello")
		return nil
	case manner == "unable":
		fmt.Println(`{"unsupported":"nothing at all"}`)
		return nil
	case c.asked.API == "messages":
		return c.loop(&messages{client: c})
	default:
		return c.loop(&chat{client: c})
	}
}

type client struct {
	manner string
	asked  struct {
		API      string          `json:"api"`
		Model    string          `json:"model"`
		Tools    []declared      `json:"tools"`
		Format   json.RawMessage `json:"format"`
		Thinking bool            `json:"thinking"`
		Retries  int             `json:"retries"`
		Cancel   bool            `json:"cancel"`
	}
}

type declared struct {
	Name       string            `json:"name"`
	Result     string            `json:"result"`
	Error      bool              `json:"error"`
	Image      map[string]string `json:"image"`
	Parameters json.RawMessage   `json:"parameters"`
}

type object = map[string]any

// protocol is an API: a conversation with its requests.
type protocol interface {
	request() (path string, body object)
	// read reads an answer: its calls, or else its text.
	read(answer []byte) (calls []call, text string, err error)
	returns(id, result string)
}

type call struct {
	id, name string
	input    json.RawMessage
}

// loop asks and makes calls until there are none.
func (c *client) loop(api protocol) error {
	for {
		answer, err := c.post(api)
		if err != nil {
			return err
		}
		calls, text, err := api.read(answer)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			fmt.Printf(`{"text":%q}`+"\n", text)
			return nil
		}
		for i, call := range calls {
			if c.manner != "loses" || i == 0 {
				fmt.Printf(`{"call":{"name":%q,"arguments":%s}}`+"\n", call.name, call.input)
			}
			if c.asked.Cancel && c.manner != "goes on" {
				return errors.New("the user cancelled")
			}
			result := c.asked.Tools[0].Result
			switch {
			case c.manner == "shortens":
				result = result[:min(len(result), 1<<16)]
			case c.manner == "swallows" && c.asked.Tools[0].Error:
				result = "done"
			}
			api.returns(call.id, result)
		}
		if c.manner == "stops early" {
			fmt.Println(`{"text":"It is sunny."}`)
			return nil
		}
	}
}

func (c *client) post(api protocol) ([]byte, error) {
	path, content := api.request()
	body, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	for tries := 0; ; tries++ {
		response, err := http.Post(os.Getenv("EMULATOR_URL")+path, "application/json", bytes.NewReader(body)) //nolint:noctx // it is short
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode == http.StatusOK {
			return data, err
		}
		after, isLater := strconv.Atoi(response.Header.Get("Retry-After"))
		if isLater != nil || tries == c.asked.Retries || c.manner == "gives up" {
			return nil, fmt.Errorf("%d %s", response.StatusCode, data)
		}
		if c.manner != "hurries" {
			time.Sleep(time.Duration(after) * time.Second)
		}
	}
}

// declares returns the tools that the client declares.
func (c *client) declares() []declared {
	if c.manner == "declares few" {
		return c.asked.Tools[:min(len(c.asked.Tools), 64)]
	}
	return c.asked.Tools
}

// chat is Chat Completions.
type chat struct {
	*client

	messages []any
}

func (c *chat) request() (path string, body object) {
	if c.messages == nil {
		c.messages = []any{object{"role": "user", "content": "hi"}}
	}
	var tools []any
	for _, tool := range c.declares() {
		tools = append(tools, object{"type": "function", "function": object{"name": tool.Name, "parameters": tool.Parameters}})
	}
	body = object{"model": c.asked.Model, "messages": c.messages, "tools": tools}
	if c.asked.Format != nil && c.manner != "drops the format" {
		body["response_format"] = object{"type": "json_schema", "json_schema": object{"name": "answer", "schema": c.asked.Format, "strict": true}}
	}
	return "/v1/chat/completions", body
}

func (c *chat) read(data []byte) (calls []call, text string, err error) {
	var answer struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	var message struct {
		Content   string `json:"content"`
		Refusal   string `json:"refusal"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(answer.Choices[0].Message, &message); err != nil {
		return nil, "", err
	}
	for _, made := range message.ToolCalls {
		calls = append(calls, call{made.ID, made.Function.Name, json.RawMessage(made.Function.Arguments)})
	}
	c.messages = append(c.messages, answer.Choices[0].Message)
	if c.manner == "hides" {
		message.Refusal = ""
	}
	return calls, message.Content + message.Refusal, nil
}

func (c *chat) returns(id, result string) {
	c.messages = append(c.messages, object{"role": "tool", "tool_call_id": id, "content": result})
}

// messages is Anthropic's API.
type messages struct {
	*client

	messages []any
	results  []any // since the last answer
}

func (m *messages) request() (path string, body object) {
	if m.messages == nil {
		m.results = []any{object{"type": "text", "text": "hi"}}
	}
	m.messages, m.results = append(m.messages, object{"role": "user", "content": m.results}), nil
	var tools []any
	for _, tool := range m.declares() {
		tools = append(tools, object{"name": tool.Name, "input_schema": tool.Parameters})
	}
	body = object{"model": m.asked.Model, "max_tokens": 2048, "messages": m.messages, "tools": tools}
	if m.asked.Thinking && m.manner != "forgets" {
		body["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
	}
	return "/v1/messages", body
}

func (m *messages) read(data []byte) (calls []call, text string, err error) {
	var answer struct {
		Content []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, "", err
	}
	var kept []any
	for _, raw := range answer.Content {
		var block struct {
			Type  string          `json:"type"`
			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		}
		if err := json.Unmarshal(raw, &block); err != nil {
			return nil, "", err
		}
		text = block.Text // there is one
		if block.Type == "tool_use" {
			calls = append(calls, call{block.ID, block.Name, block.Input})
		}
		if block.Type != "thinking" || m.manner != "forgets" {
			kept = append(kept, raw)
		}
	}
	m.messages = append(m.messages, object{"role": "assistant", "content": kept})
	return calls, text, nil
}

func (m *messages) returns(id, result string) {
	tool := m.asked.Tools[0]
	block := object{"type": "tool_result", "tool_use_id": id, "content": result}
	if tool.Error && m.manner != "hides errors" {
		block["is_error"] = true
	}
	if tool.Image != nil {
		source := object{"type": "base64", "media_type": tool.Image["type"], "data": tool.Image["data"]}
		block["content"] = []any{object{"type": "image", "source": source}}
		if m.manner == "writes pictures" {
			block["content"] = fmt.Sprint(source)
		}
	}
	m.results = append(m.results, block)
}

// TestRun tests that a right client passes each scenario without a stream, and that a wrong one fails exactly those
// that it should.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		manner string
		api    provider.API
		fails  []string
		why    string
	}{
		{"right", provider.ChatCompletions, nil, ""},
		{"loses", provider.ChatCompletions, []string{"two-calls"}, "calls lost or changed"},
		{"shortens", provider.ChatCompletions, []string{"large-result"}, "the last request has 0 results of 1 calls"},
		{"swallows", provider.ChatCompletions, []string{"tool-error"}, "the last request lacks the words of the tool's error"},
		{"hides", provider.ChatCompletions, []string{"refusal"}, "the user sees nothing of the refusal"},
		{"drops the format", provider.ChatCompletions, []string{"structured"}, "no request has the schema of the answer"},
		{"hurries", provider.ChatCompletions, []string{"retry-429", "retry-503"}, "the request is sent again after 0.0 seconds"},
		{"gives up", provider.ChatCompletions, []string{"retry-429", "retry-503"}, "the client reported an error"},
		{"goes on", provider.ChatCompletions, []string{"cancel"}, "1 requests came after the user cancelled"},
		{"declares few", provider.ChatCompletions, []string{"hundred-tools"}, "the first request does not declare the tool"},
		{"forgets", provider.Messages, []string{"thinking"}, "the second request lacks "},
		{"hides errors", provider.Messages, []string{"tool-error"}, "the last request has the tool's error as a result without is_error"},
		{"writes pictures", provider.Messages, []string{"image-result"}, "the last request has 0 results of 1 calls"},
	} {
		t.Setenv("CLIENT", test.manner)
		var failed []string
		for _, scenario := range load(t) {
			isSlow := scenario.Retries > 0 && !slices.Contains(test.fails, scenario.Name) && test.manner != "right"
			// The refusals and formats of Messages are in other APIs' words, and this client knows one.
			isOther := test.api == provider.Messages && (scenario.Ends == conformance.Refusal || scenario.Format != nil || len(scenario.Answers) > 1)
			if scenario.IsStream || isSlow || isOther || !slices.Contains(scenario.APIs, test.api) {
				continue
			}
			got := judged(t, &scenario, test.api)
			if got.Outcome != conformance.Passed {
				failed = append(failed, scenario.Name)
				if !strings.HasPrefix(got.Why, test.why) || got.Why == "" {
					t.Errorf("%s, %s: %s: %q, want %q", test.manner, scenario.Name, got.Outcome, got.Why, test.why)
				}
			}
		}
		if !slices.Equal(failed, test.fails) {
			t.Errorf("a client that %s fails %q, want %q", test.manner, failed, test.fails)
		}
	}
}

// TestOutcome tests clients that do nothing as they should.
func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		manner, scenario string
		outcome          conformance.Outcome
		why              string
	}{
		{"silent", "one-call", conformance.Silent, "no request came"},
		{"chatty", "one-call", conformance.Failed, "the client printed a line that is no object"},
		{"unable", "one-call", conformance.Unsupported, "nothing at all"},
		{"stops early", "two-rounds", conformance.Silent, "calls lost or changed"},
		{"stops early", "correction", conformance.Silent, "calls lost or changed"},
	} {
		t.Setenv("CLIENT", test.manner)
		if got := judged(t, find(t, test.scenario), provider.ChatCompletions); got.Outcome != test.outcome || !strings.HasPrefix(got.Why, test.why) {
			t.Errorf("%s, %s: %s: %q, want %s: %q", test.manner, test.scenario, got.Outcome, got.Why, test.outcome, test.why)
		}
	}
}

func judged(t *testing.T, scenario *conformance.Scenario, api provider.API) conformance.Result {
	t.Helper()
	got, err := conformance.Run(t.Context(), []string{os.Args[0]}, scenario, api)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func load(t *testing.T) []conformance.Scenario {
	t.Helper()
	scenarios, err := conformance.Load(conformance.Sets[len(conformance.Sets)-1])
	if err != nil {
		t.Fatal(err)
	}
	return scenarios
}

func find(t *testing.T, name string) *conformance.Scenario {
	t.Helper()
	scenarios := load(t)
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
		if !slices.Equal(scenario.APIs, quirk.APIs) || (scenario.Ends == conformance.Failure) != (quirk.Outcome == emulator.Failed) {
			t.Errorf("the scenario of %s is for %v, and it ends with %q", quirk.Name, scenario.APIs, scenario.Ends)
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
	results := []conformance.Result{{Scenario: "a", API: "x"}, {Scenario: "b", API: "x", Outcome: conformance.Passed}}
	if stale := expected.Apply(results); !slices.Equal(stale, []string{"b x", "c x"}) || results[0].Expected != "a reason" {
		t.Errorf("got %q, %+v", stale, results)
	}
	for _, wrong := range []string{`{"a":" "}`, `[]`} {
		if _, err := conformance.ParseExpected([]byte(wrong)); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}
