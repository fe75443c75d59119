package schema

import "strings"

// HasLookaround reports whether a regular expression has look-ahead or look-behind, which
// engines without backtracking do not take. Escaped parentheses and those in a character class
// do not count.
func HasLookaround(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '(':
			rest := pattern[i+1:]
			if !inClass && (strings.HasPrefix(rest, "?=") || strings.HasPrefix(rest, "?!") || strings.HasPrefix(rest, "?<=") || strings.HasPrefix(rest, "?<!")) {
				return true
			}
		}
	}
	return false
}
