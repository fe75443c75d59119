package toopenai_test

import (
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/toopenai"
	"toolproof/schema"
)

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
