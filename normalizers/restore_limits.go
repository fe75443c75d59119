package normalizers

import (
	"math/big"
	"regexp"
	"unicode/utf8"

	"toolproof/schema"
)

// keepsLimits reports whether a value that is no object keeps the limits of the given schema. The
// normalized schema may have lost them, and they may be all that distinguishes two branches.
func keepsLimits(given, value *schema.Node) bool {
	if given == nil {
		return true
	}
	switch value.Kind {
	case schema.String:
		return isWithin(given, "minLength", "maxLength", utf8.RuneCountInString(value.Text)) && matches(given.GetString("pattern"), value.Text)
	case schema.Array:
		return isWithin(given, "minItems", "maxItems", len(value.Elements))
	case schema.Number:
		return isWithinBounds(given, value)
	default:
		return true
	}
}

func isWithin(given *schema.Node, least, most string, count int) bool {
	if limit := limitOf(given, least); limit != nil && limit.Cmp(big.NewRat(int64(count), 1)) > 0 {
		return false
	}
	limit := limitOf(given, most)
	return limit == nil || limit.Cmp(big.NewRat(int64(count), 1)) >= 0
}

// isWithinBounds reports whether a number keeps the bounds of the given schema. An exclusive bound
// may be a number, or true beside the inclusive bound.
func isWithinBounds(given, value *schema.Node) bool {
	number := value.Rat()
	if number == nil {
		return true
	}
	for _, bound := range []struct {
		inclusive, exclusive string
		sign                 int
	}{{"minimum", "exclusiveMinimum", 1}, {"maximum", "exclusiveMaximum", -1}} {
		if limit := limitOf(given, bound.inclusive); limit != nil {
			order := limit.Cmp(number) * bound.sign
			if order > 0 || order == 0 && given.Get(bound.exclusive).IsTrue() {
				return false
			}
		}
		if limit := limitOf(given, bound.exclusive); limit != nil && limit.Cmp(number)*bound.sign >= 0 {
			return false
		}
	}
	return true
}

// limitOf returns a limit as a number, or nil if there is none.
func limitOf(given *schema.Node, keyword string) *big.Rat {
	limit := given.Get(keyword)
	if limit == nil || limit.Kind != schema.Number {
		return nil
	}
	return limit.Rat()
}

// matches reports whether a text matches a pattern. A pattern that Go cannot read matches every
// text.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	expression, err := regexp.Compile(pattern)
	return err != nil || expression.MatchString(text)
}
