package engines_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/schema"
)

func answer(t *testing.T, dialect *provider.Dialect, parameters *schema.Node) (provider.Response, []*schema.Node, error) {
	t.Helper()
	request := dialect.Encode([]schema.Tool{{Name: "f", Parameters: parameters}})
	response, err := (&provider.Model{Dialect: dialect}).Send(context.Background(), request)
	return response, request.Declarations, err
}

func read(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return node
}

// TestPatterns holds the conversion of patterns to the words of the engine, which was
// asked about each of these.
func TestPatterns(t *testing.T) {
	t.Parallel()
	const at = "Regex parsing error at position "
	for pattern, want := range map[string]string{
		`^a{2,3}?(?:b|c)\d[\w.-]+$`: "",
		`(?=a)`:                     at + "3: Lookahead is not supported yet.",
		`a(?<!b)`:                   at + "4: Lookbehind is not supported yet.",
		`(?i)a`:                     at + "3: Group modifier flag is not supported yet.",
		`(?<name>a)`:                "",
		`(?<n1>a)`:                  at + "5: Invalid named capturing group.",
		`\p{L}`:                     at + "1: Unicode character class escape sequence is not supported yet.",
		`a\b`:                       at + "2: Word boundary is not supported yet.",
		`(a)\1`:                     at + "4: Backreference is not supported yet.",
		`[]`:                        at + "2: Empty character class is not allowed in regex.",
		`[a`:                        at + "3: Unclosed '['",
		`(a`:                        at + "3: The parenthesis is not closed.",
		`a)`:                        at + "2: Unmatched ')'",
		`a{,3}`:                     at + "3: Invalid repetition count.",
		`a**`:                       at + "3: Two consecutive repetition modifiers are not allowed.",
		`a\`:                        at + "2: Escape sequence is not finished.",
		`\u{110000000}`:             at + "4: Invalid Unicode escape sequence.",
		`\c1`:                       at + "3: Invalid control character escape sequence.",
		"":                          "",
		`é\u00e9`:                   "",
		`a||b`:                      "EBNF parser error",
		`*`:                         "", // it repeats the quote before it
		`(*a)`:                      "EBNF parser error",
		`[z-a]`:                     "EBNF parser error",
		`[\u00e9a-f]`:               "EBNF parser error",
		`a{3,1}`:                    "EBNF parser error",
		"a\n":                       "",
	} {
		node := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")}, schema.Member{Key: "pattern", Value: schema.NewString(pattern)})
		got, _, err := answer(t, engines.XGrammar, node)
		if err != nil || got.Message != want {
			t.Errorf("%q: got %q (%v), want %q", pattern, got.Message, err, want)
		}
	}
}

// TestLocateFindsThePlace reads refusals, also as they are logged, back to their places.
func TestLocateFindsThePlace(t *testing.T) {
	t.Parallel()
	const tool = `{"type":"object","properties":{"ok":{"type":"string"},"a":{"type":"array","items":{"type":"dict"}},"b":{"type":"string","pattern":"(?=x)"},
		"c":{"type":"integer","multipleOf":2},"d":{"$ref":"#/$defs/none"}},"$defs":{}}`
	without := func(names ...string) *schema.Node {
		node := read(t, tool)
		for _, name := range names {
			node.Get("properties").Delete(name)
		}
		return node
	}
	const before = "Failed to transform json schema into a grammar: [12:00:01] /project/cpp/json_schema_converter.cc:902: "
	for _, test := range []struct {
		dialect *provider.Dialect
		node    *schema.Node
		message string
		want    schema.Pointer
	}{
		{engines.XGrammar, without(), `Unsupported type "dict"`, "/parameters/properties/a/items"},
		{engines.VLLMXGrammar, without(), before + `Unsupported type "dict"`, "/parameters/properties/a/items"},
		{engines.VLLMXGrammar, without("a"), before + "Regex parsing error at position 3: Lookahead is not supported yet.\n", "/parameters/properties/b/pattern"},
		{engines.VLLMXGrammar, without(), "The provided JSON schema contains features not supported by xgrammar.", "/parameters/properties/c"},
		{engines.VLLMChat, without(), "Grammar error: Invalid type: dict", "/parameters/properties/a/items"},
		{engines.XGrammar, without("a", "b"), "Check failed: (x) is false: Cannot find field none in {}", "none"},
		{engines.XGrammar, without(), `Unsupported type "float"`, "none"},
		{engines.XGrammar, without(), "quota exceeded", "nothing"},
	} {
		declarations := test.dialect.Encode([]schema.Tool{{Name: "f", Parameters: test.node}}).Declarations
		got := schema.Pointer("nothing")
		for _, place := range test.dialect.Locate(provider.Response{Message: test.message}, declarations) {
			got = place.At
			if place.Declaration == provider.Nowhere {
				got = "none"
			}
		}
		if got != test.want {
			t.Errorf("%s: %q: got %s, want %s", test.dialect.Name, test.message, got, test.want)
		}
	}
}

// TestRefusalsAreLocatedInTheirOwnWords is the case above with the whole words.
func TestRefusalsAreLocatedInTheirOwnWords(t *testing.T) {
	t.Parallel()
	for _, dialect := range []*provider.Dialect{engines.XGrammar, engines.VLLMXGrammar} {
		node := read(t, `{"type":"object","properties":{"d":{"$ref":"#/$defs/none"}},"$defs":{"a":{"const":1.5e3}}}`)
		refused, declarations, err := answer(t, dialect, node)
		if err != nil || !strings.HasSuffix(refused.Message, `Cannot find field none in {"a":{"const":1500}}`) {
			t.Fatalf("%s: %q, %v", dialect.Name, refused.Message, err)
		}
		read, err := dialect.Classify(refused.Status, dialect.Render(refused))
		if err != nil || read.Message != refused.Message {
			t.Errorf("%s: Classify gives %q, %v", dialect.Name, read.Message, err)
		}
		places := dialect.Locate(read, declarations)
		if len(places) != 1 || places[0].At != "/parameters/properties/d" {
			t.Errorf("%s: %+v", dialect.Name, places)
		}
	}
}

// TestHostileSchemasEnd: what multiplies in the engine ends here with an answer, or with
// the error of the budget. A short test asks one of the three surfaces about each schema,
// which is a quarter as large.
func TestHostileSchemasEnd(t *testing.T) {
	t.Parallel()
	count := 20_000
	if testing.Short() {
		count /= 4
	}
	types := `{"type":["object","object","object"],"properties":{"a":`
	deep := strings.Repeat(types, 40) + `{}` + strings.Repeat("}}", 40)
	chain := strings.Repeat(`{"anyOf":[`, 300) + `{"$ref":"#"}` + strings.Repeat("]}", 300)
	cases := map[string]*schema.Node{
		"lists of types":                read(t, deep),
		"deep":                          read(t, chain),
		"a cycle":                       read(t, `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#//$defs/a"}]}}}`),
		"types and required names":      read(t, `{"type":[`+strings.Repeat(`"object",`, count)+`"null"],"properties":{"a":{}},"required":[`+manyNames(count)+`]}`),
		"types and a long reference":    read(t, `{"type":[`+strings.Repeat(`"array",`, count)+`"null"],"items":{"$ref":"#/`+strings.Repeat("a/", 16*count)+`"}}`),
		"types and long names":          read(t, `{"type":[`+strings.Repeat(`"object",`, count)+`"null"],"properties":{"`+strings.Repeat("a", 32*count)+`":{}},"required":["`+strings.Repeat("a", 32*count)+`"]}`),
		"types and values":              read(t, `{"type":[`+strings.Repeat(`"array",`, count)+`"null"],"items":{"const":[`+manyNames(count)+`],"enum":[[`+manyNames(count)+`]]}}`),
		"references to a list of names": read(t, `{"anyOf":[`+strings.Repeat(`{"$ref":"#/$defs/k0"},`, count)+`{}],"$defs":{"a":{}`+wide(count)+`}}`),
		"a megabyte": schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")},
			schema.Member{Key: "pattern", Value: schema.NewString(strings.Repeat("(a|[b-c]{2}", 5*count) + strings.Repeat(")", 5*count))}),
		"many names": func() *schema.Node {
			properties := schema.NewObject()
			for i := range count {
				properties.Members = append(properties.Members, schema.Member{Key: strings.Repeat("\\n", i%3) + string(rune('a'+i%26)) + schema.NewInt(i).Text, Value: schema.NewObject()})
			}
			return schema.NewObject(schema.Member{Key: "properties", Value: properties})
		}(),
	}
	for number, name := range slices.Sorted(maps.Keys(cases)) {
		for i, dialect := range []*provider.Dialect{engines.XGrammar, engines.VLLMChat, engines.VLLMXGrammar} {
			if testing.Short() && i != number%3 {
				continue
			}
			t.Run(name+" "+dialect.Name, func(t *testing.T) {
				t.Parallel()
				refused, declarations, err := answer(t, dialect, cases[name])
				var budget *provider.BudgetError
				if err != nil && !errors.As(err, &budget) {
					t.Error(err)
				}
				refused.Message = `Unsupported type "dict"`
				dialect.Locate(refused, declarations)
			})
		}
	}
}

// manyNames writes so many elements of a list of names, and one.
func manyNames(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `"k%d",`, i)
	}
	return text.String() + `"k"`
}

// TestWhatGoesToGuidanceEnforcesMore: of a schema that another backend gets, nothing is
// said to be lost.
func TestWhatGoesToGuidanceEnforcesMore(t *testing.T) {
	t.Parallel()
	node := read(t, `{"type":"object","properties":{"a":{"type":"integer","multipleOf":2},"b":{"type":"string","not":{"const":"x"}}}}`)
	for dialect, want := range map[*provider.Dialect]int{engines.VLLMChat: 0, engines.XGrammar: 2} {
		got, _, err := answer(t, dialect, node)
		if err != nil || got.Verdict != provider.Accepted || len(got.Ignored) != want {
			t.Errorf("%s: %s with %d ignored (%v), want %d", dialect.Name, got.Verdict, len(got.Ignored), err, want)
		}
	}
}

// TestEachLossIsReportedOnce: a list of types has its schema converted for each type, and
// what is below it.
func TestEachLossIsReportedOnce(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"type":["integer","number"],"multipleOf":2}`:                                               "/parameters/multipleOf",
		`{"type":["object","object"],"properties":{"a":{"type":"integer","multipleOf":2}},"not":{}}`: "/parameters/not /parameters/properties/a/multipleOf",
		`{"type":["number","array"],"exclusiveMinimum":1,"contains":{},"uniqueItems":true}`:          "/parameters/exclusiveMinimum /parameters/uniqueItems /parameters/contains",
	} {
		got, _, err := answer(t, engines.XGrammar, read(t, given))
		var places []string
		for _, finding := range got.Ignored {
			places = append(places, string(finding.At))
		}
		if err != nil || strings.Join(places, " ") != want {
			t.Errorf("%s: got %q (%v), want %q", given, places, err, want)
		}
	}
}
