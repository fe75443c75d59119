package harness_test

import (
	"encoding/json"
	"testing"

	"toolproof/harness"
	"toolproof/schema"
)

// TestEchoesAgree holds what the models take a declaration for against the tools
// that recorded answers echo.
func TestEchoesAgree(t *testing.T) {
	t.Parallel()
	_, store := load(t)
	echoes := 0
	for _, recorded := range store.All {
		var body struct {
			Tools []*schema.Node `json:"tools"`
		}
		if len(recorded.Response.Body) > 0 {
			if err := json.Unmarshal(recorded.Response.Body, &body); err != nil {
				t.Fatalf("%s: %v", recorded.Name(), err)
			}
		}
		dialect, err := harness.DialectNamed(recorded.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		for i, echoed := range body.Tools {
			echoes++
			declaration := recorded.Request.Declarations[i]
			before := declaration.String()
			if predicted := dialect.Echo(declaration, recorded.Date); !schema.Equal(predicted, echoed) {
				t.Errorf("%s:\necho  %s\nmodel %s", recorded.Name(), echoed, predicted)
			}
			if declaration.String() != before {
				t.Errorf("%s: the echo changed its argument", recorded.Name())
			}
		}
	}
	if echoes == 0 {
		t.Error("no recording has an echo")
	}
}
