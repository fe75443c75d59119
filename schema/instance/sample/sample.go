// Package sample makes random values that a schema accepts, in a bounded number of steps. It
// understands the keywords of JSON Schema and of the providers.
package sample

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"toolproof/schema"
)

// sampler makes values that schemas accept. It builds a value according to types, enum and const,
// references, combinations of schemas, members of objects, elements of arrays, bounds and
// patterns. Keywords that it cannot build for, such as not, it checks on a finished value, and
// tries again if the value fails. It does not use the validator of package instance, because a
// hostile schema can keep that busy for ever.
type sampler struct {
	root   *schema.Node // the schema in which references are resolved
	random *rand.Rand
	steps  int // how many more schemas may be visited
	// resources are those of root; nil until a reference is followed
	resources *schema.Resources
}

const (
	maxSteps = 20_000 // this also bounds references that multiply
	deep     = 3      // the depth below which only required values are made
	maxText  = 100_000
)

// Object returns an object that the schema accepts, or nil if it finds none. A nil schema
// accepts any object.
func Object(root *schema.Node, random *rand.Rand) *schema.Node {
	isObject := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	if root == nil {
		return Value(isObject, random, isObject)
	}
	return Value(root, random, isObject, root)
}

// Value returns a value that all the schemas accept, or nil if it finds none. It resolves their
// references in root.
func Value(root *schema.Node, random *rand.Rand, schemas ...*schema.Node) *schema.Node {
	s := &sampler{root: root, random: random, steps: maxSteps}
	value := s.solve(problem{pending: schemas})
	if s.steps < 0 {
		return nil // the last judgement is incomplete
	}
	return value
}

// charge counts the cost of looking through a number of values.
func (s *sampler) charge(values int) { s.steps -= values / 16 }

// problem is a set of schemas that one value has to satisfy.
type problem struct {
	pending []*schema.Node     // the schemas that are not visited yet
	unions  [][][]*schema.Node // the open choices: each is a list of alternatives, and each alternative a list of schemas
	flat    []*schema.Node     // the visited schemas, whose references, combinations and choices are in the other lists
	doubts  []*schema.Node     // the schemas of flat that a finished value is checked against
	depth   int
}

// solve returns a value, or nil.
func (s *sampler) solve(p problem) *schema.Node {
	s.steps-- // even if no schema constrains the value
	s.charge(len(p.flat) + len(p.unions))
	if s.steps < 0 {
		return nil
	}
	p.pending, p.unions, p.flat, p.doubts = slices.Clone(p.pending), slices.Clone(p.unions), slices.Clone(p.flat), slices.Clone(p.doubts)
	for i := 0; i < len(p.pending); i++ {
		if s.steps--; s.steps < 0 {
			return nil
		}
		node := p.pending[i]
		if node.IsFalse() {
			return nil
		}
		if node == nil || node.Kind != schema.Object || slices.Contains(p.flat, node) {
			continue
		}
		s.charge(len(node.Members) + len(p.flat))
		p.flat = append(p.flat, node)
		isDoubtful := slices.ContainsFunc([]string{"oneOf", "not", "if", "dependentSchemas", "dependencies"}, node.Has)
		if reference := referenceOf(node); reference != nil {
			target := s.resolve(node, reference.Text)
			if target == nil {
				return nil
			}
			isDoubtful = isDoubtful || slices.Contains(p.flat, target) // the reference can lead back to the schema
			p.pending = append(p.pending, target)
		}
		if isDoubtful {
			p.doubts = append(p.doubts, node)
		}
		p.pending = append(p.pending, elements(node.Get("allOf"))...)
		p.unions = append(p.unions, unionsOf(node)...)
	}
	if len(p.unions) == 0 {
		return s.undoubted(p)
	}
	for _, alternative := range s.ordered(p.unions[0], p.depth) {
		if value := s.solve(problem{pending: alternative, unions: p.unions[1:], flat: p.flat, doubts: p.doubts, depth: p.depth}); value != nil {
			return value
		}
	}
	return nil
}

