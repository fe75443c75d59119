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
// undoes the changes marked Restored, at every depth, and nothing else: it removes a null that means
// that a property is absent, adds a null that the target could not express, gives renamed properties
// their own names, parses JSON text, and unwraps the value of a wrapped root.
//
// If an optional property of the given tool accepts null, null means that it is absent here too, and
// an object stands for null. Restore returns arguments, or parts of them, that do not fit the
// normalized schema as they are. It does not change its argument, and the result shares the parts
// that are the same. It validates nothing; package calls does. It needs the Result as Normalize
// returned it: a Result that was encoded and decoded, or that is Unreported, restores nothing.
func (r Result) Restore(arguments *schema.Node) *schema.Node {
	if arguments == nil || r.Tool.Parameters == nil {
		return arguments
	}
	restored := arguments
	if restorer := r.restorer(); restorer != nil {
		restored = restorer.start(arguments)
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

// restorer returns the restorer of arguments, or nil if no change has to be undone within them.
func (r Result) restorer() *restorer {
	restorer := &restorer{
		root:     r.Tool.Parameters,
		values:   r.Tool.Parameters.Size(),
		nulls:    map[*schema.Node]bool{},
		explicit: map[*schema.Node]string{},
		absent:   map[*schema.Node][]string{},
		renamed:  map[*schema.Node]string{},
		texts:    map[*schema.Node]schema.Kind{},
		fitting:  map[fit]bool{},
		members:  schema.Indices{},
		targets:  map[*schema.Node]*schema.Node{},
		parsed:   map[*schema.Node]*schema.Node{},
	}
	for i := range r.Changes {
		if change := &r.Changes[i]; change.Restored {
			restorer.note(change)
		}
	}
	if len(restorer.nulls)+len(restorer.explicit)+len(restorer.absent)+len(restorer.renamed)+len(restorer.texts) == 0 {
		return nil
	}
	return restorer
}

// note records what undoes a change.
func (r *restorer) note(change *rewrite.Change) {
	switch change.Rule {
	case rules.OptionalToNullable.Name:
		branches := elementsOf(change.After.Node().Get("anyOf"))
		if len(branches) == 0 {
			return // this is the change of required
		}
		last := branches[len(branches)-1]
		if names := last.Get("required").Strings(); len(names) > 0 {
			r.explicit[change.Schema] = names[0]
		} else {
			r.nulls[last] = true
		}
	case rules.NullToOptional.Name:
		if change.Property != "" && change.Schema != nil {
			r.absent[change.Schema] = append(r.absent[change.Schema], change.Property)
		}
	case rules.PropertyKeys.Name:
		r.renamed[change.After.Node().Members[0].Value] = change.Before.Node().Members[0].Key
	case rules.JSONText.Name:
		r.texts[change.Schema] = kindOfText(change.Before.Node())
	}
}

// kindOfText returns Array or Object: the kind of the value that a schema described before it
// described JSON text.
func kindOfText(original *schema.Node) schema.Kind {
	if union := elementsOf(original.Get("anyOf")); len(union) > 0 {
		return kindOfText(union[0])
	}
	if slices.Contains(original.Types(), "array") {
		return schema.Array
	}
	return schema.Object
}

// restorer walks through arguments and the normalized schema together.
type restorer struct {
	steps.Counter

	root     *schema.Node
	values   int                          // the number of values in the root
	nulls    map[*schema.Node]bool        // the branches whose null means that a property is absent
	explicit map[*schema.Node]string      // the properties with an object that stands for null, and the name of its member
	absent   map[*schema.Node][]string    // the objects with properties whose absence means null, and these properties
	renamed  map[*schema.Node]string      // the renamed properties, and their given names
	texts    map[*schema.Node]schema.Kind // the schemas of JSON text, and the kind of the value in it

	// The others are caches.
	fitting   map[fit]bool
	members   schema.Indices
	resources *schema.Resources             // of the root; nil until a reference is followed
	targets   map[*schema.Node]*schema.Node // of references
	parsed    map[*schema.Node]*schema.Node // the values of JSON texts
}

// fit is the question whether a schema accepts a value. If limited is set, the value also has to
// keep the limits that the schema had before it was normalized.
type fit struct {
	node, value *schema.Node
	limited     bool
}

// maxRestoring bounds the steps of a restorer: one for each value and member that it looks at to
// find the branches that a value is for, and stepsPerFit for each answer that it keeps.
const maxRestoring = 10_000_000

// stepsPerFit is the number of steps that an answer to a fit costs, because it is kept.
const stepsPerFit = 16

var errTooComplex = errors.New("the arguments are too complex to be restored")

// start restores the arguments, or returns them as they are if that takes more than maxRestoring
// steps, as with ten thousand elements of a union of ten thousand branches.
func (r *restorer) start(arguments *schema.Node) (restored *schema.Node) {
	var err error
	defer func() {
		if err != nil {
			restored = arguments
		}
	}()
	defer steps.Recover(&err)
	r.Bound(maxRestoring, errTooComplex)
	return r.restore(arguments, []*schema.Node{r.root})
}

// restore returns the value for the given tool, which is the value itself if nothing in it has to
// change. schemas are the normalized schemas that apply to the value.
func (r *restorer) restore(value *schema.Node, schemas []*schema.Node) *schema.Node {
	isText := value.Kind == schema.String && len(r.texts) > 0
	if !isText && value.Kind != schema.Object && value.Kind != schema.Array {
		return value
	}
	var applied []*schema.Node
	for _, node := range schemas {
		applied = r.apply(node, value, applied)
	}
	switch {
	case len(applied) == 0:
		return value
	case value.Kind == schema.Object:
		return r.restoreObject(value, applied)
	case value.Kind == schema.Array:
		return r.restoreArray(value, applied)
	}
	if slices.ContainsFunc(applied, func(node *schema.Node) bool { return r.isTextFor(node, value) }) {
		return r.parse(value)
	}
	return value
}

// isTextFor reports whether a schema is one of JSON text, and the value is such a text.
func (r *restorer) isTextFor(node, value *schema.Node) bool {
	kind, isText := r.texts[node]
	parsed := r.parse(value)
	return isText && parsed != nil && parsed.Kind == kind
}

// parse returns the object or array whose JSON text is the string, or nil.
func (r *restorer) parse(value *schema.Node) *schema.Node {
	result, known := r.parsed[value]
	if !known {
		parsed, err := schema.Parse([]byte(value.Text))
		if err == nil && (parsed.Kind == schema.Object || parsed.Kind == schema.Array) {
			result = parsed
		}
		r.parsed[value] = result
	}
	return result
}

func (r *restorer) restoreObject(value *schema.Node, applied []*schema.Node) *schema.Node {
	members := make([]schema.Member, 0, len(value.Members))
	changed := false
	isThere := schema.Among(value.Keys())
	for _, member := range value.Members {
		var below []*schema.Node
		for _, node := range applied {
			if property := r.property(node, member.Key); property != nil {
				below = append(below, property)
			}
		}
		if member.Value.Kind == schema.Null && slices.ContainsFunc(below, r.isAbsentAsNull) {
			changed = true
			continue
		}
		restored := r.restore(member.Value, below)
		if slices.ContainsFunc(below, func(property *schema.Node) bool { return r.isNullItself(property, member.Value) }) {
			restored = &schema.Node{}
		}
		changed = changed || restored != member.Value
		member.Value = restored
		if name, isRenamed := r.givenName(below); isRenamed && !isThere(name) {
			member.Key, changed = name, true
		}
		members = append(members, member)
	}
	for _, node := range applied {
		for _, name := range r.absent[node] {
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
func (r *restorer) givenName(schemas []*schema.Node) (name string, isRenamed bool) {
	for _, node := range schemas {
		if name, ok := r.renamed[node]; ok {
			return name, true
		}
	}
	return "", false
}

func (r *restorer) restoreArray(value *schema.Node, applied []*schema.Node) *schema.Node {
	elements := make([]*schema.Node, len(value.Elements))
	changed := false
	for i, element := range value.Elements {
		var below []*schema.Node
		for _, node := range applied {
			if item := itemAt(node, i); item != nil {
				below = append(below, item)
			}
		}
		elements[i] = r.restore(element, below)
		changed = changed || elements[i] != element
	}
	if !changed {
		return value
	}
	result := standIn(value)
	result.Elements = elements
	return result
}

// standIn returns an empty object or array with the position of the value that it replaces.
func standIn(value *schema.Node) *schema.Node {
	from := value.From
	if from == nil {
		from = value
	}
	return &schema.Node{Kind: value.Kind, Position: value.Position, From: from}
}

// isNullItself reports whether the value of a property is the object that stands for null there.
func (r *restorer) isNullItself(property, value *schema.Node) bool {
	name, ok := r.explicit[property]
	return ok && value.Kind == schema.Object && len(value.Members) == 1 && value.Members[0].Key == name && value.Members[0].Value.Kind == schema.Null
}

// isAbsentAsNull reports whether null as the value of a property means that the property is absent.
// The rule optional_to_nullable adds this null, and an object that stands for null if the property
// accepted null before.
func (r *restorer) isAbsentAsNull(property *schema.Node) bool {
	_, stands := r.explicit[property]
	return stands || slices.ContainsFunc(elementsOf(property.Get("anyOf")), func(branch *schema.Node) bool { return r.nulls[branch] })
}

// apply appends a schema to applied, and with it the schemas through which it applies to the value:
// the target of its reference, the branches of unions that the value is for, and those of allOf.
func (r *restorer) apply(node, value *schema.Node, applied []*schema.Node) []*schema.Node {
	if node == nil || node.Kind != schema.Object || slices.Contains(applied, node) {
		return applied
	}
	r.Charge(1 + len(node.Members) + len(applied))
	applied = append(applied, node)
	if node.Reference() != "" {
		applied = r.apply(r.target(node), value, applied)
	}
	for _, keyword := range unions {
		applied = r.apply(r.chosen(elementsOf(node.Get(keyword)), value), value, applied)
	}
	for _, part := range elementsOf(node.Get("allOf")) {
		applied = r.apply(part, value, applied)
	}
	return applied
}

var unions = []string{"anyOf", "oneOf"}

// chosen returns the branch that the value is for: the first that accepts it within the limits that
// the branch had before it was normalized, or else the first that accepts it, or else the only branch
// for values of its type. It returns nil if there is no such branch.
func (r *restorer) chosen(branches []*schema.Node, value *schema.Node) *schema.Node {
	// A branch of JSON text comes first, because another branch may accept any string.
	if value.Kind == schema.String {
		for _, branch := range branches {
			if r.isTextFor(branch, value) {
				return branch
			}
		}
	}
	for _, limited := range []bool{true, false} {
		for _, branch := range branches {
			if r.fits(fit{branch, value, limited}) {
				return branch
			}
		}
	}
	var only *schema.Node
	for _, branch := range branches {
		content := branch
		if branch.Reference() != "" {
			content = r.target(branch)
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

// fits reports whether a schema accepts a value, as far as the keywords tell that distinguish the
// branches of normalized schemas.
func (r *restorer) fits(question fit) bool {
	node, value := question.node, question.value
	if node == nil || node.Kind != schema.Object {
		return !node.IsFalse()
	}
	if value.Kind == schema.Null && node.Get("nullable").IsTrue() {
		return true // even if the branches and the enum refuse null
	}
	if known, ok := r.fitting[question]; ok {
		return known
	}
	r.Charge(stepsPerFit + len(node.Members) + len(value.Members) + len(value.Elements) + len(elementsOf(node.Get("enum"))))
	r.fitting[question] = false // until it is known: a schema that leads only to itself accepts nothing
	fits := isOfTypes(node, value) && isOneOfValues(node, value) && (!question.limited || keepsLimits(node.From, value)) &&
		r.fitsOthers(question) && r.fitsBelow(question)
	r.fitting[question] = fits
	return fits
}

// isOfTypes reports whether the type of a schema, in any case of letters, allows the value.
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
	return values == nil || slices.ContainsFunc(values.Elements, func(listed *schema.Node) bool { return schema.Equal(listed, value) })
}

// fitsOthers reports whether the schemas that node refers to or combines accept the value.
func (r *restorer) fitsOthers(question fit) bool {
	node := question.node
	takes := func(other *schema.Node) bool { return r.fits(fit{other, question.value, question.limited}) }
	if node.Reference() != "" && !takes(r.target(node)) {
		return false
	}
	for _, keyword := range unions {
		if union := node.Get(keyword); union != nil && !slices.ContainsFunc(union.Elements, takes) {
			return false
		}
	}
	return !slices.ContainsFunc(elementsOf(node.Get("allOf")), func(part *schema.Node) bool { return !takes(part) })
}

// fitsBelow reports whether the members or the elements of the value fit.
func (r *restorer) fitsBelow(question fit) bool {
	node, value := question.node, question.value
	if value.Kind == schema.Object {
		isThere := schema.Among(value.Keys())
		if slices.ContainsFunc(node.Get("required").Strings(), func(name string) bool { return !isThere(name) }) {
			return false
		}
	}
	for _, member := range value.Members {
		if !r.fits(fit{r.property(node, member.Key), member.Value, question.limited}) {
			return false
		}
	}
	for i, element := range value.Elements {
		if !r.fits(fit{itemAt(node, i), element, question.limited}) {
			return false
		}
	}
	return true
}

// property returns the schema of a member of an object, or nil.
func (r *restorer) property(node *schema.Node, name string) *schema.Node {
	if property := r.members.Get(node.Get("properties"), name); property != nil {
		return property
	}
	return node.Get("additionalProperties")
}

// target returns the schema that the reference of a schema leads to, or nil.
func (r *restorer) target(node *schema.Node) *schema.Node {
	target, known := r.targets[node]
	if !known {
		r.Charge(stepsPerFit + r.values)
		if r.resources == nil {
			r.resources = schema.NewResources(r.root)
		}
		target = r.resources.Resolve(node, node.Reference())
		r.targets[node] = target
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
