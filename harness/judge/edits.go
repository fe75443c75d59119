package judge

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/meaning"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// candidate is an edit that may cure a place: another value at a pointer into the tool.
type candidate struct {
	at      schema.Pointer
	value   *schema.Node
	changes []rewrite.Change
	rule    string // that of the changes which a place names
	// isForAll means that a normalizer for every surface makes the edit, which loses more than those of the
	// surfaces that refuse the tool.
	isForAll bool
	loss     rewrite.Loss
	// isNullLost means that the value no longer accepts null.
	isNullLost bool
	key        string // tells it from other candidates
	// changed are the members of the value that the edit changes; none if it changes the whole value.
	changed []string
	size    int // of the text that the author writes
}

// concerns reports whether the edit rewrites the value at a pointer.
func (e candidate) concerns(at schema.Pointer) bool {
	if at == e.at || e.changed == nil {
		return at.Under(e.at)
	}
	return slices.ContainsFunc(e.changed, func(key string) bool { return at.Under(e.at.Child(key)) })
}

// candidates returns the edits that may cure a place, the least lossy first, and of these the smallest.
func (c *Cures) candidates(place where) []candidate {
	var found []candidate
	for i := range c.sources {
		source := &c.sources[i]
		for _, from := range source.near(place.at) {
			for _, edit := range c.editsOf(source, from, place.at == from || from.Under(place.at)) {
				edit.rule, edit.isForAll = named(edit.changes, place), source.isForAll
				found = append(found, edit)
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(rank(a.loss), rank(b.loss)), compareBool(a.isNullLost, b.isNullLost), compareBool(a.isForAll, b.isForAll), cmp.Compare(a.size, b.size),
			strings.Compare(a.key, b.key), strings.Compare(a.rule, b.rule),
		)
	})
	found = slices.CompactFunc(found, func(a, b candidate) bool { return a.key == b.key })
	around, within := 0, 0
	return slices.DeleteFunc(found, func(edit candidate) bool {
		tried := &within
		if place.at.Under(edit.at) {
			tried = &around
		}
		*tried++
		return *tried > mostTriedHere
	})
}

