package normalizers

import (
	"errors"
	"slices"
	"strings"

	"toolproof/internal/steps"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Restore converts the arguments of a call of the normalized tool to arguments of the given tool. It
// undoes the changes marked Restored, at every depth, and nothing else: it removes null that means an
// absent property, adds null that the target could not express, gives renamed properties their own
// names, reads JSON text, and takes out the value of a wrapped root.
//
// If an optional property accepted null, an object stands for null, so that null means absent there
// too. Arguments, or parts of them, that do not fit the normalized schema are returned as they are.
// The given arguments never change, and the result shares their unchanged parts. Restore validates
// nothing; package calls does. It needs the Result as Normalize returned it: a Result that was
// written and read again, or that is Unreported, restores nothing.
func (r Result) Restore(arguments *schema.Node) *schema.Node {
	if arguments == nil || r.Tool.Parameters == nil {
		return arguments
	}
	restored := arguments
	if way := r.wayBack(); way != nil {
		restored = way.start(arguments)
	}
	if value := restored.Get("value"); value != nil && r.restored(rules.WrapRoot) != nil {
		return value
	}
	return restored
}

// restored returns the first Restored change of a rule, or nil.
func (r Result) restored(rule *engine.Rule) *rewrite.Change {
	for i := range r.Changes {
		if change := &r.Changes[i]; change.Restored && change.Rule == rule.Name {
			return change
		}
	}
	return nil
}

// wayBack returns the way back for arguments, or nil if it undoes nothing within them.
func (r Result) wayBack() *wayBack {
	way := &wayBack{
		root:       r.Tool.Parameters,
		values:     r.Tool.Parameters.Size(),
		nulls:      map[*schema.Node]bool{},
		explicit:   map[*schema.Node]string{},
		absent:     map[*schema.Node][]string{},
		renamed:    map[*schema.Node]string{},
		texts:      map[*schema.Node]schema.Kind{},
		fitting:    map[fit]bool{},
		properties: map[*schema.Node]map[string]*schema.Node{},
		targets:    map[*schema.Node]*schema.Node{},
		read:       map[*schema.Node]*schema.Node{},
	}
	for i := range r.Changes {
		if change := &r.Changes[i]; change.Restored {
			way.note(change)
		}
	}
	if len(way.nulls)+len(way.explicit)+len(way.absent)+len(way.renamed)+len(way.texts) == 0 {
		return nil
	}
	return way
}

// note notes what the way back has to do for a change.
func (w *wayBack) note(change *rewrite.Change) {
	switch change.Rule {
	case rules.OptionalToNullable.Name:
		branches := elementsOf(change.After.Node().Get("anyOf"))
		if len(branches) == 0 {
			return // the change of required
		}
		last := branches[len(branches)-1]
		if names := last.Get("required").Strings(); len(names) > 0 {
			w.explicit[change.Schema] = names[0]
		} else {
			w.nulls[last] = true
		}
	case rules.NullToOptional.Name:
		if change.Property != "" && change.Schema != nil {
			w.absent[change.Schema] = append(w.absent[change.Schema], change.Property)
		}
	case rules.PropertyKeys.Name:
		w.renamed[change.After.Node().Members[0].Value] = change.Before.Node().Members[0].Key
	case rules.JSONText.Name:
		w.texts[change.Schema] = kindOfText(change.Before.Node())
	}
}

// kindOfText returns whether the text of a rewritten schema is the JSON of an array or of an
// object.
func kindOfText(given *schema.Node) schema.Kind {
	if union := elementsOf(given.Get("anyOf")); len(union) > 0 {
		return kindOfText(union[0])
	}
	types := given.Get("type")
	if types.Is("array") || types != nil && slices.Contains(types.Strings(), "array") {
		return schema.Array
	}
	return schema.Object
}

// wayBack walks through arguments along the normalized schema.
type wayBack struct {
	steps.Counter

	root     *schema.Node
	values   int                          // the number of values in the root
	nulls    map[*schema.Node]bool        // the branches that stand for absent
	explicit map[*schema.Node]string      // the properties with an object for null, and the name of its member
	absent   map[*schema.Node][]string    // the properties of an object whose absence means null
	renamed  map[*schema.Node]string      // the given names of properties
	texts    map[*schema.Node]schema.Kind // the schemas of JSON as text, and the kind of the JSON

	// Answers that were found before.
	fitting    map[fit]bool
	properties map[*schema.Node]map[string]*schema.Node
	resources  *schema.Resources
	targets    map[*schema.Node]*schema.Node
	read       map[*schema.Node]*schema.Node
}

// fit is the question whether a schema accepts a value, and if limited is set also within the limits
// that the schema had before it was normalized.
type fit struct {
	node, value *schema.Node
	limited     bool
}

// maxRestoring is how many steps the way back may take: one for each value and member that it looks
// at to find the right branches, and more for each answer that it keeps.
const maxRestoring = 10_000_000

// stepsPerFit is what an answer to a fit costs, because it is kept.
const stepsPerFit = 16

var errTooComplex = errors.New("the arguments are too complex to be restored")

// start restores the arguments, or returns them as they are if that takes more than maxRestoring
// steps, as with ten thousand elements of a union of ten thousand branches.
func (w *wayBack) start(arguments *schema.Node) (restored *schema.Node) {
	var err error
	defer func() {
		if err != nil {
			restored = arguments
		}
	}()
	defer steps.Recover(&err)
	w.Bound(maxRestoring, errTooComplex)
	return w.restore(arguments, []*schema.Node{w.root})
}

// restore returns the value as the given schema has it, or the value itself if that is the same.
// schemas are the normalized schemas that apply to the value.
func (w *wayBack) restore(value *schema.Node, schemas []*schema.Node) *schema.Node {
	isText := value.Kind == schema.String && len(w.texts) > 0
	if !isText && value.Kind != schema.Object && value.Kind != schema.Array {
		return value
	}
	var applied []*schema.Node
	for _, node := range schemas {
		applied = w.apply(node, value, applied)
	}
	switch {
	case len(applied) == 0:
		return value
	case value.Kind == schema.Object:
		return w.restoreObject(value, applied)
	case value.Kind == schema.Array:
		return w.restoreArray(value, applied)
	}
	if slices.ContainsFunc(applied, func(node *schema.Node) bool { return w.isTextFor(node, value) }) {
		return w.readText(value)
	}
	return value
}

// isTextFor reports whether a schema is one of JSON as text, and the value is such JSON.
func (w *wayBack) isTextFor(node, value *schema.Node) bool {
	kind, asks := w.texts[node]
	read := w.readText(value)
	return asks && read != nil && read.Kind == kind
}

// readText returns the object or array whose JSON is the string, or nil.
func (w *wayBack) readText(value *schema.Node) *schema.Node {
	read, known := w.read[value]
	if !known {
		parsed, err := schema.Parse([]byte(value.Text))
		if err == nil && (parsed.Kind == schema.Object || parsed.Kind == schema.Array) {
			read = parsed
		}
		w.read[value] = read
	}
	return read
}

func (w *wayBack) restoreObject(value *schema.Node, applied []*schema.Node) *schema.Node {
	members := make([]schema.Member, 0, len(value.Members))
	changed := false
	isThere := schema.Among(value.Keys())
	for _, member := range value.Members {
		var below []*schema.Node
		for _, node := range applied {
			if property := w.property(node, member.Key); property != nil {
				below = append(below, property)
			}
		}
		if member.Value.Kind == schema.Null && slices.ContainsFunc(below, w.isAbsentAsNull) {
			changed = true
			continue
		}
		restored := w.restore(member.Value, below)
		if slices.ContainsFunc(below, func(property *schema.Node) bool { return w.isNullItself(property, member.Value) }) {
			restored = &schema.Node{}
		}
		changed = changed || restored != member.Value
		member.Value = restored
		if given, isRenamed := w.givenName(below); isRenamed && !isThere(given) {
			member.Key, changed = given, true
		}
		members = append(members, member)
	}
	for _, node := range applied {
		for _, name := range w.absent[node] {
			if !slices.ContainsFunc(members, func(member schema.Member) bool { return member.Key == name }) {
				members = append(members, schema.Member{Key: name, Value: &schema.Node{}})
				changed = true
			}
		}
	}
	if !changed {
		return value
	}
	result := standIn(value)
	result.Members = members
	return result
}

// givenName returns the name that a property had before it was renamed, and whether it was.
func (w *wayBack) givenName(schemas []*schema.Node) (name string, isRenamed bool) {
	for _, node := range schemas {
		if name, ok := w.renamed[node]; ok {
			return name, true
		}
	}
	return "", false
}

func (w *wayBack) restoreArray(value *schema.Node, applied []*schema.Node) *schema.Node {
	elements := make([]*schema.Node, len(value.Elements))
	changed := false
	for i, element := range value.Elements {
		var below []*schema.Node
		for _, node := range applied {
			if item := itemAt(node, i); item != nil {
				below = append(below, item)
			}
		}
		elements[i] = w.restore(element, below)
		changed = changed || elements[i] != element
	}
	if !changed {
		return value
	}
	result := standIn(value)
	result.Elements = elements
	return result
}

// standIn returns a value without content that has the kind and the place of another.
func standIn(value *schema.Node) *schema.Node {
	from := value.From
	if from == nil {
		from = value
	}
	return &schema.Node{Kind: value.Kind, Position: value.Position, From: from}
}

// isNullItself reports whether the value of a property is the object that stands for null.
func (w *wayBack) isNullItself(property, value *schema.Node) bool {
	name, ok := w.explicit[property]
	return ok && value.Kind == schema.Object && len(value.Members) == 1 && value.Members[0].Key == name && value.Members[0].Value.Kind == schema.Null
}

// isAbsentAsNull reports whether null as the value of a property only means that it is absent.
// The rule optional_to_nullable adds null only where the property does not accept it; where it
// does, an object stands for null itself.
func (w *wayBack) isAbsentAsNull(property *schema.Node) bool {
	_, stands := w.explicit[property]
	return stands || slices.ContainsFunc(elementsOf(property.Get("anyOf")), func(branch *schema.Node) bool { return w.nulls[branch] })
}

// apply appends to applied the schema and the schemas that apply to the value because of it: those
// that references lead to, and the branches of unions that accept the value.
func (w *wayBack) apply(node, value *schema.Node, applied []*schema.Node) []*schema.Node {
	if node == nil || node.Kind != schema.Object || slices.Contains(applied, node) {
		return applied
	}
	w.Charge(1 + len(node.Members) + len(applied))
	applied = append(applied, node)
	if node.Reference() != "" {
		applied = w.apply(w.target(node), value, applied)
	}
	for _, keyword := range unions {
		applied = w.apply(w.chosen(elementsOf(node.Get(keyword)), value), value, applied)
	}
	for _, part := range elementsOf(node.Get("allOf")) {
		applied = w.apply(part, value, applied)
	}
	return applied
}

var unions = []string{"anyOf", "oneOf"}

// chosen returns the first branch that accepts the value, preferably also within the limits that the
// branch had, or else the only branch for values of its type, or else nil.
func (w *wayBack) chosen(branches []*schema.Node, value *schema.Node) *schema.Node {
	// A string that is JSON is taken for JSON text even if another branch accepts any string.
	if value.Kind == schema.String {
		for _, branch := range branches {
			if w.isTextFor(branch, value) {
				return branch
			}
		}
	}
	for _, limited := range []bool{true, false} {
		for _, branch := range branches {
			if w.fits(fit{branch, value, limited}) {
				return branch
			}
		}
	}
	var only *schema.Node
	for _, branch := range branches {
		content := branch
		if branch.Reference() != "" {
			content = w.target(branch)
		}
		if !isOfTypes(content, value) {
			continue
		}
		if only != nil {
			return nil
		}
		only = branch
	}
	return only
}

// fits reports whether a schema accepts a value. It looks only at the keywords that distinguish the
// branches of a normalized schema.
func (w *wayBack) fits(asked fit) bool {
	node, value := asked.node, asked.value
	if node == nil || node.Kind != schema.Object {
		return !node.IsFalse()
	}
	if value.Kind == schema.Null && node.Get("nullable").IsTrue() {
		return true // whatever the branches and values are
	}
	if known, ok := w.fitting[asked]; ok {
		return known
	}
	w.Charge(stepsPerFit + len(node.Members) + len(value.Members) + len(value.Elements) + len(elementsOf(node.Get("enum"))))
	w.fitting[asked] = false // a schema that only leads to itself accepts nothing
	fits := isOfTypes(node, value) && isOneOfValues(node, value) && (!asked.limited || keepsLimits(node.From, value)) &&
		w.fitsOthers(asked) && w.fitsBelow(asked)
	w.fitting[asked] = fits
	return fits
}

func isOfTypes(node, value *schema.Node) bool {
	types := node.Get("type")
	switch {
	case types == nil, value.Kind == schema.Null && node.Get("nullable").IsTrue():
		return true
	case types.Kind == schema.String:
		return value.IsOf(strings.ToLower(types.Text))
	default:
		return slices.ContainsFunc(types.Strings(), value.IsOf)
	}
}

func isOneOfValues(node, value *schema.Node) bool {
	if only := node.Get("const"); only != nil && !schema.Equal(only, value) {
		return false
	}
	values := node.Get("enum")
	return values == nil || slices.ContainsFunc(values.Elements, func(one *schema.Node) bool { return schema.Equal(one, value) })
}

// fitsOthers reports whether the schemas that node refers to or combines accept the value.
func (w *wayBack) fitsOthers(asked fit) bool {
	node := asked.node
	takes := func(other *schema.Node) bool { return w.fits(fit{other, asked.value, asked.limited}) }
	if node.Reference() != "" && !takes(w.target(node)) {
		return false
	}
	for _, keyword := range unions {
		if union := node.Get(keyword); union != nil && !slices.ContainsFunc(union.Elements, takes) {
			return false
		}
	}
	return !slices.ContainsFunc(elementsOf(node.Get("allOf")), func(part *schema.Node) bool { return !takes(part) })
}

// fitsBelow reports whether the schemas of the members or elements accept them.
func (w *wayBack) fitsBelow(asked fit) bool {
	node, value := asked.node, asked.value
	if value.Kind == schema.Object {
		isThere := schema.Among(value.Keys())
		if slices.ContainsFunc(node.Get("required").Strings(), func(name string) bool { return !isThere(name) }) {
			return false
		}
	}
	for _, member := range value.Members {
		if !w.fits(fit{w.property(node, member.Key), member.Value, asked.limited}) {
			return false
		}
	}
	for i, element := range value.Elements {
		if !w.fits(fit{itemAt(node, i), element, asked.limited}) {
			return false
		}
	}
	return true
}

// property returns the schema of a member of an object, or nil.
func (w *wayBack) property(node *schema.Node, name string) *schema.Node {
	known, ok := w.properties[node]
	if !ok {
		known = map[string]*schema.Node{}
		if properties := node.Get("properties"); properties != nil {
			for _, member := range properties.Members {
				known[member.Key] = member.Value
			}
		}
		w.properties[node] = known
	}
	if property := known[name]; property != nil {
		return property
	}
	return node.Get("additionalProperties")
}

// target returns the schema that the reference of a schema leads to, or nil.
func (w *wayBack) target(node *schema.Node) *schema.Node {
	target, known := w.targets[node]
	if !known {
		w.Charge(stepsPerFit + w.values)
		if w.resources == nil {
			w.resources = schema.NewResources(w.root)
		}
		target = w.resources.Resolve(node, node.Reference())
		w.targets[node] = target
	}
	return target
}

// itemAt returns the schema of an element of an array, or nil.
func itemAt(node *schema.Node, index int) *schema.Node {
	if first := elementsOf(node.Get("prefixItems")); index < len(first) {
		return first[index]
	}
	return node.Get("items")
}

// elementsOf returns the elements of an array, and nil for nil.
func elementsOf(node *schema.Node) []*schema.Node {
	if node == nil {
		return nil
	}
	return node.Elements
}
