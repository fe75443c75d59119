// Package fix writes the edits that judge finds for refused tools into the text of their documents. It
// keeps every other byte, and does no I/O.
package fix

import (
	"context"
	"fmt"
	"slices"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// mostRounds bounds how often the edits of a tool are looked for, since some are found only after others.
const mostRounds = 24

// Tool is a tool with its edits.
type Tool struct {
	toolfile.Tool

	// After is the tool after the Edits; the tool itself if there are none.
	After toolfile.Tool
	Edits []verdict.Change
	// Left says what the author can do about each place for which the tool is still refused.
	Left []verdict.Cure
	// Offered is the number of edits of advice that were not made because they are unsafe, and Withheld names for each edit that
	// was not made for another reason the first target that would refuse the tool after it.
	Offered  int
	Withheld []string
	// Problem says why edits could not be written; After is then the tool itself.
	Problem error
	// WasRefused and IsRefused say whether a target refuses the tool before and after the edits.
	WasRefused, IsRefused bool

	before, now refusals
}

// keep undoes the edits of the tool.
func (t *Tool) keep(problem error) {
	t.After, t.Edits, t.Problem, t.now, t.IsRefused = t.Tool, nil, problem, t.before, t.WasRefused
}

// refusals are what each target refuses in a tool as given: nil for one that takes it.
type refusals [][]verdict.Finding

// isWorse reports whether a target refuses a tool after an edit that it took before.
func (r refusals) isWorse(after refusals) bool { return r.firstWorse(after) >= 0 }

// firstWorse returns the index of the first target that refuses a tool after an edit and took it before, or -1.
func (r refusals) firstWorse(after refusals) int {
	for i := range r {
		if r[i] == nil && after[i] != nil {
			return i
		}
	}
	return -1
}

func (r refusals) isRefused() bool {
	return slices.ContainsFunc(r, func(findings []verdict.Finding) bool { return findings != nil })
}

// targets returns the targets that judge a tool.
func (f *Fixer) targets(tool toolfile.Tool) []judge.Target {
	switch {
	case f.meant != nil:
		return f.meant(tool)
	case tool.IsResponse:
		return f.Responses
	default:
		return f.Targets
	}
}

// refusals judges a tool. It reports false if a target gave no verdict. Findings that are excused are
// left out.
func (f *Fixer) refusals(ctx context.Context, tool toolfile.Tool) (found refusals, isJudged bool) {
	judging := f.Judge
	judging.Raw, judging.Memory = true, &judge.Memory{}
	for _, target := range f.targets(tool) {
		result := judging.Tool(ctx, judge.Subject{Tool: tool, Source: f.Source}, target)
		f.apply(&result)
		raw := result.Sides().Raw
		if raw == nil {
			return nil, false
		}
		if raw.Verdict != provider.Rejected {
			found = append(found, nil)
			continue
		}
		found = append(found, slices.DeleteFunc(append([]verdict.Finding{}, raw.Findings...), func(finding verdict.Finding) bool {
			return finding.IsExcused() || result.Status == verdict.KnownFailure
		}))
	}
	return found, true
}

// apply applies the steps of the run to a result.
func (f *Fixer) apply(result *verdict.Result) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, step := range f.Steps {
		step(result)
	}
}

// tool edits a tool until nothing is left that may be edited.
func (f *Fixer) tool(ctx context.Context, given toolfile.Tool) (fixed Tool) {
	fixed = Tool{Tool: given, After: given}
	if given.Err != nil || given.Declaration == nil {
		return fixed
	}
	defer func() {
		if caught := recover(); caught != nil {
			fixed.keep(fmt.Errorf("panic: %v", caught))
		}
	}()
	before, isJudged := f.refusals(ctx, given)
	if !isJudged {
		return fixed
	}
	fixed.before, fixed.now, fixed.WasRefused, fixed.IsRefused = before, before, before.isRefused(), before.isRefused()
	now, banned := before, map[string]bool{}
	for range mostRounds {
		edits, left := f.edits(ctx, fixed.After, now, banned)
		if fixed.Left = left; len(edits) == 0 || ctx.Err() != nil {
			break
		}
		next, after := f.after(ctx, fixed.After, edits)
		if before.isWorse(after) || next.Err != nil { // together they are worse than each alone
			edits = edits[:1]
			next, after = f.after(ctx, fixed.After, edits)
		}
		if after == nil || before.isWorse(after) || next.Err != nil {
			banned[keyOf(edits[0])] = true
			continue
		}
		fixed.After, now, fixed.Edits = next, after, append(fixed.Edits, edits...)
	}
	fixed.now, fixed.IsRefused = now, now.isRefused()
	return fixed
}

