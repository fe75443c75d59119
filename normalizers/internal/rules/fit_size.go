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
is too long, definitions that nothing refers to are removed. Then the rule removes what
tells a model least, the deepest first: examples, titles and unknown names before other
annotations, then assertions, then properties within others, then all definitions, and at
last the tool's own properties. Sources: rules too_large and too_deep of moonshot/chat.`,
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

// exceeds returns by how many bytes the JSON of a schema exceeds a limit, or 0. It does not
// write the JSON of a schema that is small enough in any case.
func exceeds(p *engine.Pass, node *schema.Node, limit int) int {
	if p.Charge(node.Size()); node.MostBytes() <= limit {
		return 0
	}
	return max(bytesOf(p, node)-limit, 0)
}

// bytesOf returns the bytes in the JSON of a schema with <, > and & escaped.
func bytesOf(p *engine.Pass, node *schema.Node) int {
	const more = len(`\u003c`) - 1
	text := node.JSON()
	p.ChargeText(len(text))
	return len(text) + more*(bytes.Count(text, []byte("<"))+bytes.Count(text, []byte(">"))+bytes.Count(text, []byte("&")))
}

// shrinking removes what tells a model least, the deepest first, until the rest fits.
type shrinking struct {
	*engine.Pass

	over   int // bytes
	levels []*level
}

// level is a schema and the schemas around it.
type level struct {
	node    *schema.Node
	keyword string
	outer   *level
	depth   int
	// isDefined is set in a definition of the root.
	isDefined bool
	pass      *engine.Pass // nil until at makes it
}

// shrink makes the schema fit, together with the spills in its descriptions.
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
		shrinking.list() // again, without what is gone
	}
	shrinking.leaveOutProperties(1)
	shrinking.leaveOutDefinitions()
	shrinking.leaveOutProperties(0)
	for _, level := range shrinking.levels { // branches may have differed in their texts alone
		if union := level.node.Get("anyOf"); union != nil && union.Kind == schema.Array {
			dropRepeated(shrinking.at(level), union)
		}
	}
}

// shapes are the keywords that are removed last.
var shapes = []string{"type", "properties", "required", "items", "$ref", "$defs", "anyOf"}

func isNoShape(keyword string) bool { return !slices.Contains(shapes, keyword) }

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

// assertsNothing reports whether a keyword accepts every instance.
func assertsNothing(keyword string) bool { return schema.IsAnnotation(keyword) || keyword == "format" }

// measure counts the bytes that are too many, and reports whether there are any.
func (s *shrinking) measure() bool {
	s.over = exceeds(s.Pass, s.Root(), engine.LimitsOf[SizeLimits](s.Target).Bytes)
	return s.over > 0
}

// dropUnused removes the definitions that nothing refers to. It reports whether there were
// any.
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

// leaveOut removes keywords, those of the first kind before those of the next, until the rest
// fits. It reports whether there were any.
func (s *shrinking) leaveOut(kinds ...func(keyword string) bool) bool {
	having := make([][]*level, len(kinds)) // the levels that have a keyword of each kind
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

// saved notes that a member of an object of that many members is removed.
func (s *shrinking) saved(member schema.Member, of int) {
	s.over -= bytesOf(s.Pass, schema.NewObject(member)) - len("{}")
	if of > 1 {
		s.over -= len(",")
	}
}

// leaveOutProperties removes properties at the given depth or deeper, the last first.
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
