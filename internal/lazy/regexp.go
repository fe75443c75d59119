// Package lazy provides regular expressions that are compiled on first use and that remember
// what they found in a long text. A program with a hundred expressions in variables would
// otherwise compile all of them at every start, although most commands use few; and many surfaces
// match the same expressions against the same refusal.
package lazy

import (
	"regexp"
	"sync"
	"sync/atomic"
)

// Regexp is a regular expression in the syntax of package regexp. Its methods are those of
// regexp.Regexp, and panic if the expression does not compile. It is safe for concurrent use.
// Results may be shared and must not be changed.
type Regexp struct {
	compiled func() *regexp.Regexp

	matches    last[bool]
	first      last[string]
	firstParts last[[]string]
	allParts   last[[][]string]
	allIndices last[[][]int]
	indices    last[[]int]
}

// longText is the least length in bytes of a text whose result is kept.
const longText = 1 << 12

// last caches the result of a method for the last long text that it was called with.
type last[R any] struct{ cached atomic.Pointer[match[R]] }

type match[R any] struct {
	text   string
	result R
}

// in returns find(text).
func (l *last[R]) in(text string, find func(string) R) R {
	if len(text) < longText {
		return find(text)
	}
	if cached := l.cached.Load(); cached != nil && cached.text == text {
		return cached.result
	}
	result := find(text)
	l.cached.Store(&match[R]{text, result})
	return result
}

// Compile returns a regular expression without parsing it yet.
func Compile(text string) *Regexp {
	return &Regexp{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// String returns the source text of the expression.
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

// Split is that of regexp.Regexp.
func (r *Regexp) Split(text string, most int) []string { return r.compiled().Split(text, most) }

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
