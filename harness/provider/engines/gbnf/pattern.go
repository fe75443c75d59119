package gbnf

import (
	"math"
	"strconv"
	"strings"
)

// What llama-server's stack has room for, about.
const (
	deepestGroup = 19000 // groups of a pattern, one within the other
	longestName  = 15750 // bytes of a name, each a group, where other names are allowed
)

// pattern makes the rule of a pattern. It copies what it does not know into the grammar.
func (c *converter) pattern(text, rule string, at *Spot) string {
	if !strings.HasPrefix(text, "^") || !strings.HasSuffix(text, "$") {
		c.fault(NotAnchored, at, "Pattern must start with '^' and end with '$'")
		return ""
	}
	c.charge(1 + len(text))
	c.grammar.hasPatterns = true
	reader := patternReader{converter: c, text: text[1 : len(text)-1], rule: rule, at: at, names: map[string]string{}}
	made := reader.group(0)
	return c.add(rule, quote+" ("+made.text()+") "+quote+" space", at, fromPattern)
}

// patternReader reads a pattern byte by byte.
type patternReader struct {
	*converter
	text, rule string
	at         *Spot
	next       int
	names      map[string]string // of the rules of repeated parts, by their text
}

// part is a piece of a pattern, as a grammar writes it; a literal lacks its quotes.
type part struct {
	written   string
	isLiteral bool
}

func (p part) text() string {
	if p.isLiteral {
		return `"` + p.written + `"`
	}
	return p.written
}

// group reads up to the end of a group. The outermost one ends at a bracket without a
// partner too: the rest of the pattern is not read.
func (r *patternReader) group(depth int) part {
	if depth > deepestGroup {
		r.die(NothingRepeated, r.at, Crashes)
	}
	var parts []part
	for r.next < len(r.text) {
		r.charge(1)
		switch letter := r.text[r.next]; letter {
		case '.':
			parts = append(parts, part{written: r.add("dot", `[^\x0A\x0D]`, r.at, "")})
			r.next++
		case '(':
			r.next++
			inner := r.group(depth + 1).text()
			r.chargeText(inner)
			parts = append(parts, part{written: "(" + inner + ")"})
		case ')':
			r.next++
			return joined(parts)
		case '[':
			parts = append(parts, part{written: r.class()})
		case '|':
			parts = append(parts, part{written: "|"})
			r.next++
		case '*', '+', '?':
			last := r.last(parts)
			r.chargeText(last.written)
			*last = part{written: last.text() + string(letter)}
			r.next++
		case '{':
			if !r.count(parts) {
				return part{}
			}
		case ']', '}': // it reads this byte again and again
			r.die(StrayBracket, r.at, Crashes)
		default:
			parts = append(parts, part{r.literal(), true})
		}
	}
	return joined(parts)
}

// chargeText takes off what it costs to copy a text.
func (r *patternReader) chargeText(text string) { r.charge(1 + len(text)/bytesPerStep) }

// last returns the part that is repeated. Where there is none, the server reads memory
// that is not its own.
func (r *patternReader) last(parts []part) *part {
	if len(parts) == 0 {
		r.die(NothingRepeated, r.at, Crashes)
	}
	return &parts[len(parts)-1]
}

// joined joins literals that follow one another.
func joined(parts []part) part {
	var text strings.Builder
	for i, one := range parts {
		if one.isLiteral && one.written == "" {
			continue
		}
		if i > 0 && !(one.isLiteral && parts[i-1].isLiteral) {
			text.WriteByte(' ')
		}
		if !one.isLiteral {
			text.WriteString(one.written)
			continue
		}
		if i == 0 || !parts[i-1].isLiteral {
			text.WriteByte('"')
		}
		text.WriteString(one.written)
		if i == len(parts)-1 || !parts[i+1].isLiteral {
			text.WriteByte('"')
		}
	}
	return part{written: text.String()}
}

// class reads a class of letters, with its escapes.
func (r *patternReader) class() string {
	start := r.next
	r.next++
	for r.next < len(r.text) && r.text[r.next] != ']' {
		if r.text[r.next] == '\\' {
			r.next++
		}
		r.next++
	}
	end := min(r.next, len(r.text))
	if r.next >= len(r.text) {
		r.fault(Unbalanced, r.at, "Unbalanced square brackets")
	}
	r.charge(end - start)
	r.next++
	return r.text[start:end] + "]"
}

// count reads how often the last part comes. It returns false where the group ends there.
func (r *patternReader) count(parts []part) bool {
	r.next++
	inside := r.text[r.next:]
	end := strings.IndexByte(inside, '}')
	if end < 0 {
		r.fault(Unbalanced, r.at, "Unbalanced curly brackets")
		end = len(inside)
	}
	inside = inside[:end]
	r.charge(end)
	r.next += end + 1
	least, most := 0, unbounded
	numbers := strings.Split(inside, ",")
	switch {
	case len(numbers) > 2:
		r.fault(BadCount, r.at, "Wrong number of values in curly brackets")
	case len(numbers) == 1:
		number, ok := r.number(numbers[0])
		if !ok {
			return false
		}
		least, most = number, number
	default:
		for i, bound := range []*int{&least, &most} {
			if numbers[i] == "" {
				continue
			}
			number, ok := r.number(numbers[i])
			if !ok {
				return false
			}
			*bound = number
		}
	}
	last := r.last(parts)
	if !last.isLiteral {
		name := r.names[last.written]
		if name == "" {
			name = r.add(r.rule+"-"+strconv.Itoa(len(r.names)+1), last.written, r.at, fromPattern)
			r.names[last.written] = name
		}
		last.written = name
	}
	*last = part{written: repeated(last.text(), least, most, "")}
	return true
}

// number reads a number as C's stoi does.
func (r *patternReader) number(text string) (number int, ok bool) {
	value, isNumber, fits := leadingNumber(text)
	if !isNumber {
		r.fault(BadCount, r.at, "Invalid number in curly brackets")
		return 0, false
	}
	number = int(value) //nolint:gosec // a negative one wrapped
	if !fits || number > math.MaxInt32 || number < math.MinInt32 {
		r.die(NumberTooLarge, r.at, "stoi")
	}
	return number, true
}

// isSpecial reports whether a byte of a pattern is more than itself.
func isSpecial(letter byte) bool { return strings.IndexByte("|.()[]{}*+?", letter) >= 0 }

// literal reads bytes that stand for themselves. An escape of a letter that is special is
// the letter; any other escape is copied.
func (r *patternReader) literal() string {
	var written []byte
	for r.next < len(r.text) {
		letter := r.text[r.next]
		isLast := r.next == len(r.text)-1
		switch {
		case letter == '\\' && !isLast:
			escaped := r.text[r.next+1]
			if isSpecial(escaped) || escaped == '^' || escaped == '$' {
				written = append(written, escaped)
			} else {
				written = append(written, '\\', escaped)
			}
			r.next += 2
		case letter == '"':
			written = append(written, `\"`...)
			r.next++
		case !isSpecial(letter) && (isLast || len(written) == 0 || r.text[r.next+1] == '.' || !isSpecial(r.text[r.next+1])):
			written = append(written, letter)
			r.next++
		default:
			return string(written)
		}
	}
	return string(written)
}
