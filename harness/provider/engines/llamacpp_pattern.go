package engines

import (
	"math"
	"strings"
)

// The words for what llama.cpp says or does.
const (
	// llamaCrashes stands for a server that crashes or never answers.
	llamaCrashes = "llama-server crashes"
	// llamaUnparsed is what llama-server says about a grammar that it cannot read.
	llamaUnparsed = "Failed to initialize samplers: failed to parse grammar"
)

// deepestGroup is about the number of nested groups for which the stack of llama-server has room. Since
// llamaSkipsPatterns the converter skips a pattern with more than mostGroups nested groups.
const (
	deepestGroup = 19000
	mostGroups   = 100
)

// flawsOfPattern returns all flaws of a pattern that the converter collects, or only the flaw that ends
// the conversion or makes the grammar unreadable. isSkipped is set if the grammar takes any string.
func (w *llamaWalk) flawsOfPattern(text string) (flaws []llamaFlaw, isSkipped bool) {
	isLenient := w.since(llamaSkipsPatterns)
	isAnchored := strings.HasPrefix(text, "^") && strings.HasSuffix(text, "$")
	switch {
	case isLenient && (!isAnchored || len(text) == 1):
		return nil, true
	case !isAnchored:
		return []llamaFlaw{{"pattern_not_anchored", "Pattern must start with '^' and end with '$'"}}, false
	}
	w.charge(1 + len(text))
	p := &llamaPattern{walk: w, text: text[1:max(1, len(text)-1)], isLenient: isLenient, named: map[string]bool{}}
	p.group(0)
	if isLenient && p.isOpen && p.end.rule == "" {
		p.invalid("unbalanced parentheses")
	}
	switch {
	case p.end.rule == "pattern_invalid":
		return []llamaFlaw{{p.end.rule, "Invalid pattern " + text + ": " + p.end.words}}, false
	case p.end.rule == patternSkipped:
		return nil, true
	case p.end.rule != "":
		return []llamaFlaw{p.end}, false
	case len(p.faults) > 0:
		return p.faults, false
	case p.unread.rule != "":
		return []llamaFlaw{p.unread}, false
	default:
		return nil, false
	}
}

// patternSkipped marks a pattern that the converter skips. It is not a rule that refuses.
const patternSkipped = "pattern_skipped"

// llamaPattern reads a pattern byte by byte. Before llamaSkipsPatterns the converter copied bytes that it
// did not know into the grammar, which could make the grammar unreadable.
type llamaPattern struct {
	walk      *llamaWalk
	text      string
	next      int
	isLenient bool
	isOpen    bool // whether the pattern ends within a group
	// rules is the number of rules that the repetitions and groups of the pattern add to the
	// grammar, without those within the parts in named, which have rules of their own.
	rules  int
	named  map[string]bool
	faults []llamaFlaw // those that the converter collects
	end    llamaFlaw   // the one that ends the conversion
	unread llamaFlaw   // the one that makes the grammar unreadable
}

// patternPart is the part of the grammar to which a quantifier would apply.
type patternPart struct {
	isAny      bool // whether there is one
	hasSymbols bool
	mayBeEmpty bool // whether it is a rule with an empty alternative
	isLiteral  bool
	isGone     bool // whether it is repeated zero times
	from       int  // its first byte
	before     int  // the number of rules before it
	rules      int  // the number of rules that a quantifier would repeat, at least 1
}

// fail keeps the first flaw that makes the grammar unreadable.
func (p *llamaPattern) fail(rule, words string) {
	if p.unread.rule == "" {
		p.unread = llamaFlaw{rule, words}
	}
}

func (p *llamaPattern) fault(rule, words string) { p.faults = append(p.faults, llamaFlaw{rule, words}) }

func (p *llamaPattern) stop(rule, words string) {
	if p.end.rule == "" {
		p.end = llamaFlaw{rule, words}
	}
}

// invalid ends the reading of a pattern that is not a regular expression.
func (p *llamaPattern) invalid(words string) { p.stop("pattern_invalid", words) }

// skip ends the reading of a pattern for which the converter has no grammar.
func (p *llamaPattern) skip() { p.stop(patternSkipped, "") }

// unreadable notes that the grammar cannot be read because of an escape, a class or a character.
func (p *llamaPattern) unreadable() { p.fail("pattern_escape", llamaUnparsed) }

