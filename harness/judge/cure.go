package judge

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

const (
	// mostTried bounds the edits of one tool that are applied and judged, and mostTriedHere those
	// around one place and those within it.
	mostTried, mostTriedHere = 256, 16
	// mostRounds bounds how often edits that need others first are looked for.
	mostRounds = 4
)

// Cures finds what the author of a tool can write in its source so that the surfaces that refuse a
// place take it. Edits come from the normalizers of these surfaces and from those for every surface.
// Each is written in the author's form, applied to the tool, and judged as given on every surface; it
// is kept if the place is cured and no surface refuses anything new. A Cures may be used by several
// goroutines, one after another.
type Cures struct {
	mutex sync.Mutex
	ctx   context.Context //nolint:containedctx // of the run in which a sink asks
	tool  toolfile.Tool
	// surfaces are all surfaces that judge the tool.
	surfaces []surface
	rounds   int // that are left

	isReady bool
	sources []normalized
	// notStrict says why the normalizers of targets send the tool with strict false, by the target.
	notStrict map[string]string
	node      *schema.Node // of the tool
	nodes     schema.Indices
	own       map[*schema.Node]bool // the values of the tool
	targets   map[*schema.Node]bool // those of them to which references lead
	tried     map[string]trial      // by edit
	known     map[where]verdict.Cure
	// compiled has the schemas by their pointers, and compared counts their values.
	compiled map[schema.Pointer]compiled
	compared int
	after    *Cures // of the tool after all edits that need no others; nil before it is asked
}

// surface is a surface with what it refuses in the tool as given.
type surface struct {
	model  provider.Model
	target Target
	// also are rules of a pasted refusal, which may be of another day.
	also   []*provider.Rule
	before []provider.Finding
}

// normalized is what a normalizer makes of the tool, with its changes by the pointer of the schema
// that they rewrite.
type normalized struct {
	isForAll bool // for every surface

	root    *schema.Node
	nodes   schema.Indices
	changes []rewrite.Change
	byFrom  map[schema.Pointer][]rewrite.Change
	// restored are the schemas that shallow returned.
	restored map[schema.Pointer]restored
	// edits are what editsOf returned.
	edits map[wholeSchema][]candidate
}

// wholeSchema is a place in the tool as given, and whether an edit of it may write everything in it.
type wholeSchema struct {
	from    schema.Pointer
	isWhole bool
}

// trial is what the surfaces refuse after an edit, in their order; nil if one of them gave no answer.
type trial [][]provider.Finding

// where is the place of a finding: the rule that refuses it, or its words if no rule is known, and
// a pointer into the tool.
type where struct {
	rule string
	at   schema.Pointer
}

// Cures returns the cures of a tool that is judged for targets.
func (j Judge) Cures(ctx context.Context, tool toolfile.Tool, targets []Target) *Cures {
	cures := &Cures{ctx: ctx, tool: tool, rounds: mostRounds}
	for _, target := range targets {
		cures.add(j, target, target.Dialect)
		for _, also := range target.Also {
			cures.add(j, target, also)
		}
	}
	return cures
}

func (c *Cures) add(j Judge, target Target, dialect *provider.Dialect) {
	if !slices.ContainsFunc(c.surfaces, func(known surface) bool { return known.model.Dialect == dialect }) {
		c.surfaces = append(c.surfaces, surface{model: j.model(dialect), target: target})
	}
}

// Of returns what cures a finding about the tool as given.
func (c *Cures) Of(finding verdict.Finding) verdict.Cure {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	cure := c.at(c.ctx, where{finding.Rule, c.within(finding.At)})
	cure.Edits = slices.Clone(cure.Edits)
	for i := range cure.Edits {
		edit := &cure.Edits[i]
		edit.Generator = generated(c.node, *edit)
		edit.From, edit.At = c.tool.Pointer(edit.From), c.tool.Pointer(edit.At)
	}
	return cure
}

// at returns what cures the refusal of a place.
func (c *Cures) at(ctx context.Context, place where) verdict.Cure {
	if known, ok := c.known[place]; ok {
		return known
	}
	c.prepare(ctx)
	cure := c.instead(ctx, place)
	if edit, ok := c.edit(ctx, place); ok {
		cure.Edits = []verdict.Change{edit}
	}
	c.known[place] = cure
	return cure
}

