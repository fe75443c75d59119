package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"toolproof/fixtures"
	"toolproof/harness/fixture"
	"toolproof/harness/peers"
	"toolproof/lab/corpus"
	"toolproof/schema"
)

// set is a named list of tools.
type set struct {
	name  string
	cases []*peers.Case
}

// sizes returns the number of tools in each set.
func sizes(sets []set) []size {
	counted := make([]size, len(sets))
	for i, set := range sets {
		counted[i] = size{set.name, len(set.cases)}
	}
	return counted
}

// sets returns the fixtures and, if there is a corpus, tools from npm and the JSON Schema
// suite.
func (r *Run) sets() ([]set, error) {
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		return nil, fmt.Errorf("reading the fixtures: %w", err)
	}
	sets := []set{{"fixtures", ofFixtures(loaded)}}
	tools, err := corpus.Read("tools.jsonl.gz")
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "peers: no corpus, so the fixtures alone are judged:", err)
		return sets, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	suite, err := corpus.Read("json_schema_test_suite.jsonl.gz")
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	return append(sets, set{"npm", ofTools(tools, r.Every)}, set{"suite", ofSuite(suite)}), nil
}

func ofFixtures(loaded []*fixture.Fixture) []*peers.Case {
	var cases []*peers.Case
	for _, fixture := range loaded {
		if fixture.WireOnly || len(fixture.Tools) != 1 || fixture.Tools[0].Parameters == nil {
			continue // no converter can take it
		}
		cases = append(cases, &peers.Case{ID: fixture.ID, Tool: fixture.Tools[0], Instances: slices.Concat(fixture.Valid, fixture.Invalid)})
	}
	return cases
}

// ofTools returns one in every tools of the group npm.
func ofTools(rows []*schema.Node, every int) []*peers.Case {
	var cases []*peers.Case
	seen := 0
	for _, row := range rows {
		if row.GetString("group") != "npm" {
			continue
		}
		if seen++; seen%every != 1%every {
			continue
		}
		tool := schema.Tool{Name: row.GetString("name"), Description: row.Get("description"), Parameters: row.Get("schema")}
		cases = append(cases, &peers.Case{ID: row.GetString("id"), Tool: tool})
	}
	return cases
}

// ofSuite makes a tool of each schema of the suite. The schema becomes a property or, if it has
// references or names, which would lead elsewhere in another place, the root.
func ofSuite(rows []*schema.Node) []*peers.Case {
	var cases []*peers.Case
	for _, row := range rows {
		if row.GetString("draft") != "draft2020-12" {
			continue // most schemas of older drafts are the same
		}
		whole, isRoot := row.Get("schema"), false
		text := whole.String()
		for _, name := range []string{"$ref", "$dynamicRef", "$id", "id", "$anchor", "$recursiveRef"} {
			isRoot = isRoot || strings.Contains(text, `"`+name+`":`)
		}
		if !isRoot {
			inside := whole.Clone()
			inside.Delete("$schema")
			whole = schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("object")},
				schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: "v", Value: inside})},
				schema.Member{Key: "required", Value: schema.NewStrings("v")},
			)
		}
		added := &peers.Case{ID: row.GetString("id"), Tool: schema.Tool{Name: "f", Description: schema.NewString(row.GetString("description")), Parameters: whole}}
		for _, test := range row.Get("tests").Elements {
			instance := test.Get("data")
			if !isRoot {
				instance = schema.NewObject(schema.Member{Key: "v", Value: instance})
			}
			if instance.Kind == schema.Object {
				added.Instances = append(added.Instances, instance)
			}
		}
		cases = append(cases, added)
	}
	return cases
}
