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
	// Findings counts the findings that the project does not ignore, Tools the tools with such
	// findings, and Of the tools that were examined.
	Findings int `json:"findings"`
	Tools    int `json:"tools"`
	Of       int `json:"of"`
	// Notes counts the findings besides that most models do well without.
	Notes int `json:"notes,omitempty"`
	// Tokens is the estimated number of tokens in all declarations. Heaviest are the tools with
	// the most tokens, the heaviest first.
	Tokens   int      `json:"tokens"`
	Heaviest []weight `json:"heaviest,omitempty"`
	// Forms is the estimated number of tokens in the normalized declarations, by target.
	Forms map[string]int `json:"forms,omitempty"`
}

// weight is the estimated number of tokens in the declaration of a tool.
type weight struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// mostHeavy is the number of heaviest tools that are named.
const mostHeavy = 3

// addAdvice counts a result that is advice.
func (s *Summary) addAdvice(result verdict.Result, kind *verdict.Advice) {
	if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
		return
	}
	if s.Advice == nil {
		s.Advice = &advice{}
	}
	counts := s.Advice
	counts.Of++
	counts.Tokens += kind.Tokens
	found := kind.Open()
	counts.Findings += found
	for _, finding := range kind.Findings {
		if finding.Severity == verdict.Note && finding.Waived == nil {
			counts.Notes++
		}
	}
	if found > 0 {
		counts.Tools++
	}
	counts.Heaviest = append(counts.Heaviest, weight{result.Tool, kind.Tokens})
	slices.SortStableFunc(counts.Heaviest, func(a, b weight) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), strings.Compare(a.Tool, b.Tool))
	})
	counts.Heaviest = counts.Heaviest[:min(len(counts.Heaviest), mostHeavy)]
}

// String returns the counts in one line.
func (a *advice) String() string {
	return fmt.Sprintf("%s in %d of %s. %s", Count(a.Findings, "finding"), a.Tools, Count(a.Of, "tool"), a.cost())
}

// found says how many tools models may misuse.
func (a *advice) found() string {
	if a.Findings == 0 {
		return "Nothing is known in " + Count(a.Of, "tool") + " that models misuse."
	}
	return fmt.Sprintf("Models may misuse %s.", countOf(a.Tools, a.Of))
}

// cost says how many tokens the tools cost.
func (a *advice) cost() string {
	text := "The " + plural(a.Of, "tool costs", "tools cost") + " about " + estimated(a.Tokens) + " tokens"
	if a.Of < 2 { //nolint:mnd // one tool is all of them
		return text
	}
	heaviest := make([]string, len(a.Heaviest))
	for i, tool := range a.Heaviest {
		heaviest[i] = escape.Line(tool.Tool) + " " + estimated(tool.Tokens)
	}
	return text + ", most of them: " + strings.Join(heaviest, ", ")
}

// inForms says what the normalized tools cost for each target; empty if that was not asked for.
func (a *advice) inForms() string {
	forms := make([]string, 0, len(a.Forms))
	for _, target := range slices.Sorted(maps.Keys(a.Forms)) {
		forms = append(forms, target+" "+estimated(a.Forms[target]))
	}
	return strings.Join(forms, ", ")
}

// estimated formats an estimate, with two or three significant digits and commas between thousands.
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
