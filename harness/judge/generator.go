package judge

import (
	"slices"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/schema"
)

// generator is a library that makes schemas from the types of a program.
type generator uint8

const (
	zod generator = iota
	pydantic
	jsonschemaGo // github.com/google/jsonschema-go, which the MCP SDK for Go uses
	generators
)

// idiom is what a program writes for an edit of a schema.
type idiom struct {
	// matches reports whether the idiom makes an edit, and returns what stands for BEFORE and AFTER in
	// its texts.
	matches func(at schema.Pointer, before, after *schema.Node) (was, is string, ok bool)
	// in has the text of each generator; empty if it has none.
	in [generators]string
}

// idioms were tried with Zod 3.25 and 4.6, Pydantic 2.13 and jsonschema-go 0.4.
var idioms = []idiom{
	{writesConstant, [generators]string{
		zod:      `z.enum([BEFORE]) for z.literal(BEFORE)`,
		pydantic: `Annotated[Literal[BEFORE], WithJsonSchema({"type": "string", "enum": [BEFORE]})] for Literal[BEFORE]`,
	}},
	{losesNullOfArray, [generators]string{jsonschemaGo: `Type "array" for Types in the schema of jsonschema.For`}},
	{losesNullOfProperty, [generators]string{
		zod: `.optional() for .nullable()`, pydantic: `SkipJsonSchema[None] for None`, jsonschemaGo: `the type with omitempty for a pointer to it`,
	}},
	{losesNull, [generators]string{zod: `no .nullable()`, pydantic: `SkipJsonSchema[None] for None`}},
	{losesFormat("email"), [generators]string{
		zod: `z.string().refine(...) for .email()`, pydantic: `Annotated[EmailStr, WithJsonSchema({"type": "string"})] for EmailStr`,
	}},
	{losesFormat("uri"), [generators]string{
		zod: `z.string().refine(...) for .url()`, pydantic: `Annotated[AnyUrl, WithJsonSchema({"type": "string"})] for AnyUrl`,
	}},
	{losesFormat("uuid"), [generators]string{
		zod: `z.string().refine(...) for .uuid()`, pydantic: `Annotated[UUID, WithJsonSchema({"type": "string"})] for UUID`,
	}},
	{writesBound("exclusiveMinimum", "minimum"), [generators]string{zod: `.gte(AFTER) for .gt(BEFORE)`, pydantic: `ge=AFTER for gt=BEFORE`}},
	{writesBound("exclusiveMaximum", "maximum"), [generators]string{zod: `.lte(AFTER) for .lt(BEFORE)`, pydantic: `le=AFTER for lt=BEFORE`}},
	{closes, [generators]string{zod: `.strict() on the z.object`, pydantic: `model_config = ConfigDict(extra="forbid")`}},
	{opens, [generators]string{pydantic: `no extra="forbid"`, jsonschemaGo: `no AdditionalProperties in the schema of jsonschema.For`}},
	{losesKeywords("discriminator"), [generators]string{pydantic: `no discriminator in Field`}},
	{losesKeywords("oneOf"), [generators]string{zod: `z.union for z.discriminatedUnion`, pydantic: `no discriminator in Field`}},
	{losesKeywords("propertyNames"), [generators]string{zod: `z.object({}).catchall(...) for z.record(z.string(), ...)`}},
	{losesKeywords("prefixItems"), [generators]string{zod: `z.array(z.union([...])) for z.tuple([...])`, pydantic: `list[A | B] for tuple[A, B]`}},
}

// libraries are known by what only they write.
var libraries = [generators]struct {
	name string
	made func(parameters *schema.Node) bool
}{
	zod: {"Zod", isOfZod}, pydantic: {"Pydantic", isOfPydantic}, jsonschemaGo: {"Go", isOfGo},
}

// generated says what to write in the program that makes the schema of a tool so that it makes an edit;
// empty if that is not known for sure.
func generated(tool *schema.Node, edit verdict.Change) string {
	parameters := tool.Get("parameters")
	if parameters == nil || edit.From == "/parameters" && isOfFunction(parameters) {
		return ""
	}
	for _, idiom := range idioms {
		was, is, ok := idiom.matches(edit.From, edit.Before.Node(), edit.After.Node())
		for i, text := range idiom.in {
			if ok && text != "" && libraries[i].made(parameters) {
				return "in " + libraries[i].name + ": " + strings.NewReplacer("BEFORE", was, "AFTER", is).Replace(text)
			}
		}
	}
	return ""
}