// prepare judges and normalizes the tool once.
func (c *Cures) prepare(ctx context.Context) {
	if c.isReady {
		return
	}
	c.isReady, c.tried, c.known, c.compiled = true, map[string]trial{}, map[where]verdict.Cure{}, map[schema.Pointer]compiled{}
	c.node, c.nodes, c.own = c.tool.Tool.Whole(), schema.Indices{}, map[*schema.Node]bool{}
	own(c.node, c.own)
	c.targets, c.notStrict = targetsOf(c.node.Get("parameters")), map[string]string{}
	var pipelines []normalizers.Normalizer
	for i := range c.surfaces {
		surface := &c.surfaces[i]
		surface.before, _ = surface.refuses(ctx, c.tool.Tool)
		pipeline, isOwn := surface.target.Normalizer.(*normalizers.Pipeline)
		if len(surface.before) > 0 && isOwn && !slices.Contains(pipelines, surface.target.Normalizer) {
			pipelines = append(pipelines, pipeline)
		}
	}
	ofSurfaces := len(pipelines)
	if c.tool.Form != toolfile.OfGemini {
		for _, pipeline := range []*normalizers.Pipeline{normalizers.PortableUnions, normalizers.Portable} {
			if !slices.Contains(pipelines, normalizers.Normalizer(pipeline)) {
				pipelines = append(pipelines, pipeline)
			}
		}
	}
	for i, pipeline := range pipelines {
		result, err := recovered(ctx, pipeline, c.tool.Tool)
		if err != nil {
			continue
		}
		c.notStrict[pipeline.Name()] = result.Fallback
		source := normalized{
			isForAll: i >= ofSurfaces,
			root:     result.Tool.Whole(), nodes: schema.Indices{}, changes: result.Changes,
			byFrom: map[schema.Pointer][]rewrite.Change{}, restored: map[schema.Pointer]restored{}, edits: map[wholeSchema][]candidate{},
		}
		for _, change := range result.Changes {
			source.byFrom[change.From] = append(source.byFrom[change.From], change)
		}
		nodes := schema.Indices{}
		for from, changes := range source.byFrom {
			source.undescribe(nodes, changes, c.nodes.Find(c.node, from).GetString("description"))
		}
		c.sources = append(c.sources, source)
	}
}

// own adds every value of a tree to a set.
func own(node *schema.Node, values map[*schema.Node]bool) {
	values[node] = true
	for _, member := range node.Members {
		own(member.Value, values)
	}
	for _, element := range node.Elements {
		own(element, values)
	}
}

// refuses returns everything that the surface refuses in a tool, in no matter which stage.
func (s *surface) refuses(ctx context.Context, tool schema.Tool) ([]provider.Finding, error) {
	request := s.model.Dialect.Declared([]schema.Tool{tool})
	found, err := s.model.Standing(ctx, request)
	if len(s.also) == 0 || err != nil {
		return found, err
	}
	ever, err := s.model.Violations(ctx, request)
	for _, finding := range ever {
		isKnown := func(other provider.Finding) bool { return other.Rule == finding.Rule && other.At == finding.At }
		if slices.Contains(s.also, finding.Rule) && !slices.ContainsFunc(found, isKnown) {
			found = append(found, finding)
		}
	}
	return found, err
}

// edit returns the edit that cures a place: the least lossy one, and of these the smallest. If none
// does alone, it is one for the tool after all other edits.
func (c *Cures) edit(ctx context.Context, place where) (verdict.Change, bool) {
	candidates := c.candidates(place)
	edit, ok := c.best(ctx, place, candidates, true)
	if !ok {
		edit, ok = c.best(ctx, place, candidates, false)
	}
	if ok {
		return edit, true
	}
	next := c.next(ctx)
	if next == nil || !isSame(c.node.Find(place.at), next.tool.Tool.Whole().Find(place.at)) {
		return verdict.Change{}, false
	}
	next.prepare(ctx)
	edit, ok = next.edit(ctx, place)
	edit.Then = true
	return edit, ok
}

// best returns the best of the candidates that cure a place, for every rule that refuses it if isForAll
// is set.
func (c *Cures) best(ctx context.Context, place where, candidates []candidate, isForAll bool) (best verdict.Change, isFound bool) {
	for _, candidate := range candidates {
		if isFound && rank(candidate.loss) >= rank(best.Loss) {
			break
		}
		if !c.isCured(place, candidate, c.try(ctx, candidate), isForAll) {
			continue
		}
		candidate = c.lean(ctx, place, candidate, isForAll)
		narrows, widens, isCompared := c.witnesses(candidate)
		if narrows != nil {
			candidate.loss |= rewrite.Narrows
		}
		if widens != nil {
			candidate.loss |= rewrite.Widens
		}
		if !isCompared {
			candidate.loss |= rewrite.Both
		}
		if !isFound || rank(candidate.loss) < rank(best.Loss) {
			best, isFound = c.change(candidate, narrows, widens, isCompared), true
		}
	}
	return best, isFound
}

