package walle_test

import (
	"testing"

	"toolproof/harness/provider/internal/walle"
)

// TestCanonical compares the words in a public test of 2026 with the validator's.
func TestCanonical(t *testing.T) {
	t.Parallel()
	const (
		words  = "details: <At path 'root': conflicting keywords found in anyOf with parent: keywords (properties) are defined on the parent schema and inside anyOf"
		advice = "; remove them from the parent or from anyOf branches"
		name   = "details: <At path 'properties.a; remove b': invalid type>"
	)
	for message, want := range map[string]string{
		words + ">":          words + ">",
		words + advice + ">": words + ">",
		words + advice:       words,
		name:                 name,
	} {
		if got := walle.Canonical(message); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", message, got, want)
		}
	}
}