// rank orders losses. A schema that accepts more still takes every argument of today.
func rank(loss rewrite.Loss) int { return int(loss) }

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// near returns the schemas that were changed near a place: those around it, and the first within it.
func (n *normalized) near(at schema.Pointer) []schema.Pointer {
	const mostWithin = 16
	var near, within []schema.Pointer
	for from := range n.byFrom {
		switch {
		case from == "" && at.Under("/parameters"):
		case at.Under(from):
			near = append(near, from)
		case from.Under(at):
			within = append(within, from)
		}
	}
	slices.SortFunc(within, func(a, b schema.Pointer) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return append(near, within[:min(len(within), mostWithin)]...)
}

// editsOf returns what ofSchema does, which it keeps: a schema is near each place in it.
func (c *Cures) editsOf(source *normalized, from schema.Pointer, isWhole bool) []candidate {
	key := wholeSchema{from, isWhole}
	known, ok := source.edits[key]
	if !ok {
		known = c.ofSchema(source, from, source.byFrom[from], isWhole)
		source.edits[key] = known
	}
	return known
}

// ofSchema returns the edits that follow from the changes of one schema. If isWhole is set, one of them
// writes the schema with everything in it.
func (c *Cures) ofSchema(source *normalized, from schema.Pointer, changes []rewrite.Change, isWhole bool) []candidate {
	original, at := c.nodes.Find(c.node, from), placeOfChanges(changes)
	result := source.nodes.Find(source.root, at)
	if original == nil || result == nil {
		return nil
	}
	if original.Kind == schema.Bool && isObject(result) {
		result = result.Clone()
		result.Delete("description") // in a normalizer's words
	}
	if !isObject(original) || !isObject(result) {
		return c.forms(candidate{at: from, value: result, changes: changes[:1], loss: lossOf(changes)})
	}
	shallow := c.shallow(source, at)
	moved := shallow.moved(from)
	var found []candidate
	add := func(changes []rewrite.Change) {
		replaced, added := keysOf(changes, at, result)
		base := candidate{at: from, changes: changes, loss: lossOf(changes) | moved}
		for i, value := range []*schema.Node{shallow.value, result} {
			edited := base
			edited.value = merged(original, value, replaced, added)
			if i == 1 {
				if !shallow.isChanged {
					break // it is the same
				}
				edited.loss |= shallow.loss
			}
			found = append(found, c.forms(edited)...)
		}
	}
	for i := range changes {
		if !replacesReference(changes[i]) && !isRewritten(changes[i], result) { // a reference brings all other changes with it
			add(changes[i : i+1])
		}
	}
	for _, chain := range chains(changes) {
		if len(chain) > 1 && !replacesReference(chain[0]) {
			add(chain)
		}
	}
	add(changes)
	if isWhole {
		found = append(found, c.forms(candidate{at: from, value: result, changes: changes, loss: lossOf(changes) | shallow.loss | moved})...)
	}
	return found
}

// isRewritten reports whether a later change left out what a change of a schema wrote.
func isRewritten(change rewrite.Change, result *schema.Node) bool {
	return slices.ContainsFunc(change.After.Node().Keys(), func(key string) bool { return !result.Has(key) })
}

// chains divides the changes of one schema: each chain has a change and those that rewrite what it wrote.
func chains(changes []rewrite.Change) [][]rewrite.Change {
	var all [][]rewrite.Change
	for i := range changes {
		rewrites := func(chain []rewrite.Change) bool {
			last := chain[len(chain)-1]
			return last.At == changes[i].At && slices.ContainsFunc(changes[i].Before.Node().Keys(), last.After.Node().Has)
		}
		if at := slices.IndexFunc(all, rewrites); at >= 0 {
			all[at] = append(all[at], changes[i])
		} else {
			all = append(all, []rewrite.Change{changes[i]})
		}
	}
	return all
}

// keysOf returns the keywords of a schema that changes replaced, and those that they put in their
// place: all of the result where the schema was a reference.
func keysOf(changes []rewrite.Change, at schema.Pointer, result *schema.Node) (replaced, added map[string]bool) {
	replaced, added = map[string]bool{}, map[string]bool{}
	for i := range changes {
		if isOfAdded(changes[i], at) {
			continue
		}
		for _, key := range changes[i].Before.Node().Keys() {
			replaced[key] = true
		}
		for _, key := range changes[i].After.Node().Keys() {
			added[key] = true
		}
	}
	if slices.ContainsFunc(changes, replacesReference) {
		for _, key := range result.Keys() {
			added[key] = true
		}
	}
	return replaced, added
}

// replacesReference reports whether a change puts what a reference leads to in the place of the reference.
func replacesReference(change rewrite.Change) bool {
	return slices.ContainsFunc(schema.ReferenceKeywords, change.Before.Node().Has)
}

// isOfAdded reports whether a change is of a schema that another change of the same schema added to it.
func isOfAdded(change rewrite.Change, at schema.Pointer) bool {
	return change.At != at && change.At.Under(at)
}

// undescribe removes the descriptions of schemas that changes added to a schema, unless they are its
// own: an author does not describe them in a normalizer's words.
func (n *normalized) undescribe(nodes schema.Indices, changes []rewrite.Change, own string) {
	at := placeOfChanges(changes)
	for i := range changes {
		added := nodes.Find(n.root, changes[i].At)
		if text := added.GetString("description"); isOfAdded(changes[i], at) && text != "" && text != own {
			added.Delete("description")
		}
	}
}

// placeOfChanges returns the place in the result of the schema of which changes are: that of the last
// one, unless that is of a schema that another change added to it.
func placeOfChanges(changes []rewrite.Change) schema.Pointer {
	at := changes[len(changes)-1].At
	for i := range changes {
		if at.Under(changes[i].At) {
			at = changes[i].At
		}
	}
	return at
}

// restored is a schema in the result of a normalizer with each schema in it that was changed as it is
// in the tool, as far as that can be told.
type restored struct {
	value     *schema.Node
	loss      rewrite.Loss // of the changes that are left out
	isChanged bool
	kept      []rewrite.Change // those of the schema itself, and those that cannot be left out
}

// moved returns the loss of the kept changes of other schemas than the one at a pointer into the tool.
func (r restored) moved(from schema.Pointer) rewrite.Loss {
	loss := rewrite.Exact
	for i := range r.kept {
		if r.kept[i].From != from {
			loss |= inSource(r.kept[i].Loss)
		}
	}
	return loss
}

// shallow returns the schema at a pointer into the result without the changes of schemas in it. A schema
// in a member that the schema's own changes wrote stays as it is: its siblings may have moved into it.
func (c *Cures) shallow(n *normalized, at schema.Pointer) restored {
	if known, ok := n.restored[at]; ok {
		return known
	}
	found := restored{value: n.nodes.Find(n.root, at)}
	own := map[schema.Pointer]bool{} // the schemas whose changes are of the schema itself
	wrote := map[string]bool{}
	for i := range n.changes {
		if n.changes[i].At == at {
			found.kept = append(found.kept, n.changes[i])
			own[n.changes[i].From] = true
			for _, key := range n.changes[i].After.Node().Keys() {
				wrote[key] = true
			}
		}
	}
	authored, around := map[schema.Pointer]*schema.Node{}, map[schema.Pointer]bool{}
	for _, change := range n.changes {
		if change.At == at || !change.At.Under(at) {
			continue
		}
		path := change.At[len(at):].Tokens()
		if wrote[path[0]] && isWithin(change.From, own) {
			found.kept = append(found.kept, change)
			continue
		}
		found.loss, found.isChanged = found.loss|inSource(change.Loss), true
		original := c.nodes.Find(c.node, change.From)
		if _, known := authored[change.At]; known || original == nil {
			continue
		}
		authored[change.At] = original
		for above := change.At; above != at; {
			above = above[:strings.LastIndexByte(string(above), '/')]
			if around[above] {
				break // and so is all above it
			}
			around[above] = true
		}
	}
	found.value = withOriginals(found.value, at, authored, around)
	n.restored[at] = found
	return found
}

// isWithin reports whether a pointer or one above it is in a set.
func isWithin(at schema.Pointer, set map[schema.Pointer]bool) bool {
	for !set[at] {
		end := strings.LastIndexByte(string(at), '/')
		if end < 0 {
			return false
		}
		at = at[:end]
	}
	return true
}

// withOriginals returns a value with others in the places of some values in it, of which around has all
// that are around such a place.
func withOriginals(node *schema.Node, at schema.Pointer, others map[schema.Pointer]*schema.Node, around map[schema.Pointer]bool) *schema.Node {
	if other := others[at]; other != nil {
		return other
	}
	if !around[at] {
		return node
	}
	clone := *node
	clone.Members, clone.Elements = slices.Clone(node.Members), slices.Clone(node.Elements)
	for i := range clone.Members {
		member := &clone.Members[i]
		member.Value = withOriginals(member.Value, at.Child(member.Key), others, around)
	}
	for i := range clone.Elements {
		clone.Elements[i] = withOriginals(clone.Elements[i], at.Element(i), others, around)
	}
	return &clone
}

// merged returns a schema in which only some members are as in another: those that are replaced or
// added.
func merged(original, other *schema.Node, replaced, added map[string]bool) *schema.Node {
	value := schema.NewObject()
	for _, member := range original.Members {
		switch {
		case !replaced[member.Key] && !added[member.Key]:
			value.Members = append(value.Members, member)
		case other.Has(member.Key):
			value.Set(member.Key, other.Get(member.Key))
		}
	}
	for _, member := range other.Members {
		if added[member.Key] {
			value.Set(member.Key, member.Value)
		}
	}
	return value
}

func lossOf(changes []rewrite.Change) rewrite.Loss {
	loss := rewrite.Exact
	for i := range changes {
		loss |= inSource(changes[i].Loss)
	}
	return loss
}

// inSource returns the loss of a change that is made in the source: a closed object refuses what an open
// one takes.
func inSource(loss rewrite.Loss) rewrite.Loss {
	if loss&rewrite.Closes != 0 {
		loss |= rewrite.Narrows
	}
	return loss & rewrite.Both
}

// named returns the rule of the change that is about the keyword of a place, or the first.
func named(changes []rewrite.Change, place where) string {
	for i := range changes {
		for _, key := range slices.Concat(changes[i].Before.Node().Keys(), changes[i].After.Node().Keys()) {
			if strings.HasSuffix(string(place.at), "/"+key) {
				return changes[i].Rule
			}
		}
	}
	return changes[0].Rule
}

// isDigested reports whether a name ends in eight digits of a digest, which no author wants to write.
func isDigested(name string) bool {
	at := strings.LastIndexByte(name, '_')
	return at >= 0 && len(name) == at+9 && strings.Trim(name[at+1:], "0123456789abcdef") == ""
}

// mostWritten is the number of values up to which an author is told to write a schema.
const mostWritten = 500

// fresh returns the number of values that are not the author's own, or a number above mostWritten.
func (c *Cures) fresh(node *schema.Node) int {
	if c.own[node] {
		return 0
	}
	count := 1
	for _, member := range node.Members {
		if count += c.fresh(member.Value); count > mostWritten {
			break
		}
	}
	for _, element := range node.Elements {
		if count += c.fresh(element); count > mostWritten {
			break
		}
	}
	return count
}

// forms returns an edit in the forms in which an author may write it, reduced to what it changes.
func (c *Cures) forms(edit candidate) []candidate {
	var kept []candidate
	if c.fresh(edit.value) > mostWritten {
		return nil
	}
	keep := func(form candidate) {
		original := c.node.Find(form.at)
		if schema.Identical(original, form.value) {
			return
		}
		form.at, form.value = narrowed(form.at, original, form.value)
		original = c.node.Find(form.at)
		before, after := differing(original, form.value)
		isInvented := func(member schema.Member) bool {
			name := member.Key
			if form.at == "" {
				name = member.Value.Text
			}
			return isDigested(name) && (form.at == "" || !before.Node().Has(member.Key))
		}
		if added := after.Node(); added != nil && (slices.ContainsFunc(added.Members, isInvented) || c.listsTypes(added)) {
			return
		}
		kept = append(kept, c.measured(form))
	}
	if c.tool.Form == toolfile.OfGemini {
		edit.value = c.inCase(edit.value)
		keep(edit)
		return kept
	}
	for _, null := range []nullForm{besideText, aroundText, noNull} {
		form := edit
		var hasNull bool
		form.value, hasNull = c.inJSONSchema(edit.value, null)
		if hasNull && null == noNull {
			form.loss, form.isNullLost = form.loss|rewrite.Narrows, true
		}
		keep(form)
		if !hasNull {
			break
		}
	}
	return kept
}

// measured returns a candidate with what follows from its place and its value.
func (c *Cures) measured(edit candidate) candidate {
	original := c.node.Find(edit.at)
	before, after := differing(original, edit.value)
	if isObject(original) && isObject(edit.value) {
		edit.changed = slices.Concat(before.Node().Keys(), after.Node().Keys())
	}
	edit.key = before.Node().String() + " " + after.Node().String()
	edit.size = len(edit.key)
	edit.key = string(edit.at) + " " + edit.key
	if refers(edit.value) {
		edit.value = edit.value.Clone() // a reference leads elsewhere from another resource
	}
	return edit
}

// lean returns a candidate that cures a place, with as many members of the author's as it can keep.
func (c *Cures) lean(ctx context.Context, place where, edit candidate, isForAll bool) candidate {
	original := c.node.Find(edit.at)
	if !isObject(original) || !isObject(edit.value) || len(edit.changed) == 1 {
		return edit
	}
	for _, member := range original.Members {
		isLeftOut := slices.Contains(edit.changed, member.Key) && !edit.value.Has(member.Key)
		if !isLeftOut || c.wasRefused(edit.at.Child(member.Key)) {
			continue
		}
		kept := edit
		kept.value = edit.value.With(member.Key, member.Value)
		kept = c.measured(kept)
		if c.isCured(place, kept, c.try(ctx, kept), isForAll) {
			edit = kept
		}
	}
	return edit
}

// listsTypes reports whether a new schema in an edit is a union of all types. A normalizer has nothing
// better for a schema of any value; its author knows the type.
func (c *Cures) listsTypes(node *schema.Node) bool {
	if c.own[node] {
		return false
	}
	types := map[string]bool{}
	listTypes(node, types)
	if types["string"] && types["number"] && types["boolean"] && types["object"] && types["array"] {
		return true
	}
	isOfAll := func(member schema.Member) bool { return c.listsTypes(member.Value) }
	return slices.ContainsFunc(node.Members, isOfAll) || slices.ContainsFunc(node.Elements, c.listsTypes)
}

// listTypes adds the types of the branches of a union, and of unions in it.
func listTypes(node *schema.Node, types map[string]bool) {
	types[strings.ToLower(node.GetString("type"))] = true
	if union := node.Get("anyOf"); union != nil {
		for _, branch := range union.Elements {
			listTypes(branch, types)
		}
	}
}

// nullForm is how a schema that was nullable says so in JSON Schema.
type nullForm uint8

const (
	besideText nullForm = iota // in a union beside title, description and default
	aroundText                 // in a union with these in its branch, for surfaces that take nothing beside a union
	noNull                     // not at all
)

// inJSONSchema returns a schema that a normalizer made in the language of JSON Schema, and reports
// whether it has nullable. Null then becomes a branch of a union, or is no longer accepted. What is
// the author's own stays as it is.
func (c *Cures) inJSONSchema(node *schema.Node, null nullForm) (*schema.Node, bool) {
	if node == nil || node.Kind != schema.Object || c.own[node] {
		return node, false
	}
	converted, isNullable := schema.NewObject(), false
	for _, member := range node.Members {
		switch {
		case member.Key == "nullable":
			isNullable = member.Value.IsTrue()
			continue
		case member.Key == "propertyOrdering", member.Key == "format" && member.Value.Is("enum"):
			continue
		case member.Key == "type" && member.Value.Kind == schema.String:
			member.Value = lowered(member.Value)
		}
		converted.Members = append(converted.Members, member)
	}
	hasNull := isNullable
	for i := range converted.Members {
		member := &converted.Members[i]
		if c.own[member.Value] || schema.ClassOf(member.Key).HeldIn(member.Value) == schema.Nothing {
			continue
		}
		value := *member.Value
		value.Members, value.Elements = slices.Clone(value.Members), slices.DeleteFunc(slices.Clone(value.Elements), c.standsForNull)
		member.Value = &value
		for place := range member.Subschemas() {
			below, isBelow := c.inJSONSchema(place.Node(), null)
			*place.Slot, hasNull = below, hasNull || isBelow
		}
	}
	if isNullable && null != noNull {
		return withNull(converted, null), true
	}
	if union := converted.Get("anyOf"); union != nil && len(union.Elements) == 1 && len(converted.Members) == 1 {
		return union.Elements[0], hasNull // beside which nothing stands for null any more
	}
	return converted, hasNull
}

// standsForNull reports whether a new schema is the object that stands for null until Restore makes null of
// it. An author has null.
func (c *Cures) standsForNull(node *schema.Node) bool {
	properties := node.Get("properties")
	return !c.own[node] && properties != nil && len(properties.Members) == 1 && properties.Members[0].Value.Get("type").Is("null")
}

// lowered returns a type in lower case if it is one of JSON Schema.
func lowered(value *schema.Node) *schema.Node {
	lower := strings.ToLower(value.Text)
	if lower == value.Text || !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, lower) {
		return value
	}
	return schema.NewString(lower)
}

