// Package prose reads descriptions of tools and parameters: their sentences, quoted
// literals, numbers and words, and what they say with them. They list values, bound
// numbers, name a default, give a value a special meaning, or make one parameter depend on
// another. It reads English and knows nothing of schemas.
package prose

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Word    Kind = iota // letters and digits, with _, or with - and . within
	Number              // an integer or a decimal number
	Literal             // text in quotes
	Sign                // anything else
)

// Token is a part of a sentence.
type Token struct {
	Kind Kind
	// Text is the token as written, a literal without its quotes, and a number without
	// the commas between thousands.
	Text string
	// Lower is Text in lower case.
	Lower string
	// At and End are where the token is in the text, in bytes, with its quotes.
	At, End int
}

// Sentence is a sentence or a line of a text.
type Sentence []Token

// Text is a description that was read.
type Text struct {
	Raw       string
	Lower     string // Raw in lower case, of the same length
	Sentences []Sentence

	marks uint64 // of its tokens, see markOf
}

// longestLiteral is the number of bytes of a literal above which its quotes are signs.
const longestLiteral = 60

// Read reads a text.
func Read(raw string) *Text { return new(Reader).Read(raw) }

// Reader reads texts, one after another. The zero value is ready.
type Reader struct {
	tokens    []Token
	sentences []Sentence
}

// Reset lets a reader use its memory again. What it read before is no longer valid.
func (r *Reader) Reset() { r.tokens, r.sentences = r.tokens[:0], r.sentences[:0] }

// Read reads a text.
func (r *Reader) Read(raw string) *Text {
	text := &Text{Raw: raw, Lower: Lower(raw)}
	first, firstSentence := len(r.tokens), len(r.sentences)
	end := func() {
		if last := len(r.tokens); last > first {
			r.sentences = append(r.sentences, r.tokens[first:last:last])
			first = last
		}
	}
	for at := 0; at < len(raw); {
		switch raw[at] {
		case '\n':
			at++
			if endsLine(raw[at:]) {
				end()
			}
		case ' ', '\t', '\r':
			at++
		default:
			token := next(text, at)
			at = token.End
			r.tokens = append(r.tokens, token)
			text.marks |= markOf(token.Lower)
			if token.Kind == Sign && (token.Text == ";" || token.Text == "。" || token.Text == "；" || strings.ContainsAny(token.Text, ".!?") && (at == len(raw) || raw[at] == ' ' || raw[at] == '\n') && !isAbbreviation(r.tokens[first:])) {
				end()
			}
		}
	}
	end()
	text.Sentences = slices.Clip(r.sentences[firstSentence:])
	return text
}

// Lower returns a text with its ASCII letters in lower case, so that it keeps its length.
func Lower(text string) string {
	if small := strings.ToLower(text); len(small) == len(text) {
		return small
	}
	letters := []byte(text)
	for i, letter := range letters {
		if 'A' <= letter && letter <= 'Z' {
			letters[i] = letter + 'a' - 'A'
		}
	}
	return string(letters)
}

// endsLine reports whether the text after a line break begins a sentence: unless it goes on
// in lower case.
func endsLine(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r")
	return rest == "" || rest[0] < 'a' || rest[0] > 'z'
}

// isAbbreviation reports whether the full stop at the end of tokens belongs to a word.
func isAbbreviation(tokens []Token) bool {
	const two = 2
	if len(tokens) < two {
		return false
	}
	word := tokens[len(tokens)-two]
	return word.Kind == Word && slices.Contains([]string{"e.g", "eg", "i.e", "ie", "vs", "approx", "incl", "resp"}, word.Lower)
}

