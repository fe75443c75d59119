// Package lazy has regular expressions that are compiled when they are first asked.
// A program that has a hundred of them as variables would compile all at each start, and
// most commands ask few.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression in the syntax of package regexp. Its methods are those
// of regexp.Regexp, and panic where the text is none. It is safe for use by several
// goroutines.
type Regexp struct{ compiled func() *regexp.Regexp }

// Compile returns the regular expression of a text, which is not looked at yet.
func Compile(text string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// String returns the text.
func (r *Regexp) String() string { return r.compiled().String() }

// SubexpIndex is that of regexp.Regexp.
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }

// Match is that of regexp.Regexp.
func (r *Regexp) Match(text []byte) bool { return r.compiled().Match(text) }

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(text string) bool { return r.compiled().MatchString(text) }

// FindIndex is that of regexp.Regexp.
func (r *Regexp) FindIndex(text []byte) []int { return r.compiled().FindIndex(text) }

// FindSubmatch is that of regexp.Regexp.
func (r *Regexp) FindSubmatch(text []byte) [][]byte { return r.compiled().FindSubmatch(text) }

// FindAllIndex is that of regexp.Regexp.
func (r *Regexp) FindAllIndex(text []byte, most int) [][]int {
	return r.compiled().FindAllIndex(text, most)
}

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(text string) string { return r.compiled().FindString(text) }

// FindStringIndex is that of regexp.Regexp.
func (r *Regexp) FindStringIndex(text string) []int { return r.compiled().FindStringIndex(text) }

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(text string) []string {
	return r.compiled().FindStringSubmatch(text)
}

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(text string, most int) []string {
	return r.compiled().FindAllString(text, most)
}

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(text string, most int) [][]string {
	return r.compiled().FindAllStringSubmatch(text, most)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(text string, most int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(text, most)
}

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(text, with string) string {
	return r.compiled().ReplaceAllString(text, with)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(text string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(text, with)
}
