package live_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"slices"
	"strconv"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/lab/corpus"
	"toolproof/normalizers"
	"toolproof/normalizers/toanthropic"
	"toolproof/normalizers/togenai"
	"toolproof/normalizers/tomcp"
	"toolproof/normalizers/toopenai"
	"toolproof/schema"
)

// handover is how an official client declares a tool.
type handover struct {
	name    string
	targets []string
	declare func(normalizers.Result) (any, error)
	// want returns the declaration as the provider's surface has it.
	want func(normalizers.Result) *schema.Node
	// ordered is set if the client keeps the order of properties.
	ordered bool
}

// publishable returns a result reduced to the members that the SDK can hold, which tomcp
// refuses to drop, and with the hints that the SDK always writes.
func publishable(result normalizers.Result) normalizers.Result {
	if result.Tool.Further == nil {
		return result
	}
	further := schema.FurtherOf(result.Tool.Further)
	further.Delete("execution")
	if annotations := further.Get("annotations"); annotations != nil {
		held := schema.NewObject()
		for _, name := range []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if value := annotations.Get(name); value != nil {
				held.Set(name, value)
			} else if name == "readOnlyHint" || name == "idempotentHint" {
				held.Set(name, schema.NewBool(false))
			}
		}
		further.Set("annotations", held)
	}
	result.Tool.Further = further
	return result
}

var handovers = []handover{
	{"genai.FunctionDeclaration", []string{"gemini", "portable"}, func(result normalizers.Result) (any, error) {
		return togenai.FunctionDeclaration(result)
	}, func(result normalizers.Result) *schema.Node { return asMessage(result.Tool.Node()) }, false},
	{"genai.FunctionDeclaration of JSON Schema", []string{"gemini-json", "vertex-json"}, func(result normalizers.Result) (any, error) {
		return togenai.FunctionDeclarationJSON(result)
	}, declaredBy("gemini-json"), true},
	{"genai.Schema of a response", []string{"gemini-response"}, func(result normalizers.Result) (any, error) {
		return togenai.ResponseSchema(result)
	}, func(result normalizers.Result) *schema.Node { return asMessage(result.Tool.Parameters) }, false},
	{"response JSON Schema", []string{"gemini-response-json"}, func(result normalizers.Result) (any, error) {
		return togenai.ResponseJSONSchema(result)
	}, func(result normalizers.Result) *schema.Node { return result.Tool.Parameters }, true},
	{"openai chat", []string{"gemini-openai", "openai", "openai-strict", "portable"}, func(result normalizers.Result) (any, error) {
		return toopenai.Chat(result)
	}, func(result normalizers.Result) *schema.Node {
		function := schema.NewObject(result.Tool.Node().Members...)
		if result.Strict {
			function.Set("strict", schema.NewBool(true))
		}
		return schema.NewObject(schema.Member{Key: "function", Value: function}, schema.Member{Key: "type", Value: schema.NewString("function")})
	}, true},
	{"openai responses", []string{"openai", "openai-strict", "openai-responses", "portable"}, func(result normalizers.Result) (any, error) {
		return toopenai.Responses(result)
	}, func(result normalizers.Result) *schema.Node {
		tool := schema.NewObject(result.Tool.Node().Members...)
		tool.Set("strict", schema.NewBool(result.Strict))
		tool.Set("type", schema.NewString("function"))
		return tool
	}, true},
	{"anthropic", []string{"anthropic", "anthropic-strict", "portable"}, func(result normalizers.Result) (any, error) {
		return toanthropic.Tool(result)
	}, func(result normalizers.Result) *schema.Node {
		tool := renamed(result.Tool.Node(), "parameters", "input_schema")
		if result.Strict {
			tool.Set("strict", schema.NewBool(true))
		}
		return tool
	}, true},
	{"mcp", []string{"mcp", "portable"}, func(result normalizers.Result) (any, error) {
		return tomcp.Tool(publishable(result))
	}, func(result normalizers.Result) *schema.Node {
		tool := renamed(publishable(result).Tool.Whole(), "parameters", "inputSchema")
		if tool.GetString("description") == "" {
			tool.Delete("description")
		}
		return tool
	}, true},
}

func declaredBy(name string) func(normalizers.Result) *schema.Node {
	return func(result normalizers.Result) *schema.Node {
		target, err := harness.TargetNamed(name)
		if err != nil {
			panic(err)
		}
		tool := target.Dialect.Declaration(result.Tool)
		if tool.GetString("description") == "" {
			tool = schema.NewObject(tool.Members...)
			tool.Delete("description")
		}
		return tool
	}
}

func renamed(node *schema.Node, from, to string) *schema.Node {
	members := slices.Clone(node.Members)
	for i := range members {
		if members[i].Key == from {
			members[i].Key = to
		}
	}
	return schema.NewObject(members...)
}

// asMessage returns a tool or schema as a protobuf message represents it: without what a
// message cannot tell from absent members, and with doubles.
func asMessage(node *schema.Node) *schema.Node {
	clone := node.Clone()
	if clone.GetString("description") == "" {
		clone.Delete("description")
	}
	root := clone
	if parameters := clone.Get("parameters"); parameters != nil {
		root = parameters
	}
	root.Each(func(node *schema.Node) bool {
		node.Members = slices.DeleteFunc(node.Members, func(member schema.Member) bool {
			value := member.Value
			switch member.Key {
			case "title", "description", "format", "pattern":
				return value.Is("")
			case "enum", "required", "propertyOrdering", "anyOf":
				return len(value.Elements) == 0
			case "properties":
				return len(value.Members) == 0
			default:
				return false
			}
		})
		for i, member := range node.Members {
			if member.Key == "minimum" || member.Key == "maximum" {
				double, err := strconv.ParseFloat(member.Value.Text, 64)
				if err == nil {
					node.Members[i].Value = schema.NewNumber(strconv.FormatFloat(double, 'g', -1, 64))
				}
			}
		}
		return true
	})
	return clone
}