// group reads to the end of a group and reports whether one of its alternatives is empty. Before
// llamaSkipsPatterns a closing parenthesis without an opening one ends the pattern.
//
//nolint:funlen,gocognit // one case for each sign of a pattern
func (p *llamaPattern) group(depth int) (mayBeEmpty bool) {
	switch {
	case p.isLenient && depth > mostGroups:
		p.skip()
		return false
	case depth > deepestGroup:
		p.stop("pattern_group", llamaCrashes)
		return false
	}
	var last patternPart
	isFilled, wasFilled := false, false // whether the alternative has symbols, and had some before the last part
	literals := -1                      // the first byte of the current literal in the grammar, or -1
	flush := func(to int) {
		if literals >= 0 && literals < to {
			p.letters(copied(p.text[literals:to]))
		}
		literals = -1
	}
	add := func(part patternPart) {
		part.rules = max(part.rules, 1)
		last, wasFilled = part, isFilled
		isFilled = isFilled || part.hasSymbols
	}
	for p.next < len(p.text) && p.end.rule == "" {
		start := p.next
		switch letter := p.text[start]; letter {
		case '.':
			flush(start)
			p.next++
			add(patternPart{isAny: true, hasSymbols: true, from: start, before: p.rules})
		case '(':
			flush(start)
			p.next++
			p.groupSyntax()
			part := patternPart{isAny: true, hasSymbols: true, from: start, before: p.rules}
			p.rules++
			part.mayBeEmpty = p.group(depth + 1)
			part.rules = p.rules - part.before
			add(part)
		case ')':
			flush(start)
			p.next++
			if p.isLenient && depth == 0 {
				p.invalid("unbalanced parentheses")
			}
			return mayBeEmpty || !isFilled
		case '[':
			flush(start)
			add(patternPart{isAny: true, hasSymbols: p.class(), from: start, before: p.rules})
		case '|':
			flush(start)
			p.next++
			mayBeEmpty = mayBeEmpty || !isFilled
			isFilled = false
			add(patternPart{isAny: true, from: start, before: p.rules})
		case '*', '+', '?', '{':
			if last.isLiteral {
				flush(last.from)
				literals = last.from
				flush(start)
			}
			least, most := map[byte]int{'+': 1}[letter], unbounded
			if letter == '?' {
				most = 1
			}
			p.next++
			if letter == '{' {
				var ok bool
				if least, most, ok = p.count(); !ok {
					return false
				}
				if !last.isLiteral {
					p.name(&last, start)
				}
			}
			if p.isLenient && !last.isAny {
				p.invalid("nothing to repeat")
				return false
			}
			if most == 0 { // the part is not written, and the next quantifier applies to the part before it
				isFilled = wasFilled
				last.hasSymbols, last.isGone = wasFilled, true
				break
			}
			p.repeat(&last, least, most)
			isFilled = wasFilled || last.hasSymbols
		default:
			if p.isLenient && strings.IndexByte("]}^$", letter) >= 0 {
				p.skip()
				return false
			}
			if letter == ']' || letter == '}' { // the converter never gets past this byte
				p.stop("pattern_bracket", llamaCrashes)
				return false
			}
			if literals < 0 {
				literals = start
			}
			p.literal()
			add(patternPart{isAny: true, hasSymbols: true, isLiteral: true, from: start, before: p.rules})
		}
	}
	flush(p.next)
	p.isOpen = p.isOpen || depth > 0
	return mayBeEmpty || !isFilled
}

// groupSyntax reads the question mark after an opening parenthesis and what belongs to it. Before
// llamaSkipsPatterns the converter took it for a quantifier.
func (p *llamaPattern) groupSyntax() {
	switch rest := p.text[p.next:]; {
	case !p.isLenient || !strings.HasPrefix(rest, "?"):
	case strings.HasPrefix(rest, "?:"):
		p.next += len("?:")
	default: // a lookaround, a named group or flags
		p.skip()
	}
}

// name gives a part, which ends before the byte to, a rule of its own.
func (p *llamaPattern) name(part *patternPart, to int) {
	if part.isGone {
		p.unreadable() // the rule would be empty
	}
	part.mayBeEmpty, part.hasSymbols = part.isAny && !part.hasSymbols, part.isAny
	p.rules, part.rules = part.before, 1
	if text := p.text[part.from:to]; !p.named[text] {
		p.named[text] = true
		p.rules++
	}
}

// repeat notes the flaws of a repetition. Before llamaSkipsPatterns the server reads outside of its memory
// if there is no part to repeat.
func (p *llamaPattern) repeat(part *patternPart, least, most int) {
	rule, words := p.walk.countFlaw(least, most, part.rules)
	switch {
	case !part.isAny:
		p.stop("pattern_group", llamaCrashes)
	case rule != "":
		p.fail(rule, words)
	case !part.hasSymbols:
		p.unreadable()
	case most == unbounded && part.mayBeEmpty:
		p.fail("left_recursion", llamaUnparsed)
	}
	part.mayBeEmpty = part.mayBeEmpty || least == 0
	part.isLiteral = false
	part.rules *= p.walk.timesOf(least, most)
	p.rules += p.walk.optionalOf(least, most)
}

// class reads a class, and reports whether it has any characters.
func (p *llamaPattern) class() bool {
	p.next++
	start := p.next
	for p.next < len(p.text) && p.text[p.next] != ']' {
		if p.text[p.next] == '\\' {
			if p.isLenient && escapeSize(p.text[p.next:]) == 0 {
				p.skip()
				return false
			}
			p.next++
		}
		p.next++
	}
	if p.next >= len(p.text) {
		p.next = len(p.text)
		if p.isLenient {
			p.invalid("unterminated character class")
			return false
		}
		p.fault("pattern_unbalanced", "Unbalanced square brackets")
	}
	letters := strings.TrimPrefix(p.text[start:p.next], "^")
	p.next++
	p.letters(letters)
	return letters != ""
}

