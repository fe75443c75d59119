package gateway

import "testing"

// TestTrace: an error is published without the folders of the machine that measured it.
func TestTrace(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"refused: at 'a'\n    at f (/home/of/gateway/cli.js:582:7451)\n    at process.x (node:internal:95:5)": "refused: at 'a'",
		"two lines\nat the end": "two lines\nat the end",
		"":                      "",
	} {
		if got := withoutTrace(given); got != want {
			t.Errorf("%q becomes %q", given, got)
		}
	}
}
