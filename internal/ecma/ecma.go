// Package ecma reads regular expressions as ECMAScript does with the flag u.
package ecma

import (
	"slices"
	"strings"
	"unicode"
)

// Fault returns what V8 says about a pattern that it does not compile with the flag u, such as "Invalid escape", or "" if
// it compiles the pattern. It takes three things whose validity depends on V8's version or on tables of Unicode: the name
// in \p{}, flags of a group, and a second group of one name.
func Fault(pattern string) string {
	p := &parser{rest: []rune(pattern)}
	p.groups, p.names = groupsOf(pattern)
	p.disjunction(0)
	switch {
	case p.isDeep:
		return ""
	case p.fault == "" && slices.ContainsFunc(p.referenced, func(name string) bool { return !p.names[name] }):
		return "Invalid named capture referenced"
	default:
		return p.fault
	}
}

// groupsOf returns the number of capturing groups of a pattern, and their names.
func groupsOf(pattern string) (count int, names map[string]bool) {
	names = map[string]bool{}
	isInClass := false
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			isInClass = true
		case ']':
			isInClass = false
		case '(':
			rest := pattern[i+1:]
			name, isNamed := strings.CutPrefix(rest, "?<")
			switch {
			case isInClass:
			case isNamed && !strings.HasPrefix(name, "=") && !strings.HasPrefix(name, "!"):
				name, _, _ = strings.Cut(name, ">")
				names[name] = true
				count++
			case !strings.HasPrefix(rest, "?"):
				count++
			}
		}
	}
	return count, names
}

// parser reads a pattern up to its first fault.
type parser struct {
	rest       []rune
	fault      string
	groups     int
	names      map[string]bool
	referenced []string
	isDeep     bool // whether the rest was left unread
}

// mostNested bounds how deeply groups are read. V8 reads as many as its stack holds, so that deeper ones are taken.
const mostNested = 1000

const end = -1

// next returns the next letter; end if there is none.
func (p *parser) next() rune {
	if len(p.rest) == 0 {
		return end
	}
	return p.rest[0]
}

// take drops the text if the rest begins with it, and reports whether it does.
func (p *parser) take(text string) bool {
	letters := []rune(text)
	if len(p.rest) < len(letters) || string(p.rest[:len(letters)]) != text {
		return false
	}
	p.rest = p.rest[len(letters):]
	return true
}

// fail notes the first fault.
func (p *parser) fail(fault string) {
	if p.fault == "" {
		p.fault = fault
	}
	p.rest = nil
}

// disjunction reads up to the end of the pattern, or of the group that it is in.
func (p *parser) disjunction(depth int) {
	for p.fault == "" {
		isAtom := true
		switch letter := p.next(); letter {
		case end:
			if depth > 0 {
				p.fail("Unterminated group")
			}
			return
		case ')':
			if depth == 0 {
				p.fail("Unmatched ')'")
			}
			return
		case '|', '^', '$':
			p.rest = p.rest[1:]
			isAtom = false
		case '*', '+', '?':
			p.fail("Nothing to repeat")
		case '{':
			if _, isQuantifier := p.interval(); isQuantifier {
				p.fail("Nothing to repeat")
			}
			p.fail("Lone quantifier brackets")
		case '}', ']':
			p.fail("Lone quantifier brackets")
		case '(':
			p.rest = p.rest[1:]
			isAtom = p.group(depth)
		case '[':
			p.rest = p.rest[1:]
			p.class()
		case '\\':
			p.rest = p.rest[1:]
			isAtom = p.escape()
		default:
			p.rest = p.rest[1:]
		}
		if isAtom && p.fault == "" {
			p.quantifier()
		}
	}
}

// group reads a group behind its parenthesis, and reports whether a quantifier may follow.
func (p *parser) group(depth int) (isAtom bool) {
	isAtom = true
	switch {
	case !p.take("?") || p.take(":"):
	case p.take("=") || p.take("!") || p.take("<=") || p.take("<!"):
		isAtom = false
	case p.take("<"):
		if p.name() == "" {
			p.fail("Invalid capture group name")
		}
	case !p.flags():
		p.fail("Invalid group")
	}
	if depth == mostNested {
		p.isDeep, p.rest = true, nil
	}
	if p.fault == "" && !p.isDeep {
		p.disjunction(depth + 1)
	}
	if p.fault == "" {
		p.take(")")
	}
	return isAtom
}

