package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
)

// TestKinds: a line of each kind is read as a result of that kind, with all that it has.
func TestKinds(t *testing.T) {
	t.Parallel()
	refused := verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Recorded, Findings: []verdict.Finding{{Rule: "r", Message: "a < b"}}}
	sides := verdict.Sides{Raw: &refused, RawDialect: "openai/chat"}
	for name, test := range map[string]struct {
		given verdict.Result
		line  string
	}{
		"tool": {
			verdict.Result{ID: "1", Tool: "f", Source: "a.json", Line: 2, Target: "openai", Dialect: "openai/chat", Status: verdict.Fail, Kind: &verdict.Tool{Sides: sides, Together: 3}},
			`{"version":1,"id":"1","tool":"f","source":"a.json","line":2,"target":"openai","dialect":"openai/chat","raw":{"verdict":"rejected","evidence":"recorded",` +
				`"findings":[{"rule":"r","severity":"","message":"a < b","at":"","line":0,"col":0}]},"status":"fail","error":"","together":3}`,
		},
		"normalized tool": {
			verdict.Result{Tool: "f", Source: "a.json", Target: "openai", Dialect: "openai/chat", Status: verdict.Pass, Kind: &verdict.Tool{Sides: verdict.Sides{RawDialect: "openai/chat", Normalized: &verdict.Normalized{Answer: refused}}, IsNormalized: true}},
			`{"version":1,"id":"","tool":"f","source":"a.json","line":0,"target":"openai","dialect":"openai/chat","judged":"normalized","normalized":{"verdict":"rejected","evidence":"recorded",` +
				`"findings":[{"rule":"r","severity":"","message":"a < b","at":"","line":0,"col":0}],"tool":null,"strict":false,"fallback":"","loss":"exact","changes":null},"status":"pass","error":""}`,
		},
		"fixture": {
			verdict.Result{ID: "x", Tool: "f", Source: "fixtures/x.json", Line: 1, Target: "openai", Dialect: "openai/chat", Status: verdict.Pass, Kind: &verdict.Fixture{
				Sides: sides, ID: "x", Side: verdict.OfNormalized, Normalizer: "openai",
			}},
			`{"version":1,"id":"x","tool":"f","source":"fixtures/x.json","line":1,"target":"openai","dialect":"openai/chat","fixture":"x","side":"normalized","normalizer":"openai",` +
				`"raw":{"verdict":"rejected","evidence":"recorded","findings":[{"rule":"r","severity":"","message":"a < b","at":"","line":0,"col":0}]},"status":"pass","error":""}`,
		},
		"request": {
			verdict.Result{Source: "a.json", Target: "openai", Dialect: "openai/chat", Status: verdict.Fail, Kind: &verdict.Request{Answer: refused, Tools: 30}},
			`{"version":1,"id":"","tool":"","source":"a.json","line":0,"target":"openai","dialect":"openai/chat","raw":{"verdict":"rejected","evidence":"recorded",` +
				`"findings":[{"rule":"r","severity":"","message":"a < b","at":"","line":0,"col":0}]},"status":"fail","error":"","together":30}`,
		},
		"advice": {
			verdict.Result{Tool: "f", Source: "a.json", Line: 2, Target: verdict.AdviceTarget, Status: verdict.Pass, Kind: &verdict.Advice{Findings: []verdict.Finding{{Rule: "no_unit"}}, Tokens: 7}},
			`{"version":1,"id":"","tool":"f","source":"a.json","line":2,"target":"advice","dialect":"","status":"pass","error":"",` +
				`"advice":[{"rule":"no_unit","severity":"","message":"","at":"","line":0,"col":0}],"tokens":7}`,
		},
		"source": {
			verdict.Result{Source: "npx", Target: "openai", Dialect: "openai/chat", Status: verdict.Inconclusive, Error: "no answer", Kind: verdict.Source{}},
			`{"version":1,"id":"","tool":"","source":"npx","line":0,"target":"openai","dialect":"openai/chat","status":"inconclusive","error":"no answer"}`,
		},
	} {
		text, err := test.given.MarshalJSON()
		if err != nil || string(text) != test.line+"\n" {
			t.Errorf("%s: the line is\n%s\nand not\n%s\n%v", name, text, test.line, err)
		}
		var read verdict.Result
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if difference := cmp.Diff(test.given, read); difference != "" {
			t.Errorf("%s is read as another result: %s", name, difference)
		}
	}
}
