package gbnf

import (
	"slices"
	"strings"
)

// This file reads the rules of a grammar as llama.cpp's llama-grammar.cpp does, as far as
// it can refuse them.

// symbol is what can begin, or follow, in a rule.
type symbol struct {
	kind  symbolKind
	index int // of the rule that a reference names
}

type symbolKind uint8

const (
	letters symbolKind = iota
	reference
	otherwise // the next alternative begins
)

// reader reads a grammar.
type reader struct {
	charge func(steps int)
	rules  [][]symbol // nil where a rule is named and not defined
	names  map[string]int
	text   string
	next   int
	fault  unread
	states []uint8
}

// unread says why a grammar cannot be read.
type unread string

const (
	readable   unread = ""
	unreadable unread = "it cannot be parsed"
	isTooOften unread = "it repeats too often"
	isReversed unread = "it repeats at least more often than at most"
)

// Unreadable reads a grammar and returns what is wrong with it, or nil. charge is called
// with the steps that it takes.
func (g *Grammar) Unreadable(charge func(steps int)) *Fault {
	fault := g.read(charge)
	if fault != nil && g.isSketch && (g.isDoubtful || g.mayMeet(charge)) { // which rule it is, depends on all
		return convert(g.of, false, charge).read(charge)
	}
	return fault
}

// mayMeet reports whether two rules of a sketch may be one in the whole grammar: they are
// alike, and the name of one is that of the other with a number, as a rule gets whose
// name one has that the sketch leaves out.
func (g *Grammar) mayMeet(charge func(steps int)) bool {
	const mostDigits = 9
	for _, name := range g.order {
		made := g.rules[name]
		for end := len(name); end > 0 && len(name)-end < mostDigits && '0' <= name[end-1] && name[end-1] <= '9'; {
			end--
			charge(1)
			if other := g.rules[name[:end]]; other != nil && len(other.text) == len(made.text) {
				charge(len(made.text) / bytesPerStep)
				if other.text == made.text {
					return true
				}
			}
		}
	}
	return false
}

// read reads a grammar. llama.cpp reads the rules in the order of a hash table, which has
// the last ones first, mostly.
func (g *Grammar) read(charge func(steps int)) *Fault {
	r := reader{charge: charge, names: map[string]int{}}
	isWhole := g.hasReferences || g.hasPatterns
	var makers []*production // of the rules, as the reader counts them
	for _, name := range slices.Backward(g.order) {
		made := g.rules[name]
		if !isWhole && made.maker == "" {
			continue // it is made of parts that can be read
		}
		if why := r.rule(name, made.text); why != readable {
			return made.faultFor(why)
		}
		for len(makers) < len(r.rules) {
			makers = append(makers, made)
		}
	}
	if !isWhole {
		return nil
	}
	r.states = make([]uint8, len(r.rules))
	for index := range r.rules {
		if r.isLeftRecursive(index) {
			return &Fault{LeftRecursion, makers[index].at, ParseFailure}
		}
	}
	return nil
}

// faultFor says what is wrong with a rule that cannot be read.
func (p *production) faultFor(why unread) *Fault {
	switch {
	case why == isReversed:
		return &Fault{BoundsReversed, p.at, Crashes}
	case why == isTooOften || p.maker == fromNumbers:
		return &Fault{TooOften, p.at, ParseFailure}
	case p.maker == fromNothing:
		return &Fault{NoAlternative, p.at, ParseFailure}
	case p.maker == fromName:
		return &Fault{NameInClass, p.at, ParseFailure}
	default:
		return &Fault{PatternEscape, p.at, ParseFailure}
	}
}

// rule reads a rule.
func (r *reader) rule(name, text string) unread {
	r.charge(1 + len(text)/bytesPerStep)
	r.text, r.next, r.fault = text+"\n", 0, readable
	index := r.named(name)
	r.space(true)
	r.alternatives(index, false)
	if r.fault == readable && r.peek() != '\n' && r.peek() != '\r' {
		return unreadable
	}
	return r.fault
}

