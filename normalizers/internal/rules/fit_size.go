package rules

import (
	"bytes"
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FitSize serves targets that bound the size and the depth of a schema.
var FitSize = &engine.Rule{
	Name: "fit_size",
	Doc: `what is too large or too deep is left out

Properties that lie too deep within others go into a description. If the JSON of the schema
is too long, unused definitions are removed. If that is not enough, the rule removes the
members that tell a model least: examples, titles and unknown names, then other annotations,
then assertions, then properties within others, then all definitions, and finally the tool's
own properties. Of each kind it removes the deepest first. Sources: rules too_large and
too_deep of moonshot/chat.`,
	Before: `{"name": "f", "parameters": {"type": "object"}}`,
	After:  `{"name": "f", "parameters": {"type": "object"}}`,
	Loss:   rewrite.Both,
	Tool: func(p *engine.Pass) {
		if p.Root() == nil || p.Root().Kind != schema.Object {
			return
		}
		root := p.Below(p.Root(), "")
		limits := engine.LimitsOf[SizeLimits](p.Target)
		if limits.PropertyLevels > 0 {
			cutLevels(root, limits.PropertyLevels)
		}
		if limits.Bytes > 0 {
			shrink(root)
		}
	},
}

// SizeLimits bound the bytes in the JSON of a schema, and how deep properties nest. 0 means no
// bound.
type SizeLimits struct{ Bytes, PropertyLevels int }

// cutLevels spills the properties that lie more than levels deep in others.
func cutLevels(p *engine.Pass, levels int) {
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

// exceeds returns the number of bytes by which the JSON of a schema exceeds a limit, or 0. It does
// not write the JSON of a schema that is certainly small enough.
func exceeds(p *engine.Pass, node *schema.Node, limit int) int {
	if p.Charge(node.Size()); node.MostBytes() <= limit {
		return 0
	}
	return max(bytesOf(p, node)-limit, 0)
}

// bytesOf returns the number of bytes in the JSON of a schema with <, > and & escaped.
func bytesOf(p *engine.Pass, node *schema.Node) int {
	const more = len(`\u003c`) - 1
	text := node.JSON()
	p.ChargeText(len(text))
	return len(text) + more*(bytes.Count(text, []byte("<"))+bytes.Count(text, []byte(">"))+bytes.Count(text, []byte("&")))
}

// shrinking removes members from a schema until its JSON fits.
type shrinking struct {
	*engine.Pass

	over   int // the number of bytes beyond the limit
	levels []*level
}

// level is a schema with the schemas around it.
type level struct {
	node      *schema.Node
	keyword   string // the keyword in outer that leads to the schema
	outer     *level
	depth     int
	isDefined bool         // the schema lies within a definition of the root
	pass      *engine.Pass // nil until at creates it
}

// shrink makes the schema fit, including the spills in its descriptions.
func shrink(p *engine.Pass) {
	p.WriteSpills()
	shrinking := shrinking{Pass: p}
	if !shrinking.measure() {
		return
	}
	if shrinking.dropUnused() && !shrinking.measure() {
		return
	}
	shrinking.list()
	if shrinking.leaveOut(saysLittle, assertsNothing, isNoShape) {
		shrinking.list() // schemas may be gone
	}
	shrinking.leaveOutProperties(1)
	shrinking.leaveOutDefinitions()
	shrinking.leaveOutProperties(0)
	for _, level := range shrinking.levels { // without their annotations, branches may be equal
		if union := level.node.Get("anyOf"); union != nil && union.Kind == schema.Array {
			dropRepeated(shrinking.at(level), union)
		}
	}
}

// shapes are the keywords that are removed last.
var shapes = []string{"type", "properties", "required", "items", "$ref", "$defs", "anyOf"}

func isNoShape(keyword string) bool { return !slices.Contains(shapes, keyword) }

// saysLittle reports whether a keyword tells a model next to nothing.
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

// assertsNothing reports whether a keyword accepts every instance.
func assertsNothing(keyword string) bool { return schema.IsAnnotation(keyword) || keyword == "format" }

// measure sets over, and reports whether the schema is too large.
func (s *shrinking) measure() bool {
	s.over = exceeds(s.Pass, s.Root(), engine.LimitsOf[SizeLimits](s.Target).Bytes)
	return s.over > 0
}

// dropUnused removes the definitions that nothing refers to, and reports whether there were any.
func (s *shrinking) dropUnused() bool {
	definitions := s.Schema.Get("$defs")
	if definitions == nil || definitions.Kind != schema.Object {
		return false
	}
	count := len(definitions.Members)
	dropUnused(s.Pass, schema.Member{Key: "$defs", Value: definitions})
	return len(definitions.Members) < count
}

// leaveOutDefinitions removes the definitions and the references.
func (s *shrinking) leaveOutDefinitions() {
	if s.over <= 0 || !s.Schema.Has("$defs") {
		return
	}
	for _, level := range s.levels {
		if !level.isDefined && level.node.Has("$ref") {
			s.at(level).Remove("$ref", rewrite.Both)
		}
	}
	s.Remove("$defs", rewrite.Exact)
	s.measure()
	s.list()
}

// list lists the schemas, the deepest first.
func (s *shrinking) list() {
	s.levels = []*level{{node: s.Schema, pass: s.Pass}}
	for i := 0; i < len(s.levels); i++ {
		outer := s.levels[i]
		s.Charge(1)
		for place := range outer.node.Subschemas() {
			s.levels = append(s.levels, &level{
				node: place.Node(), keyword: place.Keyword, outer: outer, depth: outer.depth + 1,
				isDefined: outer.isDefined || outer.depth == 0 && place.Keyword == "$defs",
			})
		}
	}
	slices.SortStableFunc(s.levels, func(a, b *level) int { return b.depth - a.depth })
}

// at returns the pass of a level.
func (s *shrinking) at(level *level) *engine.Pass {
	if level.pass == nil {
		level.pass = s.at(level.outer).Below(level.node, level.keyword)
	}
	return level.pass
}

// leaveOut removes keywords until the schema fits, those of the first kind before those of the next.
// It reports whether it removed any.
func (s *shrinking) leaveOut(kinds ...func(keyword string) bool) bool {
	having := make([][]*level, len(kinds)) // for each kind, the levels that have such a keyword
	for _, level := range s.levels {
		s.Charge(len(level.node.Members))
		for i, isMeant := range kinds {
			if slices.ContainsFunc(level.node.Members, func(member schema.Member) bool { return isMeant(member.Key) }) {
				having[i] = append(having[i], level)
			}
		}
	}
	hadAny := false
	for i, isMeant := range kinds {
		for _, level := range having[i] {
			if s.over <= 0 {
				return hadAny
			}
			hadAny = true
			left := len(level.node.Members)
			s.at(level).RemoveEach(func(member schema.Member) (engine.Fate, rewrite.Loss) {
				if s.over <= 0 || !isMeant(member.Key) {
					return engine.Stays, rewrite.Exact
				}
				s.saved(member, left)
				left--
				return engine.Goes, lossIf(!saysNoMore(member.Key) && !assertsNothing(member.Key), rewrite.Both)
			})
		}
	}
	return hadAny
}

// saved subtracts from over the bytes of a member that is removed from an object of count members.
func (s *shrinking) saved(member schema.Member, count int) {
	s.over -= bytesOf(s.Pass, schema.NewObject(member)) - len("{}")
	if count > 1 {
		s.over -= len(",")
	}
}

// leaveOutProperties removes properties of schemas at the given depth or deeper until the schema fits,
// the last property first.
func (s *shrinking) leaveOutProperties(depth int) {
	for _, level := range s.levels {
		properties := level.node.Get("properties")
		if s.over <= 0 || level.depth < depth {
			return
		}
		if properties == nil || len(properties.Members) == 0 {
			continue
		}
		left := len(properties.Members)
		for ; left > 0 && s.over > 0; left-- {
			s.saved(properties.Members[left-1], left)
		}
		pass := s.at(level)
		pass.Edit(rewrite.Both, func() {
			pass.Schema.Set("properties", schema.NewObject(properties.Members[:left]...))
		}, "properties")
		keepDeclared(pass, "required", rewrite.Both)
	}
}
