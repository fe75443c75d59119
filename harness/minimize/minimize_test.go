package minimize_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/minimize"
	"toolproof/harness/provider"
	"toolproof/internal/seeded"
	"toolproof/schema"
)

// TestMain draws the same cases in every run.
func TestMain(m *testing.M) { os.Exit(seeded.Run(m)) }

func dialect(t *testing.T, name string) *provider.Dialect {
	t.Helper()
	found, err := harness.DialectNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func tool(t *testing.T, parameters string) schema.Tool {
	t.Helper()
	node, err := schema.Parse([]byte(parameters))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Tool{Name: "f", Description: schema.NewString("d"), Parameters: node}
}

func TestTool(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ dialect, message, given, want, rule string }{
		"the first violation": {
			"gemini/parameters", "",
			`{"type":"object","properties":{"a":{"type":"string","minLength":2},"b":{"const":"x","description":"b"},"c":{"type":"array","items":{"const":1}}},"required":["a","b"]}`,
			`{"properties":{"b":{"const":"x"}}}`, "unknown_name",
		},
		"the one of the message": {
			"gemini/parameters", `Unknown name "exclusiveMinimum" at 'tools[0].function_declarations[7].parameters.properties[5].value.any_of[3]': Cannot find field.`,
			`{"type":"object","properties":{"b":{"const":"x"},"c":{"anyOf":[{"type":"null"},{"type":"integer","exclusiveMinimum":0}]}}}`,
			`{"properties":{"c":{"anyOf":[{"exclusiveMinimum":0}]}}}`, "unknown_name",
		},
		"what is missing": {
			"openai/chat", "",
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"array","description":"list","minItems":1}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"array"}}}`, "array_items",
		},
		"the order stays": {
			"openai/chat-strict", "'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}`, "required_missing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			surface := dialect(t, test.dialect)
			given := tool(t, test.given)
			before := given.Node().String()
			result, err := minimize.Tool(t.Context(), &provider.Model{Dialect: surface}, surface, given, test.message, minimize.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if test.rule != "" && result.Reason.Rule.Name != test.rule {
				t.Errorf("the rule is %s", result.Reason.Rule.Name)
			}
			if got := result.Tool.Parameters.String(); got != test.want || result.Tool.Description != nil || result.Tool.Name != "f" {
				t.Errorf("got %s", result.Tool.Node())
			}
			if !result.Minimal || result.Asks < 2 || result.Answer.Verdict != provider.Rejected {
				t.Errorf("got %+v", result)
			}
			if given.Node().String() != before {
				t.Errorf("the tool was changed to %s", given.Node())
			}
		})
	}
}

func TestNothingToHoldOnTo(t *testing.T) {
	t.Parallel()
	surface := dialect(t, "gemini/parameters")
	model := &provider.Model{Dialect: surface}
	_, err := minimize.Tool(t.Context(), model, surface, tool(t, `{"type":"object"}`), "", minimize.Options{})
	if !errors.Is(err, minimize.ErrAccepted) {
		t.Errorf("got %v", err)
	}
	_, err = minimize.Tool(t.Context(), model, surface, tool(t, `{"const":1}`), "no such thing", minimize.Options{})
	if !errors.Is(err, minimize.ErrOtherWords) {
		t.Errorf("got %v", err)
	}
}

// teller refuses with a bare message, as some providers do.
type teller struct {
	refuses func(tool string) string
	fails   func(asks int) error
	asks    int
}

func (s *teller) Send(_ context.Context, request provider.Request) (provider.Response, error) {
	s.asks++
	if s.fails != nil {
		if err := s.fails(s.asks); err != nil {
			return provider.Response{}, err
		}
	}
	if message := s.refuses(request.Declarations[0].String()); message != "" {
		return provider.Response{Verdict: provider.Rejected, Message: message}, nil
	}
	return provider.Response{Verdict: provider.Accepted}, nil
}

