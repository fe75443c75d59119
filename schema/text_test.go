package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"toolproof/schema"
)

// TestQuotesAsTheLibrary puts each character, and some invalid bytes, at each place of a text
// that isPlain reads in words of eight bytes.
func TestQuotesAsTheLibrary(t *testing.T) {
	t.Parallel()
	letters := []string{"é", "\u2028", "<", "&", "\x7f"}
	for c := range 0x80 {
		letters = append(letters, string(rune(c)))
	}
	for _, letter := range letters {
		for length := range 20 {
			for at := range length + 1 {
				text := strings.Repeat("a", at) + letter + strings.Repeat(" ", length-at)
				want, err := jsontext.AppendQuote(nil, text)
				if got := schema.AppendQuoted([]byte("x"), text); err != nil || string(got) != "x"+string(want) {
					t.Fatalf("%q is quoted as %s, and the library says %s (%v)", text, got, want, err)
				}
			}
		}
	}
	if got := schema.AppendQuoted(nil, "longer than eight\xff"); string(got) != `"longer than eight`+"\ufffd\"" {
		t.Errorf("what is no UTF-8 is quoted as %s", got)
	}
}

// TestPlacesAppendTheirTokens compares AppendTokens and AppendTo with Tokens.
func TestPlacesAppendTheirTokens(t *testing.T) {
	t.Parallel()
	node, err := schema.Parse([]byte(`{"properties":{"a/b~":{},"":{}},"items":[{},{}],"not":{},"dependencies":{"x":{}},"anyOf":[{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for place := range node.Subschemas() {
		count++
		at := schema.Pointer("/before")
		for _, token := range place.Tokens() {
			if got := schema.AppendToken([]byte(at), token); string(got) != string(at.Child(token)) {
				t.Errorf("%q is appended as %s", token, got)
			}
			at = at.Child(token)
		}
		if got := place.AppendTo([]byte("/before")); string(got) != string(at) {
			t.Errorf("the place is appended as %s, want %s", got, at)
		}
		if got := place.AppendTokens([]string{"before"}); !slices.Equal(got[1:], place.Tokens()) {
			t.Errorf("the tokens are appended as %q", got)
		}
	}
	if count != 7 {
		t.Errorf("there are %d places", count)
	}
}

func TestRepeated(t *testing.T) {
	t.Parallel()
	for _, between := range []int{0, 100} { // few members are compared, many are looked up
		node := schema.NewObject(schema.Member{Key: "a"}, schema.Member{Key: "b"}, schema.Member{Key: "a"})
		for i := range between {
			node.Members = append(node.Members, schema.Member{Key: strings.Repeat("c", i+1)})
		}
		node.Members = append(node.Members, schema.Member{Key: "b"}, schema.Member{Key: "a"})
		isRepeated := node.Repeated()
		var got []int
		for i := range node.Members {
			if isRepeated(i) {
				got = append(got, i)
			}
		}
		if want := []int{2, between + 3, between + 4}; !slices.Equal(got, want) {
			t.Errorf("the members at %v are repeated, want %v", got, want)
		}
	}
}
