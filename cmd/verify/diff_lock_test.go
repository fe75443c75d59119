package main

import (
	"slices"
	"strings"
	"testing"
)

// TestWithoutVersions: a lock compares two versions of a package, and so knows its server without the version.
func TestWithoutVersions(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"npx -y @scope/name@1.2.3": "npx -y @scope/name",
		"npx -y @scope/name":       "npx -y @scope/name",
		"npx name@latest":          "npx name",
		"uvx name==1.2":            "uvx name",
		"node dist/index.js":       "node dist/index.js",
		"node dir@2/index.js":      "node dir@2/index.js",
		"@name":                    "@name",
	} {
		if got := withoutVersions(strings.Fields(given)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s is %q and not %q", given, got, want)
		}
	}
}
