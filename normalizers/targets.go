package normalizers

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/schema"
)

// geminiTarget is the Schema message of the Gemini API, v1beta.
var geminiTarget = &engine.Target{
	Name: "gemini",
	Keywords: []string{
		"type", "format", "title", "description", "nullable", "enum", "items", "maxItems", "minItems", "properties", "required",
		"minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "example", "anyOf",
		"propertyOrdering", "default",
	},
	NotAtRoot:   []string{"anyOf", "oneOf"},
	BesideAnyOf: []string{"title", "description", "default", "nullable", "example"},
	NameGrammar: geminiNames,
	Limits:      []any{rules.AnyOrNone{Anything: anythingInGemini}},
	Earlier:     []engine.Earlier{fewFormats, withoutColons, withoutTitle},
}

var geminiNames = engine.NameGrammar{Marks: ".:-", MaxLength: 64, First: "_"}

// Limits that Google's surfaces have dropped, with the day on which reports first show it.
var (
	// fewFormats allows only the formats that the documentation named while others were refused.
	fewFormats = engine.Earlier{Until: "2025-10-15", Had: func(target *engine.Target) {
		target.Formats = []string{"enum", "date-time", "float", "double", "int32", "int64"}
	}}
	withoutColons = engine.Earlier{Until: "2025-09-25", Had: func(target *engine.Target) { target.NameGrammar.Marks = ".-" }}
	withoutTitle  = engine.Earlier{Until: "2025-01-01", Had: func(target *engine.Target) { target.Keywords = without(target.Keywords, "title", "default") }}
)

// anythingInGemini returns a union of all types, in which arrays nest two levels deep.
func anythingInGemini() *schema.Node {
	union := func(more ...*schema.Node) []schema.Member {
		branches := []*schema.Node{typed("string"), typed("number"), typed("boolean"), typed("object")}
		return []schema.Member{
			{Key: "anyOf", Value: schema.NewArray(append(branches, more...)...)},
			{Key: "nullable", Value: schema.NewBool(true)},
		}
	}
	array := typed("array")
	array.Set("items", schema.NewObject(union()...))
	return schema.NewObject(union(array)...)
}

// geminiOpenAITarget is the Schema message of the Gemini API with types in lower case.
var geminiOpenAITarget = func() *engine.Target {
	target := *geminiTarget
	target.Name = "gemini-openai"
	target.Earlier = []engine.Earlier{withoutColons}
	return &target
}()

// geminiJSONTarget is JSON Schema with an object at the root.
var geminiJSONTarget = &engine.Target{
	Name:        "gemini-json",
	NameGrammar: geminiNames,
	Typeless:    true,
	TypeLists:   engine.TypeNames,
	Limits:      []any{rules.MaxTotalItems(960)},
	Earlier:     []engine.Earlier{withoutColons},
}

// geminiResponseTarget is the Schema message of the Gemini API for a response, which may be of any
// type.
var geminiResponseTarget = func() *engine.Target {
	target := *geminiTarget
	target.Name = "gemini-response"
	target.NotAtRoot = nil
	target.Earlier = []engine.Earlier{fewFormats, withoutTitle}
	target.AnyRoot = true
	target.RootRequired = true
	target.Limits = []any{rules.AnyOrNone{Anything: anythingInResponse}, maxResponseLevels}
	return &target
}()

// geminiResponseJSONTarget is JSON Schema for a response.
var geminiResponseJSONTarget = &engine.Target{
	Name:      "gemini-response-json",
	AnyRoot:   true,
	Typeless:  true,
	TypeLists: engine.TypeNames,
	Limits:    []any{maxResponseLevels, engine.LimitsOf[rules.MaxTotalItems](geminiJSONTarget)},
}

// maxResponseLevels is the greatest number that no report contradicts.
const maxResponseLevels rules.MaxLevels = 7

// anythingInResponse returns a union of scalars and arrays of scalars. It has no object, because an
// object in a response schema needs properties.
func anythingInResponse() *schema.Node {
	scalars := func() []*schema.Node { return []*schema.Node{typed("string"), typed("number"), typed("boolean")} }
	union := func(branches []*schema.Node) []schema.Member {
		return []schema.Member{
			{Key: "anyOf", Value: schema.NewArray(branches...)},
			{Key: "nullable", Value: schema.NewBool(true)},
		}
	}
	array := typed("array")
	array.Set("items", schema.NewObject(union(scalars())...))
	return schema.NewObject(union(append(scalars(), array))...)
}