// withNull returns a schema that also accepts null, as a branch of a union.
func withNull(node *schema.Node, form nullForm) *schema.Node {
	null := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("null")})
	if union := node.Get("anyOf"); union != nil && union.Kind == schema.Array {
		return node.With("anyOf", schema.NewArray(append(slices.Clone(union.Elements), null)...))
	}
	inner, outer := schema.NewObject(), schema.NewObject()
	for _, member := range node.Members {
		if form == besideText && slices.Contains([]string{"title", "description", "default"}, member.Key) {
			outer.Members = append(outer.Members, member)
		} else {
			inner.Members = append(inner.Members, member)
		}
	}
	if len(inner.Members) == 0 {
		return node // it accepts null anyway
	}
	outer.Set("anyOf", schema.NewArray(inner, null))
	return outer
}

// inCase returns a schema of Google's with the names of types in lower case if the author writes them
// so.
func (c *Cures) inCase(node *schema.Node) *schema.Node {
	if root := c.node.Get("parameters"); root == nil || root.GetString("type") != strings.ToLower(root.GetString("type")) {
		return node
	}
	if node == nil || node.Kind != schema.Object || c.own[node] {
		return node
	}
	clone := node.Clone()
	clone.Each(func(below *schema.Node) bool {
		if kind := below.Get("type"); kind != nil && kind.Kind == schema.String && below.Kind == schema.Object {
			below.Set("type", lowered(kind))
		}
		return true
	})
	return clone
}

