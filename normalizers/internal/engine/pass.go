package engine

import (
	"fmt"
	"iter"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Pass is one subschema, or the tool, as a rule sees it. A rule changes only Schema and the values
// below it, and makes every change through Edit or a shorthand for it, so that it is reported.
//
// The schemas and the objects and lists that hold them are a copy that the rule may change. Data,
// such as the list of an enum or the text of a description, belongs to the input: a rule replaces
// it by another value, and makes a schema only of a Clone of it.
type Pass struct {
	// Schema is the subschema. It may be any value in the place of a schema; a rule with
	// keywords in On sees only objects.
	Schema *schema.Node
	Target *Target

	work    *Work
	rule    *Rule
	keyword string // the keyword of the schema around Schema that leads to it
	around  *around
	visited *schema.Node // the subschema that Rewrite was called for
}

// around is a schema around another, with those around itself, up to the tool.
type around struct {
	node    *schema.Node
	keyword string
	outer   *around
}

// IsRoot reports whether the schema is the tool's whole parameters.
func (p *Pass) IsRoot() bool { return p.Schema == p.work.root }

// IsArguments reports whether the schema is that of the arguments of a call, which are an object.
// The root of a response schema is not, and may be of any type.
func (p *Pass) IsArguments() bool { return p.IsRoot() && !p.Target.AnyRoot }

// IsJudged reports whether the surface judges the schema.
func (p *Pass) IsJudged() bool {
	if p.Target.Judged == nil {
		return true
	}
	for _, keyword := range p.Around() {
		if !p.Target.Judges(keyword) {
			return false
		}
	}
	return true
}

// State returns the state that a rule keeps while it goes through one tool. It begins as a zero T.
func State[T any](p *Pass) *T {
	state, ok := p.work.state.(*T)
	if !ok {
		state = new(T)
		p.work.state = state
	}
	return state
}

// Moves returns how many changes so far may have made references lead elsewhere.
func (p *Pass) Moves() int { return p.work.moves }

// Root returns the tool's whole parameters.
func (p *Pass) Root() *schema.Node { return p.work.root }

// ToolName returns the current name of the tool.
func (p *Pass) ToolName() string { return p.work.tool.GetString("name") }

// Options returns the choices of the caller, with defaults filled in.
func (p *Pass) Options() Options { return p.work.options }

// Refuses reports whether the target does not take a keyword here.
func (p *Pass) Refuses(keyword string) bool { return !p.Target.Takes(keyword, p.IsRoot()) }

// Members yields the members that the schema has when iteration begins, even if they change
// meanwhile.
func (p *Pass) Members() iter.Seq[schema.Member] {
	p.work.Charge(len(p.Schema.Members))
	return slices.Values(slices.Clone(p.Schema.Members))
}

// HasAnywhere reports whether any subschema of the tool has one of the keywords.
func (p *Pass) HasAnywhere(keywords ...string) bool {
	return p.work.has(keywords...)
}

// Keyword returns the keyword of the parent that leads to the schema, or "" at the root.
func (p *Pass) Keyword() string { return p.keyword }

// Around yields the schemas around the schema, from the nearest one to the root, each
// with the keyword that leads inward.
func (p *Pass) Around() iter.Seq2[*schema.Node, string] {
	return func(yield func(*schema.Node, string) bool) {
		keyword := p.keyword
		for outer := p.around; keyword != "" && yield(outer.node, keyword); outer = outer.outer {
			keyword = outer.keyword
		}
	}
}

// LiesIn reports whether the keyword is on the path from the root to the schema.
func (p *Pass) LiesIn(keyword string) bool {
	for _, inward := range p.Around() {
		if inward == keyword {
			return true
		}
	}
	return false
}

// Edit runs edit, which changes members of the schema, and reports the change. keywords are the
// members that edit touches; without any, it may touch all of them.
func (p *Pass) Edit(loss rewrite.Loss, edit func(), keywords ...string) {
	before := p.work.partOf(p.Schema, keywords)
	edit()
	p.record(loss, before, p.work.partOf(p.Schema, keywords))
	p.work.renamed = true
	if len(keywords) == 0 || p.Schema != p.visited || slices.ContainsFunc(keywords, holdsSchemas) {
		p.work.moved()
	}
}

// holdsSchemas reports whether the value of a keyword may hold subschemas.
func holdsSchemas(keyword string) bool { return schema.ClassOf(keyword) > schema.Data }

// Set gives a member a value and reports the change.
func (p *Pass) Set(keyword string, value *schema.Node, loss rewrite.Loss) {
	p.Edit(loss, func() { p.Schema.Set(keyword, value) }, keyword)
}

// Remove removes a member, reports the change, and returns the value of the member.
func (p *Pass) Remove(keyword string, loss rewrite.Loss) *schema.Node {
	value := p.Schema.Get(keyword)
	p.Edit(loss, func() { p.Schema.Delete(keyword) }, keyword)
	return value
}

// Rename gives a member of the schema, which is an object of subschemas, another name, and reports
// the change.
func (p *Pass) Rename(member *schema.Member, name string, loss rewrite.Loss) {
	before := p.work.partOfMember(member)
	member.Key = name
	p.record(loss, before, p.work.partOfMember(member))
	p.work.renamed = true
	p.work.moved()
}

// Fate is what becomes of a member.
type Fate uint8

// A member stays, is removed, or is removed and spilled into the description, if the target spills
// its keyword.
const (
	Stays Fate = iota
	Goes
	IsSpilled
)

type fate struct {
	Fate
	loss rewrite.Loss
}

// RemoveEach calls fateOf for each member of the schema, and then removes and reports those that do
// not stay, in linear time. The schema does not change between the calls.
func (p *Pass) RemoveEach(fateOf func(member schema.Member) (Fate, rewrite.Loss)) {
	w, members := p.work, p.Schema.Members
	w.Charge(len(members))
	w.fates = w.fates[:0]
	going := 0
	for _, member := range members {
		of, loss := fateOf(member)
		w.fates = append(w.fates, fate{of, loss})
		if of != Stays {
			going++
		}
	}
	if going == 0 {
		return
	}
	kept := members[:0]
	for i, member := range members {
		of := w.fates[i]
		if of.Fate == Stays {
			kept = append(kept, member)
			continue
		}
		if of.Fate == IsSpilled {
			p.Spill(member.Key, member.Value)
		}
		p.record(of.loss, w.partOfMember(&member), none)
		w.changes[len(w.changes)-1].spills = of.Fate == IsSpilled && p.canSpill(member.Key)
		if holdsSchemas(member.Key) || p.Schema != p.visited {
			w.moved()
		}
	}
	clear(members[len(kept):])
	p.Schema.Members = kept
	w.renamed = true
}

// Replace replaces the member keyword by the member by, and reports the change.
func (p *Pass) Replace(keyword, by string, value *schema.Node, loss rewrite.Loss) {
	p.Edit(loss, func() {
		if p.Schema.Has(by) && by != keyword {
			p.Schema.Delete(keyword)
			p.Schema.Set(by, value)
			return
		}
		i := p.Schema.Index(keyword)
		p.Schema.Members[i].Key, p.Schema.Members[i].Value = by, value
	}, keyword, by)
}

// Become gives the schema the content of another, and reports the change.
func (p *Pass) Become(node *schema.Node, loss rewrite.Loss) {
	p.Edit(loss, func() {
		p.Schema.Kind, p.Schema.Text, p.Schema.Members, p.Schema.Elements = node.Kind, node.Text, node.Members, node.Elements
	})
}

// Restored marks the last change as one that the way back undoes.
func (p *Pass) Restored() { p.work.changes[len(p.work.changes)-1].restored = true }

// RestoredBut marks the last change as one that the way back undoes except for a loss.
func (p *Pass) RestoredBut(remains rewrite.Loss) {
	p.Restored()
	p.work.changes[len(p.work.changes)-1].remains = remains
}

// RestoredAsNull marks the last change as one that the way back undoes by setting the property to
// null where it is absent, if the pass's schema is in the result.
func (p *Pass) RestoredAsNull(property string) {
	p.RestoredIn(p.Schema)
	p.work.changes[len(p.work.changes)-1].property = property
}

// RestoredIn marks the last change as one that the way back undoes in the instances of the object,
// if the object is in the result.
func (p *Pass) RestoredIn(object *schema.Node) {
	p.Restored()
	p.work.changes[len(p.work.changes)-1].owner = object
}

// New returns a schema of the given members. In reports it has the place of the pass's schema.
func (p *Pass) New(members ...schema.Member) *schema.Node {
	return &schema.Node{Kind: schema.Object, Number: p.Schema.Number, Members: members, From: p.Schema.From, Position: p.Schema.Position}
}

// Spill notes a member for the description of the schema, if the target spills its keyword. It does
// not remove the member.
func (p *Pass) Spill(keyword string, value *schema.Node) {
	if p.canSpill(keyword) {
		p.work.spill(p.Schema, p.around, spilled{keyword: keyword, value: value})
	}
}

// SpillAway removes a member, and spills it into the description if the target spills its keyword.
func (p *Pass) SpillAway(keyword string, loss rewrite.Loss) {
	p.Spill(keyword, p.Remove(keyword, loss))
	p.work.changes[len(p.work.changes)-1].spills = p.canSpill(keyword)
}

// canSpill reports whether the target spills a keyword.
func (p *Pass) canSpill(keyword string) bool {
	return p.Target.Spilled == nil || slices.Contains(p.Target.Spilled, keyword)
}

// Unrepresentablef says that the target cannot express the tool, for the given reason. The rules
// that follow do not run, and only the first reason counts.
func (p *Pass) Unrepresentablef(format string, arguments ...any) {
	if p.work.failure == nil {
		p.work.failed = p.Schema
		p.work.failure = &rewrite.UnrepresentableError{Reason: fmt.Sprintf(format, arguments...)}
	}
}

func (p *Pass) record(loss rewrite.Loss, before, after part) {
	if len(p.work.changes) >= changesPerValue*p.work.given.values {
		p.work.Charge(stepsPerChange)
	}
	p.work.changes = append(p.work.changes, change{
		rule: p.rule, loss: loss, before: before, after: after, place: p.Schema, around: p.around,
	})
}

// Below returns the pass of a value inside the schema, which is a subschema, or an object of
// subschemas such as properties.
func (p *Pass) Below(node *schema.Node, keyword string) *Pass {
	p.work.Charge(stepsPerPass)
	below := *p
	below.Schema, below.keyword = node, keyword
	below.around = p.work.newAround(around{node: p.Schema, keyword: p.keyword, outer: p.around})
	return &below
}

// Report reports a change that the rule has made itself. before and after are the schema, or its
// changed members.
func (p *Pass) Report(loss rewrite.Loss, before, after *schema.Node) {
	p.record(loss, p.work.partOf(before, nil), p.work.partOf(after, nil))
	p.work.renamed = true
	p.work.moved()
}