// undoubted makes values until one satisfies all schemas in doubts. It gives up after some tries.
func (s *sampler) undoubted(p problem) *schema.Node {
	const tries = 20
	for range tries {
		value := s.draw(p.flat, p.depth)
		if value == nil || !slices.ContainsFunc(p.doubts, func(node *schema.Node) bool { return !s.accepts(node, value) }) {
			return value
		}
	}
	return nil
}

// unionsOf returns the choices that a schema offers.
func unionsOf(node *schema.Node) [][][]*schema.Node {
	var unions [][][]*schema.Node
	for _, branches := range []*schema.Node{node.Get("anyOf"), node.Get("oneOf")} {
		var union [][]*schema.Node
		for _, branch := range elements(branches) {
			union = append(union, []*schema.Node{branch})
		}
		if len(union) > 0 {
			unions = append(unions, union)
		}
	}
	if condition := node.Get("if"); condition != nil {
		var otherwise []*schema.Node
		if other := node.Get("else"); other != nil {
			otherwise = []*schema.Node{other}
		}
		fulfilled := []*schema.Node{condition}
		if then := node.Get("then"); then != nil {
			fulfilled = append(fulfilled, then)
		}
		unions = append(unions, [][]*schema.Node{fulfilled, otherwise})
	}
	return unions
}

// ordered returns the alternatives in the order in which to try them: from a random one on, or
// by their cost if the value is deep.
func (s *sampler) ordered(union [][]*schema.Node, depth int) [][]*schema.Node {
	s.charge(len(union))
	if depth > deep {
		return slices.SortedStableFunc(slices.Values(union), func(a, b []*schema.Node) int { return cmp.Compare(s.cost(a), s.cost(b)) })
	}
	start := s.random.IntN(len(union))
	return slices.Concat(union[start:], union[:start])
}

// cost estimates how much has to be made for an alternative.
func (s *sampler) cost(alternative []*schema.Node) int {
	const reference, object, array = 3, 2, 1
	cost := 0
	for _, node := range alternative {
		types := typesOf(node)
		switch {
		case referenceOf(node) != nil:
			cost = max(cost, reference)
		case slices.Contains(types, "object") && len(elements(node.Get("required"))) > 0:
			cost = max(cost, object)
		case slices.Contains(types, "array"):
			cost = max(cost, array)
		}
	}
	return cost
}

// referenceOf returns the reference of a schema, or nil.
func referenceOf(node *schema.Node) *schema.Node { return node.First("$ref", "ref", "$dynamicRef") }

// resolve returns the schema that a reference of node leads to within root, or nil.
func (s *sampler) resolve(node *schema.Node, reference string) *schema.Node {
	if s.resources == nil {
		s.resources = schema.NewResources(s.root)
	}
	return s.resources.Resolve(node, reference)
}

// draw makes a value for schemas that leave no choice, or nil.
func (s *sampler) draw(flat []*schema.Node, depth int) *schema.Node {
	if values, isListed := s.listed(flat); isListed {
		if len(values) == 0 {
			return nil
		}
		return values[s.random.IntN(len(values))].Clone()
	}
	for _, name := range s.kinds(flat, depth) {
		var value *schema.Node
		switch name {
		case "object":
			value = s.object(flat, depth)
		case "array":
			value = s.array(flat, depth)
		case "string":
			value = s.text(flat)
		case "integer", "number":
			value = s.number(flat, name == "integer")
		case "boolean":
			value = schema.NewBool(s.random.IntN(2) == 0)
		case "null":
			value = &schema.Node{}
		}
		if value != nil {
			return value
		}
	}
	return nil
}

