package report

import (
	"math"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// proposal says what the author of a tool can do about a finding: what to write in the source and what
// that loses, or what takes the tool as it is. It is empty if nothing is known.
func proposal(cure verdict.Cure) string {
	switch {
	case len(cure.Edits) > 0:
		text := EditOf(cure.Edits[0])
		if cure.Member != "" && cure.Edits[0].Loss != rewrite.Exact {
			text += "; sent as " + cure.Member + " it needs no edit"
		}
		return text
	case cure.Member != "":
		return "no edit of the source helps; sent as " + cure.Member + " it needs none"
	case cure.Target != "":
		return "no edit of the source helps; let the client rewrite it (verify normalize --target " + cure.Target + ")"
	default:
		return ""
	}
}

// Proposal says what the author of a tool can do about a finding, as reports do.
func Proposal(cure verdict.Cure) string { return proposal(cure) }

// EditOf says what to write in the source, and what that loses.
func EditOf(edit verdict.Change) string { return BriefEditOf(edit, math.MaxInt) }

// BriefEditOf is EditOf with at most so many bytes of each of the two texts of the source.
func BriefEditOf(edit verdict.Change, most int) string {
	isOfMembers := isObject(edit.Before.Node()) && isObject(edit.After.Node())
	before, after := clip(written(edit.Before, isOfMembers), most), clip(written(edit.After, isOfMembers), most)
	var text string
	switch {
	case before != "" && after != "":
		text = "write " + after + " for " + before
	case before != "":
		text = "leave out " + before
	default:
		text = "add " + after + orElse(edit)
	}
	if edit.Then {
		text = "after the other edits, " + text
	}
	text += " (" + lossOf(edit) + ")"
	if edit.Generator != "" {
		text += "; " + escape.Line(edit.Generator)
	}
	return text
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
func written(part rewrite.Part, isOfMembers bool) string {
	node := part.Node()
	if node == nil {
		return ""
	}
	text := escape.Line(node.String())
	if isOfMembers {
		return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	}
	return text
}
