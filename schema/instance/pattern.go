package instance

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// maxMatching bounds how long the patterns that need backtracking take in one validation. Go's
// own engine, which has the others, takes linear time.
const maxMatching = time.Second

// maxBacktracking is the greatest length in bytes of a pattern that may need backtracking.
const maxBacktracking = 10_000

// compilePattern compiles a pattern of ECMAScript or Python: with Go's engine, or, for what that does
// not have, such as (?!a), with one that tries all ways.
func (m *meter) compilePattern(pattern string) (jsonschema.Regexp, error) { //nolint:ireturn // the compiler's callback returns an interface
	compiled, err := regexp.Compile(writtenInGo(pattern))
	if err == nil {
		return sourcePattern{compiled, pattern}, nil
	}
	if len(pattern) > maxBacktracking {
		return nil, err //nolint:wrapcheck // the compiler adds the place
	}
	backtracking, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		backtracking, err = regexp2.Compile(ofPython(pattern), regexp2.ECMAScript|regexp2.Unicode)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the compiler adds the place
	}
	return &backtrackingPattern{backtracking, m}, nil
}

// ofPython returns a pattern of Python with its named groups as ECMAScript writes them.
func ofPython(pattern string) string {
	return namedAgain.ReplaceAllString(strings.ReplaceAll(pattern, "(?P<", "(?<"), `\k<$1>`)
}

// namedAgain matches (?P=name), which matches what the group of the name did.
var namedAgain = lazy.Compile(`\(\?P=(\w+)\)`)

// sourcePattern is a compiled pattern that prints as it stands in the schema.
type sourcePattern struct {
	*regexp.Regexp

	text string
}

func (p sourcePattern) String() string { return p.text }

// backtrackingPattern is a pattern whose matches take time that the meter bounds.
type backtrackingPattern struct {
	*regexp2.Regexp

	meter *meter
}

// MatchString reports whether the pattern matches a part of the text. It ends the validation if
// that takes too long.
func (p *backtrackingPattern) MatchString(text string) bool {
	p.MatchTimeout = p.meter.matching
	begin := time.Now()
	isMatch, err := p.Regexp.MatchString(text)
	if p.meter.matching -= time.Since(begin); err != nil || p.meter.matching <= 0 {
		panic(ErrTooManySteps)
	}
	return isMatch
}

// WithoutUnreadable returns a schema without the patterns that are no regular expressions, which
// then accept any text, and says which they are. It returns the schema itself if there are none.
func WithoutUnreadable(node *schema.Node) (readable *schema.Node, patterns []string) {
	meter := new(meter)
	isUnreadable := func(pattern string) bool {
		_, err := meter.compilePattern(pattern)
		if err != nil && !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
		return err != nil
	}
	clone := node.Clone()
	clone.Each(func(subschema *schema.Node) bool {
		if pattern := subschema.Get("pattern"); pattern != nil && pattern.Kind == schema.String && isUnreadable(pattern.Text) {
			subschema.Delete("pattern")
		}
		if named := subschema.Get("patternProperties"); named != nil && named.Kind == schema.Object {
			before := len(named.Members)
			named.Members = slices.DeleteFunc(named.Members, func(member schema.Member) bool { return isUnreadable(member.Key) })
			if len(named.Members) < before && subschema.Get("additionalProperties").IsFalse() {
				subschema.Delete("additionalProperties") // the names may match
			}
		}
		return true
	})
	if len(patterns) == 0 {
		return node, nil
	}
	return clone, patterns
}

// writtenInGo returns a pattern of ECMAScript as Go writes it: \x{002D} for \u002D, unless that is half
// of a surrogate pair, and classes that mean something else to Go, such as []a] and [[:alpha:]].
func writtenInGo(pattern string) string {
	if !strings.Contains(pattern, `\u`) && !strings.Contains(pattern, "[") {
		return pattern
	}
	var text strings.Builder
	inClass := false
	for rest := pattern; rest != ""; {
		read, written := rest[:1], rest[:1]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			read, written = escapeInGo(rest)
		case inClass && rest[0] == '[':
			written = `\[`
		case inClass:
			inClass = rest[0] != ']'
		case strings.HasPrefix(rest, "[]"):
			read, written = "[]", nothingInGo
		case strings.HasPrefix(rest, "[^]"):
			read, written = "[^]", anythingInGo
		default:
			inClass = rest[0] == '['
		}
		text.WriteString(written)
		rest = rest[len(read):]
	}
	return text.String()
}

// nothingInGo and anythingInGo are the classes [] and [^] of ECMAScript.
const (
	nothingInGo  = `[^\x00-\x{10FFFF}]`
	anythingInGo = `[\x00-\x{10FFFF}]`
)

// escapeInGo returns the escape at the beginning of a text and how Go writes it.
func escapeInGo(text string) (read, written string) {
	const digits = 4
	read = text[:2]
	if number := text[2:]; text[1] == 'u' && len(number) >= digits {
		code, err := strconv.ParseUint(number[:digits], 16, 16)
		if err == nil && !utf16.IsSurrogate(rune(code)) {
			return text[:2+digits], `\x{` + number[:digits] + `}`
		}
	}
	return read, read
}
