package meaning

import (
	"slices"
	"strings"

	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// sayer says instances of the tool as it was given to the normalized tool: it makes
// arguments of them, from which the way back makes them again.
type sayer struct {
	root      *schema.Node
	resources *schema.Resources
	given     map[*schema.Node]string   // the names that properties had
	renamed   map[*schema.Node]bool     // the schemas of properties that were renamed
	left      map[*schema.Node][]string // the properties that are left out for null
	texts     map[*schema.Node]bool     // the schemas of JSON as text
	isBelow   bool                      // the root is the property value of another
}

func newSayer(result normalizers.Result) *sayer {
	s := &sayer{
		root: result.Tool.Parameters, resources: schema.NewResources(result.Tool.Parameters), given: map[*schema.Node]string{}, renamed: map[*schema.Node]bool{},
		left: map[*schema.Node][]string{}, texts: map[*schema.Node]bool{},
	}
	for i := range result.Changes {
		change := &result.Changes[i]
		switch {
		case !change.Restored:
		case change.Rule == "wrap_root":
			s.isBelow = true
		case change.Rule == "property_keys":
			property := change.After.Members[0].Value
			s.given[property], s.renamed[property] = change.Before.Members[0].Key, true
		case change.Rule == "json_text":
			s.texts[change.Schema] = true
		case change.Property != "":
			s.left[change.Schema] = append(s.left[change.Schema], change.Property)
		}
	}
	return s
}

// candidates returns the arguments that may say an instance: in the names of the schema,
// with null for what is absent and required, without null where that is left out, and as
// text where JSON is one; for each branch that the instance may be meant for.
func (s *sayer) candidates(instance *schema.Node) []*schema.Node {
	if s.isBelow {
		instance = schema.NewObject(schema.Member{Key: "value", Value: instance})
	}
	return append(s.say(s.root, instance, 0), instance)
}

// maxSaid is how many ways there are to say a value that are tried, and maxNested how
// many references and unions may lead to a value.
const (
	maxSaid   = 64
	maxNested = 60
)

func (s *sayer) say(node, instance *schema.Node, nested int) []*schema.Node {
	if nested > maxNested || node.IsFalse() {
		return nil
	}
	if node.IsTrue() {
		return []*schema.Node{instance}
	}
	if reference := rewrite.Reference(node); reference != "" && len(node.Members) == 1 {
		if target := s.resources.Resolve(node, reference); target != nil {
			return s.say(target, instance, nested+1)
		}
	}
	var candidates []*schema.Node
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, branch := range listed(node, keyword) {
			candidates = append(candidates, s.say(branch, instance, nested+1)...)
		}
	}
	if node.Has("anyOf") && instance.Kind == schema.Null && node.Get("nullable").IsTrue() {
		candidates = append(candidates, instance)
	}
	if node.Has("anyOf") && !node.Has("properties") && !node.Has("items") {
		return candidates[:min(len(candidates), maxSaid)]
	}
	if s.texts[node] && (instance.Kind == schema.Object || instance.Kind == schema.Array) {
		return append(candidates, schema.NewString(instance.String()))
	}
	if !isOfTypes(node, instance) || !isAmong(node, instance) {
		return candidates
	}
	switch instance.Kind {
	case schema.Object:
		candidates = append(candidates, s.object(node, instance, nested)...)
	case schema.Array:
		candidates = append(candidates, s.array(node, instance, nested)...)
	default:
		candidates = append(candidates, instance)
	}
	return candidates[:min(len(candidates), maxSaid)]
}

// object says an object to a schema of objects.
func (s *sayer) object(node, instance *schema.Node, nested int) []*schema.Node {
	names := map[string]schema.Member{}
	for _, property := range membersOf(node.Get("properties")) {
		name := property.Key
		if s.renamed[property.Value] {
			name = s.given[property.Value]
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
			key, values = property.Key, s.say(property.Value, member.Value, nested+1)
		case rest.IsFalse():
			return nil
		case rest != nil && rest.Kind == schema.Object:
			values = s.say(rest, member.Value, nested+1)
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

// array says an array to a schema of arrays.
func (s *sayer) array(node, instance *schema.Node, nested int) []*schema.Node {
	said := []*schema.Node{{Kind: schema.Array}}
	first, items := listed(node, "prefixItems"), node.Get("items")
	for i, element := range instance.Elements {
		values := []*schema.Node{element}
		if i < len(first) {
			values = s.say(first[i], element, nested+1)
		} else if items != nil {
			values = s.say(items, element, nested+1)
		}
		said = extended(said, values, func(to, value *schema.Node) { to.Elements = append(to.Elements, value) })
	}
	return said
}

// extended returns each of the values with each of what may be added. The first of both
// come first, so that what is most likely meant is tried early.
func extended(said, values []*schema.Node, add func(to, value *schema.Node)) []*schema.Node {
	longer := make([]*schema.Node, 0, min(len(said)*len(values), maxSaid))
	for _, value := range values {
		for _, one := range said {
			if len(longer) == maxSaid {
				return longer
			}
			next := *one
			next.Members, next.Elements = slices.Clone(one.Members), slices.Clone(one.Elements)
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
