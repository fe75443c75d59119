package calls

import (
	"testing"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestPassings: each request has the result at its place, and is taken by its services.
func TestPassings(t *testing.T) {
	t.Parallel()
	result, err := schema.Parse([]byte(`{"content":[{"type":"text","text":"fine"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range passings {
		body, from := form.with(result)
		if body.Find(form.at) == nil || from != "/content" {
			t.Errorf("%s: the result is not at %s, or of %q", form.api, form.at, from)
		}
		for _, service := range form.services {
			if refusal := conversation.Judge(&conversation.Request{API: form.api, Service: service, Model: form.model, Body: body, Day: provider.Today()}, conversation.Rules); refusal != nil {
				t.Errorf("%s: %s", service, refusal.Message)
			}
		}
	}
}
