package conversation

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// requestOf makes a request from a body.
func requestOf(t *testing.T, rule *Rule, body string) *Request {
	t.Helper()
	node, err := schema.ParseWire([]byte(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	day, model := rule.on, rule.model
	if day == "" {
		day = "2026-11-21"
	}
	if model == "" {
		model = node.GetString("model")
	}
	return &Request{API: rule.API, Service: rule.Services[0], Model: model, Body: node, Day: day, IsForged: func(signature string) bool { return signature == forgedSignature }, ReasoningOf: func(call string) string { return strings.TrimPrefix(call, "fc_") }}
}

// TestExamples checks each rule by its examples: it refuses the first, no rule refuses
// the second, and without it no rule refuses the first.
func TestExamples(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			refusal := Judge(requestOf(t, rule, rule.Refused), Rules)
			if refusal == nil || refusal.Rule != rule || strings.Contains(refusal.Message, "%!") {
				t.Fatalf("the refused example has the answer %+v", refusal)
			}
			if place := requestOf(t, rule, rule.Refused).Body.Find(refusal.At); place == nil || refusal.At == "" {
				t.Errorf("the rule blames %q", refusal.At)
			}
			if other := Judge(requestOf(t, rule, rule.Accepted), Rules); other != nil {
				t.Errorf("the accepted example is refused: %s", other.Message)
			}
			without := slices.DeleteFunc(slices.Clone(Rules), func(other *Rule) bool { return other == rule })
			if other := Judge(requestOf(t, rule, rule.Refused), without); other != nil {
				t.Errorf("without the rule, %s refuses the example too", other.Rule.Name)
			}
			if refusal.Instead == "" || strings.Contains(refusal.Instead, "%!") || strings.Contains(refusal.Instead, "%[") {
				t.Errorf("to send instead: %q", refusal.Instead)
			}
			if len(rule.Sources) == 0 || rule.Doc == "" {
				t.Error("the rule has no source, or says nothing")
			}
			for _, source := range rule.Sources {
				if _, err := provider.ParseDate(string(source.Date)); err != nil || source.URL == "" {
					t.Errorf("source %+v: %v", source, err)
				}
			}
		})
		if names[rule.Name] {
			t.Errorf("two rules are named %s", rule.Name)
		}
		names[rule.Name] = true
	}
}

// TestIgnoring checks each rule about what is ignored by its examples.
func TestIgnoring(t *testing.T) {
	t.Parallel()
	for _, rule := range Ignoring {
		ignored := Ignored(requestOf(t, rule, rule.Refused))
		if len(ignored) != 1 || ignored[0].Rule != rule || ignored[0].At == "" {
			t.Errorf("%s: of the first example %v is ignored", rule.Name, ignored)
		}
		if refusal := Judge(requestOf(t, rule, rule.Refused), Rules); refusal != nil {
			t.Errorf("%s: the first example is refused: %s", rule.Name, refusal.Message)
		}
		if ignored := Ignored(requestOf(t, rule, rule.Accepted)); len(ignored) > 0 {
			t.Errorf("%s: of the near miss %v is ignored", rule.Name, ignored)
		}
	}
}

// TestWords compares refusals with the words and places of recorded ones.
func TestWords(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for name, test := range map[string]struct{ rule, body, message, param, at string }{
		"the end of the messages": {
			"chat_call_without_result", `{"model":"gpt-4.1-nano","messages":[{"role":"user","content":"hi"},` + call + `,{"role":"tool","tool_call_id":"a","content":"1"}]}`,
			"The following tool_call_ids did not have response messages: b", "messages", "/messages/1",
		},
		"a message between": {
			"chat_call_without_result", `{"model":"gpt-3.5-turbo","messages":[{"role":"user","content":"hi"},` + call + `,{"role":"assistant","content":"x"},{"role":"tool","tool_call_id":"a","content":"1"}]}`,
			"The following tool_call_ids did not have response messages: a, b", "messages.[2].role", "/messages/1",
		},
		"of Anthropic": {
			"messages_call_without_result", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b"}]},{"role":"user","content":"hi"}]}`,
			"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, b. Each", "", "/messages/1",
		},
		"of Gemini 3": {
			"gemini_signature_missing", `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`,
			"Additional data, function call `default_api:f` , position 2. Please", "", "/contents/1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(Rules, func(rule *Rule) bool { return rule.Name == test.rule })
			refusal := Judge(requestOf(t, Rules[i], test.body), Rules)
			if refusal == nil || !strings.Contains(refusal.Message, test.message) || refusal.Param != test.param || string(refusal.At) != test.at {
				t.Errorf("got %+v, want %q at %q and %q", refusal, test.message, test.param, test.at)
			}
		})
	}
}