// isSame reports whether an edit left a value as it was.
func isSame(before, after *schema.Node) bool {
	return before != nil && after != nil && schema.Identical(before, after)
}

// next returns the cures of the tool after all edits that need no others, or nil if there are none
// or the tool is refused for something new after them.
func (c *Cures) next(ctx context.Context) *Cures {
	if c.rounds == 0 {
		return c.after
	}
	rounds := c.rounds
	c.rounds = 0 // the edits below need no others
	tool := c.tool
	var edited []schema.Pointer
	seen := map[where]bool{}
	for _, surface := range c.surfaces {
		for _, finding := range surface.before {
			place := placeOf(finding)
			if seen[place] || len(seen) == mostTried {
				continue
			}
			seen[place] = true
			edit, ok := c.edit(ctx, place)
			at := edit.From
			isNear := func(other schema.Pointer) bool { return at.Under(other) || other.Under(at) }
			if ok && !slices.ContainsFunc(edited, isNear) {
				edited = append(edited, at)
				tool.Tool = Edited(tool.Tool, edit)
			}
		}
	}
	if len(edited) == 0 {
		return nil
	}
	c.after = &Cures{ctx: ctx, tool: tool, rounds: rounds - 1}
	for _, surface := range c.surfaces {
		surface.before = nil
		c.after.surfaces = append(c.after.surfaces, surface)
	}
	return c.after
}

// placeOf returns the place of a finding.
func placeOf(finding provider.Finding) where {
	place := where{at: finding.At}
	if finding.Rule != nil {
		place.rule = finding.Rule.Name
	}
	return place
}

// try judges the tool with a candidate on every surface.
func (c *Cures) try(ctx context.Context, candidate candidate) trial {
	if known, ok := c.tried[candidate.key]; ok || len(c.tried) == mostTried {
		return known
	}
	tool := applied(c.tool.Tool, candidate.at, candidate.value)
	after := make(trial, len(c.surfaces))
	for i := range c.surfaces {
		var err error
		if after[i], err = c.surfaces[i].refuses(ctx, tool); err != nil {
			after = nil
			break
		}
	}
	c.tried[candidate.key] = after
	return after
}

// isCured reports whether after an edit no surface refuses the place any more, nor anything else than
// before. Unless isForAll is set, another rule may still refuse the place. A rule that reports only the
// first of several places may then report the next.
func (c *Cures) isCured(place where, edit candidate, after trial, isForAll bool) bool {
	if after == nil {
		return false
	}
	isAt := func(finding provider.Finding) bool { return finding.At == place.at }
	isHere := func(finding provider.Finding) bool {
		isNear := finding.At == place.at || finding.At.Under(place.at) && edit.concerns(finding.At) || place.at.Under(finding.At)
		return isNear && placeOf(finding).rule == place.rule
	}
	isRefused := false
	for i, surface := range c.surfaces {
		if c.isWorse(surface.before, after[i], edit) || isForAll && count(surface.before, isAt) > 0 && count(after[i], isAt) > 0 {
			return false
		}
		if here := count(surface.before, isHere); here > 0 {
			isRefused = true
			isExactly := func(finding provider.Finding) bool { return placeOf(finding) == place }
			exactly := count(surface.before, isExactly)
			if count(after[i], isHere) >= here || exactly > 0 && count(after[i], isExactly) >= exactly {
				return false
			}
		}
	}
	return isRefused || place.rule == "" // words that no rule explains: the edit is near, and nothing is worse
}

// isWorse reports whether a surface refuses more of what an edit rewrites than before, or something
// else that nobody refused. What was refused there already, and came to light only because the surface
// no longer ends its judgement earlier, is not worse.
func (c *Cures) isWorse(before, after []provider.Finding, edit candidate) bool {
	all, here := map[*provider.Rule]int{}, map[*provider.Rule]int{}
	for _, finding := range before {
		all[finding.Rule]++
		if edit.concerns(finding.At) {
			here[finding.Rule]++
		}
	}
	for _, finding := range after {
		all[finding.Rule]--
		if edit.concerns(finding.At) {
			if here[finding.Rule]--; here[finding.Rule] < 0 {
				return true
			}
		} else if all[finding.Rule] < 0 && (len(before) == 0 || !c.wasRefused(finding.At)) {
			return true
		}
	}
	return false
}