// narrowed returns the innermost place of a rewrite: while a value differs in one member only, that
// member, unless it is data.
func narrowed(at schema.Pointer, before, after *schema.Node) (schema.Pointer, *schema.Node) {
	for isObject(before) && isObject(after) {
		old, added := differing(before, after)
		if keys := old.Node().Keys(); len(keys) != 1 || !slices.Equal(keys, added.Node().Keys()) {
			break
		}
		key := old.Node().Members[0].Key
		below, edited := before.Get(key), after.Get(key)
		if schema.ClassOf(key) == schema.Data || below.Kind != schema.Object || edited.Kind != schema.Object {
			break
		}
		at, before, after = at.Child(key), below, edited
	}
	return at, after
}

// differing returns the parts in which two values differ: members of objects, or the whole values.
func differing(before, after *schema.Node) (old, added rewrite.Part) {
	if !isObject(before) || !isObject(after) {
		return rewrite.PartOf(before), rewrite.PartOf(after)
	}
	return rewrite.PartOfMembers(lacking(before, after)), rewrite.PartOfMembers(lacking(after, before))
}

func isObject(node *schema.Node) bool { return node != nil && node.Kind == schema.Object }

// lacking returns the members of an object that another object does not have.
func lacking(object, other *schema.Node) []schema.Member {
	var members []schema.Member
	for _, member := range object.Members {
		if value := other.Get(member.Key); value == nil || !schema.Identical(value, member.Value) {
			members = append(members, member)
		}
	}
	return members
}

