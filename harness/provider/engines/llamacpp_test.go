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
	"toolproof/lab/corpus"
	"toolproof/schema"
)

// TestLlamaAgreesWithEvidence holds the models against what the converter and the reader of
// grammars of llama.cpp answered to every tool and every schema of the test suite, and a
// short test against one answer of eleven. The answers are those of the build of 2025-12-18. The answers lack the words that the server puts before those about a grammar.
func TestLlamaAgreesWithEvidence(t *testing.T) {
	t.Parallel()
	for _, answer := range corpus.Answers(t, share(), "llamacpp") {
		want := fmt.Sprintf("%s %s", answer.Verdict, answer.Message)
		tool := schema.Tool{Name: "f", Parameters: answer.Schema}
		for _, dialect := range []*provider.Dialect{engines.LlamaChat, engines.LlamaResponseFormat} {
			response, err := (&provider.Model{Dialect: dialect, AsOf: "2025-12-18"}).Send(t.Context(), dialect.Encode([]schema.Tool{tool}))
			if err != nil {
				t.Errorf("%s: %v", answer.ID, err)
				continue
			}
			got := fmt.Sprintf("%s %s", response.Verdict, strings.TrimPrefix(response.Message, "Failed to initialize samplers: "))
			switch {
			case response.Message == "llama-server crashes":
				got = "crashes "
			case len(response.Ignored) == 1 && response.Ignored[0].Rule.Name == "no_grammar":
				got = "rejected failed to parse grammar"
			}
			if got != want {
				t.Errorf("%s, %s %s:\ngot  %.300s\nwant %.300s", dialect.Name, answer.Set, answer.ID, got, want)
			}
		}
	}
}

