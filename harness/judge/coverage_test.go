package judge_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"toolproof/harness/construct"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// storeOf returns recordings of gemini/parameters: of each line a grade, a day, a model, a
// status and the parameters.
func storeOf(t *testing.T, lines ...string) *recording.Store {
	t.Helper()
	files := fstest.MapFS{}
	for i, line := range lines {
		fields := strings.SplitN(line, " ", 5)
		declaration, err := schema.Parse([]byte(`{"name":"f","parameters":` + fields[4] + `}`))
		if err != nil {
			t.Fatal(err)
		}
		digest := google.GeminiParameters.Request([]*schema.Node{declaration}).Digest()
		files[fmt.Sprintf("gemini/parameters/%s.%d.json", strings.TrimPrefix(digest, "sha256:"), i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			`{"version":1,"dialect":"gemini/parameters","digest":%q,"grade":%q,"source":"s","date":%q,"model":%q,"request":{"path":"","declarations":[%s]},"response":{"status":%s}}`,
			digest, fields[0], fields[1], fields[2], declaration, strings.Replace(fields[3], "400", `400,"fragment":"no"`, 1))}
	}
	store, err := recording.LoadAny(files)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestShown tells which accepted recordings show what they hold: those that count on the
// day and for the model, and never the emulator's.
func TestShown(t *testing.T) {
	t.Parallel()
	store := storeOf(t,
		`recorded 2026-01-01 gemini-2.5-flash 200 {"type":"object","properties":{"a":{"type":"string","title":"A"}}}`,
		`reported 2026-01-01 gemini-2.0-flash 200 {"type":"object","properties":{"a":{"type":"integer","minimum":1}}}`,
		`recorded 2026-01-01 gemini-2.5-flash 400 {"type":"object","properties":{"a":{"type":"array","maxItems":1}}}`,
		`emulated 2026-01-01 gemini-2.5-flash 200 {"type":"object","properties":{"a":{"type":"string","pattern":"a"}}}`,
	)
	title := construct.Construct{Keyword: "title", Types: 1, Position: "properties"}
	minimum := construct.Construct{Keyword: "minimum", Types: 2, Position: "properties"}
	for _, test := range []struct {
		asOf           provider.Date
		model          string
		title, minimum bool
	}{
		{"", "", true, true},
		{"", "gemini-2.5-flash", true, false},
		{"", "gemini-2.0-flash", false, true},
		{"2024-08-01", "", false, true}, // a title was refused then, as a dated rule says
	} {
		shown := judge.Shown(t.Context(), judge.Offline{Dialect: google.GeminiParameters, Store: store, AsOf: test.asOf, ModelName: test.model})
		if shown[title] != test.title || shown[minimum] != test.minimum {
			t.Errorf("as of %q, model %q: title %t, minimum %t", test.asOf, test.model, shown[title], shown[minimum])
		}
		for found := range shown {
			if found.Keyword == "maxItems" || found.Keyword == "pattern" {
				t.Errorf("%s is shown by no accepted recording", found)
			}
		}
	}
	if len(judge.Shown(t.Context(), judge.Offline{Dialect: google.VertexParameters, Store: store})) > 0 {
		t.Error("a recording of one surface speaks for another")
	}
}

// TestSeen judges tools with what recordings show of them: of several surfaces, what each
// shows.
func TestSeen(t *testing.T) {
	t.Parallel()
	store := storeOf(t, `recorded 2026-01-01 m 200 {"type":"object","properties":{"a":{"type":"string","title":"A"}}}`)
	alone := judge.Target{Normalizer: normalizers.Gemini, Dialect: google.GeminiParameters}
	both := alone
	both.Also = []*provider.Dialect{google.GeminiParameters, google.VertexParameters}
	for _, test := range []struct {
		target       judge.Target
		parameters   string
		required     bool
		status       verdict.Status
		accepted, of int
	}{
		{alone, `{"type":"object","properties":{"b":{"type":"string","title":"B"}}}`, true, verdict.Pass, 4, 4},
		{alone, `{"type":"object","properties":{"b":{"type":"string","pattern":"b"}}}`, false, verdict.Pass, 3, 4},
		{alone, `{"type":"object","properties":{"b":{"type":"string","pattern":"b"}}}`, true, verdict.Inconclusive, 3, 4},
		{both, `{"type":"object","properties":{"b":{"type":"string","title":"B"}}}`, true, verdict.Inconclusive, 0, 4},
		{alone, `{"type":"object","properties":{"b":{"const":"b"}}}`, true, verdict.Fail, 0, 0}, // a refusal rests on a rule
	} {
		parameters, err := schema.Parse([]byte(test.parameters))
		if err != nil {
			t.Fatal(err)
		}
		judging := judge.Judge{Store: store, Raw: true, Coverage: &judge.Coverage{}, Seen: test.required}
		result := judging.Tool(t.Context(), judge.Subject{Tool: toolfile.Of(schema.Tool{Name: "g", Parameters: parameters})}, test.target)
		var seen verdict.Seen
		if result.Sides().Raw.Seen != nil {
			seen = *result.Sides().Raw.Seen
		}
		if result.Status != test.status || seen.Accepted != test.accepted || seen.Constructs != test.of {
			t.Errorf("%s: %s, %d of %d: %s", test.parameters, result.Status, seen.Accepted, seen.Constructs, result.Error)
		}
		if result.Sides().Normalized != nil && result.Sides().Normalized.Seen != nil {
			t.Errorf("%s: the proposal is no verdict", test.parameters)
		}
	}
}

// TestCoverageOfStores: what the recordings of one store show says nothing of another's.
func TestCoverageOfStores(t *testing.T) {
	t.Parallel()
	coverage := &judge.Coverage{}
	tool := schema.Tool{Name: "g", Parameters: schema.NewObject(
		schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: schema.NewObject(
			schema.Member{Key: "b", Value: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")})})})}
	for _, test := range []struct {
		store *recording.Store
		shown bool
	}{
		{storeOf(t), false},
		{storeOf(t, `recorded 2026-01-01 m 200 {"type":"object","properties":{"a":{"type":"string"}}}`), true},
		{nil, false},
	} {
		judging := judge.Judge{Store: test.store, Raw: true, Coverage: coverage}
		result := judging.Tool(t.Context(), judge.Subject{Tool: toolfile.Of(tool)}, judge.Target{Normalizer: normalizers.Gemini, Dialect: google.GeminiParameters})
		if result.Sides().Raw.Seen == nil || result.Sides().Raw.Seen.IsWhole() != test.shown {
			t.Errorf("shown %t: %+v", test.shown, result.Sides().Raw.Seen)
		}
	}
}
