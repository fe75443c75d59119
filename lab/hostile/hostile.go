// Package hostile makes schemas that are hard to process. Small ones expand without end where
// references are followed; large ones take careless code time quadratic in their size. The
// tests of every stage use them.
package hostile

import (
	"fmt"
	"strconv"
	"strings"

	"toolproof/schema"
)

// Case is a family of schemas.
type Case struct {
	Name string
	// Make returns the schema of a size, which is the number of whatever the case has many of,
	// so that ten times the size has at most ten times as many values.
	Make func(size int) *schema.Node
	// Small is a size that takes milliseconds, and Large one for measurements.
	Small, Large int
	Growth       Growth
}

// Growth tells how the work may grow with the size.
type Growth uint8

const (
	// Linear work takes a constant number of steps for each value.
	Linear Growth = iota
	// Square work takes more steps for each value as the size grows: the path to each is
	// written, or each is merged with all before it.
	Square
	// Endless work has an endless result for a small schema: beyond the budget it is an error.
	Endless
)

// Named returns a case by its name. It panics if there is none.
func Named(name string) Case {
	for _, shape := range Cases {
		if shape.Name == name {
			return shape
		}
	}
	panic("there is no case " + name)
}

// Cases holds all families.
var Cases = []Case{
	// Few definitions, each of which refers to the next twice.
	{Name: "all_of_doubles", Make: doubling("allOf"), Small: 30, Large: 30, Growth: Endless},
	{Name: "any_of_doubles", Make: doubling("anyOf"), Small: 30, Large: 30, Growth: Endless},
	{Name: "one_of_doubles", Make: doubling("oneOf"), Small: 30, Large: 30, Growth: Endless},
	{Name: "prefix_items_double", Make: doubling("prefixItems"), Small: 30, Large: 30, Growth: Endless},
	{Name: "properties_double", Make: doubling("properties"), Small: 30, Large: 30, Growth: Endless},
	{Name: "pattern_properties_double", Make: doubling("patternProperties"), Small: 30, Large: 30, Growth: Endless},
	{Name: "dependent_schemas_double", Make: doubling("dependentSchemas"), Small: 30, Large: 30, Growth: Endless},
	{Name: "if_doubles", Make: pairs("if", "then", "else"), Small: 30, Large: 30, Growth: Endless},
	{Name: "items_double", Make: pairs("items", "contains", "not"), Small: 30, Large: 30, Growth: Endless},
	{Name: "required_doubles", Make: requiredDoubles, Small: 30, Large: 30, Growth: Endless},
	{Name: "dynamic_cycles", Make: dynamicCycles, Small: 30, Large: 300, Growth: Endless},
	{Name: "recursive_all_of", Make: recursiveAllOf, Small: 30, Large: 300, Growth: Endless},
	{Name: "unions_of_unions", Make: unionsOfUnions, Small: 8, Large: 12, Growth: Endless},
	{Name: "products", Make: products, Small: 8, Large: 64, Growth: Endless},

	// Many of one kind.
	{Name: "vendor_keywords", Make: vendorKeywords, Small: 500, Large: 10_000},
	{Name: "one_of", Make: union("oneOf"), Small: 200, Large: 10_000},
	{Name: "any_of", Make: union("anyOf"), Small: 200, Large: 10_000},
	{Name: "all_of", Make: union("allOf"), Small: 200, Large: 10_000},
	{Name: "root_one_of", Make: func(size int) *schema.Node { return object(member("oneOf", branches(size))) }, Small: 200, Large: 10_000},
	{Name: "types_one_of", Make: likeBranches, Small: 2_000, Large: 10_000},
	{Name: "properties", Make: properties, Small: 500, Large: 100_000},
	{Name: "arrays", Make: arrays, Small: 500, Large: 100_000},
	{Name: "required_flags", Make: requiredFlags, Small: 500, Large: 100_000},
	{Name: "enum", Make: enum, Small: 1_000, Large: 490_000},
	{Name: "mixed_enum", Make: mixedEnum, Small: 1_000, Large: 490_000},
	{Name: "enums_merged", Make: enumsMerged, Small: 1_000, Large: 240_000},
	{Name: "enums_apart", Make: enumsApart, Small: 1_000, Large: 240_000},
	{Name: "required_names", Make: requiredNames, Small: 1_000, Large: 100_000},
	{Name: "patterns", Make: patterns, Small: 200, Large: 10_000},
	{Name: "deep", Make: deep, Small: 50, Large: 400, Growth: Square},
	{Name: "deep_unions", Make: deepUnions, Small: 50, Large: 300, Growth: Square},
	{Name: "nullable_unions", Make: nullableUnions, Small: 50, Large: 300, Growth: Square},
	{Name: "long_key", Make: longKey, Small: 2_000, Large: 1 << 20, Growth: Square},
	{Name: "long_texts", Make: longTexts, Small: 1_000, Large: 1 << 20, Growth: Square},
	{Name: "definitions", Make: definitions, Small: 200, Large: 100_000},
	{Name: "definitions_in_a_chain", Make: chain, Small: 200, Large: 100_000},
	{Name: "anchors", Make: anchors, Small: 200, Large: 50_000},
	{Name: "wide_merge", Make: wideMerge, Small: 400, Large: 100_000},
	{Name: "names_that_clash", Make: clashes, Small: 100, Large: 10_000},
}

