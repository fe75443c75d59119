package instance

import (
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// besideVocabularies returns what a schema of a dialect has to satisfy besides the
// metaschemas of its vocabularies, or nil. Since 2019-09 the validator holds a schema to
// those alone once a vocabulary is registered, and the whole metaschema asks for more.
func besideVocabularies(dialect string) *jsonschema.Schema {
	switch {
	case isLatest(dialect):
		return olderKeywords()
	case strings.Contains(dialect, "2019-09"):
		return metaschema2019()
	default:
		return nil // the drafts before have no vocabularies
	}
}

// isLatest reports whether a dialect is 2020-12, as it is where none is named.
func isLatest(dialect string) bool { return dialect == "" || strings.Contains(dialect, "2020-12") }

// metaschema2019 is the whole metaschema of 2019-09. That of a vocabulary refers to itself
// alone, so that a minLength below properties would never be looked at.
var metaschema2019 = sync.OnceValue(func() *jsonschema.Schema {
	return jsonschema.NewCompiler().MustCompile(jsonschema.Draft2019.String())
})

// olderKeywords is the part of the metaschema of 2020-12 that is in no vocabulary. The
// whole of it would take five times as long.
var olderKeywords = sync.OnceValue(func() *jsonschema.Schema {
	const address = "mem:///older-keywords"
	subschema := map[string]any{"$dynamicRef": "#meta"}
	names := map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "uniqueItems": true}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(address, map[string]any{
		"$dynamicAnchor": "meta",
		"properties": map[string]any{
			"definitions":  map[string]any{"type": "object", "additionalProperties": subschema},
			"dependencies": map[string]any{"type": "object", "additionalProperties": map[string]any{"anyOf": []any{subschema, names}}},
		},
	}); err != nil {
		panic(err) // it is a JSON value
	}
	return compiler.MustCompile(address)
})
