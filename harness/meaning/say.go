package meaning

import (
	"slices"
	"strings"

	"toolproof/normalizers"
	"toolproof/schema"
)

// sayer translates instances of the original tool to arguments of the normalized one, by
// inverting the changes that Restore undoes.
type sayer struct {
	root      *schema.Node
	resources *schema.Resources
	nulls     map[*schema.Node]*schema.Node // by schema of a property for which null means absence: the schema that stands for null
	original  map[*schema.Node]string       // original names of properties, by their schemas
	renamed   map[*schema.Node]bool         // schemas of renamed properties
	left      map[*schema.Node][]string     // properties left out instead of null, by schema
	texts     map[*schema.Node]schema.Kind  // schemas of JSON texts with the type of the text's value
	isBelow   bool                          // the original is the property value of the normalized root
	steps     int                           // how many more schemas may be visited
	// isForced is set to keep parts that cannot be translated as they are.
	isForced bool
}

// Say returns arguments of the normalized tool for an instance of the original: if possible,
// ones that restore to the instance, and else any that the normalized tool accepts. It returns
// nil if it finds none.
func Say(result normalizers.Result, normalized Validator, instance *schema.Node) *schema.Node {
	var said *schema.Node
	for _, arguments := range newSayer(result).candidates(instance) {
		if !normalized.Accepts(arguments) {
			continue
		}
		if schema.Equal(result.Restore(arguments), instance) {
			return arguments
		}
		if said == nil {
			said = arguments
		}
	}
	return said
}

func newSayer(result normalizers.Result) *sayer {
	s := &sayer{
		root: result.Tool.Parameters, resources: schema.NewResources(result.Tool.Parameters),
		nulls: map[*schema.Node]*schema.Node{}, original: map[*schema.Node]string{}, renamed: map[*schema.Node]bool{},
		left: map[*schema.Node][]string{}, texts: map[*schema.Node]schema.Kind{},
	}
	for i := range result.Changes {
		change := &result.Changes[i]
		switch {
		case !change.Restored:
		case change.Rule == "wrap_root":
			s.isBelow = true
		case change.Rule == "property_keys":
			property := change.After.Node().Members[0].Value
			s.original[property], s.renamed[property] = change.Before.Node().Members[0].Key, true
		case change.Rule == "optional_to_nullable":
			if branches := listed(change.After.Node(), "anyOf"); len(branches) > 0 && branches[len(branches)-1].Has("required") {
				s.nulls[change.Schema] = branches[len(branches)-1]
			}
		case change.Rule == "json_text":
			s.texts[change.Schema] = schema.Object
			if strings.Contains(change.After.Node().GetString("description"), "An array as JSON text.") {
				s.texts[change.Schema] = schema.Array
			}
		case change.Property != "":
			s.left[change.Schema] = append(s.left[change.Schema], change.Property)
		}
	}
	return s
}

// candidates returns arguments that may stand for an instance, in order of likelihood. They use
// the names of the normalized schema, null for required properties that are absent, no null
// where it is left out, and JSON texts, for each branch that the instance may be meant for.
func (s *sayer) candidates(instance *schema.Node) []*schema.Node {
	if s.isBelow {
		instance = schema.NewObject(schema.Member{Key: "value", Value: instance})
	}
	s.steps, s.isForced = maxSteps, false
	said := s.say(s.root, instance)
	if len(said) == 0 {
		// A part has no translation and stays as it is.
		s.steps, s.isForced = maxSteps, true
		said = s.say(s.root, instance)
	}
	return append(said, instance)
}

// maxSaid is the largest number of translations of one value, and maxSteps bounds the schemas
// visited, since schemas may refer to each other.
const (
	maxSaid  = 64
	maxSteps = 5000
)

