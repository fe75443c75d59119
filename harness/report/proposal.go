package report

import (
	"math"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Proposal says what the author of a tool can do about a finding: what to write in the source and what
// that loses, or what takes the tool as it is. It is empty if nothing is known.
func Proposal(cure verdict.Cure) string {
	advice, more := proposed(cure)
	return advice + more
}

// proposed returns a proposal in two parts: what to write or do, and what is to be said of it.
func proposed(cure verdict.Cure) (advice, more string) {
	switch {
	case len(cure.Edits) > 0:
		advice, more = edited(cure.Edits[0], math.MaxInt)
		if cure.Member != "" && cure.Edits[0].Loss != rewrite.Exact {
			more += "; sent as " + cure.Member + " it needs no edit"
		}
		return advice, more
	case cure.Member != "":
		return "no edit of the source helps; sent as " + cure.Member + " it needs none", ""
	case cure.NotStrict != "":
		return "no edit of the source makes it strict; send it with strict false", ": " + escape.Line(cure.NotStrict)
	case cure.Target != "":
		return "no edit of the source helps; let the client rewrite it", " (verify normalize --target " + cure.Target + ")"
	default:
		return escape.Line(cure.Instead), ""
	}
}

// EditOf says what to write in the source, and what that loses.
func EditOf(edit verdict.Change) string { return BriefEditOf(edit, math.MaxInt) }

// BriefEditOf is EditOf with at most so many bytes of each of the two texts of the source.
func BriefEditOf(edit verdict.Change, most int) string {
	advice, more := edited(edit, most)
	return advice + more
}

// edited returns what to write in the source, and what is to be said of it: in parentheses what that loses.
// It writes at most so many bytes of each text of the source.
func edited(edit verdict.Change, most int) (advice, more string) {
	first, second, appended := appendedTo(edit.Before.Node(), edit.After.Node())
	isOfMembers := isObject(first) && isObject(second)
	before, after := clip(written(first, isOfMembers), most), clip(written(second, isOfMembers), most)
	var parts []string
	switch {
	case before != "" && after != "":
		parts = append(parts, "write "+after+" for "+before)
		if edit.Before.Node().IsTrue() {
			parts[0] += orElse(edit)
		}
	case before != "":
		parts = append(parts, "leave out "+before)
	case after != "":
		parts = append(parts, "add "+after+orElse(edit))
	}
	advice = strings.Join(append(parts, appended...), ", and ")
	if edit.Then {
		advice = "after the other edits, " + advice
	}
	more = " (" + lossOf(edit) + ")"
	if edit.Generator != "" {
		more += "; " + escape.Line(edit.Generator)
	}
	return advice, more
}

// appendedTo returns both sides of an edit without the texts that the edit only appends to, and what it
// appends: descriptions are long.
func appendedTo(before, after *schema.Node) (first, second *schema.Node, appended []string) {
	if !isObject(before) || !isObject(after) || before == nil || after == nil {
		return before, after, nil
	}
	first, second = before.Clone(), after.Clone()
	for _, member := range before.Members {
		longer := after.Get(member.Key)
		if member.Value.Kind != schema.String || longer == nil || longer.Kind != schema.String || member.Value.Text == "" {
			continue
		}
		if rest, isLonger := strings.CutPrefix(longer.Text, member.Value.Text); isLonger && rest != "" {
			appended = append(appended, "append "+escape.Line(schema.NewString(rest).String())+" to the "+escape.Line(member.Key))
			first.Delete(member.Key)
			second.Delete(member.Key)
		}
	}
	return first, second, appended
}

// orElse says what else an author may write if an edit gives a type to a schema of any value, of which
// only the author knows the type.
func orElse(edit verdict.Change) string {
	const text = `{"type":"string"}`
	switch edit.After.Node().String() {
	case text:
		return ", or the type that it has"
	case `{"items":` + text + `}`:
		return ", or the type of its elements"
	default:
		return ""
	}
}

// lossOf says what an edit loses.
func lossOf(edit verdict.Change) string {
	if edit.Loses == "" {
		return "means the same"
	}
	return escape.Line(edit.Loses)
}

// isObject reports whether a part is an object, or nothing.
func isObject(node *schema.Node) bool { return node == nil || node.Kind == schema.Object }

// written returns a part of a schema as the author writes it: members without the braces around them.
func written(node *schema.Node, isOfMembers bool) string {
	if node == nil || isOfMembers && len(node.Members) == 0 {
		return ""
	}
	text := escape.Line(node.String())
	if isOfMembers {
		return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	}
	return text
}