// change returns an edit as results have it.
func (c *Cures) change(edit candidate, narrows, widens *schema.Node, isCompared bool) verdict.Change {
	change := verdict.Change{Rule: edit.rule, From: edit.at, At: edit.at, Loss: edit.loss}
	change.Before, change.After = differing(c.node.Find(edit.at), edit.value)
	var words []string
	if edit.loss&rewrite.Narrows != 0 {
		switch {
		case edit.isNullLost, narrows != nil && narrows.Kind == schema.Null:
			words = append(words, "null is no longer taken")
		case change.After.Node().Get("additionalProperties").IsFalse():
			words = append(words, "properties that are not listed are no longer taken")
			if requires(change) {
				words = append(words, "properties that could be absent are required")
			}
		default:
			words = append(words, witnessed(narrows, "is no longer taken", "fewer values are taken"))
		}
	}
	if edit.loss&rewrite.Widens != 0 {
		if keys := unchecked(change); len(keys) > 0 {
			words = append(words, strings.Join(keys, " and ")+" no longer holds")
		} else {
			words = append(words, witnessed(widens, "is taken too", "more values are taken"))
		}
	}
	if !isCompared {
		words = []string{"too large to compare: other values may be taken"}
	}
	if what := renamed(change); what != "" {
		words = append(words, what)
	}
	change.Loses = strings.Join(words, "; ")
	return change
}

