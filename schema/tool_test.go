package schema_test

import (
	"strings"
	"testing"

	"toolproof/schema"
)

func TestNewTool(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][3]string{
		`{"name":"f","description":"d","parameters":{"type":"object"}}`: {"f", "d", `{"type": "object"}`},
		`{"name":"f"}`: {"f", "", ""},
	} {
		tool, err := schema.NewTool(texts[0], texts[1], texts[2])
		if err != nil || tool.Node().String() != want {
			t.Errorf("%s, %v, want %s", tool.Node(), err, want)
		}
	}
	const want = `the parameters of "f": 2:10: not JSON`
	if _, err := schema.NewTool("f", "", "{\n  \"type\" 1}"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got the error %v, want %s", err, want)
	}
}
