package meaning

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// Instances returns different values, not more than most: some that the schema accepts, and
// those changed in one or two places, which it may refuse. The same seed gives the same values.
func Instances(root *schema.Node, seed uint64, most int) []*schema.Node {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // instances have to be reproducible
	g := &generator{root: root, resources: schema.NewResources(root), random: random, seen: map[uint64]bool{}}
	const bases = 4
	for range bases {
		g.add(sample.Value(root, g.random, root))
	}
	g.add(sample.Object(root, g.random))
	g.add(schema.NewObject())
	first := slices.Clone(g.values)
	g.mutate(first, most*2/3)
	changed := g.values[len(first):]
	var again []*schema.Node
	for range min(bases, len(changed)) {
		again = append(again, changed[g.random.IntN(len(changed))])
	}
	g.mutate(again, most)
	return g.values[:min(len(g.values), most)]
}

// generator collects different values.
type generator struct {
	root      *schema.Node
	resources *schema.Resources
	random    *rand.Rand
	values    []*schema.Node
	seen      map[uint64]bool
}

// maxSize is the largest number of JSON values in an instance.
const maxSize = 5000

func (g *generator) add(instance *schema.Node) {
	if instance == nil || instance.Size() > maxSize || g.seen[instance.Hash()] {
		return
	}
	g.seen[instance.Hash()] = true
	g.values = append(g.values, instance)
}

// mutate adds changed instances until there are most values.
func (g *generator) mutate(instances []*schema.Node, most int) {
	var edits []edit
	for _, instance := range instances {
		g.edits(instance, g.applied(nil, g.root), func(changed *schema.Node) *schema.Node { return changed }, &edits)
	}
	g.random.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
	for _, change := range edits {
		if len(g.values) >= most {
			return
		}
		g.add(change())
	}
}

// edit returns a changed instance, or nil.
type edit func() *schema.Node

// applied appends a schema and the schemas that it may apply to the same value.
func (g *generator) applied(list []*schema.Node, node *schema.Node) []*schema.Node {
	if node == nil || node.Kind != schema.Object || slices.Contains(list, node) {
		return list
	}
	list = append(list, node)
	if reference := node.Reference(); reference != "" {
		list = g.applied(list, g.resources.Resolve(node, reference))
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		for _, branch := range listed(node, keyword) {
			list = g.applied(list, branch)
		}
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		list = g.applied(list, node.Get(keyword))
	}
	for _, member := range membersOf(node.Get("dependentSchemas")) {
		list = g.applied(list, member.Value)
	}
	return list
}

// edits appends the edits of a value and of everything below it. The schemas may apply to the
// value; put returns the whole instance with the value replaced.
func (g *generator) edits(value *schema.Node, schemas []*schema.Node, put func(*schema.Node) *schema.Node, edits *[]edit) {
	with := func(replacement func() *schema.Node) {
		*edits = append(*edits, func() *schema.Node {
			if changed := replacement(); changed != nil {
				return put(changed)
			}
			return nil
		})
	}
	for _, other := range others {
		with(func() *schema.Node { return other })
	}
	for _, node := range schemas {
		with(func() *schema.Node { return sample.Value(g.root, g.random, node) })
		for _, other := range around(node) {
			with(func() *schema.Node { return other })
		}
	}
	switch value.Kind {
	case schema.Object:
		g.membersEdits(value, schemas, put, with, edits)
	case schema.Array:
		g.elementsEdits(value, schemas, put, with, edits)
	default:
	}
}

// others are values of every type. Some strings are JSON texts.
var others = []*schema.Node{
	{},
	schema.NewBool(true), schema.NewInt(0), schema.NewNumber("1.5"), schema.NewString(""), schema.NewString("a"),
	schema.NewString("{}"), schema.NewString(`[{"a": null}]`), schema.NewObject(), schema.NewArray(),
	schema.NewObject(schema.Member{Key: "a", Value: schema.NewInt(1)}), schema.NewArray(schema.NewString("a"), &schema.Node{}),
}

// around returns the values that a schema names, and those on both sides of its bounds.
func around(node *schema.Node) []*schema.Node {
	values := slices.Concat(listed(node, "enum"), listed(node, "examples"))
	for _, keyword := range []string{"const", "default"} {
		if value := node.Get(keyword); value != nil {
			values = append(values, value)
		}
	}
	for _, keyword := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		if bound := node.Get(keyword); bound != nil && bound.Kind == schema.Number {
			for _, step := range []*big.Rat{big.NewRat(-1, 1), big.NewRat(0, 1), big.NewRat(1, 2), big.NewRat(1, 1)} {
				values = append(values, plus(bound, step)...)
			}
		}
	}
	for _, keyword := range []string{"minLength", "maxLength"} {
		for _, length := range near(node.Get(keyword)) {
			values = append(values, schema.NewString(strings.Repeat("a", length)))
		}
	}
	return values
}

// plus returns the sum, or nothing if it has too many digits.
func plus(number *schema.Node, step *big.Rat) []*schema.Node {
	const digits = 20
	if len(number.Text) > digits || number.Rat() == nil {
		return nil
	}
	sum := new(big.Rat).Add(number.Rat(), step)
	precision, isExact := sum.FloatPrec()
	if !isExact || precision > digits {
		return nil
	}
	return []*schema.Node{schema.NewNumber(sum.FloatString(precision))}
}