// named returns the index of a rule, which may come later.
func (r *reader) named(name string) int {
	if index, ok := r.names[name]; ok {
		return index
	}
	r.names[name] = len(r.rules)
	r.rules = append(r.rules, nil)
	return len(r.rules) - 1
}

// unnamed makes a rule that the grammar does not name.
func (r *reader) unnamed(symbols []symbol) int {
	r.charge(1)
	r.rules = append(r.rules, symbols)
	return len(r.rules) - 1
}

// peek returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	if r.next < len(r.text) {
		return r.text[r.next]
	}
	return 0
}

func (r *reader) space(overLines bool) {
	for {
		switch letter := r.peek(); {
		case letter == '#':
			for letter := r.peek(); letter != 0 && letter != '\r' && letter != '\n'; letter = r.peek() {
				r.next++
			}
		case letter == ' ' || letter == '\t' || overLines && (letter == '\r' || letter == '\n'):
			r.next++
		default:
			return
		}
	}
}

func (r *reader) fail(why unread) {
	if r.fault == readable {
		r.fault = why
	}
}

func (r *reader) alternatives(index int, isNested bool) {
	symbols := r.sequence([]symbol{}, isNested)
	for r.fault == readable && r.peek() == '|' {
		r.next++
		r.space(true)
		symbols = r.sequence(append(symbols, symbol{kind: otherwise}), isNested)
	}
	r.rules[index] = symbols
}

// sequence reads what follows one another, up to what it does not know.
//
//nolint:funlen // one case for each sign of a grammar
func (r *reader) sequence(symbols []symbol, isNested bool) []symbol {
	last := len(symbols) // where what may be repeated begins
	for r.fault == readable {
		r.charge(1)
		switch letter := r.peek(); {
		case letter == '"':
			r.next++
			last = len(symbols)
			if r.letters('"') {
				symbols = append(symbols, symbol{kind: letters})
			}
		case letter == '[':
			r.next++
			if r.peek() == '^' {
				r.next++
			}
			last = len(symbols)
			if r.class() {
				symbols = append(symbols, symbol{kind: letters})
			}
		case isWord(letter):
			start := r.next
			for isWord(r.peek()) {
				r.next++
			}
			last = len(symbols)
			symbols = append(symbols, symbol{reference, r.named(r.text[start:r.next])})
		case letter == '(':
			r.next++
			r.space(true)
			index := r.unnamed(nil)
			r.alternatives(index, true)
			last = len(symbols)
			symbols = append(symbols, symbol{reference, index})
			if r.peek() != ')' {
				r.fail(unreadable)
				return symbols
			}
			r.next++
		case letter == '.':
			last = len(symbols)
			symbols = append(symbols, symbol{kind: letters})
			r.next++
		case letter == '*', letter == '+', letter == '?':
			r.next++
			least, most := 0, unbounded
			if letter == '+' {
				least = 1
			}
			if letter == '?' {
				most = 1
			}
			symbols = r.repeat(symbols, last, least, most)
		case letter == '{':
			least, most := r.count(isNested)
			symbols = r.repeat(symbols, last, least, most)
		case letter == '<', letter == '!':
			r.fail(unreadable)
		default:
			return symbols
		}
		r.space(isNested)
	}
	return symbols
}

// repeat puts a repetition in the place of the last part. What comes more than once begins
// as what comes once.
func (r *reader) repeat(symbols []symbol, last, least, most int) []symbol {
	if r.fault != readable {
		return symbols
	}
	if last == len(symbols) {
		r.fail(unreadable)
		return symbols
	}
	if most < least { // it counts down from beyond the largest number
		r.fail(isReversed)
		return symbols
	}
	repeated := append([]symbol{}, symbols[last:]...)
	if least == 0 {
		symbols = symbols[:last]
	}
	if least == most {
		return symbols
	}
	index := r.unnamed(nil)
	if most == unbounded {
		repeated = append(repeated, symbol{reference, index})
	}
	r.rules[index] = append(repeated, symbol{kind: otherwise})
	return append(symbols, symbol{reference, index})
}

