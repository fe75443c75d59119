package engines

import (
	"math"
	"strings"
)

// The words of what llama.cpp says or does.
const (
	// llamaCrashes are the words for a server that crashes, or computes without an end.
	llamaCrashes = "llama-server crashes"
	// llamaUnparsed are the words for a grammar that cannot be read.
	llamaUnparsed = "Failed to initialize samplers: failed to parse grammar"
)

// deepestGroup is about how many groups, one within the other, the stack of llama-server has room
// for. Since llamaSkipsPatterns a pattern of more than mostGroups is skipped.
const (
	deepestGroup = 19000
	mostGroups   = 100
)

// flawsOfPattern returns what llama.cpp finds wrong with a pattern: all that the converter says, or
// what ends it, or the first that makes the grammar unreadable. isSkipped is set where any string
// stands in the grammar for the pattern.
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

// patternSkipped is the rule of the flaw of a pattern that is skipped. It is none that refuses.
const patternSkipped = "pattern_skipped"

// llamaPattern reads a pattern byte by byte. Before llamaSkipsPatterns the converter copies into
// the grammar what it does not know, so that what it writes may be unreadable.
type llamaPattern struct {
	walk      *llamaWalk
	text      string
	next      int
	isLenient bool
	isOpen    bool // whether the pattern ended within a group
	// rules counts the rules of the grammar that repetitions and groups make, but for those of
	// named, the parts of a pattern that have rules of their own.
	rules  int
	named  map[string]bool
	faults []llamaFlaw // that the converter lists
	end    llamaFlaw   // of the conversion
	unread llamaFlaw   // why the grammar cannot be read
}

// patternPart is what a quantifier would repeat, as the grammar has it.
type patternPart struct {
	isAny      bool // whether there is a part at all
	hasSymbols bool
	mayBeEmpty bool // whether it is a rule one of whose alternatives has nothing in it
	isLiteral  bool
	isGone     bool // whether it comes never
	from       int  // where the part begins
	before     int  // how many rules there were before it
	rules      int  // that a repetition repeats, at least one
}

// fail keeps the first flaw, but for one that newer builds do not have.
func (p *llamaPattern) fail(rule, words string) {
	if p.unread.rule == "" || p.unread.rule == "repetition_most" {
		p.unread = llamaFlaw{rule, words}
	}
}

func (p *llamaPattern) fault(rule, words string) { p.faults = append(p.faults, llamaFlaw{rule, words}) }

func (p *llamaPattern) stop(rule, words string) {
	if p.end.rule == "" {
		p.end = llamaFlaw{rule, words}
	}
}

// invalid ends the reading of a pattern that is no regular expression.
func (p *llamaPattern) invalid(words string) { p.stop("pattern_invalid", words) }

// skip ends the reading of a pattern that has no grammar.
func (p *llamaPattern) skip() { p.stop(patternSkipped, "") }

// unreadable are the escapes and the classes of a grammar that cannot be read.
func (p *llamaPattern) unreadable() { p.fail("pattern_escape", llamaUnparsed) }

// group reads up to the end of a group, and returns whether one of its alternatives has
// nothing in it. Before llamaSkipsPatterns the outermost one ends at a bracket without a partner
// too: the rest of the pattern is not read.
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
	isFilled, wasFilled := false, false // whether the alternative has symbols, and had them before the last part
	literals := -1                      // where the literals begin that stand in one pair of quotes
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
			if most == 0 { // nothing is written, so that a quantifier is that of the part before
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
			if letter == ']' || letter == '}' { // it reads this byte again and again
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

// groupSyntax reads what may follow the parenthesis of a group. Before llamaSkipsPatterns a
// question mark there is a quantifier.
func (p *llamaPattern) groupSyntax() {
	switch rest := p.text[p.next:]; {
	case !p.isLenient || !strings.HasPrefix(rest, "?"):
	case strings.HasPrefix(rest, "?:"):
		p.next += len("?:")
	default: // a lookaround, a name or a flag
		p.skip()
	}
}

// name makes a part a rule of its own, which ends before to.
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

// repeat says what is wrong with a repetition of a part. Where there is no part, the server
// reads memory that is not its own.
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

// class reads a class of letters, with its escapes. It returns whether there are any.
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

// letters reads what the converter copies between quotes or into a class. The first byte of a
// letter says how many bytes follow, and these are not looked at.
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
			p.unreadable() // the quote is read as a part of the letter
			return
		}
		text = text[size:]
	}
}

// escapeSize returns how many bytes the escape has that a text begins with, as grammars have
// it, or 0 for none.
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

// count reads how often the last part comes. ok is false where the group ends there.
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
		counts[i] = int(value) //nolint:gosec // a negative one wrapped
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

// isSpecial reports whether a byte of a pattern is more than itself.
func isSpecial(letter byte) bool { return strings.IndexByte("|.()[]{}*+?", letter) >= 0 }

// literal reads bytes that stand for themselves, but for the last one where something special
// follows it.
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

// copied returns bytes of a pattern as the converter writes them between quotes. An escape of
// a letter that is special is the letter; any other escape is copied.
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
