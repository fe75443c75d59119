package main

import (
	"cmp"
	"slices"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/refusal"
	"toolproof/recordings"
)

// TestSentences checks what single sentences mean, as people remember them or search for them: a rule
// that refuses in these words or in words like them, something else than a declaration, or nothing
// that is known.
func TestSentences(t *testing.T) {
	t.Parallel()
	explainer, err := evidence.Explainer(harness.Dialects, fixtures.Files, recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sentence, rule string
		aside          refusal.Aside
	}{
		{sentence: "array schema missing items", rule: "openai/chat/array_items"},
		{sentence: "missing items", rule: "gemini/parameters/items_missing"},
		{sentence: "items: missing field", rule: "gemini/parameters/items_missing"},
		{sentence: "Unknown name additionalProperties", rule: "gemini/parameters/unknown_name"},
		{sentence: `Unknown name "$schema"`, rule: "gemini/parameters/unknown_name"},
		{sentence: "Cannot find field", rule: "gemini/parameters/unknown_name"},
		{sentence: "additionalProperties is required to be supplied and to be false", rule: "openai/chat-strict/additional_properties"},
		{sentence: "input_schema does not support oneOf, allOf, or anyOf at the top level", rule: "anthropic/tools/root_combinator"},
		{sentence: "input_schema does not support oneOf", rule: "anthropic/tools/root_combinator"},
		{sentence: "should be non-empty for OBJECT type", rule: "gemini/parameters/properties_empty"},
		{sentence: "reference can only point to definitions", rule: "openai/chat-strict/reference_target"},
		{sentence: "tool names must be unique", rule: "anthropic/tools/duplicate_names"},
		{sentence: "only 'enum' and 'date-time' are supported for STRING type", rule: "gemini/parameters/format"},

		{sentence: "Rate limit exceeded", aside: refusal.Quota},
		{sentence: "rate_limit_exceeded", aside: refusal.Quota},
		{sentence: "Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check your plan and billing details.'}}", aside: refusal.Billing},
		{sentence: "Resource has been exhausted (e.g. check quota).", aside: refusal.Quota},
		{sentence: "Incorrect API key provided: sk-1234.", aside: refusal.Auth},
		{sentence: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, aside: refusal.Auth},
		{sentence: "This model's maximum context length is 128000 tokens.", aside: refusal.Conversation},
		{sentence: "prompt is too long: 208310 tokens > 200000 maximum", aside: refusal.Conversation},
		{sentence: "context_length_exceeded", aside: refusal.Conversation},
		{sentence: "Your credit balance is too low to access the Anthropic API.", aside: refusal.Billing},
		{sentence: "The model `gpt-9` does not exist or you do not have access to it.", aside: refusal.NoSuchModel},
		{sentence: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, aside: refusal.Server},
		{sentence: "503 Service Unavailable", aside: refusal.Server},

		{sentence: "rain in Spain"},
		{sentence: "must be"},
		{sentence: "the tool is not good"},
		{sentence: "connection reset by peer"},
		{sentence: "..."},
	} {
		explained, err := explainer.Explain(t.Context(), test.sentence)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		aside := refusal.Aside("")
		for _, known := range explained {
			if aside = cmp.Or(aside, known.Aside); known.Rule != nil {
				rules = append(rules, known.Dialect.Name+"/"+known.Rule.Name)
			}
		}
		isExpected := test.rule == "" && len(rules) == 0 || slices.Contains(rules, test.rule)
		if !isExpected || aside != test.aside {
			t.Errorf("%q means %q and %q, want %q and %q", test.sentence, rules, aside, test.rule, test.aside)
		}
	}
}
