package schema_test

import (
	"testing"

	"toolproof/schema"
)

func TestHasLookaround(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^(?=.*[0-9]).+$`: true, `a(?!b)`: true, `(?<=a)b`: true, `(?<!a)b`: true, `[\]](?=a)`: true,
		`^(?:a)$`: false, `(?<name>a)`: false, `\(?=a`: false, `[(?=]`: false, `\\(?=a)`: true, `(`: false, `\`: false, ``: false,
	} {
		if got := schema.HasLookaround(pattern); got != want {
			t.Errorf("HasLookaround(%q) = %t, want %t", pattern, got, want)
		}
	}
}
