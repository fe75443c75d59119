package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// NullableType serves targets that take a union with null, but no list of types.
var NullableType = &engine.Rule{
	Name: "nullable_type",
	Doc: `null among the types becomes nullable

A union with a branch of null stays as it is. A list of several other types stays without
null. Source: docs/seeds.md#seed-004-22.`,
	Before:  `{"type": ["string", "null"], "minLength": 1}`,
	After:   `{"type": "string", "minLength": 1, "nullable": true}`,
	Loss:    rewrite.Widens,
	On:      []string{"type"},
	Rewrite: nullFromTypes,
}