// letters reads bytes that the converter copies between quotes or into a class. The reader of grammars
// takes the length of a UTF-8 sequence from its first byte, and does not look at the others.
func (p *llamaPattern) letters(text string) {
	for len(text) > 0 {
		size := bytesOf(text[0])
		switch text[0] {
		case 0:
			p.unreadable()
		case '\\':
			size = escapeSize(text)
			if size == 0 {
				p.unreadable()
				return
			}
		}
		if size > len(text) {
			p.unreadable() // the sequence takes the closing quote with it
			return
		}
		text = text[size:]
	}
}

// escapeSize returns the size in bytes of the escape at the beginning of a text, or 0 if it is not one
// that grammars have.
func escapeSize(text string) int {
	const short = len(`\n`)
	if len(text) < short {
		return 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 && strings.IndexByte(`trn\"[]`, text[1]) < 0 || len(text) < short+digits {
		return 0
	}
	if strings.Trim(text[short:short+digits], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return short + digits
}

// bytesOf returns the length of a UTF-8 sequence by its first byte.
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

// count reads the counts in braces. ok is false if the converter does not read on.
func (p *llamaPattern) count() (least, most int, ok bool) {
	inside := p.text[p.next:]
	end := strings.IndexByte(inside, '}')
	if end < 0 {
		if p.isLenient {
			p.skip()
			return 0, 0, false
		}
		p.fault("pattern_unbalanced", "Unbalanced curly brackets")
		end = len(inside)
	}
	p.next = min(p.next+end+1, len(p.text))
	numbers := strings.Split(inside[:end], ",")
	if len(numbers) > 2 {
		if p.isLenient {
			p.skip()
			return 0, 0, false
		}
		p.fault("pattern_count", "Wrong number of values in curly brackets")
		return 0, unbounded, true
	}
	counts := [2]int{0, unbounded}
	for i, text := range numbers {
		if text == "" && len(numbers) == 2 {
			continue
		}
		value, isNumber, fits := leadingNumber(text)
		counts[i] = int(value) //nolint:gosec // a negative number has wrapped
		isLarge := !fits || counts[i] > math.MaxInt32 || counts[i] < math.MinInt32
		switch {
		case p.isLenient && (!isNumber || isLarge):
			p.skip()
			return 0, 0, false
		case !isNumber:
			p.fault("pattern_count", "Invalid number in curly brackets")
			return 0, 0, false
		case isLarge:
			p.stop("number_too_large", "stoi")
		}
	}
	if len(numbers) == 1 {
		counts[1] = counts[0]
	}
	return counts[0], counts[1], true
}

// isSpecial reports whether a byte has a meaning in regular expressions other than itself.
func isSpecial(letter byte) bool { return strings.IndexByte("|.()[]{}*+?", letter) >= 0 }

// literal reads bytes that stand for themselves. It leaves the last of them if a special byte follows,
// which may be a quantifier.
func (p *llamaPattern) literal() {
	isSpecial := func(letter byte) bool { return isSpecial(letter) || p.isLenient && (letter == '^' || letter == '$') }
	for start := p.next; p.next < len(p.text); {
		letter := p.text[p.next]
		isLast := p.next == len(p.text)-1
		switch {
		case letter == '\\' && p.isLenient:
			if !p.escape(isLast) {
				return
			}
		case letter == '\\' && !isLast:
			p.next += 2
		case letter == '"', !isSpecial(letter) && (isLast || p.next == start || p.text[p.next+1] == '.' || !isSpecial(p.text[p.next+1])):
			p.next++
		default:
			return
		}
	}
}

// escape reads an escape, and reports whether a grammar can have it.
func (p *llamaPattern) escape(isLast bool) bool {
	if isLast {
		p.invalid("trailing backslash")
		return false
	}
	size := escapeSize(p.text[p.next:])
	if next := p.text[p.next+1]; isSpecial(next) || next == '^' || next == '$' {
		size = len(`\.`)
	}
	if size == 0 {
		p.skip()
	}
	p.next += size
	return size > 0
}

// copied returns literal bytes of a pattern as the converter writes them between quotes. It removes the
// backslash before a special byte, and copies any other escape.
func copied(text string) string {
	var written strings.Builder
	for i := 0; i < len(text); i++ {
		switch letter := text[i]; {
		case letter == '"':
			written.WriteString(`\"`)
		case letter != '\\' || i == len(text)-1:
			written.WriteByte(letter)
		default:
			i++
			if !isSpecial(text[i]) && text[i] != '^' && text[i] != '$' {
				written.WriteByte('\\')
			}
			written.WriteByte(text[i])
		}
	}
	return written.String()
}
