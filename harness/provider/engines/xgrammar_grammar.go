package engines

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// kind is what a token of a grammar is: the character that it is made of, or one of these.
type kind rune

const (
	endOfGrammar kind = -iota - 1
	identifier
	ruleName // an identifier before ::=
	literal  // a string in quotes
	number
	assign
	lookahead // "(="
	caret     // the mark of a class that is negated
	dash      // in a class
	character // in a class
	setEscape // in a class, such as \d
	truth     // true or false
)

// token is a part of a grammar, with the byte where it begins.
type token struct {
	kind   kind
	start  int
	end    int
	value  rune // of a character in a class
	number int64
}

// grammar reads the text of a grammar as xgrammar 0.1.27 does, as far as that can fail.
// https://github.com/mlc-ai/xgrammar/blob/v0.1.27/cpp/grammar_parser.cc
type grammar struct {
	text   string
	at     int
	tokens []token
	next   int // the token that is parsed next
	names  map[string]bool
	fault  string
	line   int // of the fault, from 1
}

// readGrammar returns why a grammar cannot be read, with the line of the place; or "".
func readGrammar(text string) (fault string, line int) {
	g := &grammar{text: text, names: map[string]bool{}}
	if known := firstTokens(); strings.HasPrefix(text, firstRules) {
		g.tokens, g.at = append(make([]token, 0, 2*len(known)), known...), len(firstRules)
	}
	for g.fault == "" && (len(g.tokens) == 0 || g.tokens[len(g.tokens)-1].kind != endOfGrammar) {
		g.scan()
	}
	if g.fault == "" {
		g.nameRules()
	}
	for g.fault == "" && g.peek().kind != endOfGrammar {
		g.rule()
	}
	return g.fault, g.line
}

// firstTokens returns those of firstRules, without the end.
var firstTokens = sync.OnceValue(func() []token {
	g := &grammar{text: firstRules}
	for len(g.tokens) == 0 || g.tokens[len(g.tokens)-1].kind != endOfGrammar {
		g.scan()
	}
	return g.tokens[:len(g.tokens)-1]
})

// failAt keeps the first fault, with the line and the column of a byte.
func (g *grammar) failAt(offset int, reader, words string) {
	if g.fault != "" {
		return
	}
	before := g.text[:offset]
	g.line = 1 + strings.Count(before, "\n") + strings.Count(before, "\r") - strings.Count(before, "\r\n")
	column := offset - strings.LastIndexAny(before, "\r\n")
	g.fault = fmt.Sprintf("EBNF %s error at line %d, column %d: %s", reader, g.line, column, words)
}

func (g *grammar) lexerFails(words string) { g.failAt(g.at, "lexer", words) }

// byteAt returns the byte so many places ahead, or 0 at the end.
func (g *grammar) byteAt(ahead int) byte {
	if g.at+ahead < len(g.text) {
		return g.text[g.at+ahead]
	}
	return 0
}

func (g *grammar) runeAt(ahead int) rune { return rune(g.byteAt(ahead)) }

// push adds a token of so many bytes, and moves behind it.
func (g *grammar) push(kind kind, length int) {
	g.tokens = append(g.tokens, token{kind: kind, start: g.at, end: g.at + length})
	g.at += length
}

func (g *grammar) scan() {
	g.skip()
	switch char := g.byteAt(0); {
	case char == 0:
		g.push(endOfGrammar, 0)
	case char == '(' && g.byteAt(1) == '=':
		g.push(lookahead, 2)
	case strings.IndexByte("(){}|,*+?=", char) >= 0:
		g.push(kind(char), 1)
	case strings.HasPrefix(g.text[g.at:], "::="):
		g.push(assign, 3)
	case char == ':':
		g.lexerFails("Unexpected character: ':'")
	case char == '"':
		g.scanLiteral()
	case char == '[':
		g.scanClass()
	case isNameByte(char):
		length := 1
		for isNameByte(g.byteAt(length)) || isDigit(g.runeAt(length)) {
			length++
		}
		name := g.text[g.at : g.at+length]
		if name == "true" || name == "false" {
			g.push(truth, length)
			return
		}
		g.push(identifier, length)
	case isDigit(rune(char)):
		g.scanNumber()
	default:
		g.lexerFails("Unexpected character: " + string([]byte{char}))
	}
}