// flags reads the flags of a group, such as i: or i-s:.
func (p *parser) flags() bool {
	for i, letter := range p.rest {
		if letter == ':' && i > 0 {
			p.rest = p.rest[i+1:]
			return true
		}
		if !strings.ContainsRune("ims-", letter) {
			break
		}
	}
	return false
}

// name reads a name up to its >; empty if there is none.
func (p *parser) name() string {
	for i, letter := range p.rest {
		if letter == '>' {
			name := string(p.rest[:i])
			p.rest = p.rest[i+1:]
			return name
		}
		isStart := unicode.IsLetter(letter) || letter == '$' || letter == '_'
		if !isStart && (i == 0 || !unicode.IsDigit(letter)) {
			break
		}
	}
	return ""
}

// interval reads a quantifier such as {2,3}, and reports whether its numbers are in order. Without one it reads nothing.
func (p *parser) interval() (inOrder, isQuantifier bool) {
	const comma = ','
	rest := p.rest[1:] // behind the brace
	number := func() string {
		count := 0
		for count < len(rest) && '0' <= rest[count] && rest[count] <= '9' {
			count++
		}
		digits := string(rest[:count])
		rest = rest[count:]
		return digits
	}
	least := number()
	most := least
	if len(rest) > 0 && rest[0] == comma {
		rest = rest[1:]
		most = number()
	}
	if least == "" || len(rest) == 0 || rest[0] != '}' {
		return false, false
	}
	p.rest = rest[1:]
	least, short := strings.TrimLeft(least, "0"), strings.TrimLeft(most, "0")
	return most == "" || len(least) < len(short) || len(least) == len(short) && least <= short, true
}

// quantifier reads a quantifier behind an atom if there is one.
func (p *parser) quantifier() {
	switch p.next() {
	case '*', '+', '?':
		p.rest = p.rest[1:]
	case '{':
		inOrder, isQuantifier := p.interval()
		if !isQuantifier {
			p.fail("Incomplete quantifier")
		} else if !inOrder {
			p.fail("numbers out of order in {} quantifier")
		}
	default:
		return
	}
	p.take("?")
}

// syntax are the letters that a backslash may stand before.
const syntax = `^$\.*+?()[]{}|/`

// escape reads an escape behind its backslash, outside of a class, and reports whether a quantifier may follow.
func (p *parser) escape() (isAtom bool) {
	letter := p.next()
	switch {
	case letter == 'b' || letter == 'B':
		p.rest = p.rest[1:]
		return false
	case letter == 'k':
		p.rest = p.rest[1:]
		if p.take("<") {
			if name := p.name(); name != "" {
				p.referenced = append(p.referenced, name)
				return true
			}
		}
		p.fail("Invalid named reference")
	case '1' <= letter && letter <= '9':
		number := 0
		for len(p.rest) > 0 && '0' <= p.rest[0] && p.rest[0] <= '9' {
			number = min(number*10+int(p.rest[0]-'0'), len(p.rest)+p.groups+1)
			p.rest = p.rest[1:]
		}
		if number > p.groups {
			p.fail("Invalid escape")
		}
	case strings.ContainsRune("dDsSwW", letter):
		p.rest = p.rest[1:]
	case letter == 'p' || letter == 'P':
		p.property("Invalid property name")
	default:
		p.character("Invalid decimal escape")
	}
	return true
}

// property reads the name in braces of \p or \P.
func (p *parser) property(fault string) {
	p.rest = p.rest[1:]
	if p.take("{") {
		for i, letter := range p.rest {
			if letter == '}' && i > 0 {
				p.rest = p.rest[i+1:]
				return
			}
			if letter != '=' && letter != '_' && (letter > unicode.MaxASCII || !unicode.IsLetter(letter) && !unicode.IsDigit(letter)) {
				break
			}
		}
	}
	p.fail(fault)
}