// count reads the bounds of a repetition.
func (r *reader) count(isNested bool) (least, most int) {
	r.next++
	r.space(isNested)
	least, ok := r.number()
	most = least
	if !ok {
		r.fail(unreadable)
		return 0, 0
	}
	r.space(isNested)
	if r.peek() == ',' {
		r.next++
		r.space(isNested)
		if most, ok = r.number(); !ok {
			most = unbounded
		}
		r.space(isNested)
	}
	if r.peek() != '}' {
		r.fail(unreadable)
		return 0, 0
	}
	r.next++
	if least > mostRepetitions || most != unbounded && most > mostRepetitions {
		r.fail(isTooOften)
	}
	return least, most
}

// number reads digits; a number beyond the bound of repetitions is any such number.
func (r *reader) number() (number int, ok bool) {
	for '0' <= r.peek() && r.peek() <= '9' {
		number, ok = min(number*10+int(r.peek()-'0'), mostRepetitions+1), true
		r.next++
	}
	return number, ok
}

func isWord(letter byte) bool {
	return 'a' <= letter && letter <= 'z' || 'A' <= letter && letter <= 'Z' || letter == '-' || '0' <= letter && letter <= '9'
}

// letters reads letters up to the end of them; it returns whether there are any.
func (r *reader) letters(end byte) bool {
	isAny := false
	for r.fault == readable && r.peek() != end {
		r.letter()
		isAny = true
	}
	r.next++
	return isAny
}

// class reads letters and ranges of them.
func (r *reader) class() bool {
	isAny := false
	for r.fault == readable && r.peek() != ']' {
		r.letter()
		isAny = true
		if r.peek() == '-' && r.next+1 < len(r.text) && r.text[r.next+1] != ']' {
			r.next++
			r.letter()
		}
	}
	r.next++
	return isAny
}

// hexDigits are how many digits follow an escape.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// letter reads a letter, which UTF-8 or an escape writes. The first byte says how many bytes
// follow; these are not checked.
func (r *reader) letter() {
	r.charge(1)
	first := r.peek()
	if first == 0 {
		r.fail(unreadable)
		return
	}
	if first != '\\' {
		r.next = min(r.next+bytesOf(first), len(r.text))
		return
	}
	r.next++
	escape := r.peek()
	r.next++
	if digits := hexDigits[escape]; digits > 0 {
		for range digits {
			if !isHex(r.peek()) {
				r.fail(unreadable)
				return
			}
			r.next++
		}
		return
	}
	if escape == 0 || strings.IndexByte(`trn\"[]`, escape) < 0 {
		r.fail(unreadable)
	}
}

// bytesOf returns how many bytes a letter has by its first one.
func bytesOf(first byte) int {
	switch {
	case first >= 0xF0:
		return 4
	case first >= 0xE0:
		return 3
	case first >= 0xC0:
		return 2
	default:
		return 1
	}
}

func isHex(letter byte) bool {
	return '0' <= letter && letter <= '9' || 'a' <= letter && letter <= 'f' || 'A' <= letter && letter <= 'F'
}

// The states of a rule in the search for left recursion.
const (
	inProgress = 1
	isDone     = 2
)

// isLeftRecursive reports whether a rule can begin with itself.
func (r *reader) isLeftRecursive(index int) bool {
	switch r.states[index] {
	case inProgress:
		return true
	case isDone:
		return false
	}
	r.states[index] = inProgress
	r.charge(1 + len(r.rules[index]))
	canBegin := true
	for _, symbol := range r.rules[index] {
		switch {
		case symbol.kind == otherwise:
			canBegin = true
		case symbol.kind == reference && canBegin:
			if r.isLeftRecursive(symbol.index) {
				return true
			}
			canBegin = canBeEmpty(r.rules[symbol.index])
		default:
			canBegin = false
		}
	}
	r.states[index] = isDone
	return false
}

// canBeEmpty reports whether one of the alternatives of a rule has nothing in it.
func canBeEmpty(symbols []symbol) bool {
	isStart := true
	for _, symbol := range symbols {
		if symbol.kind != otherwise {
			isStart = false
			continue
		}
		if isStart {
			return true
		}
		isStart = true
	}
	return isStart
}
