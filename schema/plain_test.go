package schema_test

import (
	"testing"

	"toolproof/schema"
)

func TestIsPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"type":"string"}`:                                   true,
		`{"type":"boolean","description":"a"}`:                true,
		`{"description":"a","type":"integer"}`:                true,
		`{"type":"number","description":"a","title":"b"}`:     false,
		`{"type":"object"}`:                                   false,
		`{"type":"array"}`:                                    false,
		`{"type":"null"}`:                                     false,
		`{"type":"STRING"}`:                                   false,
		`{"type":["string"]}`:                                 false,
		`{"type":"string","type":"string"}`:                   false,
		`{"description":"a"}`:                                 false,
		`{"description":"a","description":"b"}`:               false,
		`{"type":"string","description":""}`:                  false,
		`{"type":"string","description":1}`:                   false,
		`{"type":"string","enum":["a"]}`:                      false,
		`{"type":"string","description":"a","type":"string"}`: false,
		`{}`:         false,
		`true`:       false,
		`["string"]`: false,
	} {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := node.IsPlain(); got != want {
			t.Errorf("%s is plain: %t", text, got)
		}
	}
}
