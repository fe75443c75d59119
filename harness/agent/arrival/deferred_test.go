package arrival

import (
	"testing"

	"toolproof/harness/emulator"
)

// TestDeferred reads declarations that are marked as deferred: they are compared and judged, and
// their state says that the model has to search for them.
func TestDeferred(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, body string }{
		{"/v1/messages", `{"tools":[{"name":"f","description":"","input_schema":{"type":"object"},"defer_loading":true}]}`},
		{"/v1/responses", `{"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"defer_loading":true},{"type":"tool_search"}]}`},
	} {
		request := &emulator.Entry{Method: "POST", Path: test.path, Body: []byte(test.body)}
		declared, isSurface := Read(request)
		if !isSurface || len(declared) == 0 {
			t.Fatalf("%s: %v", test.path, declared)
		}
		tool, err := Judge(t.Context(), declared[0].Tool, declared[0].Tool, declared[0], "m", "2026-11-23")
		if err != nil || tool.State != Deferred || tool.Dialect == "" || tool.Sent != "f" {
			t.Errorf("%s: %+v, %v", test.path, tool, err)
		}
	}
}