// List is a family of lists of tools. The work on them is Linear.
type List struct {
	Name string
	// Make returns a list of size tools, as MCP's tools/list has it.
	Make  func(size int) *schema.Node
	Small int
}

// Lists holds all families of lists.
var Lists = []List{
	{Name: "tools", Make: tools(func(i int) string { return "f" + strconv.Itoa(i) }), Small: 200},
	{Name: "tools_of_one_name", Make: tools(func(int) string { return "f" }), Small: 200},
}

func member(key string, value *schema.Node) schema.Member {
	return schema.Member{Key: key, Value: value}
}

func object(members ...schema.Member) *schema.Node {
	return schema.NewObject(append([]schema.Member{member("type", schema.NewString("object"))}, members...)...)
}

func ofType(name string, members ...schema.Member) *schema.Node {
	return schema.NewObject(append([]schema.Member{member("type", schema.NewString(name))}, members...)...)
}

// under returns the arguments that have one property.
func under(name string, value *schema.Node) *schema.Node {
	return object(member("properties", schema.NewObject(member(name, value))))
}

func reference(definition int) *schema.Node {
	return schema.NewObject(member("$ref", schema.NewString("#/$defs/d"+strconv.Itoa(definition))))
}

// many returns an array of size values.
func many(size int, valueAt func(i int) *schema.Node) *schema.Node {
	list := schema.NewArray()
	for i := range size {
		list.Elements = append(list.Elements, valueAt(i))
	}
	return list
}

// named returns an object of size values, named by the prefix and their index.
func named(size int, prefix string, valueAt func(i int) *schema.Node) *schema.Node {
	values := schema.NewObject()
	for i := range size {
		values.Members = append(values.Members, member(prefix+strconv.Itoa(i), valueAt(i)))
	}
	return values
}

// ladder returns definitions each of which refers to the next.
func ladder(size int, step func(i int) *schema.Node) *schema.Node {
	definitions := named(size, "d", func(i int) *schema.Node {
		if i == size-1 {
			return object(member("properties", schema.NewObject(member("x", ofType("string")))))
		}
		return step(i)
	})
	return object(member("properties", schema.NewObject(member("a", reference(0)))), member("$defs", definitions))
}

func doubling(keyword string) func(size int) *schema.Node {
	return func(size int) *schema.Node {
		return ladder(size, func(i int) *schema.Node {
			next := func(int) *schema.Node { return reference(i + 1) }
			if schema.ClassOf(keyword) == schema.SchemaList {
				return schema.NewObject(member(keyword, many(2, next)))
			}
			return object(member(keyword, named(2, "p", next)))
		})
	}
}

func pairs(keywords ...string) func(size int) *schema.Node {
	return func(size int) *schema.Node {
		return ladder(size, func(i int) *schema.Node {
			node := schema.NewObject()
			for _, keyword := range keywords {
				node.Members = append(node.Members, member(keyword, reference(i+1)))
			}
			return node
		})
	}
}

func requiredDoubles(size int) *schema.Node {
	return ladder(size, func(i int) *schema.Node {
		next := func(int) *schema.Node { return reference(i + 1) }
		return object(member("properties", named(2, "p", next)), member("required", schema.NewStrings("p0", "p1")))
	})
}

func dynamicCycles(size int) *schema.Node {
	definitions := named(size, "d", func(i int) *schema.Node {
		next := func(k int) *schema.Node {
			return schema.NewObject(member("$dynamicRef", schema.NewString("#n"+strconv.Itoa((i+k+1)%size))))
		}
		return schema.NewObject(member("$dynamicAnchor", schema.NewString("n"+strconv.Itoa(i))), member("anyOf", many(3, next)))
	})
	return object(member("properties", schema.NewObject(member("a", schema.NewObject(member("$dynamicRef", schema.NewString("#n0")))))), member("$defs", definitions))
}

