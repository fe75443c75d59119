// Package engine is the vocabulary of schema rewriting. A Rule is data and one small
// function, and a Pass is one subschema as a rule sees it. Each thing that a rule does
// becomes a Change with its place and its Loss. Work applies rules to one tool.
package engine

import (
	"sync"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Rule is one kind of rewrite.
type Rule struct {
	Name string // snake_case; the file and the variable have the same name
	// Doc is a title, a blank line, text, and the sources.
	Doc string
	// Before and After are a schema and what the rule alone makes of it:
	// documentation and test in one.
	Before, After string
	// Loss is the worst case; each Change carries the actual one.
	Loss rewrite.Loss
	// On names keywords: the rule is asked about schemas that have one of
	// them. Without On and OnTypes it is asked about every schema.
	On []string
	// OnTypes are the forms of type that the rule is asked about besides On.
	OnTypes TypeForm
	// Idle reports whether the rule has nothing to do with a keyword of any value for this
	// target. The rule is asked about schemas that have other names. Nil means that it has
	// to do with every keyword.
	Idle func(target *Target, keyword string) bool
	// Root is set when the rule is asked about the root alone.
	Root bool
	// Moves is set when the rule gives schemas another place: references
	// follow them.
	Moves bool
	// Everywhere is set when the rule is asked also about schemas in what the target takes
	// whole.
	Everywhere bool
	// Rewrite is called once for each subschema, children before their parent.
	Rewrite func(*Pass)
	// Tool is called once with the tool as an object of name, description, parameters and
	// what else is published with them.
	// It is nil when the rule is about schemas alone.
	Tool func(*Pass)

	once sync.Once
	on   schema.NameSet // On
	idle sync.Map       // by *Target, the keywords that Idle is true of
}

// names returns On as a set.
func (r *Rule) names() schema.NameSet {
	r.once.Do(func() { r.on = schema.NamesOf(r.On...) })
	return r.on
}

// idleFor returns the keywords that the rule has nothing to do with.
func (r *Rule) idleFor(target *Target) schema.NameSet {
	if r.Idle == nil {
		return schema.NameSet{}
	}
	known, _ := r.idle.Load(target)
	idle, ok := known.(schema.NameSet)
	if ok {
		return idle
	}
	for keyword := range schema.Keywords() {
		if r.Idle(target, keyword) {
			idle, _ = idle.With(keyword)
		}
	}
	r.idle.Store(target, idle)
	return idle
}
