package record

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern returns the neutral form of a regular expression: its operators, classes, escapes
// and numbers of repetitions stay, and each run of other letters and digits becomes one
// letter.
func (r *reducer) pattern(text string) string {
	reader := &patternReader{rest: text}
	for reader.rest != "" && reader.out.Len() < maxKept {
		reader.next()
	}
	if neutral := reader.out.String(); neutral != text {
		r.words[text] = neutral
	}
	return reader.out.String()
}

// patternReader reads a regular expression piece by piece.
type patternReader struct {
	rest string
	out  strings.Builder
}

// keep moves bytes to the output.
func (p *patternReader) keep(count int) {
	p.out.WriteString(p.rest[:count])
	p.rest = p.rest[count:]
}

// next reads a piece.
func (p *patternReader) next() {
	switch char := p.rest[0]; {
	case char == '\\':
		p.escape()
	case char == '[':
		p.class()
	case char == '{':
		p.repetition()
	case strings.HasPrefix(p.rest, "(?<") && len(p.rest) > 3 && p.rest[3] != '=' && p.rest[3] != '!', strings.HasPrefix(p.rest, "(?P<"):
		p.group()
	case isLiteral(p.rest):
		p.literal()
	default:
		p.keep(1)
	}
}

// isLiteral reports whether a text begins with a character that matches itself.
func isLiteral(text string) bool {
	char, _ := utf8.DecodeRuneInString(text)
	return char >= utf8.RuneSelf || char == '_' || char == ' ' || unicode.IsLetter(char) || unicode.IsDigit(char)
}

// literal replaces a run of characters that match themselves. A repetition after it is of the
// last one, which some engines cannot repeat if it has several bytes.
func (p *patternReader) literal() {
	neutral := 'x'
	for p.rest != "" && isLiteral(p.rest) {
		char, size := utf8.DecodeRuneInString(p.rest)
		if neutral = 'x'; char >= utf8.RuneSelf {
			neutral = 'é'
		}
		p.rest = p.rest[size:]
	}
	p.out.WriteRune(neutral)
}

// escape keeps an escape with the name of a property of Unicode, if that is one, and neutral
// digits of a character's code.
func (p *patternReader) escape() {
	if len(p.rest) == 1 {
		p.keep(1)
		return
	}
	switch char := p.rest[1]; {
	case char >= utf8.RuneSelf:
		_, size := utf8.DecodeRuneInString(p.rest[1:])
		p.rest = p.rest[1+size:]
		p.out.WriteByte('x')
	case char == 'x' && len(p.rest) >= 4 && areHex(p.rest[2:4]):
		p.rest = p.rest[4:]
		p.out.WriteString(`\x61`)
	case char == 'u' && len(p.rest) >= 6 && areHex(p.rest[2:6]):
		p.rest = p.rest[6:]
		p.out.WriteString(`\u0061`)
	case (char == 'p' || char == 'P') && len(p.rest) > 2 && p.rest[2] == '{':
		p.braced(`\` + string(char) + `{L}`)
	case char == 'k' && len(p.rest) > 2 && p.rest[2] == '<':
		_, after, _ := strings.Cut(p.rest, ">")
		p.rest = after
		p.out.WriteString(`\k<x>`)
	case char == 'u' && len(p.rest) > 2 && p.rest[2] == '{':
		p.braced(`\u{61}`)
	default:
		p.keep(2)
	}
}

// braced replaces everything up to the next brace.
func (p *patternReader) braced(neutral string) {
	_, after, _ := strings.Cut(p.rest, "}")
	p.rest = after
	p.out.WriteString(neutral)
}

// sameKind reports whether two characters are digits, small letters or capital ones, as the
// ends of usual ranges are.
func sameKind(a, b byte) bool {
	for _, kind := range []string{"09", "az", "AZ"} {
		if kind[0] <= a && a <= kind[1] {
			return kind[0] <= b && b <= kind[1]
		}
	}
	return false
}

func areHex(text string) bool { return strings.Trim(text, "0123456789abcdefABCDEF") == "" }

// class keeps the ranges, the escapes and the punctuation of a class. Other letters become one.
func (p *patternReader) class() {
	p.keep(1)
	if strings.HasPrefix(p.rest, "^") {
		p.keep(1)
	}
	hasLetter := false
	for p.rest != "" && p.rest[0] != ']' {
		isRange := len(p.rest) > 2 && p.rest[1] == '-' && isLiteral(p.rest) && p.rest[0] <= p.rest[2] && sameKind(p.rest[0], p.rest[2])
		switch {
		case p.rest[0] == '\\':
			p.escape()
		case isRange:
			p.keep(3)
		case isLiteral(p.rest):
			_, size := utf8.DecodeRuneInString(p.rest)
			p.rest = p.rest[size:]
			if !hasLetter {
				p.out.WriteByte('x')
			}
			hasLetter = true
		default:
			p.keep(1)
		}
	}
	if p.rest != "" {
		p.keep(1)
	}
}

// repetition keeps {2}, {2,} and {2,5}.
func (p *patternReader) repetition() {
	end := strings.IndexByte(p.rest, '}')
	const longest = 16
	if end > 0 && end < longest && strings.Trim(p.rest[1:end], "0123456789,") == "" {
		p.keep(end + 1)
		return
	}
	p.keep(1)
}

// group keeps a group, with a neutral name. Groups of several names become one of them, which
// only the engines that refuse names twice tell apart.
func (p *patternReader) group() {
	begin, after, _ := strings.Cut(p.rest, "<")
	_, after, _ = strings.Cut(after, ">")
	p.rest = after
	p.out.WriteString(begin + "<x>")
}
