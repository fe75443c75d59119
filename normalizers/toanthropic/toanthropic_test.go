package toanthropic_test

import (
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/toanthropic"
	"toolproof/schema"
)

func TestWhatCannotBeHeld(t *testing.T) {
	t.Parallel()
	object := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	for want, tool := range map[string]schema.Tool{
		`declaring "f": /parameters: an input schema is of type object, and this is {}`: {Name: "f", Parameters: schema.NewObject()},
		`declaring "f": /parameters: there is no input schema`:                          {Name: "f"},
		`declaring "f": /description: `:                                                 {Name: "f", Parameters: object, Description: schema.NewInt(1)},
	} {
		if _, err := toanthropic.Tool(normalizers.Result{Tool: tool}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}