// skip passes over white space and comments.
func (g *grammar) skip() {
	for g.byteAt(0) != 0 && strings.IndexByte(" \t\n\r#", g.byteAt(0)) >= 0 {
		if g.byteAt(0) == '#' {
			for g.byteAt(0) != 0 && g.byteAt(0) != '\n' && g.byteAt(0) != '\r' {
				g.at++
			}
			continue
		}
		g.at++
	}
}

func isNameByte(char byte) bool {
	return char == '_' || char == '-' || char == '.' || isLetter(rune(char))
}

// readCharacter reads the next character of a literal or a class; length is 0 where it is
// none.
func (g *grammar) readCharacter(own string) (char rune, length int, fault string) {
	if g.byteAt(0) == '\\' {
		char, length = readEscape(g.runeAt, own)
		return char, length, "Invalid escape sequence"
	}
	char, length = utf8.DecodeRuneInString(g.text[g.at:])
	if char == utf8.RuneError && length == 1 {
		length = 0
	}
	return char, length, "Invalid UTF8 sequence"
}

func (g *grammar) scanLiteral() {
	start := g.at
	g.at++
	for char := g.byteAt(0); char != 0 && char != '"' && char != '\n' && char != '\r'; char = g.byteAt(0) {
		_, length, fault := g.readCharacter("")
		if length == 0 {
			g.lexerFails(fault)
			return
		}
		g.at += length
	}
	if g.byteAt(0) != '"' {
		g.lexerFails(`Expect " in string literal`)
		return
	}
	g.at++
	g.tokens = append(g.tokens, token{kind: literal, start: start, end: g.at})
}

func (g *grammar) scanClass() {
	g.push('[', 1)
	if g.byteAt(0) == '^' {
		g.push(caret, 1)
	}
	for g.byteAt(0) != 0 && g.byteAt(0) != ']' {
		switch char := g.byteAt(0); {
		case char == '\n' || char == '\r':
			g.lexerFails("Character class should not contain newline")
			return
		case char == '-':
			g.push(dash, 1)
		case char == '\\' && g.byteAt(1) != 0 && strings.IndexByte("dDsSwW", g.byteAt(1)) >= 0:
			g.push(setEscape, 2)
		default:
			value, length, fault := g.readCharacter(escapedInRegex)
			if length == 0 {
				if char == '\\' {
					fault += g.text[g.at:min(g.at+2, len(g.text))]
				}
				g.lexerFails(fault)
				return
			}
			g.push(character, length)
			g.tokens[len(g.tokens)-1].value = value
		}
	}
	if g.byteAt(0) == 0 {
		g.lexerFails("Unterminated character class")
		return
	}
	g.push(']', 1)
}

func (g *grammar) scanNumber() {
	const most = 1_000_000_000_000_000
	start, value := g.at, int64(0)
	for isDigit(g.runeAt(0)) {
		value = value*10 + int64(g.byteAt(0)-'0') //nolint:mnd // decimal
		g.at++
		if value > most {
			g.lexerFails(fmt.Sprintf("Integer is too large: parsed %d, max allowed is %d", value, most))
			return
		}
	}
	g.tokens = append(g.tokens, token{kind: number, start: start, end: g.at, number: value})
}

// nameRules finds the names of rules: those before an assignment.
func (g *grammar) nameRules() {
	for i, current := range g.tokens {
		switch {
		case current.kind != assign:
			continue
		case i == 0:
			g.failAt(current.start, "lexer", "Assign should not be the first token")
		case g.tokens[i-1].kind != identifier:
			g.failAt(g.tokens[i-1].start, "lexer", "Assign should be preceded by an identifier")
		case i > 1 && !strings.ContainsAny(g.text[g.tokens[i-2].start:g.tokens[i-1].start], "\r\n"):
			g.failAt(g.tokens[i-1].start, "lexer", "The rule name should be at the beginning of the line")
		}
		if g.fault != "" {
			return
		}
		g.tokens[i-1].kind = ruleName
		g.names[g.lexeme(g.tokens[i-1])] = true
	}
}

