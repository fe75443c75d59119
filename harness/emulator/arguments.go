package emulator

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"toolproof/schema"
)

// sampler makes values that schemas accept. It follows what declarations are made of:
// types, enum and const, references, combinations of schemas, the members of objects,
// the elements of arrays, bounds, patterns. It does not look at not, and takes a value
// of one branch of oneOf to be of no other.
type sampler struct {
	root   *schema.Node // that references lead into
	random *rand.Rand
	steps  int // how many more schemas may be looked at
}

const (
	maxSteps = 50_000 // also where references multiply
	deep     = 3      // from which depth on only what is required is made
	maxText  = 100_000
)

// sampleObject returns an object that the schema accepts, or nil where none is found.
// An absent schema takes any object.
func sampleObject(root *schema.Node, random *rand.Rand) *schema.Node {
	isObject := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	if root == nil {
		root = isObject
	}
	s := &sampler{root: root, random: random, steps: maxSteps}
	return s.solve(problem{pending: []*schema.Node{isObject, root}})
}

// sample returns a value that the schema accepts, or nil where none is found.
func sample(root *schema.Node, random *rand.Rand) *schema.Node {
	s := &sampler{root: root, random: random, steps: maxSteps}
	return s.solve(problem{pending: []*schema.Node{root}})
}

// problem is a set of schemas that one value has to satisfy.
type problem struct {
	pending []*schema.Node     // not looked at yet
	unions  [][][]*schema.Node // choices to be made: alternatives, each of which is some schemas
	flat    []*schema.Node     // looked at: references, combinations and choices are taken out of them
	depth   int
}

// solve returns a value, or nil.
func (s *sampler) solve(p problem) *schema.Node {
	for len(p.pending) > 0 {
		if s.steps--; s.steps < 0 {
			return nil
		}
		node := p.pending[0]
		p.pending = p.pending[1:]
		if node.IsFalse() {
			return nil
		}
		if node == nil || node.Kind != schema.Object {
			continue
		}
		p.flat = append(slices.Clip(p.flat), node)
		if reference := node.First("$ref", "ref"); reference != nil {
			target := s.resolve(reference.Text)
			if target == nil {
				return nil
			}
			p.pending = append(slices.Clip(p.pending), target)
		}
		p.pending = append(slices.Clip(p.pending), elements(node.First("allOf", "all_of"))...)
		p.unions = append(slices.Clip(p.unions), unionsOf(node)...)
	}
	if len(p.unions) == 0 {
		return s.draw(p.flat, p.depth)
	}
	for _, alternative := range s.ordered(p.unions[0], p.depth) {
		if value := s.solve(problem{pending: alternative, unions: p.unions[1:], flat: p.flat, depth: p.depth}); value != nil {
			return value
		}
	}
	return nil
}

// unionsOf returns the choices that a schema leaves.
func unionsOf(node *schema.Node) [][][]*schema.Node {
	var unions [][][]*schema.Node
	for _, branches := range []*schema.Node{node.First("anyOf", "any_of"), node.First("oneOf", "one_of")} {
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

// ordered returns the alternatives in the order in which they are tried: from a random
// one on, or the small ones first where the value is deep already.
func (s *sampler) ordered(union [][]*schema.Node, depth int) [][]*schema.Node {
	if depth > deep {
		return slices.SortedStableFunc(slices.Values(union), func(a, b []*schema.Node) int { return cmp.Compare(s.cost(a), s.cost(b)) })
	}
	start := s.random.IntN(len(union))
	return slices.Concat(union[start:], union[:start])
}

// cost tells alternatives apart by how much has to be made for them.
func (s *sampler) cost(alternative []*schema.Node) int {
	const reference, object, array = 3, 2, 1
	cost := 0
	for _, node := range alternative {
		types := typesOf(node)
		switch {
		case node.First("$ref", "ref") != nil:
			cost = max(cost, reference)
		case slices.Contains(types, "object") && len(elements(node.Get("required"))) > 0:
			cost = max(cost, object)
		case slices.Contains(types, "array"):
			cost = max(cost, array)
		}
	}
	return cost
}

// resolve returns what a reference within the schema leads to, or nil.
func (s *sampler) resolve(reference string) *schema.Node {
	pointer, isLocal := strings.CutPrefix(reference, "#")
	if !isLocal {
		return nil
	}
	if decoded, err := url.PathUnescape(pointer); err == nil {
		pointer = decoded
	}
	return s.root.Find(schema.Pointer(pointer))
}

// draw makes a value for schemas that leave no choice.
func (s *sampler) draw(flat []*schema.Node, depth int) *schema.Node {
	if values, isListed := listed(flat); isListed {
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

// listed returns the values that enum and const leave, and whether there is any of them.
func listed(flat []*schema.Node) (values []*schema.Node, isListed bool) {
	for _, node := range flat {
		allowed := elements(node.Get("enum"))
		if only := node.Get("const"); only != nil {
			allowed = []*schema.Node{only}
		} else if len(allowed) == 0 {
			continue
		}
		if !isListed {
			values, isListed = slices.Clone(allowed), true
			continue
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

// typesOf returns the types that a schema names, in the words of JSON Schema.
func typesOf(node *schema.Node) []string {
	var types []string
	for _, name := range elements(node.Get("type")) {
		types = append(types, strings.ToLower(name.Text))
	}
	return types
}

// kinds returns the types that a value may have, in the order in which they are tried.
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
		return []string{suited(flat)}
	}
	s.random.Shuffle(len(allowed), func(i, j int) { allowed[i], allowed[j] = allowed[j], allowed[i] })
	isLast := func(name string) bool {
		if depth > deep {
			return name == "object" || name == "array"
		}
		return name == "null" // says least
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

// suited returns the type that the keywords of schemas without a type speak of.
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

// elements returns the elements of a list; another value counts as a list of one.
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

// limit returns the strictest value of a keyword: the largest of those that begin with
// min, the smallest of others; otherwise when there is none.
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

// rational returns the value of a number, which Google's APIs take as a string too.
func rational(node *schema.Node) *big.Rat {
	if node != nil && node.Kind == schema.String {
		node = schema.NewNumber(node.Text)
	}
	return node.Rat()
}
