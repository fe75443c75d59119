package gbnf

import (
	"math"
	"strconv"
	"strings"

	"toolproof/schema"
)

// This file reads and writes values as nlohmann::json does.

// typeError ends the conversion at a keyword with a value of the wrong type.
func (c *converter) typeError(want string, value *schema.Node, at *Spot) {
	for _, member := range at.Node.Members {
		if member.Value == value {
			at = at.below(member.Key, value)
			break
		}
	}
	c.die(KeywordValue, at, "[json.exception.type_error.302] type must be "+want+", but is "+value.Kind.String())
}

// text returns a string.
func (c *converter) text(value *schema.Node, at *Spot) string {
	if value.Kind != schema.String {
		c.typeError("string", value, at)
	}
	return value.Text
}

// list returns the elements of an array.
func (c *converter) list(value *schema.Node, at *Spot) []*schema.Node {
	if value.Kind != schema.Array {
		c.typeError("array", value, at)
	}
	return value.Elements
}

// count returns a number as C's int: it loses what it has no room for.
func (c *converter) count(value *schema.Node, missing int, at *Spot) int {
	switch {
	case value == nil:
		return missing
	case value.Kind == schema.Bool:
		if value.IsTrue() {
			return 1
		}
		return 0
	case value.Kind != schema.Number:
		c.typeError("number", value, at)
	}
	if whole, _, ok := wholeOf(value.Text); ok {
		return int(int32(whole)) //nolint:gosec // it is meant to wrap
	}
	number := floatOf(value.Text)
	if number <= math.MinInt32-1 || number >= math.MaxInt32+1 {
		return math.MinInt32
	}
	return int(number)
}

// long returns a number as C's int64_t.
func (c *converter) long(value *schema.Node, at *Spot) int64 {
	if value.Kind != schema.Number {
		c.typeError("number", value, at)
	}
	if whole, _, ok := wholeOf(value.Text); ok {
		return whole
	}
	number := floatOf(value.Text)
	if number < -(1<<63) || number >= 1<<63 {
		return math.MinInt64
	}
	return int64(number)
}

// IsInteger reports whether a value is written as a whole number that has room.
func IsInteger(value *schema.Node) bool {
	if value == nil || value.Kind != schema.Number {
		return false
	}
	_, _, ok := wholeOf(value.Text)
	return ok
}

// wholeOf reads a whole number of 64 bits, with a sign or without one. A number beyond
// the signed ones wraps; isLarge says so.
func wholeOf(spelling string) (whole int64, isLarge, ok bool) {
	if strings.ContainsAny(spelling, ".eE") {
		return 0, false, false
	}
	if whole, err := strconv.ParseInt(spelling, 10, 64); err == nil {
		return whole, false, true
	}
	if large, err := strconv.ParseUint(spelling, 10, 64); err == nil {
		return int64(large), true, true //nolint:gosec // it is meant to wrap
	}
	return 0, false, false
}

// parseNumbers ends the conversion at a number that a double has no room for: the request
// cannot be read then.
func (c *converter) parseNumbers(node *schema.Node, at *Spot) {
	c.charge(1)
	if node == nil {
		return
	}
	if isInfinite(node) {
		c.die(NumberOverflow, at, "[json.exception.out_of_range.406] number overflow parsing '"+node.Text+"'")
	}
	for i, element := range node.Elements {
		c.parseNumbers(element, at.below(strconv.Itoa(i), element))
	}
	for _, member := range node.Members {
		c.parseNumbers(member.Value, at.below(member.Key, member.Value))
	}
}

// isInfinite reports whether a value is a number that a double has no room for.
func isInfinite(node *schema.Node) bool {
	const safe = 300 // digits without an exponent
	return node.Kind == schema.Number && (len(node.Text) > safe || strings.ContainsAny(node.Text, "eE")) && math.IsInf(floatOf(node.Text), 0)
}

// floatOf returns a number as a double; one that has no room is infinite.
func floatOf(spelling string) float64 {
	number, _ := strconv.ParseFloat(spelling, 64)
	return number
}

// leadingNumber reads the number at the beginning of a text, as C's strtoul does. fits is
// false where it has more than 64 bits.
func leadingNumber(text string) (number uint64, isNumber, fits bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	isNegative := strings.HasPrefix(text, "-")
	if isNegative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0, false, true
	}
	number, err := strconv.ParseUint(text[:end], 10, 64)
	if isNegative {
		number = -number
	}
	return number, true, err == nil
}

// json returns a value as compact JSON.
func (c *converter) json(value *schema.Node) string {
	written := appendJSON(nil, value)
	c.charge(1 + len(written)/bytesPerStep)
	return string(written)
}

func appendJSON(dst []byte, value *schema.Node) []byte {
	if value == nil {
		return append(dst, "null"...)
	}
	switch value.Kind {
	case schema.Object:
		dst = append(dst, '{')
		for i := range value.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, value.Members[i].Key), ':')
			dst = appendJSON(dst, value.Members[i].Value)
		}
		return append(dst, '}')
	case schema.Array:
		dst = append(dst, '[')
		for i, element := range value.Elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, element)
		}
		return append(dst, ']')
	case schema.String:
		return appendQuoted(dst, value.Text)
	case schema.Number:
		return appendNumber(dst, value.Text)
	case schema.Bool:
		return append(dst, value.Text...)
	default:
		return append(dst, "null"...)
	}
}

func quoted(text string) string { return string(appendQuoted(nil, text)) }

// appendQuoted writes a string; letters beyond ASCII stay as they are.
func appendQuoted(dst []byte, text string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(text) {
		switch letter := text[i]; letter {
		case '"', '\\':
			dst = append(dst, '\\', letter)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			if letter < ' ' {
				dst = append(dst, `\u00`...)
				dst = append(dst, hex[letter>>4], hex[letter&15])
				continue
			}
			dst = append(dst, letter)
		}
	}
	return append(dst, '"')
}

// appendNumber writes a number as it was read: as a whole one, or in the shortest form
// that is read as the same float.
func appendNumber(dst []byte, spelling string) []byte {
	if whole, isLarge, ok := wholeOf(spelling); ok {
		if isLarge {
			return strconv.AppendUint(dst, uint64(whole), 10) //nolint:gosec // it wrapped
		}
		return strconv.AppendInt(dst, whole, 10)
	}
	number := floatOf(spelling)
	if number == 0 {
		if math.Signbit(number) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	shortest := strconv.FormatFloat(number, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(shortest, "e")
	if strings.HasPrefix(mantissa, "-") {
		dst, mantissa = append(dst, '-'), mantissa[1:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	power, _ := strconv.Atoi(exponent)
	const leastPower, mostPower = -4, 15
	point := power + 1 // of the digits come before it
	switch {
	case len(digits) <= point && point <= mostPower:
		dst = append(dst, digits...)
		dst = append(dst, strings.Repeat("0", point-len(digits))...)
		return append(dst, ".0"...)
	case 0 < point && point <= mostPower:
		dst = append(dst, digits[:point]...)
		return append(append(dst, '.'), digits[point:]...)
	case leastPower < point && point <= 0:
		dst = append(dst, "0."...)
		dst = append(dst, strings.Repeat("0", -point)...)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	dst = append(dst, 'e')
	if power < 0 {
		dst, power = append(dst, '-'), -power
	} else {
		dst = append(dst, '+')
	}
	if power < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(power), 10)
}
