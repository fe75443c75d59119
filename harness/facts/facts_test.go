package facts_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"toolproof/harness"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/packages/data"
	"toolproof/recordings"
	"toolproof/schema"
)

// made are the facts and the recordings that they are made of.
var made = sync.OnceValues(func() (*data.Data, error) {
	store, err := recording.Load(recordings.Files)
	if err != nil {
		return nil, err
	}
	return facts.All(context.Background(), store)
})

// all returns the facts.
func all(t *testing.T) *data.Data {
	t.Helper()
	found, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestCells asks the model of each surface about the example of each construct, and compares.
func TestCells(t *testing.T) {
	t.Parallel()
	found, count := all(t), map[data.Support]int{}
	for _, dialect := range harness.Dialects {
		surface := found.Surface(dialect.Name)
		for _, construct := range found.Constructs {
			if today := surface.Today(construct.Name); today != nil {
				count[today.Support]++
			} else if dialect.Subject != provider.Annotations {
				t.Errorf("%s says nothing of %s", surface.Name, construct.Name)
			}
		}
		for _, differs := range disagreements(t, dialect, surface, found.Constructs) {
			t.Error(differs)
		}
	}
	for _, support := range []data.Support{data.Accepted, data.Refused, data.Ignored, data.Rewritten, data.Unknown} {
		if count[support] < 3 {
			t.Errorf("%d cells are %s", count[support], support)
		}
	}
}

// TestCellsKnockOut removes each rule that a cell names, and checks that TestCells would notice.
func TestCellsKnockOut(t *testing.T) {
	t.Parallel()
	found, knocked := all(t), 0
	for _, dialect := range harness.Dialects {
		surface := found.Surface(dialect.Name)
		names := map[string]bool{}
		for construct := range surface.Support {
			if today := surface.Today(construct); today.Rule != "" && today.Note != "not always" {
				names[today.Rule] = true
			}
		}
		for name := range names {
			knocked++
			if len(disagreements(t, dialect.Without(name), surface, found.Constructs)) == 0 {
				t.Errorf("%s: no cell needs the rule %s that cells name", surface.Name, name)
			}
		}
	}
	if knocked < 100 {
		t.Errorf("cells name %d rules", knocked)
	}
}

// disagreements returns the cells of a surface that its model contradicts today. A model is asked about the example
// as it is and with closed objects, as some surfaces want them.
func disagreements(t *testing.T, dialect *provider.Dialect, surface *data.Surface, constructs []data.Construct) []string {
	t.Helper()
	var found []string
	for _, construct := range constructs {
		today := surface.Today(construct.Name)
		if today == nil || today.Note == "not always" {
			continue
		}
		isAccepted, isOfRule := false, false
		for _, isClosed := range []bool{false, true} {
			answer := ask(t, dialect, construct, isClosed)
			isAccepted = isAccepted || answer.Verdict == provider.Accepted
			for _, finding := range slices.Concat(answer.Findings, answer.Ignored, answer.Unknown) {
				isOfRule = isOfRule || finding.Rule.Name == today.Rule
			}
		}
		switch today.Support {
		case data.Accepted, data.Rewritten:
			if !isAccepted {
				found = append(found, fmt.Sprintf("%s: %s is %s, and the model refuses %s", surface.Name, construct.Name, today.Support, construct.Example))
			}
		case data.Refused, data.Ignored:
			if !isOfRule {
				found = append(found, fmt.Sprintf("%s: %s is %s by %s, and the model says otherwise of %s", surface.Name, construct.Name, today.Support, today.Rule, construct.Example))
			}
		case data.Unknown:
			if today.Rule != "" && !isOfRule {
				found = append(found, fmt.Sprintf("%s: %s is unknown by %s, and the model says otherwise of %s", surface.Name, construct.Name, today.Rule, construct.Example))
			}
		}
	}
	return found
}

// ask returns what the model of a surface answers about the example of a construct.
func ask(t *testing.T, dialect *provider.Dialect, construct data.Construct, isClosed bool) provider.Response {
	t.Helper()
	tool := facts.Tool(construct)
	if isClosed {
		tool = facts.Closed(tool)
	}
	model := provider.Model{Dialect: dialect}
	answer, err := model.Send(t.Context(), dialect.Encode([]schema.Tool{tool}))
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestStatements checks that the statements of a cell follow one another without a gap, that two neighbours differ,
// and that each but an unknown one has a grade, and a higher one than predicted has an answer.
func TestStatements(t *testing.T) {
	t.Parallel()
	found, earlier := all(t), 0
	for _, surface := range found.Surfaces {
		for name, statements := range surface.Support {
			if statements[0].Until != "" {
				t.Errorf("%s: %s: the first statement ended on %s", surface.Name, name, statements[0].Until)
			}
			for i, said := range statements {
				if (said.Grade == "") != (said.Support == data.Unknown) {
					t.Errorf("%s: %s is %s with the grade %q", surface.Name, name, said.Support, said.Grade)
				}
				if hasAnswer := slices.ContainsFunc(said.Sources, func(source data.Source) bool { return source.Grade == said.Grade }); said.Grade > "" && said.Grade != "predicted" && !hasAnswer {
					t.Errorf("%s: %s is %s, %s, and no source is", surface.Name, name, said.Support, said.Grade)
				}
				if i == 0 {
					continue
				}
				earlier++
				if next := statements[i-1]; said.Until != next.Since || said.Until == "" || said.Since >= said.Until {
					t.Errorf("%s: %s: from %q to %q, and then from %q", surface.Name, name, said.Since, said.Until, next.Since)
				}
			}
		}
	}
	if earlier < 100 {
		t.Errorf("%d statements are about the past", earlier)
	}
}

// TestKnown checks facts that the recordings and the documents of providers show.
func TestKnown(t *testing.T) {
	t.Parallel()
	found := all(t)
	for _, want := range []struct {
		surface, construct, day string
		support                 data.Support
		grade                   string
	}{
		{"gemini/parameters", "const", "", data.Refused, "reported"},
		{"gemini/parameters", "title", "2024-10-01", data.Refused, "reported"},
		{"gemini/parameters", "title", "", data.Accepted, "recorded"},
		{"openai/chat-strict", "minLength", "", data.Refused, "reported"},
		{"openai/chat-strict", "optional property", "", data.Refused, "predicted"},
		{"openai/responses", "optional property", "", data.Rewritten, "predicted"},
		{"openai/responses", "optional property", "2025-09-01", data.Rewritten, "predicted"},
		{"openai/responses", "optional property", "2025-08-31", data.Unknown, ""},
		{"mcp/inputSchema", "anyOf at the root", "", data.Accepted, "recorded"},
	} {
		surface := found.Surface(want.surface)
		said := surface.Today(want.construct)
		if want.day != "" {
			said = surface.On(want.construct, want.day)
		}
		if said == nil || said.Support != want.support || said.Grade != want.grade {
			t.Errorf("%s on %s: %+v", want.construct, want.surface, said)
		}
	}
	for surface, most := range map[string]int{"openai/chat": 128, "anthropic/tools-strict": 20, "vertex/parameters": 512} {
		if limit := found.Surface(surface).Limit("tools in a request"); limit == nil || limit.Most != most || limit.Words == "" {
			t.Errorf("%s: %+v, want %d tools", surface, limit, most)
		}
	}
	if found.Surface("gemini/parameters").Limit("tools in a request") != nil || found.Client("cursor").MostTools.Most != 80 || found.Client("gemini-cli").Measured.Prefix != "mcp_SERVER_" {
		t.Error("gemini/parameters has a limit, or the rules of clients differ from their rows")
	}
}