// vertexTarget is the Schema message of Vertex, where a union has no siblings. It has a field for
// additionalProperties, which the message of the Gemini API lacks.
var vertexTarget = func() *engine.Target {
	target := *geminiTarget
	target.Name = "vertex"
	target.Keywords = append(slices.Clip(target.Keywords), "additionalProperties")
	target.BesideAnyOf = []string{}
	target.Limits = []any{rules.AnyOrNone{Anything: anythingInVertex}}
	target.Earlier = []engine.Earlier{withoutColons}
	return &target
}()

// vertexJSONTarget is JSON Schema with an object at the root. It has no limit on all items together,
// since no answer of Vertex shows one.
var vertexJSONTarget = func() *engine.Target {
	target := *geminiJSONTarget
	target.Name = "vertex-json"
	target.Limits = nil
	return &target
}()

// anythingInVertex returns a union of all types without siblings: each branch says that it may be
// null.
func anythingInVertex() *schema.Node {
	anything := anythingInGemini()
	for _, union := range []*schema.Node{anything, anything.Get("anyOf").Elements[4].Get("items")} {
		union.Delete("nullable")
		for _, branch := range union.Get("anyOf").Elements {
			branch.Set("nullable", schema.NewBool(true))
		}
	}
	return anything
}

func typed(name string) *schema.Node {
	return schema.NewObject(schema.Member{Key: "type", Value: engine.TypeName(name)})
}

// openAITarget is JSON Schema with an object without unions at the root.
var openAITarget = &engine.Target{
	Name:        "openai",
	NotAtRoot:   []string{"oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref", "$dynamicRef", "$recursiveRef"},
	NameGrammar: openAINames,
	Typeless:    true,
	TypeLists:   engine.TypeNames,
	Limits:      []any{rules.OldDrafts{}, rules.NullParameters{}},
	Earlier:     []engine.Earlier{namesOf64Until("2026-10-01")},
}

// namesOf64Until returns the limit of 64 characters that the names of tools had until a day.
func namesOf64Until(day string) engine.Earlier {
	return engine.Earlier{Until: day, Had: func(target *engine.Target) { target.NameGrammar.MaxLength = 64 }}
}

// openAIResponsesTarget is openAITarget without null parameters. The Responses API closes objects by
// itself.
var openAIResponsesTarget = func() *engine.Target {
	target := *openAITarget
	target.Name = "openai-responses"
	target.Limits = []any{rules.OldDrafts{}}
	return &target
}()

// openAIStrictTarget is the part of JSON Schema that strict functions take: the keywords that OpenAI
// documents for all its APIs, without those that a response showed to be refused. Lengths of strings
// are not among them: the documentation does not name them, and it is unknown how the Responses API
// answers to them. title is accepted too, and stays if the options ask for it.
var openAIStrictTarget = &engine.Target{
	Name: "openai-strict",
	Keywords: append([]string{
		"type", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs", "additionalProperties", "description",
	}, sinceJune2025...),
	NotAtRoot:    []string{"anyOf", "enum", "$ref", "$dynamicRef", "$recursiveRef"},
	NameGrammar:  openAINames,
	RootRequired: true,
	TypeLists:    []string{"string", "number", "integer", "boolean", "null"},
	Strict:       true,
	Formats:      []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	RefusedIf:    withoutLookaround,
	Limits: []any{
		rules.KeywordLimits{AnyOfNumbers: true},
		rules.StrictLimits{Nesting: 10, Properties: 5000, EnumValues: 1000, LongEnum: 250, EnumText: 15_000, Text: 120_000},
	},
	Earlier: []engine.Earlier{
		namesOf64Until("2026-10-01"),
		strictUntil("2025-07-18", func(limits *rules.StrictLimits) { limits.Nesting = 5 }),
		strictUntil("2025-06-20", func(limits *rules.StrictLimits) { limits.EnumValues = 500 }),
		{Until: "2025-06-01", Had: func(target *engine.Target) { target.Keywords = without(target.Keywords, sinceJune2025...) }},
		strictUntil("2024-11-07", func(limits *rules.StrictLimits) { limits.Properties = 100 }),
	},
}

// withoutLookaround refuses patterns with look-ahead or look-behind.
var withoutLookaround = map[string]func(*schema.Node, string) bool{
	"pattern": func(node *schema.Node, _ string) bool { return schema.HasLookaround(node.GetString("pattern")) },
}

