package live_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"toolproof/harness/emulator"
	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// mixed returns so many questions, of which every second is refused and asked about
// alone.
func mixed(t *testing.T, count int) ([]live.Question, map[int]bool) {
	t.Helper()
	dialect := dialectNamed(t, "openai/chat")
	questions, bad := make([]live.Question, count), map[int]bool{}
	for i := range questions {
		parameters := good
		if bad[i] = i%2 == 1; bad[i] {
			parameters = `{"type":"object","properties":{"a":{"type":"array"}}}`
		}
		questions[i] = live.Question{Declarations: []*schema.Node{dialect.Declare(tool(t, fmt.Sprintf("f%d", i), parameters))}, Alone: bad[i]}
	}
	return questions, bad
}

// TestAlone asks in one request about what is expected to be accepted, and in one request
// each about what is expected to be refused.
func TestAlone(t *testing.T) {
	t.Parallel()
	count := serve(t, nil)
	options := quick("openai", count.URL)
	options.Record = func(live.Exchange) error { return nil }
	client := clientFor(t, options, "openai/chat")
	questions, bad := mixed(t, 20)
	check(t, client, questions, bad, false)
	if got := count.requests.Load(); got != 11 {
		t.Errorf("%d requests, expected 11", got)
	}
	if plan := client.Plan(questions); plan.Requests != 11 {
		t.Errorf("%d requests are planned", plan.Requests)
	}
}

// TestReserved: when the budget is spent a batch still gets its final controls, so that
// the answers until then count.
func TestReserved(t *testing.T) {
	t.Parallel()
	count := serve(t, nil)
	options := quick("openai", count.URL)
	options.Budget = &live.Budget{Requests: 10, Reserved: 2}
	client := clientFor(t, options, "openai/chat")
	questions, _ := mixed(t, 40)
	learnt, unpaid := 0, 0
	err := client.Judge(t.Context(), questions, func(_ int, outcome live.Outcome) {
		switch {
		case outcome.Err == nil:
			learnt++
		case errors.Is(outcome.Err, live.ErrBudget):
			unpaid++
		}
	})
	// Of ten requests four are controls, one has the twenty accepted tools, and five have
	// one refused tool each.
	if err != nil || learnt != 25 || unpaid != 15 {
		t.Errorf("%d learnt, %d beyond the budget: %v", learnt, unpaid, err)
	}
	if requests, _ := options.Budget.Spent(); requests != 10 {
		t.Errorf("%d requests are sent", requests)
	}
}

// TestOtherControl asks a provider that has begun to accept the control that it must
// refuse.
func TestOtherControl(t *testing.T) {
	t.Parallel()
	for _, surface := range surfaces {
		options := emulator.Options{}
		switch surface.provider {
		case "vertex":
			continue // the one of gemini
		case "ollama":
			continue // it refuses for one reason only, so that there is no other control
		case "llamacpp":
			options.Engine = surface.provider
		}
		dialect := dialectNamed(t, surface.dialect)
		model := provider.Model{Dialect: dialect}
		refused, err := model.Send(t.Context(), dialect.Encode([]schema.Tool{tool(t, live.ControlName, dialect.Control)}))
		if err != nil || len(refused.Findings) == 0 {
			t.Fatalf("%s: the control is not refused: %v", surface.dialect, err)
		}
		options.Change = func(served *provider.Dialect) *provider.Dialect { return served.Without(refused.Findings[0].Rule.Name) }
		server := httptest.NewServer(emulator.New(options))
		defer server.Close()
		question := live.Question{Declarations: []*schema.Node{dialect.Declare(tool(t, "f", goodFor(surface.dialect)))}}
		err = clientFor(t, quick(surface.provider, server.URL), surface.dialect).Judge(t.Context(), []live.Question{question}, func(_ int, outcome live.Outcome) {
			if outcome.Err != nil || outcome.Response.Verdict != provider.Accepted {
				t.Errorf("%s: %s %v", surface.dialect, outcome.Response.Verdict, outcome.Err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}
