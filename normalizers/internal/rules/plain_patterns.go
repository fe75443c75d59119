package rules

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PlainPatterns serves engines that make a grammar of a pattern.
var PlainPatterns = &engine.Rule{
	Name: "plain_patterns",
	Doc: `a pattern is written in the syntax that an engine has a grammar for

The pattern gets ^ and $ at its ends, and .* before or after it stands for the text around a
match, but matches no line break. Escapes are spelled out: \d is [0-9]. (?:a) becomes (a),
and a lazy quantifier a greedy one. A pattern without an equivalent in a grammar, such as a
lookahead, goes into the description. A pattern that the target takes stays as it is, and so
does one that an engine ignores, such as beside a union. Since September 2026 llama.cpp takes
a pattern without a grammar; one that is no regular expression, or that its grammar would
read otherwise, is still rewritten. Source: json-schema-to-grammar.cpp and llama-grammar.cpp
of llama.cpp ec98e2002; https://github.com/ggml-org/llama.cpp/pull/26939.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string", "pattern": "^\\d{2}(?:\\.\\w+)?$"}, ` +
		`"b": {"type": "string", "pattern": "x"}, "c": {"type": "string", "pattern": "^(?=a)"}}}`,
	After: `{"type": "object", "properties": {"a": {"type": "string", "pattern": "^[0-9]{2}(\\.[0-9A-Z_a-z]+)?$"}, ` +
		`"b": {"type": "string", "pattern": "^.*x.*$"}, "c": {"type": "string", "description": "{pattern: \"^(?=a)\"}"}}}`,
	Loss: rewrite.Both,
	On:   []string{"pattern", "patternProperties"},
	Rewrite: func(p *engine.Pass) {
		patterns := engine.LimitsOf[Patterns](p.Target)
		if patterns.Takes == nil {
			return
		}
		plainNamePatterns(p, patterns)
		pattern := p.Schema.Get("pattern")
		if pattern == nil || pattern.Kind != schema.String {
			return
		}
		p.ChargeText(len(pattern.Text))
		if patterns.Takes(pattern.Text) {
			return
		}
		if p.Target.TypeDecides && !isPatternRead(p) || !isReadFirst(p, "pattern") {
			return
		}
		plain, loss, ok := plainPattern(pattern.Text, patterns.Anchored)
		if !ok || !patterns.Takes(plain) {
			p.SpillAway("pattern", lossIn(p, rewrite.Widens))
			return
		}
		p.Set("pattern", schema.NewString(plain), lossIn(p, loss))
	},
}

// Patterns says which patterns a target takes.
type Patterns struct {
	// Takes reports whether an engine has a grammar for the pattern; nil if the surface takes
	// any.
	Takes func(pattern string) bool
	// Anchored is set if a pattern begins with ^ and ends with $.
	Anchored bool
}

// isPatternRead reports whether an engine of TypeDecides reads the pattern of a schema. It ignores a
// pattern beside a format that it knows.
func isPatternRead(p *engine.Pass) bool {
	return isReadAs(p.Schema, "string") && !slices.Contains(p.Target.Formats, p.Schema.GetString("format"))
}

// plainNamePatterns rewrites the names in patternProperties if an engine reads them. If it has no
// grammar for one of them, patternProperties goes into the description.
func plainNamePatterns(p *engine.Pass, readable Patterns) {
	patterns := p.Schema.Get("patternProperties")
	if !p.Target.TypeDecides || patterns == nil || !isReadAs(p.Schema, "object") {
		return
	}
	for i := range patterns.Members {
		member := &patterns.Members[i]
		if readable.Takes(member.Key) {
			continue
		}
		p.ChargeText(len(member.Key))
		plain, loss, ok := plainPattern(member.Key, readable.Anchored)
		if !ok || !readable.Takes(plain) || patterns.Has(plain) {
			p.SpillAway("patternProperties", lossIn(p, lossOfNames(p.Schema)))
			return
		}
		p.Below(patterns, "patternProperties").Rename(member, plain, lossIn(p, loss))
	}
}

// lossOfNames returns the loss of a schema without its patternProperties: the properties that
// matched one are among the additional properties then.
func lossOfNames(node *schema.Node) rewrite.Loss {
	if node.Has("additionalProperties") || node.Has("unevaluatedProperties") {
		return rewrite.Both
	}
	return rewrite.Widens
}