// strictUntil returns a tighter limit that strict tools had until a day.
func strictUntil(day string, had func(limits *rules.StrictLimits)) engine.Earlier {
	return engine.Earlier{Until: day, Had: func(target *engine.Target) { engine.Limit(target, had) }}
}

// sinceJune2025 are the keywords that strict mode has taken since the middle of 2025.
var sinceJune2025 = []string{
	"default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

// openAIStrictSpillTarget is the subset of docs/seeds.md#seed-004-1.
var openAIStrictSpillTarget = &engine.Target{
	Name: "openai-strict-spill",
	Keywords: []string{
		"type", "properties", "required", "items", "prefixItems", "enum", "anyOf", "$ref", "$defs", "additionalProperties", "description",
	},
	NotAtRoot:   []string{"anyOf", "enum", "$ref", "$dynamicRef", "$recursiveRef"},
	NameGrammar: openAINames,
	TypeLists:   engine.TypeNames,
	Strict:      true,
}

// anthropicTarget is JSON Schema 2020-12 with an object without unions at the root.
var anthropicTarget = &engine.Target{
	Name:         "anthropic",
	NotAtRoot:    []string{"oneOf", "anyOf", "allOf", "$ref", "$dynamicRef", "$recursiveRef"},
	NameGrammar:  engine.NameGrammar{Marks: "-", MaxLength: 128},
	RootRequired: true,
	Typeless:     true,
	TypeLists:    engine.TypeNames,
	Limits:       []any{rules.PropertyNames{Grammar: anthropicProperties}},
	Earlier:      []engine.Earlier{namesOf64Until("2025-07-08")},
}

// anthropicProperties bounds the names of properties.
var anthropicProperties = engine.NameGrammar{Marks: ".-", MaxLength: 64}

// anthropicStrictTarget is what the compiler of strict tools takes. Its limits are those of a single
// tool. They are one less than the provider's limits for all strict tools of a request together,
// because a single tool that reached those was too complex. Source: rules too_many_strict_tools,
// too_many_optional_parameters, too_many_union_parameters and too_complex of anthropic/tools-strict.
var anthropicStrictTarget = &engine.Target{
	Name: "anthropic-strict",
	Keywords: []string{
		"type", "properties", "required", "items", "enum", "const", "anyOf", "additionalProperties", "title", "description", "default",
		"examples", "format", "minItems", "minLength", "maxLength", "pattern",
	},
	NotAtRoot:    []string{"anyOf", "enum", "const"},
	BesideAnyOf:  []string{"title", "description", "default", "examples"},
	NameGrammar:  anthropicTarget.NameGrammar,
	RootRequired: true,
	Strict:       true,
	Formats:      []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
	RefusedIf:    withoutLookaround,
	Limits: []any{
		rules.PropertyNames{Grammar: anthropicProperties},
		rules.OwnKeywords{},
		rules.KeywordLimits{MinItems: 1},
		rules.StrictLimits{Optional: 23, Unions: 15},
	},
}

// mcpTarget is JSON Schema with an object at the root.
var mcpTarget = &engine.Target{
	Name:         "mcp",
	RootRequired: true,
	Typeless:     true,
	TypeLists:    engine.TypeNames,
}

// ollamaTarget is what the structs of Ollama have fields for. There is one for the parameters and one
// for each property below them; both keep items and $defs whole, whatever these contain.
var ollamaTarget = &engine.Target{
	Name:       "ollama",
	Keywords:   []string{"type", "$defs", "items", "required", "properties", "anyOf", "description", "enum"},
	NotAtRoot:  []string{"anyOf", "description", "enum"},
	OnlyAtRoot: []string{"$defs", "required"},
	Whole:      []string{"$defs", "items"},
	RefusedIf: map[string]func(*schema.Node, string) bool{
		"enum": func(node *schema.Node, _ string) bool { return len(node.Get("enum").Elements) == 0 }, // omitempty
	},
	TypeLists: engine.TypeNames,
	Typeless:  true,
	Limits:    []any{rules.AnyOrNone{Anything: emptySchema, Objects: true}, rules.KeywordLimits{Unenforced: true}},
}

// llamaCPPTarget is what llama.cpp makes a grammar of. A keyword that the grammar ignores is not
// lost, because the model also reads the schema itself.
var llamaCPPTarget = &engine.Target{
	Name:         "llamacpp",
	Without:      []string{"$id", "id", "$anchor", "$dynamicRef", "$recursiveRef"},
	TypeLists:    engine.TypeNames,
	RootRequired: true,
	Typeless:     true,
	Limits: []any{
		rules.AnyOrNone{Anything: emptySchema, Objects: true},
		rules.Patterns{Takes: isTakenByLlama, Anchored: true},
		rules.KeywordLimits{Repetitions: mostRepetitions, OptionalItems: mostOptionalItems, DropsMost: mostRepetitions},
		rules.IntCounts{},
		rules.FirstDecides{},
		rules.GrammarLoops{},
	},
	Earlier: []engine.Earlier{
		{Until: "2026-10-02", Had: func(target *engine.Target) { // it looked for references in each object
			engine.Limit(target, func(names *rules.PropertyNames) { names.Reserved = reservedByLlama })
			engine.Limit(target, func(names *rules.ReservedInValues) { names.Names = reservedByLlama })
		}},
		llamaLimits("2026-09-07", func(limits *rules.KeywordLimits) {
			limits.Repetitions, limits.OptionalItems = mostRepetitions-1, mostOptionalItems-1
		}),
		{Until: "2026-09-01", Had: func(target *engine.Target) {
			engine.Limit(target, func(patterns *rules.Patterns) { patterns.Takes = inLlamaGrammar })
		}},
		llamaLimits("2026-08-07", func(limits *rules.KeywordLimits) { limits.DropsMost = 0 }),
		{Until: "2026-08-06", Had: func(target *engine.Target) {
			// items without a type made a grammar of arrays alone; Fireworks refuses it.
			target.Limits = append(slices.Clip(target.Limits), rules.TypedBy{
				"$ref", "oneOf", "anyOf", "const", "enum", "properties", "allOf", "prefixItems", "pattern",
			})
		}},
	},
}

// llamaLimits are the limits that llama.cpp had until a day.
func llamaLimits(day string, had func(limits *rules.KeywordLimits)) engine.Earlier {
	return engine.Earlier{Until: day, Had: func(target *engine.Target) { engine.Limit(target, had) }}
}

// reservedByLlama are the names that no object had: llama.cpp looked for references in each.
var reservedByLlama = []string{"$ref"}

// vllmTarget is what vLLM's own check lets pass and xgrammar then makes a grammar of. vLLM gives a
// schema that either refuses to another backend, or refuses the request.
var vllmTarget = &engine.Target{
	Name:         "vllm",
	Without:      []string{"$id", "id", "$anchor", "$dynamicRef", "$recursiveRef"},
	RefusedIf:    refusedByXGrammar,
	Formats:      xgrammarFormats,
	TypeDecides:  true,
	TypeLists:    engine.TypeNames,
	RootRequired: true,
	Typeless:     true,
	Limits: []any{
		rules.AnyOrNone{NoFalse: true},
		rules.PropertyNames{Without: "\"\\\n\r\x00"}, // xgrammar copies names into the grammar without escapes
		rules.ReservedInValues{Refused: true},
		rules.Patterns{Takes: inXGrammar},
		rules.References(xgrammarFollows),
	},
	Earlier: []engine.Earlier{withoutNamePatterns, withoutFormats, withoutItemCounts, withoutPatterns},
}

// moonshotTarget is what the validator of Moonshot accepted on 2026-06-29. A later measurement found
// that it accepts type beside anyOf, which another host of the same models refuses.
var moonshotTarget = &engine.Target{
	Name:           "moonshot",
	NameGrammar:    engine.NameGrammar{Marks: "-", First: "f_"},
	NotAtRoot:      []string{"anyOf"},
	Judged:         []string{"properties", "items", "additionalProperties", "anyOf", "$defs"},
	TypeLists:      engine.TypeNames,
	RootRequired:   true,
	Typeless:       true,
	Disjoint:       true,
	DefinitionRefs: true,
	Limits: []any{
		rules.AnyOrNone{Anything: emptySchema, Objects: true},
		rules.PropertyNames{Reserved: reservedByMoonshot, Takes: inMoonshotPath},
		rules.SizeLimits{Bytes: moonshotBytes, PropertyLevels: 30},
		moonshotLists,
	},
	Earlier: []engine.Earlier{{Until: "2026-06-10", Had: func(target *engine.Target) {
		target.Limits = append(slices.Clip(target.Limits), rules.TypedBy{"$ref", "anyOf", "oneOf", "allOf", "enum", "const"}, rules.DescribedOnce{})
	}}},
}

// Limits of Moonshot that portable tools keep too.
var (
	reservedByMoonshot = []string{"$defs", "$ref", "anyOf", "required", "additionalProperties"}
	moonshotLists      = rules.ListLimits{Values: 1_000, Branches: 500}
)

const moonshotBytes = 120_000

// emptySchema returns {}, which accepts any value in JSON Schema.
func emptySchema() *schema.Node { return schema.NewObject() }

// inMoonshotPath reports whether Moonshot's validator finds a property by its name: it splits names
// in definitions at slashes, and takes braces for the index of a branch.
func inMoonshotPath(name string, property *schema.Node, isDefined bool) bool {
	if isDefined && strings.Contains(name, "/") {
		return false
	}
	if !strings.Contains(name, "{") || !strings.Contains(name, "}") {
		return true
	}
	isFound := true
	property.Each(func(node *schema.Node) bool {
		isFound = isFound && !slices.ContainsFunc([]string{"$ref", "anyOf", "enum", "required"}, node.Has)
		return isFound
	})
	return isFound
}

// portableUnionsTarget is what every surface takes outside strict mode: the fields of the Schema
// message that are keywords of JSON Schema, with types in lower case, and the narrowest of all
// grammars and limits.
//
// It also allows for what clients of the Model Context Protocol do to a tool before they send it, if
// that costs no meaning. The rows of harness/agent/client say what each client does, and a test
// there compares these limits with them.
var portableUnionsTarget = &engine.Target{
	Name: "portable-unions",
	Keywords: []string{
		"type", "format", "title", "description", "enum", "items", "maxItems", "minItems", "properties", "required", "minProperties",
		"maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf", "default",
	},
	NotAtRoot:    []string{"anyOf", "enum"},
	BesideAnyOf:  []string{},
	NameGrammar:  engine.NameGrammar{Marks: "-", MaxLength: 64 - len("mcp__") - longestServer - len("__"), First: "f_"},
	RootRequired: true,
	RootUnread:   true,
	Limits: []any{
		rules.AnyOrNone{Anything: anythingPortable},
		rules.PropertyNames{Grammar: anthropicProperties, Reserved: reservedByMoonshot}, // llama.cpp's are among them
		rules.ReservedInValues{Names: reservedByLlama},
		rules.Patterns{Takes: inLlamaGrammar, Anchored: true}, // servers of a year ago refuse others
		rules.KeywordLimits{Repetitions: mostRepetitions, OptionalItems: mostOptionalItems},
		rules.IntCounts{},
		rules.MaxDescription(1024),
		rules.MaxDepth(codeAssistDepth),
		engine.LimitsOf[rules.MaxTotalItems](geminiJSONTarget),
		rules.SizeLimits{Bytes: moonshotBytes},
		moonshotLists,
		rules.Repeated{
			"default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "maxItems", "minProperties", "maxProperties", "minItems",
		},
		rules.Described{},
	},
}

// longestServer is the length of the longest name of an MCP server that clients can put before the
// name of a portable tool.
const longestServer = 13

// portableTarget is portableUnionsTarget without unions, because one client does not send a tool
// with a union.
var portableTarget = func() *engine.Target {
	target := *portableUnionsTarget
	target.Name = "portable"
	target.Keywords = without(target.Keywords, "anyOf")
	target.BesideAnyOf = []string{"title", "description", "default", "nullable"} // of the unions that rules make before others remove them
	engine.Limit(&target, func(forms *rules.AnyOrNone) { forms.Anything = func() *schema.Node { return typed("string") } })
	return &target
}()

// anythingPortable returns a union of all types except null.
func anythingPortable() *schema.Node {
	anything := anythingInGemini()
	for _, union := range []*schema.Node{anything, anything.Get("anyOf").Elements[4].Get("items")} {
		union.Delete("nullable")
	}
	return anything
}

// codeAssistClaudeTarget is the part of the Schema message that reaches Claude through Cloud Code
// Assist. Source: docs/seeds.md#seed-004-3.
var codeAssistClaudeTarget = &engine.Target{
	Name:         "codeassist-claude",
	Keywords:     []string{"type", "title", "description", "enum", "items", "properties", "required"},
	BesideAnyOf:  []string{"title", "description", "nullable"},
	NameGrammar:  anthropicTarget.NameGrammar,
	RootRequired: true,
	Limits:       []any{rules.AnyOrNone{Anything: emptySchema}, rules.MaxDepth(codeAssistDepth), rules.EveryObjectHasProperties{}},
}

// codeAssistDepth is the depth of a request that Code Assist reads, less that of the parameters in
// the request.
const codeAssistDepth = 62

// openAINames has the limit that was measured on 2026-10-01.
var openAINames = engine.NameGrammar{Marks: "-", MaxLength: 128}
