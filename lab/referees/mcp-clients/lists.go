package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolproof/fixtures"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/schema"
)

// listed is what a release does with a list; "" and null mean that it refuses nothing.
type listed struct {
	List  string   `json:"list"`
	Left  []string `json:"left"`
	Calls []string `json:"calls"` // of the tools that are left
}

// release is a client of a day and the models of what it does: with a list, with each of its tools, and when one is called.
type release struct {
	name string
	day  provider.Date
	list *provider.Dialect
	// tool leaves tools out; nil for a client that keeps all.
	tool *provider.Dialect
	// callsLate says that outputSchemas are compiled when tools are called.
	callsLate bool
}

// releases are those that the surfaces know.
func releases() []release {
	var all []release
	// What the draft of a schema demands, no TypeScript client asks of an inputSchema.
	first := mcp.InputSchema.Without("draft_2020_12")
	for _, version := range mcp.InputSchema.Versions {
		all = append(all, release{name: "sdk-" + version.Name, day: version.Date, list: first})
	}
	for _, version := range mcp.Client2.Versions {
		all = append(all, release{name: "client-" + version.Name, day: version.Date, list: mcp.Client2, callsLate: !strings.Contains(version.Name, "alpha")})
	}
	for _, version := range mcp.Stateless.Versions {
		all = append(all, release{name: "client-" + version.Name + " 2026-07-28", day: version.Date, list: mcp.Stateless, tool: mcp.StreamableHTTP, callsLate: true})
	}
	return all
}

// predict returns what the models of a release say to a list.
func (r release) predict(tools []*schema.Node) (listed, error) {
	words := func(dialect *provider.Dialect, stage string, tools ...*schema.Node) (string, error) {
		response, err := (&provider.Model{Dialect: dialect, AsOf: r.day}).Send(context.Background(), dialect.Request(tools))
		if err != nil || response.Verdict == provider.Accepted || (response.Findings[0].Rule.Stage.Name == stage) != r.callsLate && stage == compiling {
			return "", err
		}
		return response.Message, nil
	}
	var predicted listed
	whole, err := (&provider.Model{Dialect: r.list, AsOf: r.day}).Send(context.Background(), r.list.Request(tools))
	if err != nil {
		return predicted, fmt.Errorf("predicting what %s says: %w", r.name, err)
	}
	if whole.Verdict != provider.Accepted && (!r.callsLate || whole.Findings[0].Rule.Stage.Name != compiling) {
		predicted.List = whole.Message
		return predicted, nil
	}
	for _, tool := range tools {
		if r.tool != nil {
			said, err := words(r.tool, "", tool)
			if err != nil {
				return predicted, err
			}
			if said != "" {
				predicted.Left = append(predicted.Left, said)
				continue
			}
		}
		said, err := words(r.list, compiling, tool)
		if err != nil {
			return predicted, err
		}
		predicted.Calls = append(predicted.Calls, said)
	}
	return predicted, nil
}

// compiling is the name of the stage that compiles outputSchemas.
const compiling = "validators"

// lists asks both sides about lists, and prints where they differ.
func lists(folder, name string, asked []question) (differ int, err error) {
	answers, err := ask[listed](folder, asked)
	if err != nil {
		return 0, err
	}
	refused, compared := 0, 0
	for i, one := range asked {
		node, err := schema.ParseWire(one.Tools)
		if err != nil {
			return 0, fmt.Errorf("reading list %d: %w", one.ID, err)
		}
		isRefused := false
		seen := map[string]bool{}
		for _, release := range releases() {
			said, isKnown := answers[i].Answers[release.name]
			if !isKnown {
				return 0, fmt.Errorf("%s is not among the packages that are installed", release.name)
			}
			predicted, err := release.predict(node.Elements)
			if err != nil {
				return 0, err
			}
			compared++
			isRefused = isRefused || said.List != "" || len(said.Left) > 0 || strings.Join(said.Calls, "") != ""
			if sameIssues(predicted.List, said.List, release.day) && slices.Equal(predicted.Left, said.Left) && slices.Equal(predicted.Calls, said.Calls) {
				continue
			}
			differ++
			difference := fmt.Sprintf("it says %.1000q, predicted %.1000q", said, predicted)
			if !seen[difference] {
				fmt.Printf("%s: %.3000s: %s\n", release.name, one.Tools, difference)
			}
			seen[difference] = true
		}
		if isRefused {
			refused++
		}
	}
	fmt.Printf("%d lists %s, %d refused in part by a client, %d answers of %d releases compared, %d differences\n", len(asked), name, refused, compared, len(releases()), differ)
	return differ, nil
}

