package project

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Ignore excuses findings until a day, inclusive.
type Ignore struct {
	Tool   string         // name or pattern
	Rule   string         // RULE or DIALECT/RULE
	Target string         // name, pattern or "all"; empty means every target
	In     schema.Pointer // pointer into the tool; empty means the whole tool
	Reason string
	Until  provider.Date // last day

	// At and Line are the place of the entry in the file.
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

// IsExpired reports whether the last day has passed, so that it excuses nothing.
func (i *Ignore) IsExpired(today provider.Date) bool { return i.Until < today }

// IsUsed reports whether Apply met a finding that the ignore covers. An expired ignore counts, too.
func (i *Ignore) IsUsed() bool { return i.used }

// isAbout reports whether the entry is about a finding. The rule is also given as DIALECT/RULE.
func (i *Ignore) isAbout(result *verdict.Result, qualifiedRule string, finding verdict.Finding) bool {
	return (i.Rule == finding.Rule || i.Rule == qualifiedRule) && matches(i.Tool, result.Tool) &&
		(i.Target == "" || i.Target == "all" || matches(i.Target, result.Target)) && finding.At.Under(i.In)
}

// matches reports whether a name equals the pattern or matches it. A * matches any part of a
// name, including slashes.
func matches(pattern, name string) bool {
	if pattern == name {
		return true
	}
	matched, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return err == nil && matched
}

// Apply applies the file's ignores and severities to a result. It waives the ignored ones among
// the advice or the findings on the side that had to be accepted, which asGiven names, and
// lowers failures to warnings where the file says so, or where it says nothing of the rule and does not require
// it. If all findings of a failure are excused, it is a KnownFailure. A result without a verdict stays as it is.
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
		qualifiedRule := finding.On(dialect) + "/" + finding.Rule
		f.waive(result, qualifiedRule, finding, today)
		if result.Status == verdict.Fail && f.severity(qualifiedRule, finding.On(dialect), finding.Rule) == verdict.Warning {
			finding.Level = verdict.Warning
		}
		if finding.IsExcused() || finding.Severity == verdict.Note {
			excused++
		}
	}
	if result.Status == verdict.Fail && excused > 0 && excused == len(findings) {
		result.Status = verdict.KnownFailure
	}
}

// severity returns what the file says of a rule of a surface, which is also given as DIALECT/RULE; empty if it
// says nothing.
func (f *File) severity(qualifiedRule, surface, rule string) string {
	said := cmp.Or(f.Severity[qualifiedRule], f.Severity[rule])
	if said != "" || f.Requires == nil || rule == "" || f.Requires(surface, rule) {
		return said
	}
	f.newer[qualifiedRule] = true
	return verdict.Warning
}

// Newer returns the rules, as DIALECT/RULE, that Apply met and the file does not require, sorted.
func (f *File) Newer() []string { return slices.Sorted(maps.Keys(f.newer)) }

// waive waives a finding that the file ignores. The rule is also given as DIALECT/RULE.
func (f *File) waive(result *verdict.Result, qualifiedRule string, finding *verdict.Finding, today provider.Date) {
	for _, ignore := range f.Ignores {
		if !ignore.isAbout(result, qualifiedRule, *finding) {
			continue
		}
		ignore.used = true
		if !ignore.IsExpired(today) && finding.Waived == nil {
			finding.Waived = &verdict.Waiver{Reason: ignore.Reason, Until: string(ignore.Until)}
		}
	}
}