func llamaSays(t *testing.T, dialect *provider.Dialect, day provider.Date, schemas ...string) provider.Response {
	t.Helper()
	tools := make([]schema.Tool, len(schemas))
	for i, text := range schemas {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		tools[i] = schema.Tool{Name: fmt.Sprintf("f%d", i), Parameters: node}
	}
	response, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(context.Background(), dialect.Encode(tools))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// TestLlamaWords holds words and statuses of refusals that no fixture has.
func TestLlamaWords(t *testing.T) {
	t.Parallel()
	const failed = "JSON schema conversion failed:\n"
	const old, between = "2025-12-18", "2026-09-01"
	const underivable = "Unable to generate parser for this template. Automatic parser generation failed: "
	const unparsed = "Failed to initialize samplers: failed to parse grammar"
	many := strings.Repeat(`{"anyOf":[`, 400) + `{"description":"x"}` + strings.Repeat(`]}`, 400)
	for name, test := range map[string]struct {
		day     provider.Date
		schemas []string
		status  int
		want    string
	}{
		"in 2025": {"2025-11-28", []string{`{"properties":{"tail":{"anyOf":[{"not":{}},{"type":"number"}]}}}`}, 500, failed + `Unrecognized schema: {"not":{}}`},
		"all tools": {
			old,
			[]string{`{"properties":{"a":{"title":"A"}}}`, `{"type":"object"}`, `{"properties":{"b":{"type":"any"}}}`},
			400,
			failed + `Unrecognized schema: {"title":"A"}` + "\n" + `Unrecognized schema: {"type":"any"}`,
		},
		"what ends the conversion has a message alone": {old, []string{`{"properties":{"a":{"title":"A"},"b":{"format":1}}}`}, 500, "[json.exception.type_error.302] type must be string, but is number"},
		"a copy of a list of types": {
			old,
			[]string{`{"properties":{"a":{"type":["string","any"],"description":"é\u0001\u007f\/"}}}`},
			400,
			failed + `Unrecognized schema: {"type":"any","description":"é\u0001` + "\x7f" + `/"}`,
		},
		"numbers": {
			old,
			[]string{`{"properties":{"a":{"default":[1e2,1e15,1e16,0.0001,0.00001,-0.0,1.10,18446744073709551616,-0]}}}`},
			400,
			failed + `Unrecognized schema: {"default":[100.0,1e+15,1e+16,0.0001,1e-05,-0.0,1.1,1.8446744073709552e+19,0]}`,
		},
		"an index beyond the list":                  {old, []string{`{"anyOf":[{"$ref":"#/anyOf/7"}]}`}, 400, failed + `Error resolving ref #/anyOf/7: 7 not in [{"$ref":"#/anyOf/7"}]`},
		"an index beyond 64 bits":                   {old, []string{`{"anyOf":[{"$ref":"#/anyOf/99999999999999999999"}]}`}, 500, "stoul"},
		"a count beyond 32 bits":                    {old, []string{`{"type":"string","pattern":"^a{99999999999}$"}`}, 500, "stoi"},
		"an integer without a bound":                {old, []string{`{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}`}, 500, "At least one of min_value or max_value must be set"},
		"a target is named once":                    {old, []string{`{"properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"x":{"title":"X"}}}}}`}, 400, failed + `Unrecognized schema: {"title":"X"}`},
		"a target without a rule too":               {old, []string{`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"title":"X"}}}`}, 400, failed + `Unrecognized schema: {"title":"X"}`},
		"deep":                                      {old, []string{many}, 400, failed + `Unrecognized schema: {"description":"x"}`},
		"no parameters":                             {old, []string{`null`}, 200, ""},
		"a string":                                  {old, []string{`"x"`}, 400, failed + `Unrecognized schema: "x"`},
		"a type of the grammar":                     {old, []string{`{"type":"decimal-part"}`}, 200, ""},
		"an index beyond the list, today":           {"", []string{`{"anyOf":[{"$ref":"#/anyOf/7"}]}`}, 400, underivable + "JSON schema error at #/anyOf/0: cannot resolve $ref #/anyOf/7, 7 is out of range"},
		"the place of a reference's target":         {"", []string{`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"items":{"type":["null","any"]}}}}`}, 400, underivable + "JSON schema error at #/$defs/x/items/type/1: unrecognized type any"},
		"the first tool":                            {"", []string{`{"properties":{"a/b":{"type":"x"}}}`, `{"properties":{"a":true}}`}, 400, underivable + "JSON schema error at #/properties/a/b: unrecognized type x"},
		"a flaw of any tool comes before a pattern": {"", []string{`{"properties":{"a":{"pattern":"^*$"}}}`, `{"properties":{"a":true}}`}, 400, underivable + "JSON schema error at #/properties/a: schema must be an object"},
		"patterns that are none": {
			"",
			[]string{`{"properties":{"a":{"pattern":"^*$"},"b":{"pattern":"^(a$"},"c":{"pattern":"^[a$"},"d":{"pattern":"^a\\$"},"e":{"pattern":"^a)$"},"f":{"pattern":"^(?=a)*$"}}}`},
			400,
			underivable + failed + "Invalid pattern ^*$: nothing to repeat\nInvalid pattern ^(a$: unbalanced parentheses\nInvalid pattern ^[a$: unterminated character class\n" +
				`Invalid pattern ^a\$: trailing backslash` + "\nInvalid pattern ^a)$: unbalanced parentheses",
		},
		"a schema without a type":               {"2026-08-05", []string{`{"properties":{"a":{"title":"A"}}}`}, 400, underivable + failed + `Unrecognized schema: {"title":"A"}`},
		"a schema without a type, later":        {"2026-08-06", []string{`{"properties":{"a":{"title":"A"}}}`}, 200, ""},
		"true, between":                         {between, []string{`{"properties":{"a":true}}`}, 400, underivable + failed + `Unrecognized schema: true`},
		"a value of another type, between":      {between, []string{`{"properties":{"a":{"type":"integer","minimum":null}}}`}, 400, underivable + "[json.exception.type_error.302] type must be number, but is null"},
		"exactly 2000, at first":                {old, []string{`{"type":"string","maxLength":2000}`}, 200, ""},
		"exactly 2000, until September":         {"2026-09-06", []string{`{"type":"string","maxLength":2000}`}, 400, unparsed},
		"exactly 2000, since September":         {"2026-09-07", []string{`{"type":"string","maxLength":2000}`}, 200, ""},
		"1999 elements of a shared rule":        {"", []string{`{"items":{"type":"string"},"maxItems":1999}`}, 200, ""},
		"2000 elements of a shared rule":        {"", []string{`{"items":{"type":"string"},"maxItems":2000}`}, 400, unparsed},
		"1999 elements of another rule":         {"", []string{`{"items":{"properties":{}},"maxItems":1999}`}, 400, unparsed},
		"2001 elements, one of them required":   {"", []string{`{"items":{"type":"string"},"minItems":1,"maxItems":2001}`}, 200, ""},
		"2002 elements":                         {"", []string{`{"items":{"type":"string"},"maxItems":2002}`}, 200, ""},
		"1000 optional properties":              {"", []string{`{"properties":{` + optional(1000) + `}}`}, 200, ""},
		"1001 optional properties":              {"", []string{`{"properties":{` + optional(1001) + `}}`}, 400, unparsed},
		"2000 rules in a group":                 {"", []string{`{"pattern":"^([a-z]{0,1000}[0-9]{0,997})?$"}`}, 200, ""},
		"2001 rules in a group":                 {"", []string{`{"pattern":"^([a-z]{0,1000}[0-9]{0,998})?$"}`}, 400, unparsed},
		"2001 rules in a group that has a name": {"", []string{`{"pattern":"^([a-z]{0,1000}[0-9]{0,998}){2}$"}`}, 200, ""},
		"an integer without a bound, today":     {"", []string{`{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}`}, 200, ""},
		"a bound below all":                     {"", []string{`{"type":"integer","maximum":-9223372036854775808}`}, 400, underivable + "At least one of min_value or max_value must be set"},
		"a number beyond a double":              {"", []string{`{"type":"integer","minimum":1e400}`}, 500, "[json.exception.out_of_range.406] number overflow parsing '1e400'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := llamaSays(t, engines.LlamaChat, test.day, test.schemas...)
			if response.Message != test.want || response.Status != test.status {
				t.Errorf("got %d %q, want %d %q", response.Status, response.Message, test.status, test.want)
			}
			if test.status == 200 {
				return
			}
			read, err := engines.LlamaChat.Classify(response.Status, engines.LlamaChat.Render(response))
			if err != nil || read.Message != response.Message {
				t.Errorf("it is read as %+v, %v", read, err)
			}
		})
	}
}

