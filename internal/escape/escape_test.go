package escape_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"toolproof/internal/escape"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for given, expected := range map[string]string{
		"plain, é and ж":                  "plain, é and ж",
		"a\x1b[2J\r\n\u202eb\u009b\u200b": `a\x1b[2J\r\n\u202eb\u009b\u200b`,
		"\x7f\U000e0041\xff":              `\u007f\udb40\udc41` + "\ufffd",
	} {
		if got := escape.Line(given); got != expected {
			t.Errorf("%q becomes %q and not %q", given, got, expected)
		}
	}
	if got := escape.Lines("a\nb\x1b", "  "); got != "a\n  b\\x1b" {
		t.Errorf("the lines are %q", got)
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for given, expected := range map[string]string{
		"":                  "",
		"[a](b)":            "`[a](b)`",
		"a`b":               "``a`b``",
		"``a":               "``` ``a ```",
		"a|b\\|c":           "`a\\|b\\\\u007cc`",
		"\n<img>\x1b\u202e": "`" + `\n<img>\x1b\u202e` + "`",
	} {
		if got := escape.Code(given); got != expected {
			t.Errorf("%q becomes %q and not %q", given, got, expected)
		}
	}
}

// TestWriter: however a text comes in pieces, what comes out is the same.
func TestWriter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given, expected string
		colors, log     bool
	}{
		{given: "a\tb\n éж😀 c\n", expected: "a\tb\n éж😀 c\n"},
		{given: "::error::a\n \t::b\n:c::d\n:\n:e", expected: ":\\u003aerror::a\n \t:\\u003ab\n:c::d\n:\n:e"},
		{given: "## [a] ##[b] x##vso[c] ###[d] #[e] ##1[f]\n", expected: "## [a] ##\\u005bb] x##vso\\u005bc] ###\\u005bd] #[e] ##1[f]\n"},
		{given: "\x1b[31mred\x1b[0m", expected: `\x1b[31mred\x1b[0m`},
		{given: "\x1b[31mred\x1b[0m", expected: "\x1b[31mred\x1b[0m", colors: true},
		{given: "\x1b]0;a\x07\x1b[2J\x1b[1;31m\x1b[12345m::", expected: `\x1b]0;a\a\x1b[2J\x1b[1;31m\x1b[12345m::`, colors: true},
		{given: "\x1b[1m::a", expected: "\x1b[1m:\\u003aa", colors: true},
		{
			given: "::error file=a::b\n ::notice::::c\n::errors::d\n::stop-commands::e\nx::error::f\n::warning x\n", log: true,
			expected: "::error file=a::b\n ::notice::::c\n:\\u003aerrors::d\n:\\u003astop-commands::e\nx::error::f\n::warning x\n",
		},
		{given: "a\r\nb\x9bc\u009b\u202e\xf0\x9f", expected: "a\\r\nb\ufffdc\\u009b\\u202e"},
	} {
		for size := 1; size <= len(test.given); size++ {
			var out bytes.Buffer
			writer := &escape.Writer{Out: &out, Colors: test.colors, Annotations: test.log}
			for rest := []byte(test.given); len(rest) > 0; {
				piece := rest[:min(size, len(rest))]
				rest = rest[len(piece):]
				if n, err := writer.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if out.String() != test.expected {
				t.Errorf("%q in pieces of %d becomes %q and not %q", test.given, size, out.String(), test.expected)
			}
		}
	}
}

// FuzzWriter: JSON keeps its value.
func FuzzWriter(f *testing.F) {
	f.Add("a\x1b\u202e\x7f##[x]::\U000e0041\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		var encoded, out bytes.Buffer
		encoder := json.NewEncoder(&encoded)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode([]string{text}); err != nil {
			t.Fatal(err)
		}
		var before, after []string
		if err := json.Unmarshal(encoded.Bytes(), &before); err != nil {
			t.Fatal(err)
		}
		if _, err := (&escape.Writer{Out: &out}).Write(encoded.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &after); err != nil || after[0] != before[0] {
			t.Errorf("%q becomes %q, %v", before, after, err)
		}
	})
}

func TestAnnotation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		message, expected string
		properties        []escape.Property
	}{
		{message: "a", expected: "::error::a"},
		{message: "100%: a, b\nc\r", expected: `::error::100%25: a, b%0Ac\r`},
		{
			message: "::a", properties: []escape.Property{{"file", "a:b,c%\n"}, {"line", ""}, {"title", "x\x1b"}},
			expected: `::error file=a%3Ab%2Cc%25\n,title=x\x1b::::a`,
		},
	} {
		if got := escape.Annotation(escape.Error, test.message, test.properties...); got != test.expected {
			t.Errorf("%q becomes %s and not %s", test.message, got, test.expected)
		}
	}
}
