package record_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/construct"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/record"
	"toolproof/lab/corpus"
	"toolproof/schema"
)

// TestReduceKeepsWhatDecides reduces the tools of the fixtures and of the corpus on every
// surface: the constructs are the same, and so are the verdict and the rule of the model.
func TestReduceKeepsWhatDecides(t *testing.T) {
	t.Parallel()
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	var tools []schema.Tool
	for _, one := range loaded {
		tools = append(tools, one.Tools...)
	}
	every := 40
	if testing.Short() {
		every = 400
	}
	sampled, err := corpus.Tools(every)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // the fixtures suffice without the corpus
		t.Fatal(err)
	}
	tools = append(tools, sampled...)
	for _, dialect := range harness.Dialects {
		switch dialect.API {
		case provider.ToolsList, provider.ElicitationCreate, provider.SamplingCreateMessage: // which no provider is asked
			continue
		default:
		}
		t.Run(dialect.Name, func(t *testing.T) {
			t.Parallel()
			for _, tool := range tools {
				reducedAlike(t, dialect, tool)
			}
		})
	}
}

func reducedAlike(t *testing.T, dialect *provider.Dialect, tool schema.Tool) {
	t.Helper()
	request := dialect.Encode([]schema.Tool{tool})
	reduced := dialect.Request(record.Reduce(dialect, request.Declarations).Declarations)
	before, after := construct.Of(dialect.SchemaOf(request.Declarations[0])), construct.Of(dialect.SchemaOf(reduced.Declarations[0]))
	if !slices.Equal(before, after) {
		t.Errorf("%s: %s becomes %s: constructs %v, want %v", tool.Name, request.Declarations[0], reduced.Declarations[0], after, before)
		return
	}
	if text := request.Declarations[0].String(); strings.Contains(text, "http://example.com/ref/if") || strings.Contains(text, "<<<<<<<<") {
		return // the address decides, and the number of escapes in the text
	}
	model := &provider.Model{Dialect: dialect}
	want, err := model.Send(t.Context(), request)
	if err != nil {
		return // too large to judge
	}
	got, err := model.Send(t.Context(), reduced)
	if err != nil || got.Verdict != want.Verdict {
		t.Errorf("%s: %s becomes %s: %s %s %v, want %s %s", tool.Name, request.Declarations[0], reduced.Declarations[0], got.Verdict, got.Message, err, want.Verdict, want.Message)
	}
}
