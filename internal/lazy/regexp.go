// Package lazy has regular expressions that are compiled when they are first asked, and
// that read a long text once. A program that has a hundred of them as variables would
// compile all at each start, and most commands ask few. Many surfaces ask the same
// expressions about one refusal.
package lazy

import (
	"regexp"
	"sync"
	"sync/atomic"
)

// Regexp is a regular expression in the syntax of package regexp. Its methods are those
// of regexp.Regexp, and panic where the text is none. It is safe for use by several
// goroutines. What it returns may be shared, and is not to be changed.
type Regexp struct {
	compiled func() *regexp.Regexp

	matches    last[bool]
	first      last[string]
	firstParts last[[]string]
	allParts   last[[][]string]
	allIndices last[[][]int]
	indices    last[[]int]
}

// longText is the length in bytes from which on what was found in a text is kept, until
// the expression is asked about another one.
const longText = 1 << 12

// last is what was found in the long text that was asked about last.
type last[R any] struct{ kept atomic.Pointer[found[R]] }

type found[R any] struct {
	text   string
	result R
}

// in returns what find returns for a text.
func (l *last[R]) in(text string, find func(string) R) R {
	if len(text) < longText {
		return find(text)
	}
	if kept := l.kept.Load(); kept != nil && kept.text == text {
		return kept.result
	}
	result := find(text)
	l.kept.Store(&found[R]{text, result})
	return result
}

// Compile returns the regular expression of a text, which is not looked at yet.
func Compile(text string) *Regexp {
	return &Regexp{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// String returns the text.
func (r *Regexp) String() string { return r.compiled().String() }

// SubexpIndex is that of regexp.Regexp.
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }

// Match is that of regexp.Regexp.
func (r *Regexp) Match(text []byte) bool { return r.compiled().Match(text) }

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(text string) bool { return r.matches.in(text, r.compiled().MatchString) }

// FindIndex is that of regexp.Regexp.
func (r *Regexp) FindIndex(text []byte) []int { return r.compiled().FindIndex(text) }

// FindSubmatch is that of regexp.Regexp.
func (r *Regexp) FindSubmatch(text []byte) [][]byte { return r.compiled().FindSubmatch(text) }

// FindAllIndex is that of regexp.Regexp.
func (r *Regexp) FindAllIndex(text []byte, most int) [][]int {
	return r.compiled().FindAllIndex(text, most)
}

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(text string) string { return r.first.in(text, r.compiled().FindString) }

// FindStringIndex is that of regexp.Regexp.
func (r *Regexp) FindStringIndex(text string) []int {
	return r.indices.in(text, r.compiled().FindStringIndex)
}

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(text string) []string {
	return r.firstParts.in(text, r.compiled().FindStringSubmatch)
}

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(text string, most int) []string {
	return r.compiled().FindAllString(text, most)
}

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(text string, most int) [][]string {
	if most >= 0 {
		return r.compiled().FindAllStringSubmatch(text, most)
	}
	return r.allParts.in(text, func(text string) [][]string { return r.compiled().FindAllStringSubmatch(text, most) })
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(text string, most int) [][]int {
	if most >= 0 {
		return r.compiled().FindAllStringSubmatchIndex(text, most)
	}
	return r.allIndices.in(text, func(text string) [][]int { return r.compiled().FindAllStringSubmatchIndex(text, most) })
}

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(text, with string) string {
	return r.compiled().ReplaceAllString(text, with)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(text string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(text, with)
}
