package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FitSize serves targets that bound how large and how deep a schema is.
var FitSize = &rewrite.Rule{
	Name: "fit_size",
	Doc: `what is too large or too deep is left out

Properties that lie in too many others go into a description. A union of too many branches
goes too. Where the JSON of the schema is too long, what says least goes first: examples,
titles and names that are no keywords. Then definitions that nothing refers to go, then
the deepest descriptions, and last the deepest schemas. Sources: rules too_large, too_deep and union_size of moonshot/chat.`,
	Before: `{"type": "object"}`,
	After:  `{"type": "object"}`,
	Loss:   rewrite.Widens,
	Rewrite: func(p *rewrite.Pass) {
		target := p.Target
		if union := p.Schema.Get("anyOf"); target.MaxBranches > 0 && union != nil && len(union.Elements) > target.MaxBranches && p.IsJudged() {
			p.Remove("anyOf", rewrite.Widens)
		}
		if !p.IsRoot() {
			return
		}
		if target.MaxProperLevels > 0 {
			cutLevels(p, target.MaxProperLevels)
		}
		if target.MaxBytes > 0 && bytesOf(p, p.Root()) > target.MaxBytes {
			shrink(p)
		}
	},
}

// cutLevels takes away the properties that lie in too many others.
func cutLevels(p *rewrite.Pass, levels int) {
	for place := range p.Schema.Subschemas() {
		left := levels
		if place.Keyword == "properties" {
			left--
		}
		if left < 0 {
			p.SpillAway("properties", rewrite.Widens)
			if p.Schema.Has("required") {
				p.SpillAway("required", rewrite.Widens)
			}
			return
		}
		if p.Target.Judges(place.Keyword) {
			cutLevels(p.Below(place.Node(), place.Keyword), left)
		}
	}
}

// bytesOf returns how many bytes the JSON of a schema has, where <, > and & are escaped.
func bytesOf(p *rewrite.Pass, node *schema.Node) int {
	const more = len(`\u003c`) - 1
	text := node.JSON()
	p.ChargeText(len(text))
	size := len(text)
	for _, escaped := range text {
		if escaped == '<' || escaped == '>' || escaped == '&' {
			size += more
		}
	}
	return size
}

// level is a schema and how deep it lies.
type level struct {
	pass  *rewrite.Pass
	depth int
}

// shrink leaves out what says least, until the schema fits.
func shrink(p *rewrite.Pass) {
	over := bytesOf(p, p.Root()) - p.Target.MaxBytes
	var levels []level
	var list func(pass *rewrite.Pass, depth int)
	list = func(pass *rewrite.Pass, depth int) {
		levels = append(levels, level{pass, depth})
		for place := range pass.Schema.Subschemas() {
			list(pass.Below(place.Node(), place.Keyword), depth+1)
		}
	}
	list(p, 0)
	slices.SortStableFunc(levels, func(a, b level) int { return b.depth - a.depth })
	remove := func(pass *rewrite.Pass, keyword string, loss rewrite.Loss) {
		over -= bytesOf(pass, schema.NewObject(schema.Member{Key: keyword, Value: pass.Schema.Get(keyword)})) - 1
		pass.Remove(keyword, loss)
	}
	saysLittle := func(keyword string) bool {
		return keyword == "title" || keyword == "example" || keyword == "examples" || keyword == "$comment" || schema.ClassOf(keyword) == schema.Unknown && keyword != "nullable"
	}
	for _, isLeftOut := range []func(keyword string) bool{
		saysLittle,
		func(keyword string) bool { return schema.IsAnnotation(keyword) },
		func(keyword string) bool { return !slices.Contains([]string{"type", "$ref", "$defs"}, keyword) },
	} {
		for _, level := range levels {
			for _, member := range slices.Clone(level.pass.Schema.Members) {
				if over <= 0 {
					return
				}
				if isLeftOut(member.Key) {
					remove(level.pass, member.Key, lossIf(!saysNoMore(member.Key), rewrite.Widens))
				}
			}
		}
	}
}
