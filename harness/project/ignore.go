package project

import (
	"cmp"
	"path"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Ignore excuses findings until a day.
type Ignore struct {
	Tool   string         // a name or a pattern
	Rule   string         // a rule, or DIALECT/RULE
	Target string         // a name, all or a pattern; empty means every target
	In     schema.Pointer // a place in the tool; empty means the whole tool
	Reason string
	Until  provider.Date // the last day

	// At and Line say where the file has it.
	At   schema.Pointer
	Line int

	used bool
}

func ignoreOf(node *schema.Node, at schema.Pointer) *Ignore {
	return &Ignore{
		Tool: node.GetString("tool"), Rule: node.GetString("rule"), Target: node.GetString("target"), In: schema.Pointer(node.GetString("at")),
		Reason: node.GetString("reason"), Until: provider.Date(node.GetString("until")), At: at, Line: int(node.Position.Line),
	}
}

// IsExpired reports whether the last day is over: it excuses nothing then.
func (i *Ignore) IsExpired(today provider.Date) bool { return i.Until < today }

// IsUsed reports whether there was a finding that it is about.
func (i *Ignore) IsUsed() bool { return i.used }

// isAbout reports whether a finding, of a rule of a dialect, is one of those that are meant.
func (i *Ignore) isAbout(result *verdict.Result, ofDialect string, finding verdict.Finding) bool {
	return (i.Rule == finding.Rule || i.Rule == ofDialect) && matches(i.Tool, result.Tool) &&
		(i.Target == "" || i.Target == "all" || matches(i.Target, result.Target)) && finding.At.Under(i.In)
}

// matches reports whether a name is the one that is meant, or matches the pattern. A * is
// any part of a name, a slash too.
func matches(pattern, name string) bool {
	if pattern == name {
		return true
	}
	matched, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return err == nil && matched
}

// Apply marks the findings, on the side that had to be accepted, that the file ignores, and
// the advice that it ignores. It lowers those that the result fails for to warnings where
// the file says so. A failure with no other finding is a known one. A result without a
// verdict stays as it is. asGiven says which side had to be accepted.
func (f *File) Apply(result *verdict.Result, asGiven bool, today provider.Date) {
	answer, dialect := result.Required(asGiven)
	var findings []verdict.Finding
	switch {
	case result.Advice() != nil:
		findings = result.Advice().Findings
	case answer == nil:
	case result.Status == verdict.Fail:
		findings = result.Failures(asGiven)
	case result.Status == verdict.Pass && answer.Loses():
		findings = answer.Ignored
	}
	excused := 0
	for i := range findings {
		finding := &findings[i]
		ofDialect := finding.On(dialect) + "/" + finding.Rule
		f.waive(result, ofDialect, finding, today)
		if result.Status == verdict.Fail && cmp.Or(f.Severity[ofDialect], f.Severity[finding.Rule]) == "warning" {
			finding.Level = verdict.Warning
		}
		if finding.IsExcused() {
			excused++
		}
	}
	if result.Status == verdict.Fail && excused > 0 && excused == len(findings) {
		result.Status = verdict.KnownFailure
	}
}

// waive marks a finding, of a rule of a dialect, that the file ignores.
func (f *File) waive(result *verdict.Result, ofDialect string, finding *verdict.Finding, today provider.Date) {
	for _, ignore := range f.Ignores {
		if !ignore.isAbout(result, ofDialect, *finding) {
			continue
		}
		ignore.used = true
		if !ignore.IsExpired(today) && finding.Waived == nil {
			finding.Waived = &verdict.Waiver{Reason: ignore.Reason, Until: string(ignore.Until)}
		}
	}
}
