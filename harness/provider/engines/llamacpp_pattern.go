package engines

import (
	"math"
	"strings"

	"toolproof/schema"
)

// The words of what llama.cpp says or does.
const (
	// llamaCrashes are the words for a server that crashes, or computes without an end.
	llamaCrashes = "llama-server crashes"
	// llamaUnparsed are the words for a grammar that cannot be read.
	llamaUnparsed = "Failed to initialize samplers: failed to parse grammar"
)

// isAnchored reports whether the pattern of a schema stands between ^ and $.
func isAnchored(node *schema.Node) bool {
	pattern := node.GetString("pattern")
	return strings.HasPrefix(pattern, "^") && strings.HasSuffix(pattern, "$")
}

// deepestGroup is about how many groups, one within the other, the stack of llama-server has room for.
const deepestGroup = 19000

// flawsOfPattern returns what llama.cpp finds wrong with a pattern: all that the converter
// says, or what ends it, or the first that makes the grammar unreadable.
func flawsOfPattern(text string, charge func(steps int)) []llamaFlaw {
	if !strings.HasPrefix(text, "^") || !strings.HasSuffix(text, "$") {
		return []llamaFlaw{{"pattern_not_anchored", "Pattern must start with '^' and end with '$'"}}
	}
	charge(1 + len(text))
	p := &llamaPattern{text: text[1:max(1, len(text)-1)]}
	p.group(0)
	switch {
	case p.end.rule != "":
		return []llamaFlaw{p.end}
	case len(p.faults) > 0:
		return p.faults
	case p.unread.rule != "":
		return []llamaFlaw{p.unread}
	default:
		return nil
	}
}

// llamaPattern reads a pattern byte by byte. The converter copies into the grammar what it
// does not know, so that what it writes may be unreadable.
type llamaPattern struct {
	text   string
	next   int
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
	from       int // where the bytes of a literal begin
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

// unreadable are the escapes and the classes of a grammar that cannot be read.
func (p *llamaPattern) unreadable() { p.fail("pattern_escape", llamaUnparsed) }

// group reads up to the end of a group, and returns whether one of its alternatives has
// nothing in it. The outermost one ends at a bracket without a partner too: the rest of the
// pattern is not read.
//
//nolint:funlen,gocognit // one case for each sign of a pattern
func (p *llamaPattern) group(depth int) (mayBeEmpty bool) {
	if depth > deepestGroup {
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
		last, wasFilled = part, isFilled
		isFilled = isFilled || part.hasSymbols
	}
	for p.next < len(p.text) && p.end.rule == "" {
		start := p.next
		switch letter := p.text[start]; letter {
		case '.':
			flush(start)
			p.next++
			add(patternPart{isAny: true, hasSymbols: true})
		case '(':
			flush(start)
			p.next++
			add(patternPart{isAny: true, hasSymbols: true, mayBeEmpty: p.group(depth + 1)})
		case ')':
			flush(start)
			p.next++
			return mayBeEmpty || !isFilled
		case '[':
			flush(start)
			add(patternPart{isAny: true, hasSymbols: p.class()})
		case '|':
			flush(start)
			p.next++
			mayBeEmpty = mayBeEmpty || !isFilled
			isFilled = false
			add(patternPart{isAny: true})
		case ']', '}': // it reads this byte again and again
			p.stop("pattern_bracket", llamaCrashes)
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
				if !last.isLiteral { // it gets a rule of its own
					last.mayBeEmpty, last.hasSymbols = last.isAny && !last.hasSymbols, last.isAny
				}
			}
			if most == 0 {
				isFilled = wasFilled
				last.hasSymbols = false
				break
			}
			p.repeat(&last, least, most)
			isFilled = wasFilled || last.hasSymbols
		default:
			if literals < 0 {
				literals = start
			}
			p.literal()
			add(patternPart{isAny: true, hasSymbols: true, isLiteral: true, from: start})
		}
	}
	flush(p.next)
	return mayBeEmpty || !isFilled
}

// repeat says what is wrong with a repetition of a part. Where there is no part, the server
// reads memory that is not its own.
func (p *llamaPattern) repeat(part *patternPart, least, most int) {
	rule, words := countFlaw(least, most)
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
}

// class reads a class of letters, with its escapes. It returns whether there are any.
func (p *llamaPattern) class() bool {
	p.next++
	start := p.next
	for p.next < len(p.text) && p.text[p.next] != ']' {
		if p.text[p.next] == '\\' {
			p.next++
		}
		p.next++
	}
	if p.next >= len(p.text) {
		p.fault("pattern_unbalanced", "Unbalanced square brackets")
		p.next = len(p.text)
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
		p.fault("pattern_unbalanced", "Unbalanced curly brackets")
		end = len(inside)
	}
	p.next = min(p.next+end+1, len(p.text))
	numbers := strings.Split(inside[:end], ",")
	if len(numbers) > 2 {
		p.fault("pattern_count", "Wrong number of values in curly brackets")
		return 0, unbounded, true
	}
	counts := [2]int{0, unbounded}
	for i, text := range numbers {
		if text == "" && len(numbers) == 2 {
			continue
		}
		value, isNumber, fits := leadingNumber(text)
		if !isNumber {
			p.fault("pattern_count", "Invalid number in curly brackets")
			return 0, 0, false
		}
		counts[i] = int(value) //nolint:gosec // a negative one wrapped
		if !fits || counts[i] > math.MaxInt32 || counts[i] < math.MinInt32 {
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
	for start := p.next; p.next < len(p.text); {
		letter := p.text[p.next]
		isLast := p.next == len(p.text)-1
		switch {
		case letter == '\\' && !isLast:
			p.next += 2
		case letter == '"', !isSpecial(letter) && (isLast || p.next == start || p.text[p.next+1] == '.' || !isSpecial(p.text[p.next+1])):
			p.next++
		default:
			return
		}
	}
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
