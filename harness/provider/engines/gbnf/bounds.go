package gbnf

import (
	"math"
	"strconv"
	"strings"
)

// bounds makes the digits of a whole number between bounds.
func (c *converter) bounds(k *keywords, at *Spot) string {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if k.minimum != nil {
		least = c.long(k.minimum, at)
	} else if k.exclusiveMinimum != nil {
		least = c.long(k.exclusiveMinimum, at) + 1
	}
	if k.maximum != nil {
		most = c.long(k.maximum, at)
	} else if k.exclusiveMaximum != nil {
		most = c.long(k.exclusiveMaximum, at) - 1
	}
	var d digits
	d.between(least, most, mostDigits, true)
	if d.isOpen {
		c.die(NumberTooLarge, at, "At least one of min_value or max_value must be set")
	}
	return d.String()
}

// mostDigits is how many digits a number without a bound has.
const mostDigits = 16

// digits is a text that says which digits a number has.
type digits struct {
	strings.Builder
	// isOpen is set where neither bound is left, which llama.cpp does not expect.
	isOpen bool
}

func (d *digits) write(parts ...string) {
	for _, part := range parts {
		_, _ = d.WriteString(part) // a Builder has no errors
	}
}

// oneOf writes one digit between two.
func (d *digits) oneOf(from, to byte) {
	if from == to {
		d.write("[", string(from), "]")
		return
	}
	d.write("[", string(from), "-", string(to), "]")
}

// more writes how many digits follow.
func (d *digits) more(least, most int) {
	d.write("[0-9]")
	switch {
	case least == 1 && most == 1:
	case least == most:
		d.write("{", strconv.Itoa(least), "}")
	default:
		d.write("{", strconv.Itoa(least), ",", strconv.Itoa(most), "}")
	}
}

// alike writes the numbers between two that have the same number of digits. Where they do
// not, which bounds in the wrong order bring about, it writes what llama.cpp writes.
func (d *digits) alike(from, to string) {
	shared := 0
	for shared < len(from) && shared < len(to) && from[shared] == to[shared] {
		shared++
	}
	if shared > 0 {
		d.write(`"`, from[:shared], `"`)
	}
	if shared == len(from) || shared == len(to) {
		return
	}
	if shared > 0 {
		d.write(" ")
	}
	first, last := from[shared], to[shared]
	from, to = from[shared+1:], to[shared+1:]
	if from == "" {
		d.write("[", string(first), "-", string(last), "]")
		return
	}
	zeros, nines := strings.Repeat("0", len(from)), strings.Repeat("9", len(from))
	isWhole := false
	d.write("(")
	if from == zeros { //nolint:nestif // as the engine has it
		d.oneOf(first, last-1)
		d.write(" ")
		d.more(len(from), len(from))
	} else {
		d.write("[", string(first), "] (")
		d.alike(from, nines)
		d.write(")")
		if first < last-1 {
			d.write(" | ")
			if isWhole = to == nines; isWhole {
				d.oneOf(first+1, last)
			} else {
				d.oneOf(first+1, last-1)
			}
			d.write(" ")
			d.more(len(from), len(from))
		}
	}
	if !isWhole {
		d.write(" | ")
		d.oneOf(last, last)
		d.write(" ")
		d.alike(zeros, to)
	}
	d.write(")")
}

// between writes the numbers between two; the least and the greatest of all mean that
// there is no bound. isStart says that no digit comes before them.
func (d *digits) between(least, most int64, left int, isStart bool) {
	hasLeast, hasMost := least != math.MinInt64, most != math.MaxInt64
	fewer := max(left-1, 1)
	switch {
	case hasLeast && hasMost:
		d.within(least, most, left)
	case hasLeast:
		d.atLeast(least, left, fewer, isStart)
	case !hasMost:
		d.isOpen = true
	case most >= 0:
		if isStart {
			d.write(`"-" [1-9] `)
			d.more(0, fewer)
			d.write(" | ")
		}
		d.between(0, most, left, true)
	default:
		d.write(`"-" (`)
		d.between(-most, math.MaxInt64, left, false)
		d.write(")")
	}
}

func (d *digits) within(least, most int64, left int) {
	if least < 0 && most < 0 {
		d.write(`"-" (`)
		d.between(-most, -least, left, true)
		d.write(")")
		return
	}
	if least < 0 {
		d.write(`"-" (`)
		d.between(0, -least, left, true)
		d.write(") | ")
		least = 0
	}
	from, to := strconv.FormatInt(least, 10), strconv.FormatInt(most, 10)
	for count := len(from); count < len(to); count++ {
		d.alike(from, strings.Repeat("9", count))
		from = "1" + strings.Repeat("0", count)
		d.write(" | ")
	}
	d.alike(from, to)
}

func (d *digits) atLeast(least int64, left, fewer int, isStart bool) {
	start := byte('0')
	if isStart {
		start = '1'
	}
	switch {
	case least < 0:
		d.write(`"-" (`)
		d.between(math.MinInt64, -least, left, false)
		d.write(") | [0] | [1-9] ")
		d.more(0, left-1)
	case least == 0 && isStart:
		d.write("[0] | [1-9] ")
		d.more(0, fewer)
	case least == 0:
		d.more(1, left)
	case least <= 9:
		digit := '0' + byte(least)
		if digit > start {
			d.oneOf(start, digit-1)
			d.write(" ")
			d.more(1, fewer)
			d.write(" | ")
		}
		d.oneOf(digit, '9')
		d.write(" ")
		d.more(0, fewer)
	default:
		text := strconv.FormatInt(least, 10)
		if text[0] > '1' {
			d.oneOf(start, text[0]-1)
			d.write(" ")
			d.more(len(text), fewer)
			d.write(" | ")
		}
		d.oneOf(text[0], text[0])
		d.write(" (")
		remaining, _ := strconv.ParseInt(text[1:], 10, 64)
		d.between(remaining, math.MaxInt64, fewer, false)
		d.write(")")
		if text[0] < '9' {
			d.write(" | ")
			d.oneOf(text[0]+1, '9')
			d.write(" ")
			d.more(len(text)-1, fewer)
		}
	}
}
