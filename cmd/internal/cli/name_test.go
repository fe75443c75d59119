package cli

import "testing"

// TestTyped checks that texts have the name under which the program was started, once, and that
// a user's words stay as they are.
//
//nolint:paralleltest // it sets the name of the program
func TestTyped(t *testing.T) {
	for _, test := range []struct{ source, started, text, want string }{
		{"verify", "toolproof", "verify --json or verify check --json writes them", "toolproof --json or toolproof check --json writes them"},
		{"verify", "npx @scope/verify", "npx @scope/verify check --help lists the flags; verify list", "npx @scope/verify check --help lists the flags; npx @scope/verify list"},
		{"verify", "toolproof", "verify mcp --config 'my verify files' asks", "toolproof mcp --config 'my verify files' asks"},
		{"verify-lab", "lab", "verify-lab docs writes what verify list lists", "lab docs writes what verify list lists"},
	} {
		Called(test.source, test.started)
		if got := Typed(test.text); got != test.want {
			t.Errorf("%q is typed %q, and not %q", test.text, got, test.want)
		}
	}
	Called("verify", "verify")
}

// TestNameOf checks that the program is called as it was started. A launcher gives the package of
// npm, whose name may have a scope.
func TestNameOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"verify": "verify", "/usr/bin/toolproof": "toolproof", "./bin/toolproof.exe": "toolproof", "npx @scope/name": "npx @scope/name",
	} {
		if got := NameOf(path); got != want {
			t.Errorf("%q is called %q, and not %q", path, got, want)
		}
	}
}
