package instance

import (
	"regexp"
	"slices"
	"strings"
	"time"

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
	compiled, err := regexp.Compile(schema.GoPattern(pattern))
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
