package judge_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// drops returns a surface that accepts every tool and ignores the member title of its
// parameters.
func drops() *provider.Dialect {
	dialect := *google.GeminiParameters
	stage := &provider.Stage{Name: "struct", All: true, PerDeclaration: true, Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		title := request.Declarations[declaration].Find("/parameters/title")
		visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: title, At: []byte("/parameters/title")})
	}}
	dialect.Rules = []*provider.Rule{{Name: "no_field", Effect: provider.Ignores, Stage: stage, Check: func(p *provider.Pass) {
		if p.Node != nil {
			p.Reportf("'title' is dropped")
		}
	}}}
	return &dialect
}

// keeps is a normalizer that changes nothing.
type keeps struct{}

func (keeps) Name() string { return "keeps" }

func (keeps) Normalize(_ context.Context, tool schema.Tool) (normalizers.Result, error) {
	return normalizers.Result{Tool: tool}, nil
}

// TestIgnored: what a surface ignores is no refusal. It has the place of the source, and
// fails a tool with Lossless alone, on the side that must be accepted.
func TestIgnored(t *testing.T) {
	t.Parallel()
	tools, err := toolfile.Read(strings.NewReader("{\"name\": \"f\", \"parameters\": {\"type\": \"object\",\n  \"title\": \"a\"}}"))
	if err != nil {
		t.Fatal(err)
	}
	target := judge.Target{Normalizer: keeps{}, Dialect: drops()}
	for _, judging := range []judge.Judge{{}, {Raw: true}, {Lossless: true}, {Raw: true, Lossless: true}} {
		want := verdict.Pass
		if judging.Lossless {
			want = verdict.Fail
		}
		result := judging.Tool(t.Context(), judge.Subject{Tool: tools[0], Source: "tools.json"}, target)
		if result.Status != want || result.Sides().Raw.Verdict != provider.Accepted || len(result.Sides().Raw.Findings)+len(result.Sides().Normalized.Findings) > 0 {
			t.Errorf("%+v: %s, want %s: %+v", judging, result.Status, want, result.Sides().Raw)
		}
		dropped := []verdict.Finding{{Rule: "no_field", Severity: "low", Message: "'title' is dropped", At: "/parameters/title", Line: 2, Column: 12}}
		if got := result.Sides().Raw.Ignored; !reflect.DeepEqual(got, dropped) {
			t.Errorf("as given %+v is ignored", got)
		}
		if got := result.Sides().Normalized.Ignored; len(got) != 1 || got[0].At != "/parameters/title" {
			t.Errorf("normalized %v is ignored", got)
		}
	}
	tools[0].Parameters.Delete("title")
	result := judge.Judge{Raw: true, Lossless: true}.Tool(t.Context(), judge.Subject{Tool: tools[0], Source: "tools.json"}, target)
	if result.Status != verdict.Pass || result.Sides().Raw.Ignored != nil {
		t.Errorf("a tool without an ignored part: %s, %+v", result.Status, result.Sides().Raw)
	}
}