// next returns the token that begins at a place.
func next(text *Text, at int) Token {
	raw := text.Raw
	letter := raw[at]
	token := func(kind Kind, from, to, end int) Token {
		return Token{Kind: kind, Text: raw[from:to], Lower: text.Lower[from:to], At: at, End: end}
	}
	switch {
	case isDigit(letter), letter == '-' && at+1 < len(raw) && isDigit(raw[at+1]) && (at == 0 || !isWordByte(raw[at-1])):
		return number(text, at)
	case isWordByte(letter):
		end := endOfWord(raw, at)
		return token(Word, at, end, end)
	case strings.HasPrefix(raw[at:], "``"): // as reStructuredText has literals
		const width = 2 // of each of the two quotes
		if size := strings.Index(raw[at+width:], "``"); size > 0 && size <= longestLiteral {
			from, to := at+width, at+width+size
			if size > width && raw[from] == '"' && raw[to-1] == '"' {
				from, to = from+1, to-1
			}
			return token(Literal, from, to, at+size+2*width)
		}
	case letter == '"', letter == '`', letter == '\'' && (at == 0 || !isWordByte(raw[at-1])):
		if size := closing(raw[at+1:], letter); size >= 0 {
			return token(Literal, at+1, at+1+size, at+size+2)
		}
	case letter == '<':
		if size := strings.IndexByte(raw[at+1:], '>'); size > 1 && size <= longestLiteral && isLoud(raw[at:at+size+2]) {
			return token(Literal, at, at+size+2, at+size+2)
		}
	case strings.HasPrefix(raw[at:], "“"), strings.HasPrefix(raw[at:], "‘"):
		const width = 3 // of each of the four quotes
		closer := map[byte]string{"“"[2]: "”", "‘"[2]: "’"}[raw[at+2]]
		if size := strings.Index(raw[at+width:], closer); size >= 0 && size <= longestLiteral {
			return token(Literal, at+width, at+width+size, at+size+2*width)
		}
	}
	_, width := utf8.DecodeRuneInString(raw[at:])
	if strings.HasPrefix(raw[at:], "...") {
		width = 3
	}
	return token(Sign, at, at+width, at+width)
}

// closing returns the length of the literal before the closing quote, or -1.
func closing(rest string, quote byte) int {
	for size := 0; size < len(rest) && size <= longestLiteral && rest[size] != '\n'; size++ {
		if rest[size] == quote && (quote != '\'' || size+1 == len(rest) || !isWordByte(rest[size+1])) {
			return size
		}
	}
	return -1
}

// number returns the number that begins at a place. A word that begins with digits, such as
// a version, a day or 3d, is a word.
func number(text *Text, at int) Token {
	raw, end := text.Raw, at+1
	for end < len(raw) && (isDigit(raw[end]) || (raw[end] == ',' || raw[end] == '.') && end+1 < len(raw) && isDigit(raw[end+1]) && isPart(raw, at, end)) {
		end++
	}
	if word := endOfWord(raw, end); word > end && (raw[end] == '_' || raw[end] == '.' || isDigit(raw[word-1])) {
		return Token{Kind: Word, Text: raw[at:word], Lower: text.Lower[at:word], At: at, End: word}
	}
	digits := strings.ReplaceAll(raw[at:end], ",", "")
	return Token{Kind: Number, Text: digits, Lower: digits, At: at, End: end}
}

// isPart reports whether the sign within digits is a decimal point, or a comma between
// thousands.
func isPart(raw string, at, sign int) bool {
	if raw[sign] == '.' {
		return !strings.Contains(raw[at:sign], ".")
	}
	const thousand = 3
	after := raw[sign+1:]
	digits := 0
	for digits < len(after) && isDigit(after[digits]) {
		digits++
	}
	return digits == thousand && sign-at <= thousand
}

// endOfWord returns the end of the word that begins at a place: - and . are part of it
// between letters.
func endOfWord(raw string, at int) int {
	end := at
	for end < len(raw) && (isWordByte(raw[end]) || end > at && (raw[end] == '-' || raw[end] == '.') && end+1 < len(raw) && isWordByte(raw[end+1])) {
		end++
	}
	return end
}