// isDeclared compares what a client declares for a normalized tool with the tool.
func isDeclared(t *testing.T, client handover, target string, result normalizers.Result) {
	t.Helper()
	if result.Tool.Parameters == nil && (client.name == "genai.Schema of a response" || client.name == "response JSON Schema") {
		return
	}
	declared, err := client.declare(result)
	if err != nil {
		t.Errorf("%s, %s: %v\nof %.2000s", client.name, target, err, result.Tool.Node())
		return
	}
	text, err := json.Marshal(declared)
	if err != nil {
		t.Errorf("%s, %s: %v", client.name, target, err)
		return
	}
	got, err := schema.Parse(text)
	if err != nil {
		t.Errorf("%s, %s: %v\n%.2000s", client.name, target, err, text)
		return
	}
	want := client.want(result)
	if !schema.Equal(got, want) {
		t.Errorf("%s, %s: declared\n%.2000s\nnormalized\n%.2000s", client.name, target, got, want)
	}
	if client.ordered && !sameOrder(got, want) {
		t.Errorf("%s, %s: the order changed to\n%.2000s\nof\n%.2000s", client.name, target, got, want)
	}
}

// sameOrder reports whether all members of the subschemas are in the same order.
func sameOrder(got, want *schema.Node) bool {
	for _, member := range want.Members {
		switch member.Key {
		case "function", "parameters", "parametersJsonSchema", "inputSchema", "input_schema":
			if !sameOrder(got.Get(member.Key), member.Value) {
				return false
			}
		case "properties":
			if !slices.Equal(got.Get(member.Key).Keys(), member.Value.Keys()) {
				return false
			}
		}
	}
	return true
}

// inShare reports whether a sweep includes a case: all of them in make whole, and one in
// so many in a short test.
func inShare(number, each int) bool { return !testing.Short() || number%each == 0 }

// TestHandedOverWithoutLoss compares what each client writes for a normalized tool with
// the tool, for all fixtures. A short test takes one in six targets for each.
func TestHandedOverWithoutLoss(t *testing.T) {
	t.Parallel()
	given, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	for number, target := range harness.Targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			clients := servedBy(target.Name())
			for i, one := range given {
				if one.WireOnly || len(clients) == 0 || !inShare(i+number, 6) {
					continue
				}
				result, err := within(target, one).Normalize(t.Context(), one.Tools[0])
				if err != nil {
					t.Fatal(err)
				}
				for _, client := range clients {
					isDeclared(t, client, target.Name(), result)
				}
			}
		})
	}
}

// within is the normalizer of a target, with the limit of values that a fixture sets.
func within(target judge.Target, one *fixture.Fixture) normalizers.Normalizer {
	if pipeline, ok := target.Normalizer.(*normalizers.Pipeline); ok {
		options := pipeline.Options
		options.MaxValues = one.Expect[target.Dialect.Name].MaxValues
		return pipeline.With(options)
	}
	return target.Normalizer
}

var everyTool = flag.Bool("every-tool", false, "hand over every tool of the corpus to every client: make corpus")

// TestHandedOverOfCorpus does the same for the tools of the corpus: each for one target,
// and tools with rare forms of schemas for all. A short test takes one in eleven tools,
// and one in eight targets for the rare ones.
func TestHandedOverOfCorpus(t *testing.T) {
	t.Parallel()
	interval := 1
	if testing.Short() {
		interval = 11
	}
	tools, err := corpus.Tools(interval)
	if errors.Is(err, fs.ErrNotExist) {
		corpus.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	isRare := corpus.Rare(tools)
	for number, target := range harness.Targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			clients := servedBy(target.Name())
			for i, tool := range tools {
				isItsOwn := i%len(harness.Targets) == number || *everyTool
				if len(clients) == 0 || !isItsOwn && (!isRare[i] || !inShare(i+number, 8)) {
					continue
				}
				result, err := target.Normalizer.Normalize(t.Context(), tool)
				if err != nil {
					t.Fatal(err)
				}
				for j, client := range clients { // each client gets a part of the rare tools
					if isItsOwn || i%len(clients) == j {
						isDeclared(t, client, target.Name(), result)
					}
				}
			}
		})
	}
}

// servedBy returns the clients that take tools for a target.
func servedBy(target string) []handover {
	return slices.DeleteFunc(slices.Clone(handovers), func(client handover) bool { return !slices.Contains(client.targets, target) })
}

// TestEveryHandoverIsOfATarget: the names of targets in the table exist, so that no
// client is skipped.
func TestEveryHandoverIsOfATarget(t *testing.T) {
	t.Parallel()
	for _, client := range handovers {
		for _, name := range client.targets {
			if !slices.ContainsFunc(harness.Targets, func(target judge.Target) bool { return target.Name() == name }) {
				t.Errorf("%s takes the tools of %s, which is no target", client.name, name)
			}
		}
	}
}
