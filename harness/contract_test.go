package harness_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/internal/seeded"
	"toolproof/lab/corpus"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// TestMain draws the same schemas in every run. A short test draws a fifth of them.
func TestMain(m *testing.M) { os.Exit(seeded.Run(m)) }

// The names that properties get: half of them are keywords.
var propertyNames = []string{"a", "b", "c", "const", "enum", "type", "required", "properties", "$ref", "description", "items", "a/b", "~", "x-y"}

// inShare reports whether a sweep takes a case: make whole takes all, and a short test one
// of so many.
func inShare(number, each int) bool { return !testing.Short() || number%each == 0 }

// isAsked reports whether a sweep asks a target about a fixture, by their numbers: in a short
// test one of six of the targets about each fixture, and about one of six of the fixtures
// each target. All sweeps ask the same ones.
func isAsked(fixture, target int) bool { return inShare(fixture+target, 6) }

// schemas draws a schema of any keywords, some of them with a value of the wrong
// type, as real tools have them.
func schemas(depth int) *rapid.Generator[*schema.Node] {
	return rapid.Custom(func(t *rapid.T) *schema.Node {
		const odd = 40
		switch rapid.IntRange(0, odd).Draw(t, "odd") {
		case 0:
			return schema.NewBool(rapid.Bool().Draw(t, "boolean schema"))
		case 1:
			return schema.NewString("string")
		case 2:
			return &schema.Node{}
		}
		node := schema.NewObject()
		if rapid.IntRange(0, 3).Draw(t, "typed") > 0 {
			node.Set("type", types(t))
		}
		for range rapid.IntRange(0, 4).Draw(t, "keywords") {
			keyword := rapid.SampledFrom(keywordsDrawn).Draw(t, "keyword")
			if value := valueOf(t, keyword, depth); value != nil {
				node.Set(keyword, value)
			}
		}
		return node
	})
}

var keywordsDrawn = []string{
	"properties", "properties", "required", "items", "items", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "const", "enum",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format", "minItems",
	"maxItems", "uniqueItems", "contains", "prefixItems", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
	"dependentRequired", "dependencies", "description", "title", "default", "examples", "nullable", "$ref", "$defs", "definitions",
	"$comment", "deprecated", "x-order", "optional", "additionalItems", "unevaluatedProperties", "discriminator",
}

var typesDrawn = []string{"string", "number", "integer", "boolean", "object", "array", "null", "STRING", "dict", "float", "any", "whatever"}

func types(t *rapid.T) *schema.Node {
	const lists = 6
	if rapid.IntRange(0, lists).Draw(t, "type list") > 0 {
		return schema.NewString(rapid.SampledFrom(typesDrawn).Draw(t, "type"))
	}
	return schema.NewStrings(rapid.SliceOfN(rapid.SampledFrom(typesDrawn[:7]), 0, 4).Draw(t, "types")...)
}

func scalar(t *rapid.T) *schema.Node {
	return rapid.SampledFrom([]*schema.Node{
		{},
		schema.NewBool(true), schema.NewBool(false), schema.NewInt(0), schema.NewInt(1), schema.NewInt(5), schema.NewNumber("1.5"),
		schema.NewNumber("1.0"), schema.NewNumber("1e400"), schema.NewString(""), schema.NewString("a"), schema.NewString("b"), schema.NewString("1"),
	}).Draw(t, "scalar")
}