// recursiveAllOf has definitions each of which is an allOf of three others, in cycles.
func recursiveAllOf(size int) *schema.Node {
	definitions := named(size, "d", func(i int) *schema.Node {
		return object(
			member("properties", schema.NewObject(member("next", reference((i+1)%size)), member("p"+strconv.Itoa(i), ofType("string")))),
			member("allOf", many(3, func(k int) *schema.Node { return reference((i + k + 1) % size) })),
		)
	})
	return object(member("properties", schema.NewObject(member("a", reference(0)))), member("$defs", definitions))
}

// unionsOfUnions has nested unions of three branches, beside members that apply to each branch.
func unionsOfUnions(size int) *schema.Node {
	node := ofType("string")
	for i := range size {
		inner := node
		node = schema.NewObject(
			member("description", schema.NewString("level "+strconv.Itoa(i))),
			member("type", schema.NewStrings("string", "object", "null")),
			member("minLength", schema.NewInt(i)),
			member("anyOf", schema.NewArray(inner.Clone(), inner.Clone(), ofType("null"))),
		)
		if i > 8 { // doubles with each level
			node.Get("anyOf").Elements = node.Get("anyOf").Elements[1:]
		}
	}
	return under("a", node)
}

// products has unions that all apply, so that every combination of their branches is possible.
func products(size int) *schema.Node {
	unions := many(size, func(i int) *schema.Node {
		return schema.NewObject(member("anyOf", many(3, func(k int) *schema.Node {
			return object(member("properties", schema.NewObject(member(fmt.Sprintf("p%d_%d", i, k), ofType("string")))))
		})))
	})
	return under("a", schema.NewObject(member("allOf", unions)))
}

func vendorKeywords(size int) *schema.Node {
	node := object(member("properties", schema.NewObject(member("a", ofType("string")))))
	node.Members = append(node.Members, named(size, "x-", schema.NewInt).Members...)
	return node
}

// branches returns object schemas that a constant distinguishes.
func branches(size int) *schema.Node {
	return many(size, func(i int) *schema.Node {
		return object(
			member("properties", schema.NewObject(
				member("kind", schema.NewObject(member("const", schema.NewString("k"+strconv.Itoa(i))))),
				member("p"+strconv.Itoa(i), ofType("string")),
			)),
			member("required", schema.NewStrings("kind")),
		)
	})
}

func union(keyword string) func(size int) *schema.Node {
	return func(size int) *schema.Node { return under("a", schema.NewObject(member(keyword, branches(size)))) }
}

// likeBranches has branches that only a bound distinguishes.
func likeBranches(size int) *schema.Node {
	return under("a", schema.NewObject(member("description", schema.NewString("d")), member("minLength", schema.NewInt(1)),
		member("oneOf", many(size, func(i int) *schema.Node { return ofType("string", member("maxLength", schema.NewInt(i))) }))))
}

func properties(size int) *schema.Node {
	return object(member("properties", named(size, "p", func(int) *schema.Node { return ofType("string") })))
}

// arrays has arrays without items, each of which most providers refuse. Their values are those of an
// author who lists what an array may have, so that what is filled in is not all that a tool has.
func arrays(size int) *schema.Node {
	return object(member("properties", named(size, "p", func(int) *schema.Node {
		return ofType("array", member("default", texts(0, 8)))
	})))
}

func requiredFlags(size int) *schema.Node {
	return object(member("properties", named(size, "p", func(int) *schema.Node { return ofType("string", member("required", schema.NewBool(true))) })))
}

func texts(from, to int) *schema.Node {
	return many(to-from, func(i int) *schema.Node { return schema.NewString("v" + strconv.Itoa(from+i)) })
}

func enum(size int) *schema.Node { return under("a", ofType("string", member("enum", texts(0, size)))) }

func mixedEnum(size int) *schema.Node {
	return under("a", schema.NewObject(member("enum", many(size, func(i int) *schema.Node {
		switch i % 3 {
		case 0:
			return schema.NewString("v" + strconv.Itoa(i))
		case 1:
			return schema.NewInt(i)
		default:
			return schema.NewNumber(strconv.Itoa(i) + ".0")
		}
	}))))
}

func enumsMerged(size int) *schema.Node {
	return under("a", schema.NewObject(member("allOf", schema.NewArray(
		schema.NewObject(member("enum", texts(0, size))), schema.NewObject(member("enum", texts(size/2, size+size/2)))))))
}

func enumsApart(size int) *schema.Node {
	return under("a", schema.NewObject(member("oneOf", schema.NewArray(
		schema.NewObject(member("enum", texts(0, size))), schema.NewObject(member("enum", texts(size, 2*size)))))))
}

func requiredNames(size int) *schema.Node {
	return object(
		member("properties", schema.NewObject(member("p1", ofType("string")))),
		member("required", many(size, func(i int) *schema.Node { return schema.NewString("p" + strconv.Itoa(i*2/3)) })),
	)
}

