package provider

import "strings"

// OfLetters reports whether a text holds nothing but ASCII letters, digits and the other
// characters: what most providers take for a name.
func OfLetters(text, others string) bool {
	for i := range len(text) {
		c := text[i]
		if isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'; !isLetter && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