func isDigit(letter byte) bool { return '0' <= letter && letter <= '9' }

func isWordByte(letter byte) bool {
	return letter == '_' || isDigit(letter) || 'a' <= letter|0x20 && letter|0x20 <= 'z'
}

// Words returns the words of a text in lower case.
func (t *Text) Words() []string {
	var words []string
	for _, sentence := range t.Sentences {
		for _, token := range sentence {
			if token.Kind == Word {
				words = append(words, token.Lower)
			}
		}
	}
	return words
}

// Has reports whether a text has one of the phrases, in whole words and within a sentence.
func (t *Text) Has(phrases ...Phrase) bool {
	for i := range phrases {
		if phrases[i].marks&^t.marks != 0 || !strings.Contains(t.Lower, phrases[i].longest) {
			continue
		}
		for _, sentence := range t.Sentences {
			if sentence.after(phrases[i:i+1]) >= 0 {
				return true
			}
		}
	}
	return false
}

// markOf returns one of 64 bits for a word. A text that has a word has its bit.
func markOf(word string) uint64 {
	const many = 31
	if word == "" {
		return 0
	}
	return 1 << ((uint(word[0])*many + uint(word[len(word)-1])*many*many + uint(len(word))) % 64) //nolint:mnd // bits
}

// Mentions reports whether a text names something: as a literal, or as a word that is no
// English word because of its signs or capitals.
func (t *Text) Mentions(name string) bool {
	if !strings.Contains(t.Raw, name) {
		return false
	}
	return slices.ContainsFunc(t.Sentences, func(sentence Sentence) bool { return sentence.Mentions(name) >= 0 })
}

// Defines reports whether a sentence of a text is about a parameter: it mentions it, or its name begins the
// sentence or follows a bullet, and a sign is behind it.
func (t *Text) Defines(name string) bool {
	return slices.ContainsFunc(t.Sentences, func(sentence Sentence) bool {
		if sentence.Mentions(name) >= 0 {
			return true
		}
		first := 0
		for sentence.is(first, "-", "*", "•", "@", "param") {
			first++
		}
		return first < len(sentence) && strings.EqualFold(sentence[first].Text, name) && sentence.is(first+1, ":", "(", "=", "-", "–", "—")
	})
}

// Phrase is a few words in lower case that follow one another.
type Phrase struct {
	words   []string
	longest string // of the words
	first   uint64 // the mark of the first word
	marks   uint64
}

// Phrases makes phrases from texts.
func Phrases(texts ...string) []Phrase {
	phrases := make([]Phrase, len(texts))
	for i, text := range texts {
		phrases[i].words = strings.Fields(text)
		phrases[i].first = markOf(phrases[i].words[0])
		for _, word := range phrases[i].words {
			phrases[i].marks |= markOf(word)
			if len(word) > len(phrases[i].longest) {
				phrases[i].longest = word
			}
		}
	}
	return phrases
}

// at reports whether a phrase begins at a token.
func (p Phrase) at(s Sentence, i int) bool {
	if i < 0 || i+len(p.words) > len(s) {
		return false
	}
	for j, word := range p.words {
		if s[i+j].Lower != word || s[i+j].Kind == Literal {
			return false
		}
	}
	return true
}

// Has reports whether a sentence has one of the phrases.
func (s Sentence) Has(phrases ...Phrase) bool { return s.after(phrases) >= 0 }

// Begins reports whether a text begins with one of the phrases.
func (t *Text) Begins(phrases ...Phrase) bool {
	return len(t.Sentences) > 0 && t.Sentences[0].phrase(0, phrases) > 0
}

// Ends reports whether one of the phrases ends a sentence, or a part of it before "and".
func (s Sentence) Ends(phrases ...Phrase) bool {
	at := s.after(phrases)
	return at > 0 && (at == len(s) || s.is(at, ".", "!", ";", ")", "and"))
}

