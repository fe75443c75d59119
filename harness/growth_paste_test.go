package harness_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/refusal"
	"toolproof/schema"
)

// pastes are the parts of hostile texts that people might paste, by the name of a case.
var pastes = map[string]string{
	"bodies": `{"error":`, "escapes": `\`, "braces": "{", "tools": "tools.0.", "contexts": "'properties', ", "logs": "2026-01-01 10:00:00 ERROR x: no\n",
	"places": "GenerateContentRequest.tools[0].function_declarations[0].parameters", "refusals": "Invalid schema for function 'g': ", "colours": "\x1b[31m",
	"omissions": "...", "messages": `"message": "`,
}

// TestLocateHostile locates a hostile text of the size in a tool.
func TestLocateHostile(t *testing.T) {
	part, size := cmp.Or(pastes[*hostileCase], pastes["bodies"]), cmp.Or(*hostileSize, 1<<10)
	tools := []schema.Tool{{Name: "f", Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})}}
	located, err := refusal.Locator{Dialects: harness.Dialects}.Locate(t.Context(), strings.Repeat(part, size/len(part)+1), tools)
	if (err == nil) != (len(located.Places) > 0) {
		t.Errorf("%q: %v %v", part, located.Places, err)
	}
}

// TestWorkGrowsAsTheText is TestWorkGrowsAsTheInput for pasted texts.
func TestWorkGrowsAsTheText(t *testing.T) {
	t.Parallel()
	if !*isCounting {
		t.Skip("make growth counts")
	}
	binary := filepath.Join(t.TempDir(), "harness.test")
	execute(t, "go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=./...,../internal/...", ".")
	const size, more, tolerated, perLetter = 1 << 12, 4, 8, 5
	for name := range pastes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small, large := blocks(t, binary, "TestLocateHostile", name, size), blocks(t, binary, "TestLocateHostile", name, more*size)
			grown := grown(small, large, perLetter*more*size, tolerated)
			if len(grown) == 0 {
				return
			}
			small, large = large, blocks(t, binary, "TestLocateHostile", name, more*more*size)
			for _, block := range grown {
				if large[block] > tolerated*small[block] {
					t.Errorf("%s ran %d times for %d letters, and %d times for four times as many", block, small[block], more*size, large[block])
				}
			}
		})
	}
}
