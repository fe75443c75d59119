package tomcp_test

import (
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/tomcp"
	"toolproof/schema"
)

func TestWhatCannotBeHeld(t *testing.T) {
	t.Parallel()
	for want, tool := range map[string]schema.Tool{
		`declaring "f": /parameters: there is no input schema`: {Name: "f"},
		`declaring "f": /description: `:                        {Name: "f", Parameters: schema.NewObject(), Description: schema.NewInt(1)},
	} {
		if _, err := tomcp.Tool(normalizers.Result{Tool: tool}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}
