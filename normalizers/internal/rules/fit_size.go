package rules

import (
	"bytes"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FitSize serves targets that bound how large and how deep a schema is.
var FitSize = &rewrite.Rule{
	Name: "fit_size",
	Doc: `what is too large or too deep is left out

Properties that lie in too many others go into a description. A union of too many branches
goes too. Where the JSON of the schema is too long, definitions go that nothing refers to.
Then goes what says least, the deepest first. Examples, titles and names that are no
keywords go before other annotations. Assertions come next, and whole properties last.
Sources:
rules too_large, too_deep and union_size of moonshot/chat.`,
	Before: `{"type": "object"}`,
	After:  `{"type": "object"}`,
	Loss:   rewrite.Both,
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
	return len(text) + more*(bytes.Count(text, []byte("<"))+bytes.Count(text, []byte(">"))+bytes.Count(text, []byte("&")))
}

// shrinking leaves out what says least, from the deepest schemas on, until the rest fits.
type shrinking struct {
	over   int // bytes
	levels []level
}

// level is a schema and how deep it lies.
type level struct {
	*rewrite.Pass

	depth int
}

func shrink(p *rewrite.Pass) {
	if definitions := p.Schema.Get("$defs"); definitions != nil && definitions.Kind == schema.Object {
		dropUnused(p, schema.Member{Key: "$defs", Value: definitions})
	}
	shrinking := shrinking{over: bytesOf(p, p.Root()) - p.Target.MaxBytes}
	shrinking.list(p, 0)
	slices.SortStableFunc(shrinking.levels, func(a, b level) int { return b.depth - a.depth })
	shrinking.leaveOut(saysLittle)
	shrinking.leaveOut(schema.IsAnnotation)
	shrinking.leaveOut(func(keyword string) bool { return !slices.Contains(shapes, keyword) })
	shrinking.leaveOutProperties()
}

// shapes are the keywords that stay to the last.
var shapes = []string{"type", "properties", "required", "items", "$ref", "$defs", "anyOf"}

// saysLittle reports whether a model can do without a keyword.
func saysLittle(keyword string) bool {
	switch keyword {
	case "title", "example", "examples":
		return true
	case "nullable":
		return false
	default:
		return schema.IsMeta(keyword) && keyword != "$defs" || schema.ClassOf(keyword) == schema.Unknown
	}
}

func (s *shrinking) list(p *rewrite.Pass, depth int) {
	s.levels = append(s.levels, level{p, depth})
	for place := range p.Schema.Subschemas() {
		s.list(p.Below(place.Node(), place.Keyword), depth+1)
	}
}

// leaveOut takes keywords away.
func (s *shrinking) leaveOut(isLeftOut func(keyword string) bool) {
	for _, level := range s.levels {
		if s.over <= 0 {
			return
		}
		level.RemoveEach(func(member schema.Member) (rewrite.Fate, rewrite.Loss) {
			if s.over <= 0 || !isLeftOut(member.Key) {
				return rewrite.Stays, rewrite.Exact
			}
			s.over -= bytesOf(level.Pass, schema.NewObject(member)) - 1 // the braces, and a comma
			return rewrite.Goes, lossIf(!saysNoMore(member.Key), rewrite.Both)
		})
	}
}

// leaveOutProperties takes properties away, the last first.
func (s *shrinking) leaveOutProperties() {
	for _, level := range s.levels {
		properties := level.Schema.Get("properties")
		if s.over <= 0 || properties == nil || len(properties.Members) == 0 {
			continue
		}
		left := len(properties.Members)
		for ; left > 0 && s.over > 0; left-- {
			s.over -= bytesOf(level.Pass, schema.NewObject(properties.Members[left-1])) - 1
		}
		level.Edit(rewrite.Both, func() {
			level.Schema.Set("properties", schema.NewObject(properties.Members[:left]...))
		}, "properties")
		keepDeclared(level.Pass, "required", rewrite.Both)
	}
}
