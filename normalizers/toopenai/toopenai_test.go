package toopenai_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/toopenai"
	"toolproof/schema"
)

// TestOtherTarget: a tool that was normalized for another target is not declared.
func TestOtherTarget(t *testing.T) {
	t.Parallel()
	tool, err := schema.NewTool("f", "", `{"type": "object", "properties": {"a": {"type": "string"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	declare := map[string]func(normalizers.Result) error{
		"openai, openai-strict, gemini-openai, moonshot, ollama, llamacpp, vllm or portable": func(result normalizers.Result) error {
			_, err := toopenai.Chat(result)
			return err
		},
		"openai, openai-strict, openai-responses or portable": func(result normalizers.Result) error {
			_, err := toopenai.Responses(result)
			return err
		},
	}
	for needed, declared := range declare {
		for _, pipeline := range normalizers.Pipelines {
			result, err := pipeline.Normalize(t.Context(), tool)
			if err != nil {
				t.Fatal(err)
			}
			want := `declaring "f": the tool was normalized for ` + pipeline.Name() + ": normalize it for " + needed
			if slices.Contains(strings.FieldsFunc(strings.ReplaceAll(needed, " or ", ", "), func(r rune) bool { return r == ',' || r == ' ' }), pipeline.Name()) {
				want = ""
			}
			got := ""
			if err := declared(result); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("a result for %s gives the error %q, want %q", pipeline.Name(), got, want)
			}
		}
	}
	if _, err := toopenai.Chat(normalizers.Result{Tool: tool}); err != nil {
		t.Errorf("a tool of another normalizer gives the error %v", err)
	}
}

func TestWhatCannotBeHeld(t *testing.T) {
	t.Parallel()
	for want, tool := range map[string]schema.Tool{
		`declaring "f": /parameters: the schema is an object, and this is true`: {Name: "f", Parameters: schema.NewBool(true)},
		`declaring "f": /description: `:                                         {Name: "f", Description: schema.NewInt(1)},
	} {
		result := normalizers.Result{Tool: tool}
		if _, err := toopenai.Chat(result); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v of chat", err)
		}
		if _, err := toopenai.Responses(result); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v of Responses", err)
		}
	}
}
