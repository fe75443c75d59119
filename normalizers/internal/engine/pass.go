package engine

import (
	"fmt"
	"iter"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Pass is one subschema, or the tool, as a rule sees it. A rule changes only Schema and the values
// below it, and makes every change through Edit or a method that calls it, so that the change is
// reported.
//
// The schemas, and the objects and lists that hold them, are a copy that the rule may change. Data,
// such as the list of an enum or the text of a description, belongs to the input: a rule may replace
// it, and may use a Clone of it as a schema, but must not change it.
type Pass struct {
	// Schema is the subschema. It may be any JSON value that stands in the place of a schema; a
	// rule with keywords in On sees only objects.
	Schema *schema.Node
	Target *Target

	work    *Work
	rule    *Rule
	keyword string // the keyword whose value in the schema around Schema leads to it
	around  *around
	visited *schema.Node // the subschema that Rewrite was called for
}

// around is a linked list of the schemas around a schema, from the innermost to the tool.
type around struct {
	node    *schema.Node
	keyword string
	outer   *around
}

// IsRoot reports whether the schema is the tool's whole parameters.
func (p *Pass) IsRoot() bool { return p.Schema == p.work.root }

// IsArguments reports whether the schema describes the arguments of a call, which are an object. The
// root of a response schema does not, and may have any type.
func (p *Pass) IsArguments() bool { return p.IsRoot() && !p.Target.AnyRoot }

// IsJudged reports whether the surface checks the schema.
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

// State returns the state that a rule keeps while it visits the schemas of one tool. It is a zero T
// at first.
func State[T any](p *Pass) *T {
	state, ok := p.work.state.(*T)
	if !ok {
		state = new(T)
		p.work.state = state
	}
	return state
}

// Moves returns the number of changes so far that may have added, moved or removed subschemas, so
// that references lead elsewhere.
func (p *Pass) Moves() int { return p.work.moves }

// Root returns the tool's whole parameters.
func (p *Pass) Root() *schema.Node { return p.work.root }

// ToolName returns the current name of the tool.
func (p *Pass) ToolName() string { return p.work.tool.GetString("name") }

// Options returns the choices of the caller, with defaults filled in.
func (p *Pass) Options() Options { return p.work.options }

// Refuses reports whether the target does not take a keyword here.
func (p *Pass) Refuses(keyword string) bool { return !p.Target.Takes(keyword, p.IsRoot()) }

// Members yields the members that the schema has now, even if they change meanwhile.
func (p *Pass) Members() iter.Seq[schema.Member] {
	p.work.Charge(len(p.Schema.Members))
	return slices.Values(slices.Clone(p.Schema.Members))
}

// HasAnywhere reports whether any subschema of the tool has one of the keywords.
func (p *Pass) HasAnywhere(keywords ...string) bool {
	return p.work.has(keywords...)
}

// Keyword returns the keyword whose value in the parent leads to the schema, or "" at the root.
func (p *Pass) Keyword() string { return p.keyword }

// Around yields the schemas around the schema from the innermost to the root, each with the keyword
// whose value there leads to the schema.
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

// Edit calls edit, which changes members of the schema, and reports the change. keywords are the
// members that edit may touch; without any, it may touch all of them.
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

// Fate says what becomes of a member.
type Fate uint8

// A member stays, goes, or goes and is spilled into the description if the target spills its
// keyword.
const (
	Stays Fate = iota
	Goes
	IsSpilled
)

type fate struct {
	Fate
	loss rewrite.Loss
}

// RemoveEach calls fateOf for each member of the schema, and then removes and reports in linear time
// the members that do not stay. The schema does not change until all calls are done.
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

// Replace replaces the member called keyword by a member called by, and reports the change.
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

// Restored marks the last change as one that Result.Restore undoes.
func (p *Pass) Restored() { p.work.changes[len(p.work.changes)-1].restored = true }

// RestoredBut marks the last change as one that Result.Restore undoes except for a loss.
func (p *Pass) RestoredBut(remains rewrite.Loss) {
	p.Restored()
	p.work.changes[len(p.work.changes)-1].remains = remains
}

// RestoredAsNull marks the last change as one that Result.Restore undoes by setting the property to
// null where it is absent, provided that the pass's schema is in the result.
func (p *Pass) RestoredAsNull(property string) {
	p.RestoredIn(p.Schema)
	p.work.changes[len(p.work.changes)-1].property = property
}

// RestoredIn marks the last change as one that Result.Restore undoes in the instances of the object,
// provided that the object is in the result.
func (p *Pass) RestoredIn(object *schema.Node) {
	p.Restored()
	p.work.changes[len(p.work.changes)-1].owner = object
}

// New returns a schema of the given members. Reports locate it at the pass's schema.
func (p *Pass) New(members ...schema.Member) *schema.Node {
	return &schema.Node{Kind: schema.Object, Number: p.Schema.Number, Members: members, From: p.Schema.From, Position: p.Schema.Position}
}

// Spill records that a member goes into the description of the schema, if the target spills its
// keyword. It does not remove the member.
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

// Unrepresentablef ends the work with the reason why the target cannot express the tool. The rules
// that follow do not run, and further reasons are ignored.
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

// Below returns the pass of a value within the schema: a subschema, or an object of subschemas such
// as the value of properties.
func (p *Pass) Below(node *schema.Node, keyword string) *Pass {
	p.work.Charge(stepsPerPass)
	below := *p
	below.Schema, below.keyword = node, keyword
	below.around = p.work.newAround(around{node: p.Schema, keyword: p.keyword, outer: p.around})
	return &below
}

// Report reports a change that the rule has made without Edit. before and after are the schema, or
// objects of its changed members.
func (p *Pass) Report(loss rewrite.Loss, before, after *schema.Node) {
	p.record(loss, p.work.partOf(before, nil), p.work.partOf(after, nil))
	p.work.renamed = true
	p.work.moved()
}
