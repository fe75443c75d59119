package main

import (
	"math/rand/v2"
	"strconv"

	"toolproof/schema"
)

// toolsOfList is the number of tools in a list of tools with headers. A client leaves out those that are faulty.
const toolsOfList = 30

// madeHeaders returns lists of tools whose inputSchemas have x-mcp-header at random places, with names and types that
// clients take and refuse.
func madeHeaders(seed uint64, number int) []question {
	random := rand.New(rand.NewPCG(seed, 4)) //nolint:gosec // no secret
	questions := make([]question, number)
	for i := range questions {
		tools := make([]*schema.Node, toolsOfList)
		for j := range tools {
			input := headed(random, 3)
			input.Set("type", schema.NewString("object"))
			tools[j] = schema.NewObject(schema.Member{Key: "name", Value: schema.NewString("f" + strconv.Itoa(j))}, schema.Member{Key: "inputSchema", Value: input})
		}
		questions[i] = listOf(i, tools...)
	}
	return questions
}

// headerNames are values of x-mcp-header, and headerTypes types of the property that has it; empty for none.
var (
	headerNames = []string{`"A"`, `"a"`, `"B"`, `"X-Tenant"`, `"x-tenant"`, `"c"`, `"D_1"`, `"a b"`, `""`, `"a:b"`, `"ä"`, `"a\r\nb"`, `1`, `null`, `{}`}
	headerTypes = []string{`"string"`, `"string"`, `"integer"`, `"boolean"`, `"number"`, `"array"`, `"null"`, `["string","null"]`, ``}
	// oneSchema, someSchemas and namedSchemas are keywords whose value is a schema, a list of schemas, and schemas by names.
	oneSchema    = []string{"items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"}
	someSchemas  = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
	namedSchemas = []string{"patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// headed returns a random schema of a depth.
func headed(random *rand.Rand, depth int) *schema.Node {
	made := schema.NewObject()
	pick := func(values []string) string { return values[random.IntN(len(values))] }
	if kind := pick(headerTypes); kind != "" {
		made.Set("type", parsed(kind))
	}
	if depth < 3 && random.IntN(4) == 0 {
		made.Set("x-mcp-header", parsed(pick(headerNames)))
	}
	if depth == 0 {
		return made
	}
	if random.IntN(3) > 0 {
		properties := schema.NewObject()
		for _, name := range []string{"a", "b", "c.d"}[:1+random.IntN(3)] {
			properties.Set(name, headed(random, depth-1))
		}
		made.Set("properties", properties)
	}
	switch random.IntN(8) {
	case 0:
		made.Set(pick(oneSchema), headed(random, depth-1))
	case 1:
		made.Set(pick(someSchemas), schema.NewArray(headed(random, depth-1), headed(random, depth-1)))
	case 2:
		made.Set(pick(namedSchemas), schema.NewObject(schema.Member{Key: "e", Value: headed(random, depth-1)}))
	}
	return made
}
