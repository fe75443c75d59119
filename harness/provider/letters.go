package provider

import "strings"

// OfLetters reports whether a text consists of ASCII letters, digits and the given other
// characters, which is what most providers require of a name.
func OfLetters(text, others string) bool {
	for i := range len(text) {
		c := text[i]
		if isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'; !isLetter && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