// TestLlamaIgnores holds what a grammar does not enforce, where no fixture does.
func TestLlamaIgnores(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schemas []string
		want    string
	}{
		"a type that all values of enum have":     {[]string{`{"properties":{"a":{"type":"string","enum":["x"]},"b":{"type":["string","null"],"enum":["x",null]}}}`}, ""},
		"a type that one has not":                 {[]string{`{"properties":{"a":{"type":"string","enum":["x",1]}}}`}, "sibling /parameters/properties/a/type"},
		"a list of types":                         {[]string{`{"properties":{"a":{"type":["string","null"],"minLength":2,"minimum":1},"b":{"type":["number","null"],"minimum":1}}}`}, "sibling /parameters/properties/b/minimum"},
		"alternatives with types":                 {[]string{`{"properties":{"a":{"type":"string","anyOf":[{"type":"string"}]}}}`}, ""},
		"beside a reference":                      {[]string{`{"properties":{"a":{"$ref":"#/$defs/a","description":"d","maxLength":3}},"$defs":{"a":{"type":"string"}}}`}, "sibling /parameters/properties/a/maxLength"},
		"parts of allOf":                          {[]string{`{"allOf":[{"properties":{"a":{"type":"string"},"b":{"type":"null"}},"required":["a"]},{"type":"object","required":["b"]}]}`}, "sibling /parameters/allOf/0/required, sibling /parameters/allOf/1/required"},
		"what is required and not a property":     {[]string{`{"properties":{"a":{"type":"string"}},"required":["a","b"]}`}, "sibling /parameters/required"},
		"what says nothing":                       {[]string{`{"properties":{"a":{"type":"array","minItems":0,"uniqueItems":false}},"required":[],"additionalProperties":true}`}, ""},
		"another type's keyword":                  {[]string{`{"properties":{"a":{"type":"boolean","maxLength":3,"format":"email"}}}`}, ""},
		"a definition of the same name, the same": {[]string{`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"null"}}}`, `{"properties":{"b":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"null"}}}`}, ""},
		"another spelling of the same name":       {[]string{`{"properties":{"a":{"$ref":"#/$defs/a_b"}},"$defs":{"a_b":{"type":"null"}}}`, `{"properties":{"b":{"$ref":"#/$defs/a.b"}},"$defs":{"a.b":{"type":"string"}}}`}, "reference_of_another_tool /parameters/properties/b/$ref"},
		"a definition of the same name, another":  {[]string{`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"null"}}}`, `{"properties":{"b":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`}, "reference_of_another_tool /parameters/properties/b/$ref"},
		"properties called like keywords":         {[]string{`{"properties":{"not":{"type":"string"},"minProperties":{"type":"integer"},"required":{"type":"boolean"}}}`}, ""},
		"counts of items that are a list":         {[]string{`{"properties":{"a":{"items":[{"type":"string"}],"minItems":1}}}`}, "sibling /parameters/properties/a/minItems"},
		"counts that newer builds drop":           {[]string{`{"properties":{"a":{"type":"string","maxLength":2001},"b":{"items":{"type":"string"},"maxItems":2002},"c":{"items":{"type":"string"},"minItems":1,"maxItems":2001}}}`}, "many_times /parameters/properties/a/maxLength, many_times /parameters/properties/b/maxItems"},
		"patterns without a grammar":              {[]string{`{"properties":{"a":{"type":"string","pattern":"a","minLength":1},"b":{"type":["string","null"],"pattern":"^\\d$"},"c":{"pattern":"^(?:a|b)$"},"d":{"pattern":""}}}`}, "pattern_skipped /parameters/properties/a/pattern, sibling /parameters/properties/a/minLength, pattern_skipped /parameters/properties/b/pattern"},
		"without a type":                          {[]string{`{"properties":{"a":{"minimum":1},"b":{"format":"email"},"c":{"minLength":1},"d":{"minItems":1},"e":{"not":{}},"f":{"description":"any"}}}`}, "number_bounds /parameters/properties/a/minimum, unknown_format /parameters/properties/b/format, sibling /parameters/properties/d/minItems, unknown_keyword /parameters/properties/e/not"},
		"an array of anything":                    {[]string{`{"properties":{"a":{"type":"array","minItems":1,"uniqueItems":true}}}`}, "unknown_keyword /parameters/properties/a/uniqueItems"},
		"both bounds of an integer":               {[]string{`{"properties":{"a":{"type":"integer","minimum":1,"exclusiveMinimum":3}}}`}, "sibling /parameters/properties/a/exclusiveMinimum"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := llamaSays(t, engines.LlamaChat, "", test.schemas...)
			var found []string
			for _, finding := range response.Ignored {
				found = append(found, finding.Rule.Name+" "+string(finding.At))
			}
			if got := strings.Join(found, ", "); got != test.want || response.Verdict != provider.Accepted {
				t.Errorf("%s %q: got %q, want %q", response.Verdict, response.Message, got, test.want)
			}
		})
	}
}