// requires reports whether an edit adds names to required.
func requires(edit verdict.Change) bool {
	before := edit.Before.Node().Get("required")
	for _, name := range elementsOf(edit.After.Node().Get("required")) {
		isSame := func(other *schema.Node) bool { return schema.Equal(name, other) }
		if !slices.ContainsFunc(elementsOf(before), isSame) {
			return true
		}
	}
	return false
}

// elementsOf returns the elements of an array, or none.
func elementsOf(node *schema.Node) []*schema.Node {
	if node == nil {
		return nil
	}
	return node.Elements
}

// renamed says what an edit gives another name, or "". Whoever handles the calls has to know that name.
func renamed(edit verdict.Change) string {
	before, after := edit.Before.Node(), edit.After.Node()
	if before.GetString("name") != after.GetString("name") && after.GetString("name") != "" {
		return "calls have the new name"
	}
	known := map[string]bool{}
	nameAll(before, known)
	fresh := map[string]bool{}
	nameAll(after, fresh)
	if strings.HasSuffix(string(edit.From), "/properties") {
		for i, names := range []map[string]bool{known, fresh} {
			for _, key := range [2]*schema.Node{before, after}[i].Keys() {
				names[key] = true
			}
		}
	}
	for name := range fresh {
		if len(known) > 0 && !known[name] {
			return "arguments have new names"
		}
	}
	return ""
}

