package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// advice counts the advice on the tools of a run.
type advice struct {
	// Findings are those that the project does not ignore, Tools the tools that have some,
	// and Of those that were looked at.
	Findings int `json:"findings"`
	Tools    int `json:"tools"`
	Of       int `json:"of"`
	// Tokens is about how many tokens the declarations of the tools have together, and
	// Heaviest are the tools with the most, the heaviest first.
	Tokens   int      `json:"tokens"`
	Heaviest []weight `json:"heaviest,omitempty"`
	// Forms is about how many tokens the normalized declarations have together, by target.
	Forms map[string]int `json:"forms,omitempty"`
}

// weight is a tool, and about how many tokens its declaration has.
type weight struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// mostHeavy is how many of the heaviest tools are named.
const mostHeavy = 3

// addAdvice counts a result that is advice.
func (s *Summary) addAdvice(result verdict.Result, given *verdict.Advice) {
	if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
		return
	}
	if s.Advice == nil {
		s.Advice = &advice{}
	}
	counts := s.Advice
	counts.Of++
	counts.Tokens += given.Tokens
	found := 0
	for _, finding := range given.Findings {
		if finding.Waived == nil {
			found++
		}
	}
	counts.Findings += found
	if found > 0 {
		counts.Tools++
	}
	counts.Heaviest = append(counts.Heaviest, weight{result.Tool, given.Tokens})
	slices.SortStableFunc(counts.Heaviest, func(a, b weight) int { return cmp.Compare(b.Tokens, a.Tokens) })
	counts.Heaviest = counts.Heaviest[:min(len(counts.Heaviest), mostHeavy)]
}

// String says the counts in a line.
func (a *advice) String() string {
	text := fmt.Sprintf("%s in %d of %s; the tools cost about %s tokens", Count(a.Findings, "finding"), a.Tools, Count(a.Of, "tool"), estimated(a.Tokens))
	if a.Of < 2 { //nolint:mnd // one tool is all of them
		return text
	}
	heaviest := make([]string, len(a.Heaviest))
	for i, one := range a.Heaviest {
		heaviest[i] = escape.Line(one.Tool) + " " + estimated(one.Tokens)
	}
	return text + ", most of them: " + strings.Join(heaviest, ", ")
}

// inForms says what the tools cost as they are sent to targets; empty where none was asked.
func (a *advice) inForms() string {
	forms := make([]string, 0, len(a.Forms))
	for _, target := range slices.Sorted(maps.Keys(a.Forms)) {
		forms = append(forms, target+" "+estimated(a.Forms[target]))
	}
	return strings.Join(forms, ", ")
}

// estimated writes an estimate: two or three digits of it count, and commas part thousands.
func estimated(number int) string {
	const ten, hundred, thousand = 10, 100, 1000
	switch {
	case number >= thousand:
		number = (number + hundred/2) / hundred * hundred
	case number >= hundred:
		number = (number + ten/2) / ten * ten
	}
	digits := strconv.Itoa(number)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