// after returns the index of the token behind the first of the phrases, or -1.
func (s Sentence) after(phrases []Phrase) int {
	var firsts uint64
	for i := range phrases {
		firsts |= phrases[i].first
	}
	for i := range s {
		if firsts&markOf(s[i].Lower) == 0 {
			continue
		}
		if end := s.phrase(i, phrases); end > 0 {
			return end
		}
	}
	return -1
}

// phrase returns the index behind the phrase that begins at a token, or 0.
func (s Sentence) phrase(i int, phrases []Phrase) int {
	if s[i].Kind == Literal {
		return 0
	}
	mark := markOf(s[i].Lower)
	for j := range phrases {
		if phrases[j].first == mark && phrases[j].words[0] == s[i].Lower && phrases[j].at(s, i) {
			return i + len(phrases[j].words)
		}
	}
	return 0
}

// Mentions returns the index of the token that names something, or -1.
func (s Sentence) Mentions(name string) int {
	isWord := strings.ContainsAny(name, "_-") || strings.ToLower(name) != name
	return slices.IndexFunc(s, func(token Token) bool {
		return token.Text == name && (token.Kind == Literal || isWord && token.Kind == Word) || token.Kind == Literal && strings.HasPrefix(token.Text, "{") && strings.Trim(token.Text, "{} ") == name
	})
}

// is reports whether the token at an index is one of the words or signs; false outside of
// the sentence.
func (s Sentence) is(i int, words ...string) bool {
	return i >= 0 && i < len(s) && s[i].Kind != Literal && slices.Contains(words, s[i].Lower)
}

// Loud reports whether a sentence has a word in capitals, and nothing for which it holds behind it.
func (s Sentence) Loud(word string) bool {
	for i, token := range s {
		if token.Kind == Word && token.Text == word && !s.is(i+1, "for", "by", "in", "on", "to", "with", "together", "as", "only") && !s.is(i-1, "not", "is", "are") {
			return true
		}
	}
	return false
}

// Route returns the first route of a text, such as GET /users, or "".
func (t *Text) Route() string {
	for _, sentence := range t.Sentences {
		for i, token := range sentence {
			if token.Kind == Word && slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, token.Text) && sentence.is(i+1, "/") && i+2 < len(sentence) && sentence[i+1].At == token.End+1 && sentence[i+2].At == sentence[i+1].End {
				return t.Raw[token.At:sentence[i+2].End]
			}
		}
	}
	return ""
}

// Parameter returns the literal of a sentence that words call a parameter or an argument, or
// "".
func (s Sentence) Parameter() string {
	for i, token := range s {
		if token.Kind == Literal && (s.is(i-1, "parameter", "param", "argument") || s.is(i+1, "parameter", "param", "argument")) {
			return token.Text
		}
	}
	return ""
}

// Field returns the literal of a sentence that demands a field of that name, or "".
func (s Sentence) Field() string {
	for i, token := range s {
		if token.Kind == Literal && isValue(token) && s.is(i+1, "field", "property", "key") && s[:i].Has(demanding...) {
			return token.Text
		}
	}
	return ""
}

// demanding are words of sentences that demand something.
var demanding = Phrases("require", "requires", "needs", "need", "must have", "must contain", "must include")

// Page returns the title of a page in brackets to which a sentence refers without an address, or "".
func (s Sentence) Page() string {
	for i := range s {
		if !s.is(i, "[") || !s[:i].Has(referring...) {
			continue
		}
		var title []string
		end := i + 1
		for ; end < len(s) && s[end].Kind == Word; end++ {
			title = append(title, s[end].Text)
		}
		const several = 2 // words of a title
		if len(title) >= several && s.is(end, "]") && !s.is(end+1, "(") {
			return strings.Join(title, " ")
		}
	}
	return ""
}

// referring are phrases of sentences about a page to read.
var referring = Phrases("refer to", "see", "read", "how to obtain", "how to get", "learn", "more information", "guide", "how to obtain it")