// valueOf draws a value for a keyword, or nil where none fits any more.
func valueOf(t *rapid.T, keyword string, depth int) *schema.Node {
	const wrong = 25
	if rapid.IntRange(0, wrong).Draw(t, "wrong") == 0 {
		return scalar(t)
	}
	class := schema.ClassOf(keyword)
	if depth == 0 && class != schema.Data && class != schema.Unknown {
		return nil
	}
	switch class {
	case schema.OneSchema:
		return schemas(depth-1).Draw(t, keyword)
	case schema.SchemaOrList, schema.SchemaList:
		if class == schema.SchemaOrList && rapid.IntRange(0, 5).Draw(t, "one") > 0 {
			return schemas(depth-1).Draw(t, keyword)
		}
		return schema.NewArray(rapid.SliceOfN(schemas(depth-1), 0, 3).Draw(t, keyword)...)
	case schema.SchemaMap, schema.SchemaOrNamesMap:
		node := schema.NewObject()
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			node.Set(rapid.SampledFrom(propertyNames).Draw(t, "name"), schemas(depth-1).Draw(t, "entry"))
		}
		return node
	case schema.Unknown, schema.Data: // below
	}
	switch keyword {
	case "required":
		if rapid.IntRange(0, 3).Draw(t, "flag") == 0 {
			return schema.NewBool(rapid.Bool().Draw(t, "required"))
		}
		return schema.NewStrings(rapid.SliceOfN(rapid.SampledFrom(propertyNames), 0, 3).Draw(t, "required")...)
	case "enum", "examples":
		return schema.NewArray(rapid.SliceOfN(rapid.Custom(scalar), 0, 4).Draw(t, keyword)...)
	case "const", "default":
		return scalar(t)
	case "$ref":
		return schema.NewString(rapid.SampledFrom([]string{
			"#", "#/$defs/a", "#/$defs/b", "#/definitions/a", "#/properties/a", "#/properties/a~1b",
			"#/nowhere", "https://example.com/a.json", "#anchor",
		}).Draw(t, "$ref"))
	case "dependentRequired":
		return schema.NewObject(schema.Member{Key: "a", Value: schema.NewStrings("b")})
	case "description", "title":
		if rapid.IntRange(0, 5).Draw(t, "languages") == 0 {
			return schema.NewObject(schema.Member{Key: "de", Value: schema.NewString("d")}, schema.Member{Key: "en", Value: schema.NewString("e")})
		}
		return schema.NewString(rapid.SampledFrom([]string{"a text", "another\n\n{minLength: 1}", "with (default: 5)"}).Draw(t, keyword))
	case "pattern":
		return schema.NewString("^[a-z]+$")
	case "format":
		return schema.NewString(rapid.SampledFrom([]string{"date-time", "int32", "uri", "enum", "phone-number"}).Draw(t, "format"))
	case "discriminator":
		return schema.NewObject(schema.Member{Key: "propertyName", Value: schema.NewString("a")})
	}
	switch schema.TypeOf(keyword) {
	case "integer":
		return schema.NewInt(rapid.IntRange(0, 4).Draw(t, keyword))
	case "number":
		return schema.NewNumber(rapid.SampledFrom([]string{"0", "1", "2", "-1", "1.5", "5"}).Draw(t, keyword))
	case "boolean":
		return schema.NewBool(rapid.Bool().Draw(t, keyword))
	default:
		return scalar(t)
	}
}

// arguments draws instances.
func arguments(depth int) *rapid.Generator[*schema.Node] {
	return rapid.Custom(func(t *rapid.T) *schema.Node {
		kinds := 4
		if depth == 0 {
			kinds = 1
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0, 1:
			return scalar(t)
		case 2:
			return schema.NewArray(rapid.SliceOfN(arguments(depth-1), 0, 3).Draw(t, "elements")...)
		default:
			node := schema.NewObject()
			for range rapid.IntRange(0, 3).Draw(t, "members") {
				node.Set(rapid.SampledFrom(propertyNames).Draw(t, "name"), arguments(depth-1).Draw(t, "member"))
			}
			return node
		}
	})
}

// failer is what both testing.T and rapid.T can do.
type failer interface {
	Helper()
	Errorf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
}

// askedOf are the surfaces that take what a target makes for one of its dialects: all that
// it names, and those whose refusals vLLM hides, because it asks another backend then.
func askedOf(target judge.Target, dialect *provider.Dialect) []*provider.Dialect {
	surfaces := append([]*provider.Dialect{dialect}, target.Also...)
	if target.Dialect == engines.VLLMChat {
		surfaces = append(surfaces, engines.VLLMXGrammar, engines.XGrammar)
	}
	return surfaces
}

