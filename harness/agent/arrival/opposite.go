package arrival

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// opposer makes schemas of values that a given schema refuses.
type opposer struct{ random *rand.Rand }

// beyond maps a bound to the keyword for the values beyond it, and to the distance of the nearest one.
var beyond = map[string]struct {
	keyword string
	step    int64
}{
	"maxLength": {"minLength", 1}, "minLength": {"maxLength", -1},
	"maxItems": {"minItems", 1}, "minItems": {"maxItems", -1},
	"maxProperties": {"minProperties", 1}, "minProperties": {"maxProperties", -1},
	"maximum": {"exclusiveMinimum", 0}, "exclusiveMaximum": {"minimum", 0},
	"minimum": {"exclusiveMaximum", 0}, "exclusiveMinimum": {"maximum", 0},
}

// of returns schemas of values that a schema refuses: some for each of its keywords.
func (o opposer) of(node *schema.Node) []*schema.Node {
	if node.IsFalse() {
		return []*schema.Node{schema.NewObject()}
	}
	if node.Kind != schema.Object || len(node.Members) == 0 {
		return nil
	}
	anyType := schema.NewArray(schema.NewObject(), object("enum", schema.NewArray(usualProbes...)))
	all := []*schema.Node{object("not", node, "anyOf", anyType)}
	for _, member := range node.Members {
		all = append(all, o.ofKeyword(member.Key, member.Value)...)
	}
	return all
}

// ofKeyword returns schemas of values that a keyword of a schema refuses.
func (o opposer) ofKeyword(keyword string, value *schema.Node) []*schema.Node {
	var all []*schema.Node
	switch keyword {
	case "multipleOf":
		if value.Rat() != nil {
			half := new(big.Rat).Quo(value.Rat(), big.NewRat(2, 1))
			if digits, isExact := half.FloatPrec(); isExact {
				all = append(all, object("multipleOf", schema.NewNumber(half.FloatString(digits)), "not", object(keyword, value)))
			}
		}
	case "properties":
		for _, member := range value.Members {
			all = append(all, o.inMember(member.Key, member.Value)...)
		}
	case "patternProperties":
		for _, member := range value.Members {
			if name := o.nameOf(object("pattern", schema.NewString(member.Key))); name != "" {
				all = append(all, o.inMember(name, member.Value)...)
			}
		}
	case "additionalProperties":
		all = append(all, o.inMember(unlisted, value)...)
	case "propertyNames":
		for _, names := range o.of(value) {
			if name := o.nameOf(names); name != "" {
				all = append(all, requires(name))
			}
		}
	case "items":
		for _, element := range o.of(value) {
			all = append(all, object("minItems", schema.NewInt(1), keyword, element))
		}
	case "required":
		for _, name := range value.Strings() {
			all = append(all, object("properties", object(name, schema.NewBool(false))))
		}
	}
	if other, isBound := beyond[keyword]; isBound && value.Rat() != nil && value.Kind == schema.Number {
		bound := new(big.Rat).Add(value.Rat(), big.NewRat(other.step, 1))
		if digits, isExact := bound.FloatPrec(); isExact {
			all = append(all, object(other.keyword, schema.NewNumber(bound.FloatString(digits))))
		}
	}
	return append(all, object("not", object(keyword, value)))
}

// unlisted is a name that tools do not list as that of a property.
const unlisted = "zz"

// inMember returns schemas of objects whose member has a value that its schema refuses.
func (o opposer) inMember(name string, node *schema.Node) []*schema.Node {
	var all []*schema.Node
	for _, value := range o.of(node) {
		with := requires(name)
		with.Set("properties", object(name, value))
		all = append(all, with)
	}
	return all
}

// nameOf returns a name that a schema accepts, or the empty string if it finds none.
func (o opposer) nameOf(names *schema.Node) string {
	name := sample.Value(names, o.random, names, object("type", schema.NewString("string")))
	if name == nil {
		return ""
	}
	return name.Text
}

// requires returns a schema of objects with a member.
func requires(name string) *schema.Node {
	return object("required", schema.NewArray(schema.NewString(name)))
}

