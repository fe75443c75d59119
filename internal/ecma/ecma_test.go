package ecma_test

import (
	"strings"
	"testing"

	"toolproof/internal/ecma"
)

// TestFault compares with what V8 11.3 says.
func TestFault(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`^\d{3}-\d{4}$`: "", `[\w\-.]`: "", `(?<a>x)\k<a>\1`: "", `\u{1F600}\ud83d\ude00\x41\cA\0`: "", `a{2,}?b{3}c{1,2}`: "", `(?=a)(?!b)(?<=c)(?<!d)`: "",
		`[a-]`: "", `[-a]`: "", `[^]`: "", `\p{Letter}\P{sc=Greek}`: "", `[\b\d-]`: "", ``: "", `a|`: "", `()`: "", `(?i:a)`: "", `(?<a>x)|(?<a>y)`: "",
		`[\ud83d\ude00-\ud83d\ude01]`: "", `{`: "Lone quantifier brackets",
		`\-`: "Invalid escape", `\A`: "Invalid escape", `\x4`: "Invalid escape", `\1`: "Invalid escape", `(a)\2`: "Invalid escape", `\_`: "Invalid escape",
		`(`: "Unterminated group", `(?:a`: "Unterminated group", `)`: "Unmatched ')'", `a)`: "Unmatched ')'",
		`(?i)a`: "Invalid group", `(?P<a>b)`: "Invalid group", `(?`: "Invalid group", `(?<1>a)`: "Invalid capture group name", `(?<>a)`: "Invalid capture group name",
		`*`: "Nothing to repeat", `a**`: "Nothing to repeat", `^*`: "Nothing to repeat", `(?=a)*`: "Nothing to repeat", `\b+`: "Nothing to repeat", `{1}`: "Nothing to repeat",
		`a{`: "Incomplete quantifier", `a{1`: "Incomplete quantifier", `a{,2}`: "Incomplete quantifier", `a{2,1}`: "numbers out of order in {} quantifier",
		`}`: "Lone quantifier brackets", `]`: "Lone quantifier brackets",
		`[`: "Unterminated character class", `[a`: "Unterminated character class", `[b-a]`: "Range out of order in character class", `[\w-a]`: "Invalid character class",
		`[\1]`: "Invalid class escape", `[\00]`: "Invalid class escape", `\00`: "Invalid decimal escape", `\`: `\ at end of pattern`,
		`\u12`: "Invalid Unicode escape", `\u{110000}`: "Invalid Unicode escape", `\c1`: "Invalid Unicode escape", `\p`: "Invalid property name", `\p{}`: "Invalid property name",
		`[\p]`: "Invalid property name in character class", `\k`: "Invalid named reference", `\k<a>`: "Invalid named capture referenced",
		strings.Repeat("(", 2000):                                "", // not read to its end
		strings.Repeat("a", 100_000) + "{9999999999999999999,9}": "numbers out of order in {} quantifier",
	} {
		if got := ecma.Fault(pattern); got != want {
			t.Errorf("%.40s: %q, want %q", pattern, got, want)
		}
	}
}

// FuzzFault reads any pattern.
func FuzzFault(f *testing.F) {
	f.Add(`^(?<a>[\w\-.]{1,2})\k<a>\u{41}$`)
	f.Fuzz(func(t *testing.T, pattern string) {
		if fault := ecma.Fault(pattern); fault == "" && strings.HasSuffix(pattern, `(`) && !strings.HasSuffix(pattern, `\(`) && !strings.Contains(pattern, "[") {
			t.Errorf("%q has a group without an end", pattern)
		}
	})
}