// near returns the counts at and around a small bound.
func near(bound *schema.Node) []int {
	const most = 300
	if bound == nil || bound.Kind != schema.Number || bound.Rat() == nil || bound.Rat().Cmp(big.NewRat(most, 1)) > 0 || bound.Rat().Sign() < 0 {
		return nil
	}
	float, _ := bound.Rat().Float64()
	count := int(float)
	return []int{max(count-1, 0), count, count + 1}
}

func (g *generator) membersEdits(
	value *schema.Node, schemas []*schema.Node, put func(*schema.Node) *schema.Node, with func(func() *schema.Node), edits *[]edit,
) {
	for i, member := range value.Members {
		with(func() *schema.Node {
			changed := *value
			changed.Members = slices.Delete(slices.Clone(value.Members), i, i+1)
			return &changed
		})
		g.edits(member.Value, g.below(schemas, member.Key, -1), func(below *schema.Node) *schema.Node {
			changed := *value
			changed.Members = slices.Clone(value.Members)
			changed.Members[i].Value = below
			return put(&changed)
		}, edits)
	}
	add := func(name string, newValue func() *schema.Node) {
		if value.Has(name) {
			return
		}
		with(func() *schema.Node {
			added := newValue()
			if added == nil {
				return nil
			}
			changed := *value
			changed.Members = append(slices.Clone(value.Members), schema.Member{Key: name, Value: added})
			return &changed
		})
	}
	for _, name := range []string{"extra", ""} {
		add(name, func() *schema.Node { return others[g.random.IntN(len(others))] })
	}
	for _, node := range schemas {
		for _, property := range membersOf(node.Get("properties")) {
			add(property.Key, func() *schema.Node { return sample.Value(g.root, g.random, property.Value) })
			add(property.Key, func() *schema.Node { return &schema.Node{} })
		}
		for _, name := range node.Get("required").Strings() {
			add(name, func() *schema.Node { return others[g.random.IntN(len(others))] })
		}
		if rest := node.Get("additionalProperties"); rest != nil && rest.Kind == schema.Object {
			add("other", func() *schema.Node { return sample.Value(g.root, g.random, rest) })
		}
	}
}

func (g *generator) elementsEdits(
	value *schema.Node, schemas []*schema.Node, put func(*schema.Node) *schema.Node, with func(func() *schema.Node), edits *[]edit,
) {
	const few = 3
	for i, element := range value.Elements[:min(len(value.Elements), few)] {
		with(func() *schema.Node {
			changed := *value
			changed.Elements = slices.Delete(slices.Clone(value.Elements), i, i+1)
			return &changed
		})
		g.edits(element, g.below(schemas, "", i), func(below *schema.Node) *schema.Node {
			changed := *value
			changed.Elements = slices.Clone(value.Elements)
			changed.Elements[i] = below
			return put(&changed)
		}, edits)
	}
	lengths := []int{len(value.Elements) + 1}
	for _, node := range schemas {
		lengths = slices.Concat(lengths, near(node.Get("minItems")), near(node.Get("maxItems")))
	}
	for _, length := range lengths {
		with(func() *schema.Node {
			changed := *value
			changed.Elements = slices.Clone(value.Elements[:min(len(value.Elements), length)])
			for i := len(changed.Elements); i < length; i++ {
				element := sample.Value(g.root, g.random, g.below(schemas, "", i)...)
				if element == nil {
					return nil
				}
				changed.Elements = append(changed.Elements, element)
			}
			return &changed
		})
	}
}

// below returns the schemas that may apply to the member called name, or to the element at
// index if that is not negative.
func (g *generator) below(schemas []*schema.Node, name string, index int) []*schema.Node {
	var list []*schema.Node
	for _, node := range schemas {
		if index < 0 {
			property := node.Get("properties").Get(name)
			if property == nil {
				property = node.Get("additionalProperties")
			}
			list = g.applied(list, property)
			continue
		}
		if first := listed(node, "prefixItems"); index < len(first) {
			list = g.applied(list, first[index])
			continue
		}
		list = g.applied(list, node.Get("items"))
	}
	return list
}

// listed returns a value without the members of objects that none of the schemas speaks of.
func (g *generator) listed(value *schema.Node, schemas []*schema.Node) *schema.Node {
	changed := *value
	changed.Members, changed.Elements = nil, nil
	for _, member := range value.Members {
		if below := g.below(schemas, member.Key, -1); len(below) > 0 {
			changed.Members = append(changed.Members, schema.Member{Key: member.Key, Value: g.listed(member.Value, below)})
		}
	}
	for i, element := range value.Elements {
		changed.Elements = append(changed.Elements, g.listed(element, g.below(schemas, "", i)))
	}
	return &changed
}

// listed returns the elements of a keyword whose value is an array.
func listed(node *schema.Node, keyword string) []*schema.Node {
	if value := node.Get(keyword); value != nil {
		return value.Elements
	}
	return nil
}

func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}