// sameIssues reports whether two refusals are the same. The order of the issues is compared since the SDK 1.23.0, with which
// zod 4 came; before, it was that of members which have moved since.
func sameIssues(a, b string, day provider.Date) bool {
	const zod4 = "2025-11-26"
	if day >= zod4 || a == "" || b == "" {
		return a == b
	}
	var first, second []any
	if json.Unmarshal([]byte(a), &first) != nil || json.Unmarshal([]byte(b), &second) != nil {
		return a == b
	}
	order := func(issues []any) []string {
		texts := make([]string, len(issues))
		for i, issue := range issues {
			texts[i] = fmt.Sprint(issue)
		}
		slices.Sort(texts)
		return texts
	}
	return slices.Equal(order(first), order(second))
}

// fixtureLists returns one in some tools of the fixtures, as servers list it.
func fixtureLists(every int) []question {
	given, err := fixture.Load(fixtures.Files)
	if err != nil {
		panic(err) // a test loads them
	}
	var all []question
	for i, one := range given {
		if i%every > 0 {
			continue
		}
		for _, tool := range one.Tools {
			// JavaScript reads 1e400 as no number of JSON, and the client 2.x refuses it in a property, which no rule says.
			if declared := mcp.InputSchema.Declare(tool); !strings.Contains(declared.String(), "1e400") {
				all = append(all, listOf(len(all), declared))
			}
		}
	}
	return all
}

func listOf(id int, tools ...*schema.Node) question {
	return question{ID: id, Tools: json.RawMessage(schema.NewArray(tools...).JSON())}
}

// full is a tool that every client takes, with all members.
const full = `{"name":"f","title":"t","description":"d","icons":[{"src":"a:b","mimeType":"image/png","theme":"dark"}],` +
	`"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},` +
	`"b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"C"}}}},"required":["a"]},` +
	`"outputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string","pattern":"^a$"},` +
	`"b":{"type":"array","items":{"enum":[1]},"minItems":1},"c":{"$ref":"#/properties/d"},"d":{"anyOf":[{"type":"null"},{"type":"number","minimum":1}]}},` +
	`"patternProperties":{"^x":{"type":"boolean"}},"additionalProperties":false,"required":["a"]},` +
	`"annotations":{"title":"t","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},` +
	`"execution":{"taskSupport":"optional"},"_meta":{"a":1}}`

// schemata take the place of a value of a tool, beside others.
var schemata = []string{
	`"http://json-schema.org/draft-07/schema#"`, `"http://json-schema.org/draft-04/schema#"`, `"https://json-schema.org/draft/2019-09/schema"`, `"https://example.com/schema"`,
	`"any"`, `"("`, `"\\-a"`, `"object"`, `["string","integer"]`, `{"type":"object"}`, `{"type":"string","minLength":"1"}`, `{"$ref":"#/$defs/none"}`,
	`{"type":"array","items":[{"type":"string"}]}`, `{"type":"string","x-mcp-header":"a b"}`, `{"type":"number","x-mcp-header":"N"}`, `{"patternProperties":{"(":{}}}`,
	`{"minContains":"1"}`, `{"prefixItems":[{"id":"x"}]}`, `{"nullable":true}`, `{"required":true}`,
}

// madeLists returns lists of two tools with one to three random faults, or none.
func madeLists(seed uint64, number int) []question {
	random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // no secret
	values := slices.Concat(others, schemata)
	questions := make([]question, number)
	for i := range questions {
		tool, second := parsed(full), parsed(`{"name":"g","inputSchema":{"type":"object"}}`)
		for range random.IntN(4) {
			spoil(tool, values, random)
		}
		tools := []*schema.Node{second, tool}
		if random.IntN(2) == 0 {
			slices.Reverse(tools)
		}
		questions[i] = listOf(i, tools...)
	}
	return questions
}

func parsed(text string) *schema.Node {
	node, err := schema.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return node
}