// maxPattern is the greatest length in bytes of a pattern that is rewritten, because a class can
// become much longer.
const maxPattern = 10_000

// plainPattern returns a pattern of JavaScript in the syntax of grammars. If anchored is set, the
// result matches whole texts. ok is false if grammars cannot express the pattern.
func plainPattern(pattern string, anchored bool) (plain string, loss rewrite.Loss, ok bool) {
	spelled, ok := spellSpaces(pattern)
	if !ok || len(pattern) > maxPattern {
		return "", rewrite.Exact, false
	}
	parsed, err := syntax.Parse(spelled, syntax.Perl)
	if err != nil {
		return "", rewrite.Exact, false
	}
	w := patternWriter{anchored: anchored}
	if !anchored {
		w.write(parsed)
		return w.String(), w.loss, !w.failed
	}
	w.full(parsed)
	return "^" + w.String() + "$", w.loss, !w.failed
}

// patternWriter writes a regular expression in literals, classes, groups and greedy
// quantifiers.
type patternWriter struct {
	strings.Builder

	anchored bool
	loss     rewrite.Loss
	failed   bool
}

// put writes text as it is.
func (w *patternWriter) put(text string) { _, _ = w.WriteString(text) } // it returns no error

// anyText matches the text before or after a match.
const anyText = ".*"

// full writes an expression that matches a whole text if re matches a part of it.
func (w *patternWriter) full(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpCapture:
		w.full(re.Sub[0])
	case syntax.OpAlternate:
		w.put("(")
		for i, branch := range re.Sub {
			if i > 0 {
				w.put("|")
			}
			w.full(branch)
		}
		w.put(")")
	default:
		parts := []*syntax.Regexp{re}
		if re.Op == syntax.OpConcat {
			parts = re.Sub
		}
		begins := len(parts) > 0 && parts[0].Op == syntax.OpBeginText
		if begins {
			parts = parts[1:]
		}
		ends := len(parts) > 0 && parts[len(parts)-1].Op == syntax.OpEndText
		if ends {
			parts = parts[:len(parts)-1]
		}
		if !begins {
			w.put(anyText)
			w.loss |= rewrite.Narrows
		}
		for _, part := range parts {
			w.write(part)
		}
		if !ends {
			w.put(anyText)
			w.loss |= rewrite.Narrows
		}
	}
}

// write writes an expression that is not known to begin or end the pattern.
func (w *patternWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch:
	case syntax.OpBeginText, syntax.OpEndText:
		w.anchor(re.Op)
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r {
				w.class(bothCases(r))
			} else {
				w.literal(r)
			}
		}
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyCharNotNL:
		w.put(".")
	case syntax.OpConcat:
		for _, part := range re.Sub {
			w.write(part)
		}
	case syntax.OpCapture:
		w.group(re.Sub[0])
	case syntax.OpAlternate:
		w.group(re)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		w.repeated(re)
	default: // an anchor or a word boundary within the pattern, or what never matches
		w.failed = true
	}
}

// anchor writes an anchor that is not at an end of the pattern.
func (w *patternWriter) anchor(op syntax.Op) {
	switch {
	case w.anchored:
		w.failed = true
	case op == syntax.OpBeginText:
		w.put("^")
	default:
		w.put("$")
	}
}

// group writes an expression in parentheses.
func (w *patternWriter) group(re *syntax.Regexp) {
	w.put("(")
	if re.Op != syntax.OpAlternate {
		w.write(re)
	} else {
		for i, branch := range re.Sub {
			if i > 0 {
				w.put("|")
			}
			w.write(branch)
		}
	}
	w.put(")")
}

// repeated writes a class or a group with a quantifier. It writes a letter as a class, because an engine
// may apply the quantifier to the whole word.
func (w *patternWriter) repeated(re *syntax.Regexp) {
	switch of := re.Sub[0]; {
	case of.Op == syntax.OpCharClass || of.Op == syntax.OpAnyCharNotNL || of.Op == syntax.OpCapture:
		w.write(of)
	case of.Op == syntax.OpLiteral && len(of.Rune) == 1:
		if of.Flags&syntax.FoldCase != 0 {
			w.class(bothCases(of.Rune[0]))
		} else {
			w.class([]rune{of.Rune[0], of.Rune[0]})
		}
	default:
		w.group(of)
	}
	switch re.Op {
	case syntax.OpStar:
		w.put("*")
	case syntax.OpPlus:
		w.put("+")
	case syntax.OpQuest:
		w.put("?")
	default:
		w.put("{" + strconv.Itoa(re.Min))
		if re.Max != re.Min {
			w.put(",")
			if re.Max >= 0 {
				w.put(strconv.Itoa(re.Max))
			}
		}
		w.put("}")
	}
}