// after returns a tool after edits and what is refused of it; nil if a target gave no verdict.
func (f *Fixer) after(ctx context.Context, tool toolfile.Tool, edits []verdict.Change) (toolfile.Tool, refusals) {
	declaration := tool.Declaration
	for _, edit := range edits {
		declaration = judge.EditedSource(declaration, edit)
	}
	next := tool.With(declaration)
	if next.Err != nil {
		return next, make(refusals, len(f.targets(tool)))
	}
	found, isJudged := f.refusals(ctx, next)
	if !isJudged {
		next.Err = errNoVerdict
		return next, make(refusals, len(f.targets(tool)))
	}
	return next, found
}

func keyOf(edit verdict.Change) string {
	return string(edit.From) + " " + edit.Before.Node().String() + " " + edit.After.Node().String()
}

// edits returns the edits that may be made at once: the safe ones or, if there are none and others are
// wanted, those. It also returns what can be done about every place.
func (f *Fixer) edits(ctx context.Context, tool toolfile.Tool, now refusals, banned map[string]bool) (edits []verdict.Change, left []verdict.Cure) {
	cures := f.Judge.Cures(ctx, tool, f.targets(tool))
	var unsafe []verdict.Change
	for _, findings := range now {
		for _, finding := range findings {
			cure := cures.Of(finding)
			left = append(left, cure)
			if len(cure.Edits) == 0 || cure.Edits[0].Then || banned[keyOf(cure.Edits[0])] {
				continue
			}
			edit, isKept := inForm(tool, cure.Edits[0])
			switch {
			case !isKept:
			case edit.IsSafe():
				edits = apart(edits, edit)
			case f.Unsafe:
				unsafe = apart(unsafe, edit)
			}
		}
	}
	if len(edits) == 0 {
		return unsafe, left
	}
	return edits, left
}

// Replaced returns the text that an edit of a tool replaces in its document; nil if it cannot be written
// alone, or the document no longer has what it replaces.
func Replaced(text *toolfile.Text, tool toolfile.Tool, edit verdict.Change) []toolfile.Replacement {
	edit, isKept := inForm(tool, edit)
	if !isKept || edit.Then || !has(tool.Declaration.Find(edit.From), edit.Before.Node()) {
		return nil
	}
	replaced, err := text.Replaced(tool.Declaration, judge.EditedSource(tool.Declaration, edit))
	if err != nil {
		return nil
	}
	return replaced
}

// has reports whether a value is what an edit replaces, or has it as members.
func has(value, before *schema.Node) bool {
	if value == nil || before == nil || value.Kind != schema.Object || before.Kind != schema.Object {
		return value != nil && (before == nil || schema.Equal(value, before))
	}
	return !slices.ContainsFunc(before.Members, func(member schema.Member) bool {
		known := value.Get(member.Key)
		return known == nil || !schema.Equal(known, member.Value)
	})
}

// apart adds an edit to others unless it is within one of them or one of them within it.
func apart(edits []verdict.Change, edit verdict.Change) []verdict.Change {
	isNear := func(other verdict.Change) bool { return other.From.Under(edit.From) || edit.From.Under(other.From) }
	if slices.ContainsFunc(edits, isNear) {
		return edits
	}
	return append(edits, edit)
}

// inForm returns an edit with the name that the form of the tool has for its schema. It reports false if
// that is not known.
func inForm(tool toolfile.Tool, edit verdict.Change) (verdict.Change, bool) {
	const parameters = "parameters"
	if edit.From != tool.Pointer("") || tool.Pointer("/"+parameters).Under(edit.From) && tool.IsBare() {
		return edit, true
	}
	path := tool.Pointer("/" + parameters).Tokens()
	isAbsent := tool.Pointer("/"+parameters) == tool.Pointer("")
	for _, part := range []*rewrite.Part{&edit.Before, &edit.After} {
		node := part.Node()
		if !node.Has(parameters) {
			continue
		}
		if isAbsent {
			return edit, false
		}
		members := slices.Clone(node.Members)
		members[node.Index(parameters)].Key = path[len(path)-1]
		*part = rewrite.PartOfMembers(members)
	}
	return edit, true
}
