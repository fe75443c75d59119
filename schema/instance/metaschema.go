package instance

import (
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// besideVocabularies returns a schema that schemas of the dialect have to satisfy besides the
// metaschemas of their vocabularies, or nil. Once a vocabulary is registered, the validator uses
// only the metaschemas of the vocabularies for drafts from 2019-09 on, although the metaschema of
// the draft demands more.
func besideVocabularies(dialect string) *jsonschema.Schema {
	switch {
	case isLatest(dialect):
		return olderKeywords()
	case strings.Contains(dialect, "2019-09"):
		return metaschema2019()
	default:
		return nil // older drafts have no vocabularies
	}
}

// isLatest reports whether a dialect is 2020-12, which is the default.
func isLatest(dialect string) bool { return dialect == "" || strings.Contains(dialect, "2020-12") }

// metaschema2019 returns the metaschema of draft 2019-09. The metaschema of a single vocabulary
// refers only to itself, and would not check a minLength below properties.
var metaschema2019 = sync.OnceValue(func() *jsonschema.Schema {
	return jsonschema.NewCompiler().MustCompile(jsonschema.Draft2019.String())
})

// olderKeywords returns the part of the 2020-12 metaschema that belongs to no vocabulary.
// Validating against the whole metaschema would take five times as long.
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