// holdsContract holds one tool on one target against the contract of normalizers, and
// returns what became of it.
func holdsContract(t failer, target judge.Target, tool schema.Tool, instances []*schema.Node) normalizers.Result {
	t.Helper()
	given := tool.Node().String()
	result, err := target.Normalizer.Normalize(context.Background(), tool)
	if err != nil {
		t.Fatalf("%s: %v\n%s", target.Name(), err, given)
	}
	if tool.Node().String() != given {
		t.Errorf("%s: the input was changed\n%s\n%s", target.Name(), given, tool.Node())
	}
	normalized := result.Tool.Node()
	again, err := target.Normalizer.Normalize(context.Background(), tool)
	if err != nil || !schema.Identical(again.Tool.Node(), normalized) {
		t.Errorf("%s: not deterministic\n%s", target.Name(), given)
	}
	if _, err := schema.Parse(normalized.JSON()); err != nil {
		t.Errorf("%s: cannot be read again: %v\n%s\n%s", target.Name(), err, given, normalized)
	}
	dialect, second := target.Dialect, target.Normalizer
	if target.Fallback != nil && !result.Strict {
		dialect = target.Fallback
		for _, other := range harness.Targets {
			if other.Dialect == dialect {
				second = other.Normalizer
			}
		}
	}
	for _, surface := range askedOf(target, dialect) {
		response, err := (&provider.Model{Dialect: surface}).Send(context.Background(), surface.Encode([]schema.Tool{result.Tool}))
		if err != nil || response.Verdict != provider.Accepted && !isAlternate(target) {
			t.Errorf("%s: refused by %s: %s\n%s\n%s", target.Name(), surface.Name, response.Message, given, normalized)
		}
	}
	if target.Name() == "openai" && len(result.Changes) > 0 {
		raw, err := (&provider.Model{Dialect: dialect}).Send(context.Background(), dialect.Encode([]schema.Tool{tool}))
		// What is no JSON Schema is put right where it loses nothing, whether or not it is refused.
		isSchema := fitsMetaschema(tool.Parameters, true) == nil
		if err != nil || raw.Verdict == provider.Accepted && isSchema {
			t.Errorf("openai: changed although it is accepted\n%s\n%s", given, normalized)
		}
	}
	twice, err := second.Normalize(context.Background(), result.Tool)
	if err != nil || !schema.Identical(twice.Tool.Node(), normalized) {
		t.Errorf("%s: not idempotent\n%s\n%s\n%s", target.Name(), given, normalized, twice.Tool.Node())
	}
	loss := rewrite.Exact
	for _, change := range result.Changes {
		loss |= change.Loss
		if tool.Node().Find(change.From) == nil || normalized.Find(change.At) == nil {
			t.Errorf("%s: %s: from %q or at %q leads nowhere\n%s\n%s", target.Name(), change.Rule, change.From, change.At, given, normalized)
		}
	}
	if len(result.Changes) == 0 && !schema.Identical(normalized, tool.Node()) {
		t.Errorf("%s: changed in silence\n%s\n%s", target.Name(), given, normalized)
	}
	meansTheSame(t, target, tool, result.Tool, loss, instances)
	return result
}

// meansTheSame holds the declared loss against instances.
func meansTheSame(t failer, target judge.Target, tool, normalized schema.Tool, loss rewrite.Loss, instances []*schema.Node) {
	t.Helper()
	if len(instances) == 0 || tool.Parameters == nil {
		return
	}
	before, err := instance.Compile(tool.Parameters)
	if err != nil {
		return // no JSON Schema before the repairs
	}
	after, err := instance.Compile(normalized.Parameters)
	if err != nil {
		t.Errorf("%s: no JSON Schema any more: %v\n%s\n%s", target.Name(), err, tool.Parameters, normalized.Parameters)
		return
	}
	for _, instance := range instances {
		was, is := before.Accepts(instance), after.Accepts(instance)
		if was && !is && loss&rewrite.Narrows == 0 {
			t.Errorf("%s: refuses %s, and the loss is %s\n%s\n%s", target.Name(), instance, loss, tool.Parameters, normalized.Parameters)
		}
		if !was && is && loss&rewrite.Widens == 0 {
			t.Errorf("%s: accepts %s, and the loss is %s\n%s\n%s", target.Name(), instance, loss, tool.Parameters, normalized.Parameters)
		}
	}
}

func TestContractOnRandomSchemas(t *testing.T) {
	t.Parallel()
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				const depth = 3
				parameters := schemas(depth).Draw(t, "parameters")
				instances := rapid.SliceOfN(arguments(depth), 3, 6).Draw(t, "instances")
				holdsContract(t, target, schema.Tool{Name: "f", Parameters: parameters}, instances)
			})
		})
	}
}

// corpusTools returns the tools of the corpus, which is not part of the project: a short
// test has one of eleven, and make whole all. All tests share them.
func corpusTools(t testing.TB) []schema.Tool {
	t.Helper()
	tools, err := corpusOnce()
	if errors.Is(err, fs.ErrNotExist) {
		corpus.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// shortShare is the share of the corpus that a short test has. It is a prime, so that no
// server's tools are all of it.
const shortShare = 11

var corpusOnce = sync.OnceValues(func() ([]schema.Tool, error) {
	each := 1
	if testing.Short() {
		each = shortShare
	}
	return corpus.Tools(each)
})

var everyTool = flag.Bool("every-tool", false, "hold every tool of the corpus on every target: make corpus")

// TestContractOnCorpus holds each tool of the corpus on one target, and on all targets
// those that show a form of schema that few others have: a short test on one of eight. What
// becomes of a tool is valid under its metaschema.
func TestContractOnCorpus(t *testing.T) {
	t.Parallel()
	tools := corpusTools(t)
	least := 12_000
	if testing.Short() {
		least /= shortShare
	}
	if len(tools) < least {
		t.Fatalf("the corpus has %d tools, expected at least %d", len(tools), least)
	}
	isRare := corpus.Rare(tools)
	targets := slices.Concat(harness.Targets, harness.Alternates)
	for number, target := range targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			for i, tool := range tools {
				if !*everyTool && i%len(targets) != number && (!isRare[i] || !inShare(i+number, 8)) {
					continue
				}
				result := holdsContract(t, target, tool, nil)
				staysValid(t, target, tool, result)
			}
		})
	}
}
