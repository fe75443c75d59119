package harness_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/normalizers"
	"toolproof/schema"
)

// ofDay are tools with which a provider was content later than on the day.
var ofDay = []struct{ targets, day, name, parameters string }{
	{"gemini gemini-response", "2025-10-14", "f", `{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}`},
	{"gemini gemini-json vertex vertex-json gemini-openai", "2025-09-24", "a:b", `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"gemini gemini-response", "2024-12-31", "f", `{"type":"object","properties":{"a":{"type":"string","title":"A","default":"b"}}}`},
	{"openai openai-responses openai-strict", "2026-09-30", strings.Repeat("n", 65), `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"anthropic", "2025-07-07", strings.Repeat("n", 65), `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"moonshot", "2026-06-09", "f", `{"type":"object","properties":{"a":{"description":"anything"}}}`},
	{"openai-strict", "2025-07-17", "f", strings.Repeat(`{"type":"object","properties":{"a":`, 6) + `{"type":"string"}` + strings.Repeat(`}}`, 6)},
	{"openai-strict", "2025-06-19", "f", `{"type":"object","properties":{"a":{"type":"string","enum":["v0"` + manyValues(500) + `]}}}`},
	{"openai-strict", "2025-05-31", "f", `{"type":"object","properties":{"a":{"type":"string","format":"uuid","pattern":"^a","default":"b"}}}`},
	{"llamacpp", "2026-10-01", "f", `{"type":"object","properties":{"$ref":{"type":"string"}}}`},
	{"llamacpp", "2026-10-01", "f", `{"type":"object","properties":{"a":{"type":"string","default":{"$ref":5}}}}`},
	{"llamacpp", "2026-09-06", "f", `{"type":"object","properties":{"a":{"type":"string","maxLength":2000}}}`},
	{"llamacpp", "2026-08-31", "f", `{"type":"object","properties":{"b":{"type":"string","pattern":"^\\d$"}}}`},
	{"llamacpp", "2026-08-06", "f", `{"type":"object","properties":{"a":{"type":"string","maxLength":5000}}}`},
	{"llamacpp", "2026-08-05", "f", `{"type":"object","properties":{"a":{"description":"anything"}}}`},
	{"vllm", "2026-10-31", "f", `{"type":"object","properties":{"a":{"type":"object","patternProperties":{"^x":{}}}}}`},
	{"vllm", "2025-12-17", "f", `{"type":"object","properties":{"a":{"type":"string","format":"date"},"b":{"type":"object","maxProperties":2}}}`},
	{"vllm", "2025-05-26", "f", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":1}}}`},
	{"vllm", "2025-04-13", "f", `{"type":"object","properties":{"enum":{"type":"string","pattern":"^a"},"b":{"type":"integer","enum":[1],"minimum":1}}}`},
	{"openai-strict", "2024-11-06", "f", `{"type":"object","properties":{` + strings.TrimPrefix(manyProperties(101), ",") + `}}`},
}

func manyProperties(count int) string {
	var text strings.Builder
	for i := range count {
		text.WriteString(`,"p` + strings.Repeat("x", i) + `":{"type":"string"}`)
	}
	return text.String()
}

// manyValues are so many more values of an enum.
func manyValues(count int) string {
	var text strings.Builder
	for i := range count {
		text.WriteString(`,"v` + strconv.Itoa(i+1) + `"`)
	}
	return text.String()
}

// answerOn returns the provider's answer of a day to a tool as a pipeline makes it.
func answerOn(t *testing.T, target judge.Target, pipeline *normalizers.Pipeline, tool schema.Tool, day string) provider.Response {
	t.Helper()
	result, err := pipeline.Normalize(t.Context(), tool)
	if err != nil {
		t.Fatal(err)
	}
	dialect := target.Dialect
	if target.Fallback != nil && !result.Strict {
		dialect = target.Fallback
	}
	var answer provider.Response
	for _, surface := range askedOf(target, dialect) {
		answer, err = (&provider.Model{Dialect: surface, AsOf: provider.Date(day)}).Send(t.Context(), surface.Encode([]schema.Tool{result.Tool}))
		if err != nil {
			t.Fatal(err)
		}
		if answer.Verdict != provider.Accepted {
			break
		}
	}
	return answer
}