// isOfFunction reports whether the schema is of the parameters of a Python function, of which the MCP SDK
// makes the Pydantic model.
func isOfFunction(parameters *schema.Node) bool {
	return strings.HasSuffix(parameters.GetString("title"), "Arguments")
}

// isOfPydantic reports whether every property has the title that Pydantic makes of its name.
func isOfPydantic(parameters *schema.Node) bool {
	properties := parameters.Get("properties")
	if properties == nil || len(properties.Members) == 0 {
		return false
	}
	hasTitle := false
	for _, member := range properties.Members {
		words := strings.Split(member.Key, "_")
		for i, word := range words {
			if word != "" {
				words[i] = strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
			}
		}
		isTitled := member.Value.GetString("title") == strings.Join(words, " ")
		if !isTitled && !refers(member.Value) {
			return false
		}
		hasTitle = hasTitle || isTitled
	}
	return hasTitle
}

// isOfZod reports whether a schema has $schema at its end, as zod-to-json-schema and the MCP SDK for
// TypeScript write it, or what only Zod 4 writes: the bounds of integers that JavaScript can hold, or the
// names of a record.
func isOfZod(parameters *schema.Node) bool {
	const draft7 = "http://json-schema.org/draft-07/schema#"
	if keys := parameters.Keys(); len(keys) > 1 && keys[len(keys)-1] == "$schema" && parameters.Get("$schema").Is(draft7) {
		return true
	}
	const mostSafe = "9007199254740991"
	isFound := false
	parameters.Each(func(below *schema.Node) bool {
		maximum, names := below.Get("maximum"), below.Get("propertyNames")
		isFound = isFound || below.Get("type").Is("integer") && maximum != nil && maximum.Text == mostSafe ||
			below.Has("additionalProperties") && names != nil && names.String() == `{"type":"string"}`
		return !isFound
	})
	return isFound
}

// isOfGo reports whether a schema has null before another type, as jsonschema-go writes slices and
// pointers.
func isOfGo(parameters *schema.Node) bool {
	isFound := false
	parameters.Each(func(below *schema.Node) bool {
		types := below.Get("type")
		isFound = isFound || types != nil && len(types.Elements) == 2 && types.Elements[0].Is("null")
		return !isFound
	})
	return isFound
}

// writesConstant matches enum for a constant text.
func writesConstant(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	const longest = 60
	constant := before.Get("const")
	if constant == nil || constant.Kind != schema.String || len(constant.Text) > longest || !after.Has("enum") {
		return "", "", false
	}
	return constant.String(), "", true
}

// losesNull matches an edit after which null is not taken.
func losesNull(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	return "", "", takesNull(before) && after != nil && !takesNull(after)
}

// losesNullOfArray matches one after which an array is taken and null is not.
func losesNullOfArray(at schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	_, _, ok = losesNull(at, before, after)
	return "", "", ok && after.Get("type").Is("array")
}

// losesNullOfProperty matches one of a property.
func losesNullOfProperty(at schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	_, _, ok = losesNull(at, before, after)
	path := at.Tokens()
	return "", "", ok && len(path) > 1 && path[len(path)-2] == "properties"
}

func takesNull(node *schema.Node) bool {
	for _, key := range []string{"type", "anyOf", "oneOf"} {
		list := node.Get(key)
		if list != nil && slices.ContainsFunc(list.Elements, func(element *schema.Node) bool {
			return element.Is("null") || element.Get("type").Is("null")
		}) {
			return true
		}
	}
	return false
}

// losesFormat matches an edit that leaves out a format.
func losesFormat(format string) func(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	return func(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
		return "", "", before.Get("format").Is(format) && !after.Has("format")
	}
}

// writesBound matches a bound for one that is excluded.
func writesBound(excluded, bound string) func(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	return func(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
		old, fresh := before.Get(excluded), after.Get(bound)
		if old == nil || fresh == nil {
			return "", "", false
		}
		return old.String(), fresh.String(), true
	}
}

// closes matches an edit after which an object takes no other properties.
func closes(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	return "", "", after.Get("additionalProperties").IsFalse() && !before.Has("required") && !after.Has("required")
}

// opens matches the opposite.
func opens(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	return "", "", before.Get("additionalProperties").IsFalse() && !after.Has("additionalProperties")
}

// losesKeywords matches an edit that leaves out a keyword.
func losesKeywords(key string) func(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
	return func(_ schema.Pointer, before, after *schema.Node) (was, is string, ok bool) {
		return "", "", before.Has(key) && !after.Has(key)
	}
}
