package provider_test

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

func TestDeclarationNamed(t *testing.T) {
	t.Parallel()
	var declarations []*schema.Node
	for _, text := range []string{`{"name": "read"}`, `{"type": "function", "function": {"name": "can_read"}}`, `{"name": ""}`, `{}`} {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		declarations = append(declarations, node)
	}
	for name, index := range map[string]int{"read": 0, "can_read": 1, "mcp__read": 0, "mcp_can_read": 1, "spread": provider.Nowhere, "write": provider.Nowhere} {
		if got := provider.DeclarationNamed(declarations, name); got != index {
			t.Errorf("%s: got %d, expected %d", name, got, index)
		}
	}
}