// TestAsOf asks for tools as of days on which the provider was stricter. Each limit of
// before is needed: without it the provider of the day refuses.
func TestAsOf(t *testing.T) {
	t.Parallel()
	for _, target := range harness.Targets {
		pipeline, ok := target.Normalizer.(*normalizers.Pipeline)
		if !ok {
			t.Fatalf("%s is no pipeline", target.Name())
		}
		needed := make([]bool, len(pipeline.Days()))
		for _, test := range ofDay {
			if !slices.Contains(strings.Fields(test.targets), target.Name()) {
				continue
			}
			day, err := time.Parse(time.DateOnly, test.day)
			if err != nil {
				t.Fatal(err)
			}
			parameters, err := schema.Parse([]byte(test.parameters))
			if err != nil {
				t.Fatal(err)
			}
			tool := schema.Tool{Name: test.name, Parameters: parameters}
			if answer := answerOn(t, target, pipeline, tool, test.day); answer.Verdict != provider.Rejected {
				t.Errorf("%s: what is made today was accepted on %s as well\n%.300s", target.Name(), test.day, test.parameters)
			}
			then := pipeline.With(normalizers.Options{AsOf: day})
			if answer := answerOn(t, target, then, tool, test.day); answer.Verdict != provider.Accepted {
				t.Errorf("%s: what is made as of %s was refused: %s\n%.300s", target.Name(), test.day, answer.Message, test.parameters)
			}
			for i, until := range pipeline.Days() {
				needed[i] = needed[i] || answerOn(t, target, then.Without(until), tool, test.day).Verdict == provider.Rejected
			}
		}
		for i, isNeeded := range needed {
			if !isNeeded {
				t.Errorf("%s: no tool needs what was so until %s", target.Name(), pipeline.Days()[i])
			}
		}
	}
}

// TestOptionsHoldContract holds what the options make of the fixtures against the
// contract, and against what was asked for. A short test takes one fixture of twelve for
// each target.
func TestOptionsHoldContract(t *testing.T) {
	t.Parallel()
	given, _ := load(t)
	for _, test := range []struct {
		name    string
		options normalizers.Options
		targets string
		keeps   string // a keyword that more tools have with the options
	}{
		{"keep titles", normalizers.Options{KeepTitles: true}, "openai-strict", "title"},
		{"property ordering", normalizers.Options{PropertyOrdering: true}, "gemini gemini-json gemini-response gemini-response-json vertex vertex-json gemini-openai", "propertyOrdering"},
		{"say constraints", normalizers.Options{SayConstraints: true}, "gemini gemini-json gemini-response gemini-response-json vertex vertex-json gemini-openai openai-strict openai-responses " +
			"anthropic anthropic-strict llamacpp vllm moonshot", "description"},
	} {
		for number, name := range strings.Fields(test.targets) {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				target, err := harness.TargetNamed(name)
				if err != nil {
					t.Fatal(err)
				}
				pipeline := normalizers.Named(name)
				target.Normalizer = pipeline.With(test.options)
				isKept := false
				for i, one := range given {
					if one.WireOnly {
						continue
					}
					if inShare(i+number, 12) {
						holdsContract(t, within(target, one), one.Tools[0], nil)
					}
					isKept = isKept || has(t, within(target, one).Normalizer, one.Tools[0], test.keeps) && !has(t, pipeline, one.Tools[0], test.keeps)
				}
				if !isKept {
					t.Errorf("no fixture has %s for the options", test.keeps)
				}
			})
		}
	}
}

// has reports whether a tool has a keyword once it is normalized.
func has(t *testing.T, normalizer normalizers.Normalizer, tool schema.Tool, keyword string) bool {
	t.Helper()
	result, err := normalizer.Normalize(t.Context(), tool)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	if result.Tool.Parameters != nil {
		result.Tool.Parameters.Each(func(node *schema.Node) bool {
			found = found || node.Has(keyword)
			return true
		})
	}
	return found
}

// TestNeverStrict gives the tools of strict targets as ones that are not.
func TestNeverStrict(t *testing.T) {
	t.Parallel()
	parameters, err := schema.Parse([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for strict, plain := range map[*normalizers.Pipeline]*normalizers.Pipeline{
		normalizers.OpenAIStrict: normalizers.OpenAI, normalizers.AnthropicStrict: normalizers.Anthropic,
	} {
		tool := schema.Tool{Name: "f", Parameters: parameters}
		result, err := strict.With(normalizers.Options{NeverStrict: true}).Normalize(t.Context(), tool)
		if err != nil || result.Strict || result.Fallback == "" {
			t.Errorf("%s: strict %t for the reason %q, %v", strict.Name(), result.Strict, result.Fallback, err)
		}
		want, err := plain.Normalize(t.Context(), tool)
		if err != nil || !schema.Identical(result.Tool.Node(), want.Tool.Node()) {
			t.Errorf("%s: got %s, want %s (%v)", strict.Name(), result.Tool.Node(), want.Tool.Node(), err)
		}
		if usual, err := strict.Normalize(t.Context(), tool); err != nil || !usual.Strict {
			t.Errorf("%s: not strict without the option: %v", strict.Name(), err)
		}
	}
}
