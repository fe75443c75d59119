package normalizers

import (
	"math/big"
	"regexp"
	"unicode/utf8"

	"toolproof/schema"
)

// keepsLimits reports whether a value other than an object keeps the limits of a schema as it was
// before it was normalized. The normalized schema may have lost them, and they may be all that
// distinguishes two branches.
func keepsLimits(original, value *schema.Node) bool {
	if original == nil {
		return true
	}
	switch value.Kind {
	case schema.String:
		return isWithin(original, "minLength", "maxLength", utf8.RuneCountInString(value.Text)) && matches(original.GetString("pattern"), value.Text)
	case schema.Array:
		return isWithin(original, "minItems", "maxItems", len(value.Elements))
	case schema.Number:
		return isWithinBounds(original, value)
	default:
		return true
	}
}

func isWithin(original *schema.Node, least, most string, count int) bool {
	number := big.NewRat(int64(count), 1)
	low, high := original.Get(least).Rat(), original.Get(most).Rat()
	return (low == nil || low.Cmp(number) <= 0) && (high == nil || high.Cmp(number) >= 0)
}

// isWithinBounds reports whether a number keeps the bounds of a schema. An exclusive bound may be a
// number, or true beside the inclusive bound.
func isWithinBounds(original, value *schema.Node) bool {
	number := value.Rat()
	if number == nil {
		return true
	}
	for _, bound := range []struct {
		inclusive, exclusive string
		sign                 int
	}{{"minimum", "exclusiveMinimum", 1}, {"maximum", "exclusiveMaximum", -1}} {
		if limit := original.Get(bound.inclusive).Rat(); limit != nil {
			order := limit.Cmp(number) * bound.sign
			if order > 0 || order == 0 && original.Get(bound.exclusive).IsTrue() {
				return false
			}
		}
		if limit := original.Get(bound.exclusive).Rat(); limit != nil && limit.Cmp(number)*bound.sign >= 0 {
			return false
		}
	}
	return true
}

// matches reports whether a text matches a pattern. It reports true for a pattern that
// Go cannot read.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	expression, err := regexp.Compile(schema.GoPattern(pattern))
	return err != nil || expression.MatchString(text)
}
