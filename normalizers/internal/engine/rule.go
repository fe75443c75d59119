// Package engine applies rewrite rules to a tool. A Rule is data and one small function, a Pass is
// one subschema as a rule sees it, and a Work is one tool on its way through the rules of a Target.
// Each edit of a rule becomes a rewrite.Change with its place and its loss.
package engine

import (
	"sync"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Rule is one kind of rewrite.
type Rule struct {
	Name string // in snake_case; the file and the variable have the same name
	// Doc is a title, a blank line, text and sources.
	Doc string
	// Before and After are a schema, or a tool, and what the rule alone makes of it. They are
	// documentation and test in one.
	Before, After string
	// Loss is the most that a change of the rule loses. Each Change has its own.
	Loss rewrite.Loss
	// On are keywords: Rewrite is called for schemas that have one of them. Without On and
	// OnTypes it is called for every schema.
	On []string
	// OnTypes are the forms of type for which Rewrite is called besides On.
	OnTypes TypeForm
	// Idle reports whether the rule leaves a keyword alone for the target, whatever its value.
	// Rewrite is not called for schemas that have only such keywords. If Idle is nil, the rule
	// is about every keyword.
	Idle func(target *Target, keyword string) bool
	// Root is set if Rewrite is called only for the root.
	Root bool
	// Moves is set if the rule moves schemas, so that references have to follow them.
	Moves bool
	// Everywhere is set if Rewrite is called also for schemas in values that the target takes
	// whole.
	Everywhere bool
	// Rewrite is called once for each subschema, children before their parent. It is nil if the
	// rule is only about the tool.
	Rewrite func(*Pass)
	// Tool is called once with the tool as an object of name, description, parameters and its
	// other published members. It is nil if the rule is only about schemas.
	Tool func(*Pass)

	once sync.Once
	on   schema.NameSet // On
	idle sync.Map       // the keywords for which Idle returns true, as a schema.NameSet by *Target
}

// names returns On as a set.
func (r *Rule) names() schema.NameSet {
	r.once.Do(func() { r.on = schema.NamesOf(r.On...) })
	return r.on
}

// idleFor returns the keywords that the rule leaves alone for the target.
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