// listed returns the values that enum and const leave, and whether any schema has these
// keywords.
func (s *sampler) listed(flat []*schema.Node) (values []*schema.Node, isListed bool) {
	var lists [][]*schema.Node
	for _, node := range flat {
		if allowed := node.Get("enum"); allowed != nil {
			lists = append(lists, elements(allowed))
		}
		if only := node.Get("const"); only != nil {
			lists = append(lists, []*schema.Node{only})
		}
	}
	for i, allowed := range lists {
		s.charge(len(allowed))
		if i == 0 {
			values, isListed = slices.Clone(allowed), true
			continue
		}
		if s.charge(len(allowed) * len(values)); s.steps < 0 {
			return nil, true
		}
		values = slices.DeleteFunc(values, func(value *schema.Node) bool {
			return !slices.ContainsFunc(allowed, func(other *schema.Node) bool { return schema.Equal(value, other) })
		})
	}
	return slices.DeleteFunc(values, func(value *schema.Node) bool {
		return slices.ContainsFunc(flat, func(node *schema.Node) bool {
			types := typesOf(node)
			return len(types) > 0 && !slices.ContainsFunc(types, value.IsOf)
		})
	}), isListed
}

// typesOf returns the types that a schema names, in JSON Schema's spelling and without words
// that are not types.
func typesOf(node *schema.Node) []string {
	var types []string
	for _, name := range elements(node.Get("type")) {
		switch name := strings.ToLower(name.Text); name {
		case "object", "array", "string", "number", "integer", "boolean", "null":
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	return types
}

// kinds returns the types that a value may have, in the order in which to try them.
func (s *sampler) kinds(flat []*schema.Node, depth int) []string {
	var allowed []string
	for _, node := range flat {
		types := typesOf(node)
		switch {
		case len(types) == 0:
		case allowed == nil:
			allowed = types
		default:
			both := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool {
				return !slices.Contains(types, name) && (name != "integer" || !slices.Contains(types, "number"))
			})
			if slices.Contains(allowed, "number") && slices.Contains(types, "integer") {
				both = append(both, "integer")
			}
			if len(both) == 0 {
				return nil
			}
			allowed = both
		}
	}
	if allowed == nil {
		return []string{suited(flat), "string", "integer", "boolean", "object", "array", "null"}
	}
	s.random.Shuffle(len(allowed), func(i, j int) { allowed[i], allowed[j] = allowed[j], allowed[i] })
	isLast := func(name string) bool {
		if depth > deep {
			return name == "object" || name == "array"
		}
		return name == "null" // a test learns least from null
	}
	slices.SortStableFunc(allowed, func(a, b string) int {
		switch {
		case isLast(a) == isLast(b):
			return 0
		case isLast(a):
			return 1
		default:
			return -1
		}
	})
	return allowed
}

// suited returns the type that the keywords of untyped schemas apply to, or else string.
func suited(flat []*schema.Node) string {
	for _, node := range flat {
		for _, member := range node.Members {
			switch member.Key {
			case "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties":
				return "object"
			case "items", "prefixItems", "minItems", "contains":
				return "array"
			case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
				return "number"
			}
		}
	}
	return "string"
}

// elements returns the elements of an array. Any other value but null counts as an array of
// one.
func elements(node *schema.Node) []*schema.Node {
	switch {
	case node == nil || node.Kind == schema.Null:
		return nil
	case node.Kind == schema.Array:
		return node.Elements
	default:
		return []*schema.Node{node}
	}
}

// limit returns the strictest value of a keyword: the largest if its name begins with min, else
// the smallest. It returns otherwise if no schema has one.
func limit(flat []*schema.Node, keyword string, otherwise int) int {
	isLeast, isSet := strings.HasPrefix(keyword, "min"), false
	value := otherwise
	for _, node := range flat {
		found := rational(node.Get(keyword))
		if found == nil {
			continue
		}
		float, _ := found.Float64()
		number := int(min(float, 1<<30))
		if !isSet || isLeast && number > value || !isLeast && number < value {
			value, isSet = number, true
		}
	}
	return value
}

// rational returns the value of a number or of a number in a string, which Google's APIs
// accept, too.
func rational(node *schema.Node) *big.Rat {
	if node != nil && node.Kind == schema.String {
		node = schema.NewNumber(node.Text)
	}
	return node.Rat()
}