// TestWords shrinks a tool for a provider whose refusals no rule explains.
func TestWords(t *testing.T) {
	t.Parallel()
	words := &teller{refuses: func(tool string) string {
		switch at := strings.Index(tool, `"minLength"`); {
		case at >= 0:
			return fmt.Sprintf("minLength is not known here, at byte %d", at)
		case strings.Contains(tool, `"maxLength"`):
			return "maxLength is not known here"
		default:
			return ""
		}
	}}
	given := tool(t, `{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"minLength":2,"type":"string"}}}`)
	result, err := minimize.Tool(t.Context(), words, dialect(t, "gemini/parameters"), given, "", minimize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Tool.Parameters.String(); got != `{"properties":{"b":{"minLength":2}}}` || result.Reason.Rule != nil || result.Asks != words.asks {
		t.Errorf("got %s after %d asks, and %d were counted", got, words.asks, result.Asks)
	}
}

// TestErrors checks that the result so far is returned when the provider stops answering.
func TestErrors(t *testing.T) {
	t.Parallel()
	down := errors.New("no route")
	surface := dialect(t, "gemini/parameters")
	given := tool(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"minLength":2,"type":"string"}}}`)
	refuses := func(tool string) string {
		if strings.Contains(tool, "minLength") {
			return "no"
		}
		return ""
	}
	_, err := minimize.Tool(t.Context(), &teller{refuses: refuses, fails: func(int) error { return down }}, surface, given, "", minimize.Options{})
	if !errors.Is(err, down) {
		t.Errorf("got %v", err)
	}
	for last := 2; last < 9; last++ {
		fails := func(asks int) error {
			if asks > last {
				return down
			}
			return nil
		}
		result, err := minimize.Tool(t.Context(), &teller{refuses: refuses, fails: fails}, surface, given, "", minimize.Options{})
		if !errors.Is(err, down) || result.Minimal || refuses(result.Tool.Node().String()) == "" {
			t.Errorf("after %d answers: %v, %s", last, err, result.Tool.Node())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := minimize.Tool(ctx, &teller{refuses: refuses}, surface, given, "", minimize.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestBounds checks that the search ends at its bounds, with a tool that is still refused.
func TestBounds(t *testing.T) {
	t.Parallel()
	surface := dialect(t, "gemini/parameters")
	properties := schema.NewObject()
	for i := range 20_000 {
		property := schema.NewObject(schema.Member{Key: "type", Value: schema.NewStrings("string")})
		properties.Members = append(properties.Members, schema.Member{Key: fmt.Sprintf("p%d", i), Value: property})
	}
	deep := schema.NewObject(schema.Member{Key: "const", Value: schema.NewInt(1)})
	for range 200 {
		deep = schema.NewObject(schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: "a", Value: deep})})
	}
	wide := schema.Tool{Name: "f", Parameters: schema.NewObject(schema.Member{Key: "properties", Value: properties})}
	for name, test := range map[string]struct {
		tool    schema.Tool
		options minimize.Options
		minimal bool
	}{
		"all":      {wide, minimize.Options{}, true},
		"asks":     {wide, minimize.Options{MaxAsks: 3}, false},
		"one ask":  {wide, minimize.Options{MaxAsks: 1}, false},
		"values":   {wide, minimize.Options{MaxValues: 100_000}, false},
		"one size": {wide, minimize.Options{MaxValues: 1}, false},
		"deep":     {schema.Tool{Name: "f", Parameters: deep}, minimize.Options{}, true},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			result, err := minimize.Tool(t.Context(), &provider.Model{Dialect: surface}, surface, test.tool, "", test.options)
			if err != nil || result.Minimal != test.minimal || result.Answer.Verdict != provider.Rejected {
				t.Fatalf("%v, minimal %t after %d asks", err, result.Minimal, result.Asks)
			}
			if test.options.MaxAsks > 0 && result.Asks > test.options.MaxAsks {
				t.Errorf("%d asks", result.Asks)
			}
		})
	}
}

// smaller yields the tool without each of its members and elements, one at a time.
func smaller(tool schema.Tool, yield func(schema.Tool)) {
	root := tool.Node().Clone()
	var visit func(node *schema.Node)
	visit = func(node *schema.Node) {
		members, elements := node.Members, node.Elements
		for i, member := range members {
			if node != root || member.Key != "name" {
				node.Members = slices.Delete(slices.Clone(members), i, i+1)
				yield(schema.Tool{Name: tool.Name, Description: root.Get("description"), Parameters: root.Get("parameters")})
			}
		}
		for i := range elements {
			node.Elements = slices.Delete(slices.Clone(elements), i, i+1)
			yield(schema.Tool{Name: tool.Name, Description: root.Get("description"), Parameters: root.Get("parameters")})
		}
		node.Members, node.Elements = members, elements
		for _, member := range members {
			visit(member.Value)
		}
		for _, element := range elements {
			visit(element)
		}
	}
	visit(root)
}

// schemas draws schemas about which the providers have much to say.
func schemas(depth int) *rapid.Generator[*schema.Node] {
	return rapid.Custom(func(t *rapid.T) *schema.Node {
		node := schema.NewObject()
		for range rapid.IntRange(0, 4).Draw(t, "keywords") {
			keyword := rapid.SampledFrom([]string{
				"type", "properties", "items", "anyOf", "oneOf", "required", "const", "enum", "$ref", "$defs", "description", "minLength", "additionalProperties", "format",
			}).Draw(t, "keyword")
			if depth == 0 && schema.ClassOf(keyword) != schema.Data {
				continue
			}
			switch schema.ClassOf(keyword) {
			case schema.SchemaMap:
				entries := schema.NewObject()
				for range rapid.IntRange(0, 3).Draw(t, "entries") {
					entries.Set(rapid.SampledFrom([]string{"a", "b", "1", "const"}).Draw(t, "name"), schemas(depth-1).Draw(t, "entry"))
				}
				node.Set(keyword, entries)
			case schema.SchemaList:
				node.Set(keyword, schema.NewArray(rapid.SliceOfN(schemas(depth-1), 0, 3).Draw(t, keyword)...))
			case schema.OneSchema, schema.SchemaOrList:
				node.Set(keyword, schemas(depth-1).Draw(t, keyword))
			default:
				node.Set(keyword, rapid.SampledFrom([]*schema.Node{
					schema.NewString("object"), schema.NewString("array"), schema.NewString("#/$defs/a"), schema.NewInt(3), schema.NewStrings("a", "b", ""), schema.NewArray(), {},
				}).Draw(t, "value"))
			}
		}
		return node
	})
}

// TestMinimal shrinks random tools that are refused and checks that nothing more can be left
// out, that the rest keeps its order, and that a second run gives the same.
func TestMinimal(t *testing.T) {
	t.Parallel()
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		surface := rapid.SampledFrom(harness.Dialects).Draw(t, "dialect")
		given := schema.Tool{Name: "f", Description: schema.NewString("d"), Parameters: schemas(3).Draw(t, "parameters")}
		model := &provider.Model{Dialect: surface}
		result, err := minimize.Tool(context.Background(), model, surface, given, "", minimize.Options{})
		if errors.Is(err, minimize.ErrAccepted) {
			return
		}
		if err != nil || !result.Minimal {
			t.Fatalf("%s: %v", surface.Name, err)
		}
		refused++
		smaller(result.Tool, func(tool schema.Tool) {
			answer, err := model.Send(context.Background(), surface.Encode([]schema.Tool{tool}))
			if err != nil || result.Reason.Explains(answer) {
				t.Errorf("%s: %s can be %s", surface.Name, result.Tool.Node(), tool.Node())
			}
		})
		if !isWithin(result.Tool.Node(), given.Node()) {
			t.Errorf("%s is no part of %s", result.Tool.Node(), given.Node())
		}
		again, err := minimize.Tool(context.Background(), model, surface, given, "", minimize.Options{})
		if err != nil || !schema.Identical(again.Tool.Node(), result.Tool.Node()) || again.Asks != result.Asks {
			t.Errorf("once %s in %d asks, then %s in %d", result.Tool.Node(), result.Asks, again.Tool.Node(), again.Asks)
		}
	})
	if refused == 0 {
		t.Error("no tool was refused")
	}
}

// isWithin reports whether a tree is another one with members and elements left out.
func isWithin(part, whole *schema.Node) bool {
	if part.Kind != whole.Kind || part.Text != whole.Text {
		return false
	}
	next := 0
	for _, member := range part.Members {
		for next < len(whole.Members) && (whole.Members[next].Key != member.Key || !isWithin(member.Value, whole.Members[next].Value)) {
			next++
		}
		if next++; next > len(whole.Members) {
			return false
		}
	}
	next = 0
	for _, element := range part.Elements {
		for next < len(whole.Elements) && !isWithin(element, whole.Elements[next]) {
			next++
		}
		if next++; next > len(whole.Elements) {
			return false
		}
	}
	return true
}

func TestShape(t *testing.T) {
	t.Parallel()
	same := []string{
		`{"properties":{"unit":{"const":"celsius"},"city":{"type":"string"}},"required":["city"]}`,
		`{"properties":{"a":{"const":"b"},"c":{"type":"string"}},"required":["c"]}`,
	}
	shape := minimize.Shape(tool(t, same[0]).Parameters).String()
	if other := minimize.Shape(tool(t, same[1]).Parameters).String(); shape != other {
		t.Errorf("%s is another shape than %s", shape, other)
	}
	for _, other := range []string{
		`{"properties":{"const":{"const":"b"},"c":{"type":"string"}},"required":["c"]}`,   // named like a keyword
		`{"properties":{"a":{"const":""},"c":{"type":"string"}},"required":["c"]}`,        // the empty string
		`{"properties":{"a":{"const":"b"},"c":{"type":"string"}},"required":["a"]}`,       // requires the other property
		`{"properties":{"a":{"const":"b"},"c":{"type":"integer"}},"required":["c"]}`,      // another type
		`{"properties":{"a b":{"const":"b"},"c":{"type":"string"}},"required":["c"]}`,     // not a plain word
		`{"properties":{"a":{"const":"b","x":1},"c":{"type":"string"}},"required":["c"]}`, // one member more
	} {
		if minimize.Shape(tool(t, other).Parameters).String() == shape {
			t.Errorf("%s has the shape %s", other, shape)
		}
	}
}