// literal writes one character.
func (w *patternWriter) literal(r rune) {
	switch {
	case r >= 0xD800 && r <= 0xDFFF:
		w.failed = true // a surrogate, half of a character
	case strings.ContainsRune(`^$.[]()|{}*+?\`, r):
		w.put(`\`)
		w.put(string(r))
	case r < ' ' || r == unicode.MaxASCII:
		w.put(w.escape(r))
	default:
		w.put(string(r))
	}
}

// class writes a class of ranges, given as pairs of their first and last characters. A class with
// the last character of Unicode is written as a negated class.
func (w *patternWriter) class(ranges []rune) {
	w.put("[")
	if len(ranges) > 0 && ranges[len(ranges)-1] == unicode.MaxRune {
		w.put("^")
		ranges = complement(ranges)
	}
	if len(ranges) == 0 { // any character, or none
		w.failed = true
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		w.inClass(from)
		if to > from+1 {
			w.put("-")
		}
		if to > from {
			w.inClass(to)
		}
	}
	w.put("]")
}

// inClass writes one character of a class.
func (w *patternWriter) inClass(r rune) {
	isPlain := r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_ .,:;/@#%&+=!?*<>()|'{}~`$", r)
	switch {
	case r >= 0xD800 && r <= 0xDFFF || r > 0xFFFF:
		w.failed = true // patterns of JavaScript count such a character twice
	case isPlain:
		w.put(string(r))
	default:
		w.put(w.escape(r))
	}
}

// escape writes a character below 256 by its number. llama.cpp reads two digits after \x, and
// xgrammar all digits that follow.
func (w *patternWriter) escape(r rune) string {
	const digits = "0123456789ABCDEF"
	mark := `\x`
	if !w.anchored {
		mark = `\u00`
	}
	return mark + string(digits[r>>4]) + string(digits[r&15]) //nolint:mnd // two digits of 16
}

// complement returns the ranges between the given ones.
func complement(ranges []rune) []rune {
	var between []rune
	next := rune(0)
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] > next {
			between = append(between, next, ranges[i]-1)
		}
		next = ranges[i+1] + 1
	}
	return between
}

// bothCases returns a character in upper and lower case, as ranges.
func bothCases(r rune) []rune {
	ranges := []rune{r, r}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		ranges = append(ranges, other, other)
	}
	return ranges
}

// spaces are the characters that \s matches in JavaScript; in Go it matches only the ASCII ones.
const spaces = `\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`

// spellSpaces replaces \s, and \u with four digits, by what they mean in JavaScript. It reports whether
// the other classes and escapes mean the same in Go as in JavaScript.
func spellSpaces(pattern string) (string, bool) {
	var text strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c != '\\' || i+1 == len(pattern) {
			rest := strings.TrimPrefix(pattern[i+1:], "^")
			if c == '[' && (inClass && strings.HasPrefix(rest, ":") || !inClass && strings.HasPrefix(rest, "]")) {
				return "", false // [:alpha:], and a bracket that ends no class, are Go's
			}
			inClass = c == '[' || inClass && c != ']'
			text.WriteByte(c)
			continue
		}
		i++
		switch next := pattern[i]; {
		case next == 's' && inClass:
			text.WriteString(spaces)
		case next == 's':
			text.WriteString("[" + spaces + "]")
		case next == 'S' && !inClass:
			text.WriteString("[^" + spaces + "]")
		case next == 'S' || next == 'Q': // Go quotes what follows \Q
			return "", false
		case next == 'u' && isHex(pattern[i+1:], hexDigits['u']):
			text.WriteString(`\x{` + pattern[i+1:i+1+hexDigits['u']] + "}")
			i += hexDigits['u']
		default:
			text.WriteByte('\\')
			text.WriteByte(next)
		}
	}
	return text.String(), true
}