// wasRefused reports whether some surface refuses the value at a pointer in the tool as given, or a
// member of it.
func (c *Cures) wasRefused(at schema.Pointer) bool {
	for _, surface := range c.surfaces {
		for _, finding := range surface.before {
			if finding.At == at || finding.At.Under(at) && len(finding.At.Tokens()) == len(at.Tokens())+1 {
				return true
			}
		}
	}
	return false
}

func count(findings []provider.Finding, holds func(provider.Finding) bool) int {
	count := 0
	for _, finding := range findings {
		if holds(finding) {
			count++
		}
	}
	return count
}

// instead says what takes the tool without an edit of its source.
func (c *Cures) instead(ctx context.Context, place where) verdict.Cure {
	var cure verdict.Cure
	for _, surface := range c.surfaces {
		if !slices.ContainsFunc(surface.before, func(finding provider.Finding) bool { return placeOf(finding) == place }) {
			continue
		}
		if surface.target.Normalizer == nil {
			return verdict.Cure{} // only the author knows
		}
		wider := surface.model.Dialect.Wider
		if wider == nil || !c.takes(ctx, surface.model, wider) {
			cure.Member = ""
			cure.Target = cmp.Or(cure.Target, surface.target.Name())
			cure.NotStrict = c.notStrict[cure.Target]
			return cure
		}
		_, cure.Member, _ = strings.Cut(wider.Name, "/")
		cure.Target = cmp.Or(cure.Target, surface.target.Name())
	}
	return cure
}

// takes reports whether another surface takes the tool as given.
func (c *Cures) takes(ctx context.Context, model provider.Model, dialect *provider.Dialect) bool {
	model.Dialect = dialect
	wider := surface{model: model}
	refused, err := wider.refuses(ctx, c.tool.Tool)
	return err == nil && len(refused) == 0
}

// within turns a pointer into the source into one into the tool.
func (c *Cures) within(from schema.Pointer) schema.Pointer {
	const parameters schema.Pointer = "/parameters"
	isBare := c.tool.Tool.Parameters == c.tool.Declaration
	if root := c.tool.Pointer(parameters); from.Under(root) && (root != "" || isBare) {
		return parameters + from[len(root):]
	}
	if base := c.tool.Pointer(""); from.Under(base) {
		return from[len(base):]
	}
	return from
}

// applied returns the tool with another value at a pointer.
func applied(tool schema.Tool, at schema.Pointer, value *schema.Node) schema.Tool {
	edited := schema.ToolOf(replaced(tool.Whole(), at.Tokens(), value))
	edited.Members = tool.Members
	return edited
}

// Edited returns a tool after an edit whose From leads into it, as into a tool of toolfile.Of.
func Edited(tool schema.Tool, edit verdict.Change) schema.Tool {
	return applied(tool, edit.From, written(tool.Whole().Find(edit.From), edit))
}

// written returns a value after an edit of it.
func written(before *schema.Node, edit verdict.Change) *schema.Node {
	after, replaced := edit.After.Node(), edit.Before.Node()
	if !isObject(before) || after != nil && !isObject(after) {
		return after
	}
	result := schema.NewObject()
	for _, member := range before.Members {
		switch {
		case after.Has(member.Key):
			result.Set(member.Key, after.Get(member.Key))
		case !replaced.Has(member.Key):
			result.Members = append(result.Members, member)
		}
	}
	if after != nil {
		for _, member := range after.Members {
			result.Set(member.Key, member.Value)
		}
	}
	return result
}

// replaced returns a copy of a node with another value at the end of a path. Everything else is
// shared.
func replaced(node *schema.Node, tokens []string, value *schema.Node) *schema.Node {
	if len(tokens) == 0 || node == nil {
		return value
	}
	clone := *node
	below := replaced(node.Step(tokens[0]), tokens[1:], value)
	if node.Kind == schema.Array {
		clone.Elements = slices.Clone(node.Elements)
		for i, element := range node.Elements {
			if element == node.Step(tokens[0]) {
				clone.Elements[i] = below
			}
		}
		return &clone
	}
	return clone.With(tokens[0], below)
}
