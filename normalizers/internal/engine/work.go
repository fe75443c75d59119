package engine

import (
	"context"
	"slices"

	"toolproof/internal/steps"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Work applies rules to one tool. It does not change the given tool.
type Work struct {
	*memory // nil after Finish
	steps.Counter
	spent  rewrite.BudgetError // the error if all steps are spent
	copies steps.Counter       // of the bytes of copied text

	tool    *schema.Node // the rewritten tool
	root    *schema.Node // its parameters; nil if it has none
	target  *Target
	options Options
	// spills has the spills of each schema, and spilled lists these schemas in their order.
	spills  map[*schema.Node]*spills
	spilled []*schema.Node
	// present holds the keywords of all subschemas, and perhaps some that are gone. A rule that
	// applies to none of them is skipped.
	present schema.NameSet
	// forms are the forms of type of all subschemas, and perhaps some that are gone.
	forms TypeForm
	// outdated is set if a rule may have added, moved or removed subschemas since the last
	// survey, and isVisiting while a rule visits the subschemas.
	outdated, isVisiting bool
	// renamed is set if a rule may have changed the names of the visited schema's members, or the
	// form of its type.
	renamed bool
	pass    Pass
	// tables are those of objects with many members; see memberOf.
	tables map[*schema.Node]table
	moves  int // see Pass.Moves
	// resources are the resources of the parameters; nil until the current rule needs them.
	resources *schema.Resources
	state     any          // of the current rule; see State
	content   movedContent // see Pass.MoveContent
	failure   *rewrite.UnrepresentableError
	failed    *schema.Node // the schema that cannot be expressed
}

// New starts work on a tool. New and the methods of the Work panic if the context ends or the steps
// are spent; Recover turns that panic into an error.
func New(ctx context.Context, tool schema.Tool, target *Target, options Options) *Work {
	work := &Work{target: target, options: options.withDefaults(), memory: newMemory()}
	work.given.work, work.copied.work, work.result.work = work, work, work
	work.spent = rewrite.BudgetError{Tool: tool.Name, Target: target.Name, Steps: work.options.MaxSteps}
	work.Start(ctx, work.spent.Steps, &work.spent)
	work.copyTool(tool)
	if options.MaxSteps <= 0 { // by default, a large tool may take more
		work.spent.Steps += stepsPerValue * work.given.values
	}
	work.Start(ctx, work.spent.Steps, &work.spent)
	bytes := work.spent.Steps + freeCopies*work.given.bytes
	work.copies.Start(ctx, bytes, &rewrite.BudgetError{Tool: tool.Name, Target: target.Name, Bytes: bytes})
	work.root = work.tool.Get("parameters")
	work.survey()
	return work
}

// Root returns the parameters of the tool as they are now, or nil.
func (w *Work) Root() *schema.Node { return w.root }

// Failure returns the reason why the target cannot express the tool, or nil.
func (w *Work) Failure() *rewrite.UnrepresentableError { return w.failure }

// visit is one subschema with its place.
type visit struct {
	node    *schema.Node
	keyword string
	around  *around
	names   schema.NameSet
	form    TypeForm
	inWhole bool // it lies within a value of Target.Whole
}

// survey lists the subschemas in visits, children before their parent.
func (w *Work) survey() {
	before := w.visits
	w.visits, w.present, w.outdated = w.visits[:0], schema.NameSet{}, false
	w.forms = 0
	if w.root != nil {
		w.visits = slices.Grow(w.visits, len(w.given.list)) // enough until a rule adds subschemas
		w.list(w.root, "", w.newAround(around{node: w.tool}), false)
	}
	if len(w.visits) < len(before) {
		clear(before[len(w.visits):])
	}
}

func (w *Work) list(node *schema.Node, keyword string, outer *around, inWhole bool) {
	w.Charge(1 + len(node.Members))
	var here *around
	var names schema.NameSet
	form := Untyped
	for i := range node.Members {
		member := &node.Members[i]
		var class schema.Class
		if names, class = names.With(member.Key); class <= schema.Data {
			if member.Key == "type" {
				form = typeFormOf(member.Value)
			}
			continue
		}
		if here == nil {
			here = w.newAround(around{node: node, keyword: keyword, outer: outer})
		}
		value, inWhole := member.Value, inWhole || w.target.TakesWhole(member.Key)
		switch class.HeldIn(value) {
		case schema.Itself:
			w.list(value, member.Key, here, inWhole)
		case schema.Elements:
			for _, element := range value.Elements {
				w.list(element, member.Key, here, inWhole)
			}
		case schema.Members:
			for i := range value.Members {
				if entry := value.Members[i].Value; class.IsSchema(entry) {
					w.list(entry, member.Key, here, inWhole)
				}
			}
		case schema.Nothing:
		}
	}
	w.present, w.forms = w.present.Union(names), w.forms|form
	w.visits = append(w.visits, visit{node, keyword, outer, names, form, inWhole})
}

// formOf returns the names of a schema's members and the form of its type.
func formOf(node *schema.Node) (names schema.NameSet, form TypeForm) {
	form = Untyped
	for i := range node.Members {
		names, _ = names.With(node.Members[i].Key)
		if node.Members[i].Key == "type" {
			form = typeFormOf(node.Members[i].Value)
		}
	}
	return names, form
}

// has reports whether any subschema has one of the keywords.
func (w *Work) has(keywords ...string) bool {
	if w.outdated && !w.isVisiting {
		w.survey()
	}
	names := schema.NamesOf(keywords...)
	if !w.present.Overlaps(names) {
		return false
	}
	w.Charge(len(w.visits))
	return slices.ContainsFunc(w.visits, func(v visit) bool { return v.names.Overlaps(names) && hasOneOf(v.node, keywords) })
}

func hasOneOf(node *schema.Node, keywords []string) bool {
	for i := range node.Members {
		if slices.Contains(keywords, node.Members[i].Key) {
			return true
		}
	}
	return false
}

// Apply runs one rule over the tool and over each subschema, children before their parent. It does
// nothing after a Failure.
func (w *Work) Apply(rule *Rule) {
	if w.failure != nil {
		return
	}
	before := len(w.changes)
	var referring []*schema.Node
	var targets map[*schema.Node]*schema.Node
	pass := &w.pass
	*pass = Pass{Target: w.target, work: w, rule: rule}
	w.resources, w.tables, w.state, w.content = nil, nil, nil, movedContent{}
	if rule.Moves && w.has(schema.ReferenceKeywords...) {
		referring, targets = pass.References()
	}
	if rule.Tool != nil {
		pass.Schema = w.tool
		rule.Tool(pass)
		w.root = w.tool.Get("parameters")
	}
	if rule.Rewrite != nil {
		w.visit(pass, rule)
	}
	if len(w.changes) > before && len(referring) > 0 {
		*pass = Pass{Target: w.target, work: w, rule: rule, Schema: w.root, around: w.newAround(around{node: w.tool})}
		pass.repoint(referring, targets)
	}
}

// Within runs the Rewrite of a rule over the schema in a member of the tool as if it were the
// parameters. The pass must be one of the tool; the changes bear the name of its rule.
func (p *Pass) Within(member string, rule *Rule) {
	w, parameters := p.work, p.work.root
	w.root = w.tool.Get(member)
	w.resources, w.tables, w.state = nil, nil, nil
	w.survey()
	w.visit(&Pass{Target: p.Target, work: w, rule: p.rule}, rule)
	w.root = parameters
	w.resources, w.tables, w.state = nil, nil, nil
	w.survey()
}

// visit calls Rewrite of a rule for each subschema that the rule may apply to.
func (w *Work) visit(pass *Pass, rule *Rule) {
	if w.outdated {
		w.survey()
	}
	all, on, idle := len(rule.On) == 0 && rule.OnTypes == 0, rule.names(), rule.idleFor(w.target)
	if !all && !w.present.Overlaps(on) && w.forms&rule.OnTypes == 0 || rule.Idle != nil && idle.Includes(w.present) {
		return
	}
	visits := w.visits
	if rule.Root && len(visits) > 0 {
		visits = visits[len(visits)-1:]
	}
	w.isVisiting = true
	w.Charge(len(visits))
	for i := range visits {
		v := &visits[i]
		if v.inWhole && !rule.Everywhere {
			continue
		}
		// A NameSet is exact only for keywords.
		if !all && v.form&rule.OnTypes == 0 && !v.names.SurelyOverlaps(on) && (!v.names.Overlaps(on) || !hasOneOf(v.node, rule.On)) {
			continue
		}
		if rule.Idle != nil && idle.Includes(v.names) {
			continue
		}
		w.renamed = false
		w.Charge(1 + len(v.node.Members))
		pass.Schema, pass.keyword, pass.around, pass.visited = v.node, v.keyword, v.around, v.node
		rule.Rewrite(pass)
		if w.failure != nil {
			break
		}
		if w.renamed {
			v.names, v.form = formOf(v.node)
			w.present, w.forms = w.present.Union(v.names), w.forms|v.form
		}
	}
	w.isVisiting = false
}

// Finish writes the spilled members into the descriptions, ends the work, and returns the rewritten
// tool and the changes in the order in which the rules made them. It returns the given tool if no
// rule changed it or if there is a Failure, whose place it sets.
func (w *Work) Finish(given schema.Tool) (schema.Tool, []rewrite.Change) {
	switch {
	case w.failure != nil:
		if at := w.given.find(w.failed.From, w.failed.Number); at != nil {
			found := w.pointer(&w.given, at)
			w.failure.At = schema.Pointer(w.pointers[found.start:found.end])
		}
	case len(w.changes) > 0:
		changes := w.report()
		w.release(true)
		return schema.ToolOf(w.tool), changes
	}
	w.release(false)
	return given, nil
}
