package contribute_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/lab/contribute"
	"toolproof/recordings"
)

// all is the existing data, which no test changes.
var all = sync.OnceValues(func() (contribute.Existing, error) {
	loaded, unread := fixture.Load(fixtures.Files)
	store, err := recording.Load(recordings.Files)
	return contribute.Existing{Fixtures: loaded, Store: store}, errors.Join(unread, err)
})

func existing(t *testing.T) contribute.Existing {
	t.Helper()
	there, err := all()
	if err != nil {
		t.Fatal(err)
	}
	return there
}

func report(t *testing.T, tools, refusal string) contribute.Report {
	t.Helper()
	read, err := toolfile.Read(strings.NewReader(tools))
	if err != nil {
		t.Fatal(err)
	}
	return contribute.Report{Tools: read, Refusal: refusal, Dialects: harness.Dialects, Date: provider.Today()}
}

// TestProposal checks that a proposal can be read back, and conforms together with the existing
// data.
func TestProposal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tools, refusal string
		date           provider.Date
		dialect, rule  string
		agrees         bool
		recording      bool
		has            string // in the fixture
	}{
		"a body that the model gives": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"x":{"dependentSchemas":{}}}}}`,
			`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"dependentSchemas\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.","status":"INVALID_ARGUMENT"}}`,
			"", "gemini/parameters", "unknown_name", true, true, `{"x":{"dependentSchemas":{}}}`,
		},
		"a streamed body": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"x":{"dependentSchemas":{}}}}}`,
			`[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"dependentSchemas\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.","status":"INVALID_ARGUMENT"}}]`,
			"", "gemini/parameters", "unknown_name", true, true, "",
		},
		"the surface that is strict": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}}},"required":["list"],"additionalProperties":false}}`,
			`{"error":{"message":"Invalid schema for function 'f': In context=('properties', 'list', 'items'), 'additionalProperties' is required to be supplied and to be false.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`,
			"", "openai/chat-strict", "additional_properties", true, true, "",
		},
		"one of several tools": {
			`[{"name":"g","inputSchema":{"type":"object","properties":{}}},{"name":"f","inputSchema":{"type":"object","properties":{"x":{"contentSchema":{}}}}}]`,
			`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"contentSchema\" at 'tools[0].function_declarations[1].parameters.properties[0].value': Cannot find field.","status":"INVALID_ARGUMENT"}}`,
			"", "gemini/parameters", "unknown_name", true, true, `function_declarations[0]`,
		},
		"words that the model gives": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"x":{"contentSchema":{}}}}}`,
			`400: Invalid JSON payload received. Unknown name "contentSchema" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`,
			"", "gemini/parameters", "unknown_name", true, false, `"message":`,
		},
		"as it was then": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"first_one":{"type":"string","title":"First","default":"x"}}}}`,
			`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"title\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.\nInvalid JSON payload received. Unknown name \"default\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.","status":"INVALID_ARGUMENT"}}`,
			"2024-09-01", "gemini/parameters", "", true, true, `"as_of": "2024-09-01"`,
		},
		"what the model accepts": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"guests":{"type":"integer","minimum":4}}}}`,
			`{"error":{"message":"Invalid schema for function 'f': In context=('properties', 'guests'), 4 is too many.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`,
			"", "openai/chat", "", false, true, `"known":`,
		},
		"what the model refuses in other words": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"guests":{"type":"array","minItems":4}}}}`,
			`{"error":{"message":"Invalid schema for function 'f': In context=('properties', 'guests'), a list of nothing.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`,
			"", "openai/chat", "", false, true, `a list of nothing`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there := existing(t)
			given := report(t, test.tools, test.refusal)
			given.Date = cmp.Or(test.date, provider.Today())
			made, err := contribute.Propose(t.Context(), given, there)
			if err != nil {
				t.Fatal(err)
			}
			if made.Dialect.Name != test.dialect || made.Agrees != test.agrees || (made.Recording != nil) != test.recording {
				t.Errorf("%s, agrees %t, recording %v (%s)", made.Dialect.Name, made.Agrees, made.Recording, made.WhyNoRecording)
			}
			if test.rule != "" && (made.Minimized == nil || made.Minimized.Reason.Name() != test.rule) {
				t.Errorf("the minimized tool is %+v", made.Minimized)
			}
			text, err := fixture.Text(made.Fixture)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), test.has) && !strings.Contains(strings.Join(strings.Fields(string(text)), ""), test.has) {
				t.Errorf("the fixture has no %s\n%s", test.has, text)
			}
			conforms(t, there, made, text)
		})
	}
}