// character reads an escape of one letter, and returns the letter. decimal is what V8 says about digits.
func (p *parser) character(decimal string) rune {
	letter := p.next()
	if letter == end {
		p.fail(`\ at end of pattern`)
		return 0
	}
	p.rest = p.rest[1:]
	switch {
	case strings.ContainsRune("fnrtv", letter):
		return map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[letter]
	case letter == '0':
		if next := p.next(); '0' <= next && next <= '9' {
			p.fail(decimal)
		}
		return 0
	case letter == 'c':
		if control := p.next(); control != end && control <= unicode.MaxASCII && unicode.IsLetter(control) {
			p.rest = p.rest[1:]
			return control & 0x1f //nolint:mnd // as ECMAScript defines it
		}
		p.fail("Invalid Unicode escape")
	case letter == 'x':
		if value, isHex := p.hex(2); isHex { //nolint:mnd // digits
			return value
		}
		p.fail("Invalid escape")
	case letter == 'u':
		return p.codePoint()
	case strings.ContainsRune(syntax, letter):
		return letter
	default:
		p.fail("Invalid escape")
	}
	return 0
}

// hex reads a number of hexadecimal digits.
func (p *parser) hex(digits int) (value rune, isHex bool) {
	if len(p.rest) < digits {
		return 0, false
	}
	for _, letter := range p.rest[:digits] {
		digit := strings.IndexRune("0123456789abcdef", unicode.ToLower(letter))
		if digit < 0 || letter > unicode.MaxASCII {
			return 0, false
		}
		value = value<<4 | rune(digit) //nolint:gosec // below 16
	}
	p.rest = p.rest[digits:]
	return value, true
}

// codePoint reads what follows \u: four digits, of which two halves are one letter, or a number in braces.
func (p *parser) codePoint() rune {
	const digits, low, high, next, pairs = 4, 0xdc00, 0xd800, 0xe000, 0x10000
	if p.take("{") {
		value := rune(0)
		for count := 0; ; count++ {
			if count > 0 && p.take("}") {
				return value
			}
			digit, isHex := p.hex(1)
			if value = value<<4 | digit; !isHex || value > unicode.MaxRune {
				p.fail("Invalid Unicode escape")
				return 0
			}
		}
	}
	value, isHex := p.hex(digits)
	if !isHex {
		p.fail("Invalid Unicode escape")
		return 0
	}
	if rest := p.rest; high <= value && value < low && p.take(`\u`) {
		if second, isHex := p.hex(digits); isHex && low <= second && second < next {
			return pairs + (value-high)<<10 + second - low
		}
		p.rest = rest
	}
	return value
}

// class reads a class behind its bracket.
func (p *parser) class() {
	p.take("^")
	for p.fault == "" {
		if p.next() == end {
			p.fail("Unterminated character class")
			return
		}
		if p.take("]") {
			return
		}
		first, isSet := p.member()
		if p.fault != "" || p.next() != '-' {
			continue
		}
		p.rest = p.rest[1:]
		if p.next() == end || p.next() == ']' {
			continue
		}
		last, isAlsoSet := p.member()
		switch {
		case isSet || isAlsoSet:
			p.fail("Invalid character class")
		case first > last:
			p.fail("Range out of order in character class")
		}
	}
}

// member reads a letter of a class, or an escape for several.
func (p *parser) member() (letter rune, isSet bool) {
	letter = p.next()
	p.rest = p.rest[1:]
	if letter != '\\' {
		return letter, false
	}
	switch escaped := p.next(); {
	case strings.ContainsRune("dDsSwW", escaped):
		p.rest = p.rest[1:]
		return 0, true
	case escaped == 'p' || escaped == 'P':
		p.property("Invalid property name in character class")
		return 0, true
	case escaped == 'b':
		p.rest = p.rest[1:]
		return '\b', false
	case escaped == '-':
		p.rest = p.rest[1:]
		return '-', false
	case '1' <= escaped && escaped <= '9':
		p.fail("Invalid class escape")
		return 0, false
	default:
		return p.character("Invalid class escape"), false
	}
}
