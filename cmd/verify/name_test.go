package main

import (
	"testing"

	"toolproof/cmd/internal/cli"
)

// TestNameOf: the program is called as it was started. A launcher gives a package of npm,
// whose name may have a scope.
func TestNameOf(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"verify": "verify", "/usr/bin/toolproof": "toolproof", "./bin/toolproof.exe": "toolproof", "npx @scope/name": "npx @scope/name",
	} {
		if got := cli.NameOf(given); got != want {
			t.Errorf("%q is called %q, and not %q", given, got, want)
		}
	}
}
