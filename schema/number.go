package schema

import (
	"math/big"
	"strconv"
	"strings"
)

// maxExponent is the largest exponent of a number that is computed with. A number such as
// 1e999999999 is printed and compared by its spelling.
const maxExponent = 1000

// Rat returns the exact value of a number. It is nil if n is not a number or its exponent is
// beyond ±1,000.
func (n *Node) Rat() *big.Rat {
	if n == nil || n.Kind != Number {
		return nil
	}
	if i := strings.IndexAny(n.Text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(n.Text[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil
		}
	}
	value, ok := new(big.Rat).SetString(n.Text)
	if !ok {
		return nil
	}
	return value
}

// IsInteger reports whether n is a number without a fractional part, such as 1 or 1.0.
func (n *Node) IsInteger() bool {
	if n == nil || n.Kind != Number {
		return false
	}
	if !strings.ContainsAny(n.Text, ".eE") {
		return true
	}
	value := n.Rat()
	return value != nil && value.IsInt()
}

// Int64 returns the value of a whole number. It reports false if n is anything else or does not
// fit into 64 bits.
func (n *Node) Int64() (value int64, ok bool) {
	if n != nil && n.Kind == Number {
		if value, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return value, true
		}
	}
	rat := n.Rat()
	if rat == nil || !rat.IsInt() || !rat.Num().IsInt64() {
		return 0, false
	}
	return rat.Num().Int64(), true
}

func sameNumber(a, b string) bool {
	x, y := NewNumber(a).Rat(), NewNumber(b).Rat()
	return x != nil && y != nil && x.Cmp(y) == 0
}