// TestIgnoredOfRecording: a recorded acceptance does not say what is ignored; the model
// does. So it is with an answer of the provider itself.
func TestIgnoredOfRecording(t *testing.T) {
	t.Parallel()
	dialect := drops()
	declaration, err := schema.Parse([]byte(`{"name":"f","parameters":{"type":"object","title":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request := dialect.Request([]*schema.Node{declaration})
	store, err := recording.Load(fstest.MapFS{"gemini/parameters/" + strings.TrimPrefix(request.Digest(), "sha256:") + ".json": {Data: fmt.Appendf(nil,
		`{"version":1,"dialect":"gemini/parameters","digest":%q,"grade":"recorded","source":"a","date":"2026-01-01","model":"","request":{"path":"","declarations":[%s]},"response":{"status":200}}`,
		request.Digest(), declaration)}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := judge.Offline{Dialect: dialect, Store: store}.Send(t.Context(), request)
	if err != nil || answer.Evidence != provider.Recorded || len(answer.Ignored) != 1 {
		t.Errorf("offline: %+v, %v", answer, err)
	}
	judging := judge.Judge{Raw: true}
	tool := schema.Tool{Name: "f", Parameters: declaration.Get("parameters")}
	inquiry := judging.Inquire(t.Context(), judge.Subject{Tool: toolfile.Of(tool), Source: "a"}, judge.Target{Dialect: dialect})
	live := provider.Response{Verdict: provider.Accepted, Evidence: provider.Live}
	if result := judging.Answer(t.Context(), inquiry, live, false, nil); result.Status != verdict.Pass || len(result.Sides().Raw.Ignored) != 1 {
		t.Errorf("live: %s, %+v", result.Status, result.Sides().Raw)
	}
	live.Verdict = provider.Rejected
	if result := judging.Answer(t.Context(), inquiry, live, false, nil); result.Sides().Raw.Ignored != nil {
		t.Errorf("a refused tool has ignored parts: %+v", result.Sides().Raw)
	}
}

// TestIgnoredOfSeveral: of a tool for several surfaces each says what it ignores, with its
// name, and with Lossless the tool fails for it.
func TestIgnoredOfSeveral(t *testing.T) {
	t.Parallel()
	quiet, further, last := *drops(), *drops(), *drops()
	quiet.Name, quiet.Rules = "quiet", nil
	further.Name, last.Name = "further", "last"
	tool := schema.Tool{Name: "f", Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "title", Value: schema.NewString("a")})}
	for _, raw := range []bool{true, false} {
		for _, test := range []struct {
			first *provider.Dialect
			also  []*provider.Dialect
			want  string
		}{
			{&quiet, []*provider.Dialect{&quiet, &further, &last}, "further last"},
			{drops(), []*provider.Dialect{&quiet, &further}, " further"},
			{&quiet, []*provider.Dialect{&quiet}, ""},
		} {
			target := judge.Target{Normalizer: keeps{}, Dialect: test.first, Also: test.also}
			judging := judge.Judge{Raw: raw, Lossless: true, Memory: &judge.Memory{}}
			for range 2 { // what the memory has is not changed
				result := judging.Tool(t.Context(), judge.Subject{Tool: toolfile.Of(tool), Source: "a"}, target)
				answer, _ := result.Required(raw)
				surfaces := make([]string, len(answer.Ignored))
				for i, finding := range answer.Ignored {
					if surfaces[i] = finding.Surface; finding.At != "/parameters/title" {
						t.Errorf("the place is %q", finding.At)
					}
				}
				if got := strings.Join(surfaces, " "); got != test.want || (result.Status == verdict.Fail) != (len(answer.Ignored) > 0) {
					t.Errorf("raw %t: ignored by %q, want %q: %s", raw, got, test.want, result.Status)
				}
			}
		}
	}
}

// TestAmendWithoutEvidence: a refusal of the request is one, whatever is known of the tool
// alone. What its acceptance said is not left in it.
func TestAmendWithoutEvidence(t *testing.T) {
	t.Parallel()
	request := judge.Request{Findings: map[int][]verdict.Finding{0: {{Rule: "too_many", Message: "too many"}}}, Evidence: provider.Predicted}
	for _, raw := range []bool{true, false} {
		target := judge.Target{Normalizer: keeps{}, Dialect: drops()}
		judging := judge.Judge{Raw: raw, Coverage: &judge.Coverage{}, Seen: true}
		tool := schema.Tool{Name: "f", Parameters: schema.NewObject(schema.Member{Key: "title", Value: schema.NewString("a")})}
		result := judging.Tool(t.Context(), judge.Subject{Tool: toolfile.Of(tool), Source: "a"}, target)
		if answer, _ := result.Required(raw); result.Status != verdict.Inconclusive || answer.Seen == nil || len(answer.Ignored) != 1 {
			t.Fatalf("raw %t: the tool alone is %s: %+v", raw, result.Status, answer)
		}
		judge.Together{Tools: 2, Raw: request, Normalized: request}.Amend(&result, 0, raw)
		answer, _ := result.Required(raw)
		if result.Status != verdict.Fail || result.Error != "" || answer.Verdict != provider.Rejected || answer.Seen != nil || answer.Ignored != nil {
			t.Errorf("raw %t: %s, %q: %+v", raw, result.Status, result.Error, answer)
		}
	}
	unlearnt := verdict.Result{Status: verdict.Inconclusive, Error: "no answer", Kind: &verdict.Tool{Sides: verdict.Sides{Raw: &verdict.Answer{Verdict: provider.Accepted}}}}
	if (judge.Together{Tools: 2, Raw: request}).Amend(&unlearnt, 0, true); unlearnt.Status != verdict.Inconclusive || unlearnt.Error == "" {
		t.Errorf("a tool without a normalized answer is %s", unlearnt.Status)
	}
}