// nameAll adds the names of all properties in a value.
func nameAll(node *schema.Node, names map[string]bool) {
	if node == nil {
		return
	}
	for _, member := range node.Members {
		if member.Key == "properties" && member.Value.Kind == schema.Object {
			for _, key := range member.Value.Keys() {
				names[key] = true
			}
		}
		nameAll(member.Value, names)
	}
	for _, element := range node.Elements {
		nameAll(element, names)
	}
}

// witnessed says what happens to a value, or in other words what happens to some if the value is not
// known or too long.
func witnessed(value *schema.Node, what, otherwise string) string {
	const longest = 60
	if value == nil || value.MostBytes() > longest {
		return otherwise
	}
	return value.String() + " " + what
}

// unchecked returns the constraints that an edit leaves out.
func unchecked(change verdict.Change) []string {
	var keys []string
	for _, key := range change.Before.Node().Keys() {
		isSaid := slices.Contains([]string{"title", "description", "default", "examples", "format"}, key)
		if !isSaid && schema.ClassOf(key) != schema.Unknown && !schema.IsMeta(key) && !change.After.Node().Has(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

const (
	// mostInstances bounds the instances made of a schema to compare it with an edited one, and
	// mostCompared the values of all schemas of a tool that are so compared.
	mostInstances, mostCompared = 60, 40_000
)

// compiled is a schema of the tool with instances of it; the zero value is one that is too large.
type compiled struct {
	schema    *instance.Schema
	instances []*schema.Node
	isInvalid bool
}

// witnesses returns an argument that an edit no longer accepts, and one that it accepts newly; nil
// where none is found. It reports false if it could not compare the schemas.
func (c *Cures) witnesses(edit candidate) (narrows, widens *schema.Node, isCompared bool) {
	if !edit.at.Under("/parameters") {
		return nil, nil, true
	}
	at, edited := schemaAround(c.node, edit.at), replaced(c.node, edit.at.Tokens(), edit.value)
	if c.severs(c.node.Find(at), edited.Find(at)) {
		at = "/parameters"
	}
	old, known := c.compiled[at]
	if !known {
		old = c.compile(at)
		c.compiled[at] = old
	}
	if old.isInvalid {
		return nil, nil, true // there is nothing to compare with
	}
	after := standalone(edited.Get("parameters"), edited.Find(at))
	if old.schema == nil || after == nil || !c.affords(after) {
		return nil, nil, false
	}
	fresh, err := instance.Compile(after)
	if err != nil {
		return nil, nil, false
	}
	for _, value := range slices.Concat(old.instances, meaning.Instances(after, 2, mostInstances)) {
		was, failed := old.schema.AcceptsWithin(value)
		is, failedNow := fresh.AcceptsWithin(value)
		switch {
		case failed != nil || failedNow != nil:
		case was && !is && (narrows == nil || value.Size() < narrows.Size()):
			narrows = value
		case !was && is && (widens == nil || value.Size() < widens.Size()):
			widens = value
		}
	}
	return narrows, widens, true
}

// severs reports whether some reference in the tool leads to a value within another that an edit changes or
// takes away.
func (c *Cures) severs(before, after *schema.Node) bool {
	isSevered := func(old, edited *schema.Node) bool {
		return old != edited && (c.targets[old] && !isSame(old, edited) || c.severs(old, edited))
	}
	for _, member := range before.Members {
		if isSevered(member.Value, after.Get(member.Key)) {
			return true
		}
	}
	for i, element := range before.Elements {
		if isSevered(element, after.Step(strconv.Itoa(i))) {
			return true
		}
	}
	return false
}

// targetsOf returns the values of a schema to which its references lead.
func targetsOf(root *schema.Node) map[*schema.Node]bool {
	if root == nil || !refers(root) {
		return nil
	}
	targets, resources := map[*schema.Node]bool{}, schema.NewResources(root)
	root.Each(func(node *schema.Node) bool {
		if reference := node.Reference(); reference != "" {
			targets[resources.Resolve(node, reference)] = true
		}
		return true
	})
	return targets
}

// compile compiles a schema of the tool; if it is not valid, what a repair makes of it.
func (c *Cures) compile(at schema.Pointer) compiled {
	before := standalone(c.node.Get("parameters"), c.node.Find(at))
	if before == nil || !c.affords(before) {
		return compiled{}
	}
	accepts, err := instance.Compile(before)
	if err != nil {
		repaired, failed := normalizers.Repair(c.ctx, schema.Tool{Name: c.tool.Name, Parameters: before})
		if failed != nil {
			return compiled{isInvalid: true}
		}
		before = repaired.Tool.Parameters
		accepts, err = instance.Compile(before)
	}
	switch {
	case errors.Is(err, instance.ErrTooLarge):
		return compiled{}
	case err != nil:
		return compiled{isInvalid: true}
	}
	return compiled{schema: accepts, instances: meaning.Instances(before, 1, mostInstances)}
}

// affords reports whether one more schema of the tool may be compared.
func (c *Cures) affords(node *schema.Node) bool {
	c.compared += node.Size()
	return c.compared <= mostCompared
}

// standalone returns a schema of a root with each reference replaced by what it leads to, or nil if that
// would be large or has no end.
func standalone(root, node *schema.Node) *schema.Node {
	const mostValues, mostLevels = 2_000, 8
	if !refers(node) {
		return node
	}
	resources, values := schema.NewResources(root), 0
	var expand func(node *schema.Node, levels int) *schema.Node
	expand = func(node *schema.Node, levels int) *schema.Node {
		if node == nil || node.Kind != schema.Object {
			return node
		}
		if values += len(node.Members); values > mostValues || levels == mostLevels {
			values = mostValues + 1
			return node
		}
		whole := schema.NewObject()
		for _, member := range node.Members {
			if slices.Contains([]string{"$ref", "$defs", "definitions"}, member.Key) {
				continue
			}
			if schema.ClassOf(member.Key).HeldIn(member.Value) != schema.Itself { // whose resource the node tells
				value := *member.Value
				value.Members, value.Elements = slices.Clone(value.Members), slices.Clone(value.Elements)
				member.Value = &value
			}
			for place := range member.Subschemas() {
				*place.Slot = expand(place.Node(), levels)
			}
			whole.Members = append(whole.Members, member)
		}
		if reference := node.Reference(); reference != "" {
			target := resources.Resolve(node, reference)
			if target == nil {
				return whole
			}
			target = expand(target, levels+1)
			if len(whole.Members) == 0 {
				return target
			}
			whole = schema.NewObject(schema.Member{Key: "allOf", Value: schema.NewArray(target, whole)})
		}
		return whole
	}
	expanded := expand(node, 0)
	if values > mostValues {
		return nil
	}
	return expanded
}

// schemaAround returns the pointer to the innermost schema in a tool that is or holds a value.
func schemaAround(tool *schema.Node, at schema.Pointer) schema.Pointer {
	const parameters schema.Pointer = "/parameters"
	innermost := parameters
	tool.Get("parameters").Walk(func(below schema.Pointer, _ *schema.Node) bool {
		isAround := at.Under(parameters + below)
		if isAround {
			innermost = parameters + below
		}
		return isAround
	})
	return innermost
}

// refers reports whether a schema has a reference.
func refers(node *schema.Node) bool {
	isFound := false
	node.Each(func(below *schema.Node) bool {
		isFound = isFound || slices.ContainsFunc(schema.ReferenceKeywords, below.Has)
		return !isFound
	})
	return isFound
}
