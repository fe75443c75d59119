package record

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/harness/recording"
	"toolproof/schema"
)

// mostWords is the largest length, in bytes, of a provider's words that are kept.
const mostWords = 4000

// shortest is the length, in bytes, of the shortest text of a request that is removed from an
// answer wherever it occurs. A shorter one occurs inside other words.
const shortest = 6

// Words returns a provider's words with the names of the declarations replaced as in the
// declarations, and without the other texts of the request, which foreign has.
func (r Reduction) Words(text string, foreign []string) string {
	if len(text) > mostWords {
		text = strings.ToValidUTF8(text[:mostWords], "")
	}
	text = r.renamed(text)
	foreign = slices.SortedFunc(slices.Values(foreign), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, other := range foreign {
		if len(other) >= shortest && schema.ClassOf(other) == schema.Unknown {
			text = strings.ReplaceAll(text, other, "x")
		}
	}
	return recording.Redacted(text)
}

// renamed replaces names in one pass, the longest first, where they stand as whole words.
func (r Reduction) renamed(text string) string {
	originals := make([]string, 0, len(r.words))
	for original := range r.words {
		originals = append(originals, original)
	}
	slices.SortFunc(originals, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	var out strings.Builder
	for at := 0; at < len(text); {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		i := slices.IndexFunc(originals, func(original string) bool { return isNamed(before, text[at:], original) })
		if i >= 0 {
			out.WriteString(r.words[originals[i]])
			at += len(originals[i])
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		out.WriteString(text[at : at+size])
		at += size
	}
	return out.String()
}

// isNamed reports whether a text begins with a name, as a whole word, and means the name: a
// plain word such as value or array is also a word of the provider, unless it is quoted.
func isNamed(before rune, text, name string) bool {
	if !strings.HasPrefix(text, name) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(text[len(name):])
	if isWord(before) && isWord(firstOf(name)) || isWord(after) && isWord(lastOf(name)) {
		return false
	}
	isPlain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
	return !isPlain || strings.ContainsRune("'\"`[(", before) && strings.ContainsRune("'\"`])", after)
}

func isWord(char rune) bool {
	return char != utf8.RuneError && (char == '_' || unicode.IsLetter(char) || unicode.IsDigit(char))
}

func firstOf(text string) rune {
	char, _ := utf8.DecodeRuneInString(text)
	return char
}

func lastOf(text string) rune {
	char, _ := utf8.DecodeLastRuneInString(text)
	return char
}

// textsIn returns the strings in a value, and the names that are no keywords.
func textsIn(node *schema.Node) []string {
	if node == nil {
		return nil
	}
	var texts []string
	if node.Kind == schema.String {
		texts = append(texts, node.Text)
	}
	for _, member := range node.Members {
		texts = append(texts, member.Key)
		texts = append(texts, textsIn(member.Value)...)
	}
	for _, element := range node.Elements {
		texts = append(texts, textsIn(element)...)
	}
	return texts
}
