package rules

import "testing"

// TestCompilable repairs patterns, or says that they cannot be.
func TestCompilable(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`^\d{3}\-\d+$`:     `^\d{3}-\d+$`,
		`[\w\-.]\@`:        `[\w\-.]@`,
		`[\_a\-z]`:         `[_a\-z]`,
		`\\\-`:             `\\-`,
		`\"[^\"]\]\:`:      `"[^"]\]:`,
		`a`:                `a`,
		`(?i)a`:            "",
		`(?P<a>b)`:         "",
		`\A\Z`:             "",
		`a\`:               "",
		`\é`:               "",
		`^[\w-\.]+\#`:      "",
		`[\s\-\_]+\ ?\,\;`: `[\s\-_]+ ?,;`,
	} {
		got, ok := compilable(pattern)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %t; want %q", pattern, got, ok, want)
		}
	}
}
