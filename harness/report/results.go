package report

import (
	"fmt"
	"strconv"

	"toolproof/harness/verdict"
)

// ResultTable is the results of a run as a page of Markdown: the counts, and what does
// not conform.
type ResultTable struct {
	failed []verdict.Result
	more   int
}

// Result adds one result.
func (r *ResultTable) Result(result verdict.Result) {
	switch {
	case result.Status <= verdict.Pass:
	case len(r.failed) == maxRows:
		r.more++
	default:
		r.failed = append(r.failed, result)
	}
}

// Page returns the page.
func (r *ResultTable) Page(summary *Summary) string {
	page := &Markdown{}
	outcome := "**conforms**"
	if !summary.Conforms {
		outcome = "**does not conform**"
	}
	page.Text(fmt.Sprintf("%s: %d found, %d read, %d judged.", outcome, summary.Tools, summary.Read, summary.Judged))
	page.Table("Targets", "target", "accepted as given", "refused as given", "accepted", "refused", "known", "inconclusive", "failed", "errors")
	for _, target := range summary.order {
		counts := summary.Targets[target]
		cells := []string{foreign(target)}
		for _, count := range []int{
			counts.RawAccepted, counts.RawRejected, counts.Accepted, counts.Rejected, counts.Known, counts.Inconclusive, counts.Failed, counts.Errors,
		} {
			cells = append(cells, strconv.Itoa(count))
		}
		page.Row(cells...)
	}
	if len(r.failed) == 0 {
		return page.String()
	}
	page.Table("What is no pass", "tool", "target", "outcome", "why")
	for _, result := range r.failed {
		name := result.Tool
		if result.Fixture != "" {
			name = result.Fixture + ", " + result.Side
		}
		page.Row(foreign(name), foreign(result.Target), result.Status.String(), foreign(firstLine(reason(result))))
	}
	if r.more > 0 {
		page.Text(fmt.Sprintf("And %d more.", r.more))
	}
	return page.String()
}