func (s *sayer) say(node, instance *schema.Node) []*schema.Node {
	if s.steps--; s.steps < 0 || node.IsFalse() {
		return nil
	}
	if node.IsTrue() {
		return []*schema.Node{instance}
	}
	if reference := node.Reference(); reference != "" && len(node.Members) == 1 {
		if target := s.resources.Resolve(node, reference); target != nil {
			return s.say(target, instance)
		}
	}
	if null := s.nulls[node]; null != nil && instance.Kind == schema.Null {
		return []*schema.Node{schema.NewObject(schema.Member{Key: null.Get("required").Strings()[0], Value: instance})}
	}
	var candidates []*schema.Node
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, branch := range listed(node, keyword) {
			candidates = append(candidates, s.say(branch, instance)...)
		}
	}
	if node.Has("anyOf") && instance.Kind == schema.Null && node.Get("nullable").IsTrue() {
		candidates = append(candidates, instance)
	}
	if node.Has("anyOf") && !node.Has("properties") && !node.Has("items") {
		return candidates[:min(len(candidates), maxSaid)]
	}
	if kind, isText := s.texts[node]; isText && instance.Kind == kind {
		return append(candidates, schema.NewString(instance.String()))
	}
	if !isOfTypes(node, instance) || !isAmong(node, instance) {
		return candidates
	}
	switch instance.Kind {
	case schema.Object:
		candidates = append(candidates, s.object(node, instance)...)
	case schema.Array:
		candidates = append(candidates, s.array(node, instance)...)
	default:
		candidates = append(candidates, instance)
	}
	return candidates[:min(len(candidates), maxSaid)]
}

// object translates an object by a schema of objects.
func (s *sayer) object(node, instance *schema.Node) []*schema.Node {
	names := map[string]schema.Member{}
	for _, property := range membersOf(node.Get("properties")) {
		name := property.Key
		if s.renamed[property.Value] {
			name = s.original[property.Value]
		}
		names[name] = property
	}
	said := []*schema.Node{{Kind: schema.Object}}
	for _, member := range instance.Members {
		if member.Value.Kind == schema.Null && slices.Contains(s.left[node], member.Key) {
			continue
		}
		property, isDeclared := names[member.Key]
		values := []*schema.Node{member.Value}
		key := member.Key
		switch rest := node.Get("additionalProperties"); {
		case isDeclared:
			key, values = property.Key, s.part(property.Value, member.Value)
		case rest.IsFalse() && !s.isForced:
			return nil
		case rest != nil && rest.Kind == schema.Object:
			values = s.part(rest, member.Value)
		}
		said = extended(said, values, func(to, value *schema.Node) { to.Members = append(to.Members, schema.Member{Key: key, Value: value}) })
	}
	for _, name := range node.Get("required").Strings() {
		if len(said) > 0 && !said[0].Has(name) {
			said = extended(said, []*schema.Node{{}}, func(to, value *schema.Node) { to.Set(name, value) })
		}
	}
	return said
}

// part translates a part of a value.
func (s *sayer) part(node, value *schema.Node) []*schema.Node {
	said := s.say(node, value)
	if len(said) == 0 && s.isForced {
		return []*schema.Node{value}
	}
	return said
}

// array translates an array by a schema of arrays.
func (s *sayer) array(node, instance *schema.Node) []*schema.Node {
	said := []*schema.Node{{Kind: schema.Array}}
	first, items := listed(node, "prefixItems"), node.Get("items")
	for i, element := range instance.Elements {
		values := []*schema.Node{element}
		if i < len(first) {
			values = s.part(first[i], element)
		} else if items != nil {
			values = s.part(items, element)
		}
		said = extended(said, values, func(to, value *schema.Node) { to.Elements = append(to.Elements, value) })
	}
	return said
}

// extended returns every value of said extended by every one of values. The combinations of the
// first ones come first, so that the likeliest are tried early.
func extended(said, values []*schema.Node, add func(to, value *schema.Node)) []*schema.Node {
	longer := make([]*schema.Node, 0, min(len(said)*len(values), maxSaid))
	for _, value := range values {
		for _, base := range said {
			if len(longer) == maxSaid {
				return longer
			}
			next := *base
			next.Members, next.Elements = slices.Clone(base.Members), slices.Clone(base.Elements)
			add(&next, value)
			longer = append(longer, &next)
		}
	}
	return longer
}

func isOfTypes(node, instance *schema.Node) bool {
	if !node.Has("type") || instance.Kind == schema.Null && node.Get("nullable").IsTrue() {
		return true
	}
	return slices.ContainsFunc(append(node.Get("type").Strings(), node.GetString("type")), func(name string) bool {
		return instance.IsOf(strings.ToLower(name))
	})
}

func isAmong(node, instance *schema.Node) bool {
	if only := node.Get("const"); only != nil && !schema.Equal(only, instance) {
		return false
	}
	values := node.Get("enum")
	return values == nil || instance.Kind == schema.Null && node.Get("nullable").IsTrue() ||
		slices.ContainsFunc(values.Elements, func(value *schema.Node) bool { return schema.Equal(value, instance) })
}