func patterns(size int) *schema.Node {
	return object(member("properties", named(size, "p", func(i int) *schema.Node {
		return ofType("string", member("pattern", schema.NewString("^(("+strings.Repeat("(a+)+b?", 1+i%8)+")*)*(?<n>\\p{L}{1,999})$")))
	})))
}

func deep(size int) *schema.Node {
	node := ofType("string")
	for range size {
		node = under("a", node)
	}
	return node
}

func deepUnions(size int) *schema.Node {
	node := ofType("string")
	for i := range size {
		node = schema.NewObject(member("description", schema.NewString("level "+strconv.Itoa(i))), member("minLength", schema.NewInt(i)),
			member("anyOf", schema.NewArray(node, ofType("integer"), object(member("properties", schema.NewObject(member("b", ofType("string"))))))))
	}
	return under("a", node)
}

func nullableUnions(size int) *schema.Node {
	node := ofType("string")
	for i := range size {
		node = schema.NewObject(member("description", schema.NewString("level "+strconv.Itoa(i))), member("anyOf", schema.NewArray(node, ofType("null"))))
	}
	return under("a", node)
}

// longKey has a hundred properties, each with something to change, below one whose name has
// size bytes.
func longKey(size int) *schema.Node {
	const below = 100
	return under(strings.Repeat("k", size), object(member("properties", named(below, "p", func(i int) *schema.Node {
		return ofType("integer", member("const", schema.NewInt(i)), member("exclusiveMinimum", schema.NewInt(i)), member("x-a", schema.NewInt(i)))
	}))))
}

// longTexts has texts of size bytes wherever a text may be.
func longTexts(size int) *schema.Node {
	long := strings.Repeat("long ", size/5)
	return under("a", schema.NewObject(
		member("description", schema.NewString(long)), member("title", schema.NewString(long)), member("x-note", schema.NewString(long)), member("default", schema.NewString(long)),
		member("anyOf", many(3, func(i int) *schema.Node {
			property := member("p"+strconv.Itoa(i), ofType("string", member("const", schema.NewString(long))))
			return object(member("description", schema.NewString(strconv.Itoa(i)+long)), member("properties", schema.NewObject(property)))
		})),
	))
}

func definitions(size int) *schema.Node {
	return object(
		member("properties", named(size, "p", reference)),
		member("$defs", named(size, "d", func(int) *schema.Node { return ofType("string") })),
	)
}

func chain(size int) *schema.Node {
	return object(
		member("properties", schema.NewObject(member("a", reference(0)))),
		member("$defs", named(size, "d", func(i int) *schema.Node {
			if i == size-1 {
				return ofType("string")
			}
			return reference(i + 1)
		})),
	)
}

func anchors(size int) *schema.Node {
	return object(
		member("properties", named(size, "p", func(i int) *schema.Node {
			return schema.NewObject(member("$ref", schema.NewString("#n"+strconv.Itoa(i))))
		})),
		member("$defs", named(size, "d", func(i int) *schema.Node {
			return ofType("string", member("$anchor", schema.NewString("n"+strconv.Itoa(i))))
		})),
	)
}

// wideMerge has ten object schemas that apply at once and share half of their properties.
func wideMerge(size int) *schema.Node {
	const parts = 10
	return under("a", schema.NewObject(member("allOf", many(parts, func(part int) *schema.Node {
		return object(member("properties", named(size/parts, fmt.Sprintf("p%d_", part/2), func(i int) *schema.Node {
			return ofType("string", member("maxLength", schema.NewInt(i+part)))
		})))
	}))))
}

// clashes has names that become equal for providers that accept only letters.
func clashes(size int) *schema.Node {
	marks := []string{"/", ":", "!", "*", "(", ")", "[", "]", "+", "=", "%", "&", "?", "#", "@", "|"}
	properties := schema.NewObject()
	for i := range size {
		var name strings.Builder
		name.WriteString("a")
		for range 4 {
			name.WriteString(marks[i%len(marks)])
			i /= len(marks)
		}
		properties.Members = append(properties.Members, member(name.String(), ofType("string")))
	}
	return object(member("properties", properties))
}

// tools returns a function that makes lists of small tools, given the name of each.
func tools(nameAt func(i int) string) func(size int) *schema.Node {
	return func(size int) *schema.Node {
		return schema.NewObject(member("tools", many(size, func(i int) *schema.Node {
			return schema.NewObject(
				member("name", schema.NewString(nameAt(i))), member("description", schema.NewString("It is number "+strconv.Itoa(i)+".")),
				member("inputSchema", under("a", ofType("string"))),
			)
		})))
	}
}