// validate checks a text against a published schema.
func validate(t *testing.T, name string, text []byte) {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(filepath.FromSlash("../../" + name))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// conforms judges a proposal as the program does once it is committed.
func conforms(t *testing.T, there contribute.Existing, made *contribute.Proposal, text []byte) {
	t.Helper()
	validate(t, "fixtures/fixture.schema.json", text)
	loaded, err := fixture.Load(fstest.MapFS{made.Fixture.File: {Data: text}})
	if err != nil {
		t.Fatal(err)
	}
	store := there.Store
	if made.Recording != nil {
		recorded, err := made.Recording.Text()
		if err != nil {
			t.Fatal(err)
		}
		validate(t, "docs/schema/recording.schema.json", recorded)
		if _, err := recording.Parse(made.Recording.File, recorded); err != nil {
			t.Fatal(err)
		}
		store = store.With(made.Recording)
	}
	for _, surface := range harness.Surfaces {
		for _, result := range (judge.Judge{Store: store}).Fixture(t.Context(), loaded[0], surface) {
			if result.Status > verdict.KnownFailure {
				t.Errorf("%s, %s: %s: %s", result.Dialect, result.Fixture().Side, result.Status, result.Error)
			}
		}
	}
	all := slices.Concat(loaded, there.Fixtures)
	for _, agreement := range evidence.CrossExamine(t.Context(), store, harness.Dialects, all) {
		if agreement.Status > verdict.KnownFailure {
			t.Errorf("%s: %s: %s", agreement.Recording.Name(), agreement.Status, agreement.Error)
		}
	}
	if orphans := evidence.Orphans(store, harness.Dialects, all); len(orphans) > 0 {
		t.Errorf("orphans: %v", orphans)
	}
	again := there
	again.Fixtures = all
	given := contribute.Report{Tools: []toolfile.Tool{{Tool: made.Fixture.Tools[0]}}, Refusal: made.Refusal.Message, Dialects: []*provider.Dialect{made.Dialect}, Date: provider.Today()}
	var duplicate *contribute.DuplicateError
	if _, err := contribute.Propose(t.Context(), given, again); !errors.As(err, &duplicate) || duplicate.Fixture != loaded[0] {
		t.Errorf("proposed again: %v", err)
	}
}

// TestKnownIsFixed checks that a known difference must occur until it is fixed, and is an error
// from then on.
func TestKnownIsFixed(t *testing.T) {
	t.Parallel()
	there := existing(t)
	given := report(t, `{"name":"f","inputSchema":{"type":"object","properties":{"guests":{"type":"integer","minimum":4}}}}`,
		`{"error":{"message":"Invalid schema for function 'f': In context=('properties', 'guests'), 4 is too many.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`)
	made, err := contribute.Propose(t.Context(), given, there)
	if err != nil {
		t.Fatal(err)
	}
	mended := *made.Dialect
	rule := *mended.Rule("array_items")
	rule.Name, rule.Check = "too_many", func(pass *provider.Pass) {
		if pass.Node.Has("minimum") {
			pass.Reportf("Invalid schema for function 'f': In context=('properties', 'guests'), 4 is too many.")
		}
	}
	mended.Rules = append([]*provider.Rule{&rule}, mended.Rules...)
	target := harness.Serving(made.Dialect)
	target.Dialect = &mended
	results := (judge.Judge{Store: there.Store.With(made.Recording)}).Fixture(t.Context(), made.Fixture, target)
	if results[0].Fixture().Side != verdict.OfRaw || results[0].Status != verdict.Error || !strings.Contains(results[0].Error, "no longer fails") {
		t.Errorf("mended, it is %+v", results[0])
	}
}

// TestSecrets checks that a report that contains a key is refused.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
	const tools = `{"name":"f","inputSchema":{"type":"object","properties":{"guests":{"type":"integer","default":%q}}}}`
	const refusal = `{"error":{"message":"Invalid schema for function 'f': In context=('properties', 'guests'), no %s.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`
	for _, given := range []contribute.Report{
		report(t, fmt.Sprintf(tools, key), fmt.Sprintf(refusal, "guests")),
		report(t, fmt.Sprintf(tools, "a"), fmt.Sprintf(refusal, key)),
		report(t, fmt.Sprintf(tools, key), "Invalid schema for function 'f': no guests."),
	} {
		_, err := contribute.Propose(t.Context(), given, existing(t))
		if !errors.Is(err, recording.ErrSecret) || strings.Contains(err.Error(), key) {
			t.Errorf("got %v", err)
		}
	}
}

func TestNothingLearnt(t *testing.T) {
	t.Parallel()
	there := existing(t)
	const tools = `{"name":"f","inputSchema":{"type":"object","properties":{"guests":{"type":"integer"}}}}`
	for name, refusal := range map[string]string{
		"a key":            `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`,
		"a quota":          `{"error":{"code":429,"message":"guests: Resource has been exhausted"}}`,
		"a server":         `{"error":{"code":503,"message":"function overloaded"}}`,
		"words of no tool": `{"error":{"code":400,"message":"It rains."}}`,
	} {
		if _, err := contribute.Propose(t.Context(), report(t, tools, refusal), there); !errors.Is(err, contribute.ErrNothingLearnt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