// TestLlamaLocate reads words as they are pasted.
func TestLlamaLocate(t *testing.T) {
	t.Parallel()
	const given = `{"properties":{"a":{"description":"x"},"b":{"type":"string","pattern":"a"},"c":{"items":{"pattern":"b"}}}}`
	for name, test := range map[string]struct{ schema, message, want string }{
		"all":                {given, "JSON schema conversion failed:\nUnrecognized schema: {\"description\":\"x\"}\nPattern must start with '^' and end with '$'", "0 /parameters/properties/a, 0 /parameters/properties/b/pattern, 0 /parameters/properties/c/items/pattern"},
		"on one line":        {given, `JSON schema conversion failed: Unrecognized schema: {"description":"x"}`, "0 /parameters/properties/a"},
		"a newer build":      {given, "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nPattern must start with '^' and end with '$'", "0 /parameters/properties/b/pattern, 0 /parameters/properties/c/items/pattern"},
		"another tool":       {given, `JSON schema conversion failed: Unrecognized schema: {"not":{}}`, "-1 "},
		"a grammar":          {`{"properties":{"a":{"type":"string","pattern":"^\\d$"}}}`, "Failed to initialize samplers: failed to parse grammar", "0 /parameters/properties/a/pattern"},
		"a value":            {`{"properties":{"a":{"type":"string","format":null}}}`, "[json.exception.type_error.302] type must be string, but is null", "0 /parameters/properties/a/format"},
		"an index":           {`{"anyOf":[{"$ref":"#/anyOf/99999999999999999999"}]}`, "stoul", "0 /parameters/anyOf/0/$ref"},
		"words of today":     {`{"properties":{"a":{"type":"x"},"b":{"type":"y"}}}`, "JSON schema error at #/properties/a: unrecognized type x", "0 /parameters/properties/a/type"},
		"an invalid pattern": {`{"properties":{"a":{"pattern":"^*$"}}}`, "JSON schema conversion failed:\nInvalid pattern ^*$: nothing to repeat", "0 /parameters/properties/a/pattern"},
		"others' words":      {given, "Invalid schema for function 'f': words", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parameters, err := schema.ParseWire([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			for _, dialect := range []*provider.Dialect{engines.LlamaChat, engines.LlamaResponseFormat} {
				declarations := []*schema.Node{dialect.Declare(schema.Tool{Name: "f", Parameters: parameters})}
				var found []string
				for _, place := range dialect.Locate(provider.Response{Message: test.message}, declarations) {
					found = append(found, fmt.Sprintf("%d %s", place.Declaration, place.At))
				}
				if got := strings.Join(found, ", "); got != test.want {
					t.Errorf("%s: got %q, want %q", dialect.Name, got, test.want)
				}
			}
		})
	}
}

// TestLlamaHostile: the model answers, or exceeds its budget, where llama-server crashes or
// never answers. A short test asks one of the two surfaces about each case, and what has a
// megabyte is a quarter as long.
func TestLlamaHostile(t *testing.T) {
	t.Parallel()
	size := 1 << 20
	if testing.Short() {
		size /= 4
	}
	long := strings.Repeat("a", size)
	const crashes, unparsed = "rejected llama-server crashes", "rejected Failed to initialize samplers: failed to parse grammar"
	cases := map[string]struct{ schema, want string }{
		"a long pattern":                     {`{"type":"string","pattern":"^` + long + `$"}`, "accepted "},
		"a long pattern of groups":           {`{"type":"string","pattern":"^` + strings.Repeat("(", size) + `$"}`, "accepted "},
		"a long pattern of repetitions":      {`{"type":"string","pattern":"^` + strings.Repeat("a{2000}", size/16) + `$"}`, "accepted "},
		"a pattern that repeats and repeats": {`{"type":"string","pattern":"^a` + strings.Repeat("*", size/4) + `$"}`, unparsed},
		"a long pattern in many groups":      {`{"type":"string","pattern":"^` + strings.Repeat("(", 4000) + long + strings.Repeat(")", 4000) + `$"}`, "accepted "},
		"many types of many keywords":        {`{"type":[` + strings.Repeat(`"string",`, 20000) + `"null"]` + wide(20000) + `}`, ""},
		"parts that refer to one object":     {`{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/0"},`, 9999) + `{"$ref":"#/$defs/0"}],"$defs":{"0":{"properties":{"a":{}` + wide(10000) + `}}}}`, ""},
		"long names":                         {`{"properties":{"` + long + `":{"type":"null"},"` + long + `b":{"type":"null"}},"additionalProperties":true}`, crashes},
		"a name that is long enough":         {`{"properties":{"` + long[:16000] + `":{"type":"null"}},"additionalProperties":true}`, crashes},
		"a name that is not long enough":     {`{"properties":{"` + long[:15500] + `":{"type":"null"}},"additionalProperties":true}`, "accepted "},
		"types and required names":           {`{"type":[` + strings.Repeat(`"object",`, 20000) + `"null"],"properties":{"a":{}},"required":[` + manyNames(20_000) + `]}`, ""},
		"types and keywords":                 {`{"type":[` + strings.Repeat(`"string",`, 300) + `"null"],"pattern":"^a$","format":"date","minLength":1,"maxLength":2,"not":{},"if":{},"minimum":1` + wide(1000) + `}`, "accepted "},
		"a long way":                         {longWay(wide(900)), "accepted "},
		"types of types":                     {strings.Repeat(`{"type":["object","object"],"properties":{"a":`, 400) + "{}" + strings.Repeat("}}", 400), ""},
		"a chain of references":              {`{"$ref":"#/$defs/0","$defs":{` + chain(5000) + `}}`, "accepted "},
	}
	for number, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := cases[name]
			node, err := schema.ParseWire([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			for i, dialect := range []*provider.Dialect{engines.LlamaChat, engines.LlamaResponseFormat} {
				if testing.Short() && i != number%2 {
					continue
				}
				want := test.want
				request := dialect.Encode([]schema.Tool{{Name: "f", Parameters: node}})
				response, err := (&provider.Model{Dialect: dialect}).Send(t.Context(), request)
				var budget *provider.BudgetError
				if isSpent := errors.As(err, &budget); isSpent != (want == "") {
					t.Errorf("%s: %v", dialect.Name, err)
				} else if got := string(response.Verdict) + " " + response.Message; !isSpent && got != want {
					t.Errorf("%s: %q, want %q", dialect.Name, got, want)
				}
				dialect.Locate(provider.Response{Message: "Failed to initialize samplers: failed to parse grammar"}, request.Declarations)
			}
		})
	}
}

// longWay makes a schema whose last object has members far below the root.
func longWay(members string) string {
	const depth, letters = 200, 2000
	return strings.Repeat(`{"type":"object","properties":{"`+strings.Repeat("a", letters)+`":`, depth) + `{"type":"object","properties":{"a":{}` + members + `}}` + strings.Repeat("}}", depth)
}

// wide makes further members.
func wide(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `,"k%d":{}`, i)
	}
	return text.String()
}

// chain makes definitions that lead to one another.
func chain(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	fmt.Fprintf(&text, `"%d":{"type":"string"}`, count)
	return text.String()
}

// optional makes properties that are not required.
func optional(count int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%d":{}`, i)
	}
	return strings.Join(names, ",")
}