// object returns an object with the members, which are given as a name and a value each.
func object(members ...any) *schema.Node {
	node := schema.NewObject()
	for i := 0; i+1 < len(members); i += 2 {
		node.Set(members[i].(string), members[i+1].(*schema.Node)) //nolint:forcetypeassert // by the contract
	}
	return node
}

// against returns arguments that a tool accepts with the change and refuses without it, or the other
// way round, as far as it finds some.
func (o opposer) against(parameters *schema.Node, change Change) []*schema.Node {
	if change.isWhole {
		return nil
	}
	at, changed := change.At.Tokens()[1:], alone(parameters, change)
	return append(o.draw(parameters, changed, at, change.Before), o.draw(changed, parameters, at, change.After)...)
}

// draw returns instances of the schema other that the members refuse, and instances of the schema has
// with the properties that the members allow. Only the schema has the members, at a place in it.
func (o opposer) draw(has, other *schema.Node, at []string, members *schema.Node) []*schema.Node {
	const draws, most = 2, 24
	if members == nil {
		return nil
	}
	var all []*schema.Node
	with := func(root *schema.Node, wanted []*schema.Node) {
		for _, more := range wanted[:min(len(wanted), most)] {
			root := root.Clone()
			if holder, _ := o.reach(root, at); holder != nil {
				also(holder, more)
			}
			for range draws {
				if value := sample.Object(root, o.random); value != nil {
					all = append(all, value)
				}
			}
		}
	}
	if _, keyword := o.reach(has.Clone(), at); keyword != "" { // the members are those of a map, such as properties
		members = object(keyword, members)
	}
	var refused, allowed []*schema.Node
	for _, member := range members.Members {
		refused = append(refused, o.ofKeyword(member.Key, member.Value)...)
	}
	for _, name := range members.Get("properties").Keys() {
		allowed = append(allowed, requires(name))
	}
	for _, pattern := range members.Get("patternProperties").Keys() {
		if name := o.nameOf(object("pattern", schema.NewString(pattern))); name != "" {
			allowed = append(allowed, requires(name))
		}
	}
	with(other, refused)
	with(has, allowed)
	return all
}

// reach returns the schema at a place in a schema, which it changes so that instances have a value
// there. If the place is that of a map of schemas, such as properties, it returns the schema with the
// map and its keyword. It returns nil if there is no such place.
func (o opposer) reach(node *schema.Node, tokens []string) (holder *schema.Node, keyword string) {
	for len(tokens) > 0 && node != nil && node.Kind == schema.Object {
		keyword, value := tokens[0], node.Get(tokens[0])
		tokens = tokens[1:]
		class := schema.ClassOf(keyword)
		isListed := class == schema.SchemaList || class == schema.SchemaOrList && value != nil && value.Kind == schema.Array
		if class != schema.SchemaMap && class != schema.SchemaOrNamesMap && !isListed {
			switch keyword {
			case "items", "contains":
				also(node, object("minItems", schema.NewInt(1)))
			case "additionalProperties":
				also(node, requires(unlisted))
			}
			node = value
			continue
		}
		if len(tokens) == 0 {
			return node, keyword
		}
		name := tokens[0]
		tokens = tokens[1:]
		if !isListed {
			switch keyword {
			case "properties":
				also(node, requires(name))
			case "patternProperties":
				if matching := o.nameOf(object("pattern", schema.NewString(name))); matching != "" {
					also(node, requires(matching))
				}
			}
			node = value.Get(name)
			continue
		}
		index, err := strconv.Atoi(name)
		if err != nil || value == nil || index >= len(value.Elements) || index < 0 {
			return nil, ""
		}
		branch := value.Elements[index]
		switch keyword {
		case "anyOf", "oneOf": // the other branches do not matter
			node.Set(keyword, schema.NewArray(branch))
		case "prefixItems", "items":
			also(node, object("minItems", schema.NewInt(index+1)))
		}
		node = branch
	}
	if node == nil || node.Kind != schema.Object || len(tokens) > 0 {
		return nil, ""
	}
	return node, ""
}

// also adds a schema to those that a schema applies to the same value.
func also(node, more *schema.Node) {
	var all []*schema.Node
	if before := node.Get("allOf"); before != nil {
		all = before.Elements
	}
	node.Set("allOf", schema.NewArray(append(slices.Clip(all), more)...))
}