func (g *grammar) lexeme(t token) string { return g.text[t.start:t.end] }

func (g *grammar) peek() token { return g.tokens[g.next] }

// take moves behind a token of a kind, or fails in the parser's words.
func (g *grammar) take(wanted kind, words string) {
	if g.peek().kind != wanted {
		g.parserFails(g.peek(), words)
		return
	}
	g.next++
}

func (g *grammar) parserFails(at token, words string) { g.failAt(at.start, "parser", words) }

func (g *grammar) rule() {
	g.take(ruleName, "Expect rule name")
	if g.fault != "" {
		return
	}
	g.take(assign, "Expect ::=")
	if g.fault != "" {
		return
	}
	g.choices()
	if g.fault == "" && g.peek().kind == lookahead {
		g.next++
		g.choices()
		if g.fault == "" {
			g.take(')', "Expect )")
		}
	}
}

func (g *grammar) choices() {
	g.sequence()
	for g.fault == "" && g.peek().kind == '|' {
		g.next++
		g.sequence()
	}
}

func (g *grammar) sequence() {
	for {
		g.element()
		if g.fault != "" {
			return
		}
		if mark := g.peek().kind; mark == '{' {
			g.repetition()
		} else if mark == '*' || mark == '+' || mark == '?' {
			g.next++
		}
		ends := []kind{'|', ')', lookahead, ruleName, endOfGrammar}
		if g.fault != "" || slices.Contains(ends, g.peek().kind) {
			return
		}
	}
}

func (g *grammar) element() {
	switch current := g.peek(); current.kind {
	case '(':
		g.next++
		if g.peek().kind == ')' {
			g.next++
			return
		}
		g.choices()
		if g.fault == "" {
			g.take(')', "Expect )")
		}
	case '[':
		g.class()
	case literal:
		g.next++
	case identifier:
		if name := g.lexeme(current); !g.names[name] {
			g.parserFails(current, `Rule "`+name+`" is not defined`)
			return
		}
		g.next++
	default:
		g.parserFails(current, "Expect element, but got "+g.lexeme(current))
	}
}

func (g *grammar) class() {
	g.next++
	if g.peek().kind == caret {
		g.next++
	}
	for g.peek().kind != ']' {
		first := g.peek()
		if first.kind == setEscape {
			g.parserFails(first, "Character class escape is not supported yet in EBNF")
			return
		}
		if g.next++; g.peek().kind != dash {
			continue
		}
		last := g.tokens[g.next+1]
		if last.kind != character && last.kind != dash {
			continue
		}
		if valueInClass(first) > valueInClass(last) {
			g.parserFails(first, "Invalid character class: lower bound is larger than upper bound")
			return
		}
		g.next += 2
	}
	g.next++
}

func valueInClass(t token) rune {
	if t.kind == dash {
		return '-'
	}
	return t.value
}

func (g *grammar) repetition() {
	g.next++
	least := g.integer()
	if g.fault != "" {
		return
	}
	switch g.peek().kind {
	case '}':
		g.next++
	case ',':
		if g.next++; g.peek().kind == '}' {
			g.next++
			return
		}
		most := g.integer()
		if g.fault == "" && most < least {
			g.parserFails(g.tokens[g.next-1], "Lower bound is larger than upper bound: "+strconv.FormatInt(least, 10)+" > "+strconv.FormatInt(most, 10))
		}
		if g.fault == "" {
			g.take('}', "Expect }")
		}
	default:
		g.parserFails(g.peek(), "Expect ',' or '}' in repetition range")
	}
}

func (g *grammar) integer() int64 {
	current := g.peek()
	if current.kind != number {
		g.parserFails(current, "Expect integer, but got "+g.lexeme(current))
		return 0
	}
	g.next++
	return current.number
}
