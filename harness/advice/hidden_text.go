package advice

import (
	"fmt"
	"unicode"

	"toolproof/schema"
)

// hiddenText finds letters that a model reads but a person does not see.
var hiddenText = &Rule{
	Name: "hidden_text",
	Doc: `a text has letters that nobody sees

Tag characters, zero-width letters and marks for the direction of text are invisible on a
screen, but a model reads them. They can hide instructions from the person who approves a tool.`,
	Source: Source{
		"Unicode tag characters carried instructions past a reviewer into models.",
		"https://embracethered.com/blog/posts/2024/hiding-and-finding-text-with-unicode-tags/", "2024-01-14",
	},
	Bad:  "[{\"name\": \"add\", \"description\": \"Add two numbers.\\u2060\\u200b\\u200b\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}]",
	Good: `[{"name": "add", "description": "Add two numbers.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		texts(tool, func(at schema.Pointer, node *schema.Node, whose, text string) {
			if hidden, count := hiddenIn(text); count > 0 {
				p.report(at, node, fmt.Sprintf("the description of %s has %d hidden letters, the first is U+%04X: take them out", whose, count, hidden))
			}
		})
	},
}

// texts calls a function with each description in a tool, its place, and the name of its
// owner.
func texts(tool *declaration, look func(at schema.Pointer, node *schema.Node, whose, text string)) {
	at, node := tool.descriptionOf()
	look(at, node, tool.Name, tool.text)
	for _, param := range tool.params {
		if param.text != "" {
			at, node := param.descriptionOf()
			look(at, node, param.name, param.text)
		}
	}
}

// hiddenIn returns the first hidden letter of a text, and their number.
func hiddenIn(text string) (first rune, count int) {
	var before rune
	for _, letter := range text {
		if isHidden(letter, before) {
			if count++; count == 1 {
				first = letter
			}
		}
		before = letter
	}
	return first, count
}

// isHidden reports whether a letter is invisible after another one. Joiners are visible
// in emoji and in scripts such as Arabic and Devanagari.
func isHidden(letter, before rune) bool {
	switch {
	case letter < 0x80:
		return false
	case letter >= 0xE0000 && letter <= 0xE007F:
		return before < 0x1F000 && (before < 0xE0000 || before > 0xE007F) || before == 0 || !isFlag(before)
	case letter == 0x200B, letter == 0x2060, letter == 0x180E, letter >= 0x2061 && letter <= 0x2064:
		return true
	case letter == 0xFEFF:
		return before != 0
	case letter == 0x200C, letter == 0x200D:
		return before < 0x80 && (unicode.IsLetter(before) || unicode.IsSpace(before))
	case letter >= 0x202A && letter <= 0x202E, letter >= 0x2066 && letter <= 0x2069:
		return true
	case letter >= 0xE0100 && letter <= 0xE01EF:
		return !unicode.Is(unicode.Han, before)
	default:
		return false
	}
}

// isFlag reports whether tag characters may follow a letter: a black flag, or another tag
// after one.
func isFlag(letter rune) bool { return letter == 0x1F3F4 || letter >= 0xE0000 && letter <= 0xE007F }
