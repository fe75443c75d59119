// Package engine applies rewrite rules to a tool. A Rule is documentation and a small function, a
// Pass is a subschema as a rule sees it, and a Work applies the rules for a Target to one tool. Each
// edit of a rule becomes a rewrite.Change with its place and its loss.
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
	// Before is an example of a schema or a tool, and After is the result of the rule alone. They
	// document and test the rule.
	Before, After string
	// Loss is the greatest loss of a change of the rule. Each Change has its own.
	Loss rewrite.Loss
	// On are keywords: Rewrite is called for schemas that have one of them. Without On and
	// OnTypes it is called for every schema.
	On []string
	// OnTypes are forms of type: Rewrite is called also for schemas that have one of them.
	OnTypes TypeForm
	// Idle reports whether the rule never changes a keyword for the target, whatever its value.
	// Rewrite is not called for schemas that have only such keywords. If Idle is nil, the rule
	// may change any keyword.
	Idle func(target *Target, keyword string) bool
	// Root is set if Rewrite is called only for the root.
	Root bool
	// Moves is set if the rule moves schemas: the engine then makes references follow them.
	Moves bool
	// Everywhere is set if Rewrite is called also for schemas within the values of Target.Whole.
	Everywhere bool
	// Rewrite is called once for each subschema, children before their parent. It is nil if the
	// rule does not rewrite schemas.
	Rewrite func(*Pass)
	// Tool is called once, before Rewrite, with the tool as an object of name, description,
	// parameters and its other published members. It is nil if the rule rewrites only schemas.
	Tool func(*Pass)

	once sync.Once
	on   schema.NameSet // the keywords of On
	idle sync.Map       // by *Target, the schema.NameSet of the keywords for which Idle returns true
}

// names returns On as a set.
func (r *Rule) names() schema.NameSet {
	r.once.Do(func() { r.on = schema.NamesOf(r.On...) })
	return r.on
}

// idleFor returns the keywords that the rule never changes for the target.
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
