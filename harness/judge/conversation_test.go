package judge_test

import (
	"cmp"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// TestConversation checks what a verdict on a request rests on: the rules, or a recorded answer, which outweighs
// the rules of its day.
func TestConversation(t *testing.T) {
	t.Parallel()
	const plain = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
	const orphan = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c","content":"42"}]}`
	const orphanWords = `{"error":{"message":"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."}}` //nolint:misspell // as OpenAI spells it
	const both = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f","description":"d"}]}]}`
	answered := func(status int, body string, day provider.Date) *judge.Recorded {
		return &judge.Recorded{Status: status, Body: []byte(body), Date: day}
	}
	for name, test := range map[string]struct {
		body     string
		recorded *judge.Recorded
		host     string
		target   string
		model    string
		asOf     provider.Date
		required provider.Grade

		status  verdict.Status
		grade   provider.Grade
		rule    string // of the first finding
		differs string // a part
	}{
		"predicted":             {body: plain, status: verdict.Pass, grade: provider.Predicted},
		"refused":               {body: orphan, status: verdict.Fail, grade: provider.Predicted, rule: "chat_result_without_call"},
		"not enough":            {body: plain, required: provider.Recorded, status: verdict.Inconclusive, grade: provider.Predicted},
		"accepted and recorded": {body: plain, recorded: answered(200, "{}", ""), required: provider.Recorded, status: verdict.Pass, grade: provider.Recorded},
		"accepted against a rule": {
			body: orphan, recorded: answered(200, "{}", ""), status: verdict.Pass, grade: provider.Recorded, differs: "the rule chat_result_without_call refuses it",
		},
		"refused and recorded": {
			body: orphan, recorded: answered(400, orphanWords, ""), status: verdict.Fail, grade: provider.Recorded, rule: "chat_result_without_call",
		},
		"refused without a rule": {
			body: plain, recorded: answered(400, `{"error":{"message":"Something new."}}`, ""), status: verdict.Fail, grade: provider.Recorded, differs: "no rule predicts",
		},
		"a wrong key": {
			body: plain, recorded: answered(401, `{"error":{"message":"Incorrect API key."}}`, ""), status: verdict.Pass, grade: provider.Predicted, differs: "a key",
		},
		"accepted before a rule": {
			body: both, target: "gemini", model: "gemini-3.1-pro", recorded: answered(200, "{}", "2026-03-01"), asOf: "2026-06-01",
			status: verdict.Fail, grade: provider.Predicted, rule: "gemini_invocations", differs: "the recorded answer of 2026-03-01",
		},
		"refused before": {
			body: both, target: "gemini", model: "gemini-2.5-flash", recorded: answered(400, `{"error":{"message":"Tool use with function calling is unsupported by the model."}}`, "2026-03-01"),
			asOf: "2026-06-01", status: verdict.Pass, grade: provider.Predicted, differs: "which no rule of today does",
		},
		"of another service": {
			body: plain, recorded: answered(400, orphanWords, ""), host: "api.groq.com", status: verdict.Pass, grade: provider.Predicted,
		},
		"of an unknown service":   {body: orphan, recorded: answered(200, "{}", ""), host: "gateway.example", status: verdict.Pass, grade: provider.Recorded},
		"to an unknown service":   {body: orphan, host: "gateway.example", status: verdict.NotApplicable},
		"to the loopback":         {body: orphan, host: "localhost", status: verdict.Fail, grade: provider.Predicted, rule: "chat_result_without_call"},
		"a service without rules": {body: orphan, target: "azure/chat", status: verdict.NotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := schema.Parse([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			api := provider.ChatCompletions
			if test.target == "gemini" {
				api = provider.GenerateContent
			}
			target, err := harness.TargetNamed(cmp.Or(test.target, "openai"))
			if err != nil {
				t.Fatal(err)
			}
			subject := judge.Conversation{Source: "a.json", Line: 1, API: api, Host: test.host, Model: test.model, Body: body, Recorded: test.recorded, Surfaces: harness.Dialects}
			result := judge.Judge{AsOf: test.asOf, Required: test.required}.Conversation(t.Context(), subject, target)
			judged := result.Conversation()
			rule := ""
			if len(judged.Findings) > 0 {
				rule = judged.Findings[0].Rule
			}
			if result.Status != test.status || judged.Evidence != test.grade || rule != test.rule {
				t.Errorf("got %s, %s, rule %q", result.Status, judged.Evidence, rule)
			}
			if (judged.Differs == "") != (test.differs == "") || !strings.Contains(judged.Differs, test.differs) {
				t.Errorf("the difference is %q", judged.Differs)
			}
		})
	}
}

// TestRefusedConversation checks that words without a rule are placed only where they name a place.
func TestRefusedConversation(t *testing.T) {
	t.Parallel()
	body, err := schema.Parse([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	target, err := harness.TargetNamed("anthropic")
	if err != nil {
		t.Fatal(err)
	}
	subject := judge.Conversation{Source: "a.json", Line: 1, API: provider.Messages, Body: body}
	for words, want := range map[string]schema.Pointer{
		"messages.0.content.0.text.citations: odd":      "/messages/0/content/0/text",
		"Invalid 'messages[0]'. Content blocks are odd": "/messages/0",
		"messages.4.content.0: odd":                     "",
		"the messages are odd":                          "",
	} {
		result, isThere := judge.RefusedConversation(subject, target, words, nil)
		if isThere != (want != "") || isThere && result.Conversation().Findings[0].At != want {
			t.Errorf("%s: %v", words, result)
		}
	}
}
