package harness_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"

	"toolproof/schema"
)

// TestMeaningOfSplicedTools holds the meaning of tools of the corpus whose parts were
// exchanged: each part is one that somebody published, in a place where nobody has put it.
// A short test draws one of ten of these tools.
func TestMeaningOfSplicedTools(t *testing.T) {
	t.Parallel()
	tools, count := corpusTools(t), 700
	switch {
	case *whole:
		count *= 20
	case testing.Short():
		count /= 10
	}
	if len(tools) == 0 {
		return // the corpus is missing, and the test has said so
	}
	held := &held{most: few()}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for seed := range count {
		work.Go(func() error {
			tool := spliced(tools, rand.New(rand.NewPCG(uint64(seed), 0)))
			return held.tool(t.Context(), fmt.Sprintf("%d %s", seed, tool.Parameters), tool, everyone(), normalizing(t.Context(), tool))
		})
	}
	held.report(t, work.Wait())
}

// spliced is a tool with parts of others.
func spliced(tools []schema.Tool, random *rand.Rand) schema.Tool {
	const mostParts = 4
	root := partOf(tools, random).Clone()
	for range 1 + random.IntN(mostParts) {
		splice(root, schemasIn(root), partOf(tools, random), random)
	}
	return schema.Tool{Name: "f", Parameters: root}
}

// partOf returns the parameters of some tool: not large, without definitions, and an object.
func partOf(tools []schema.Tool, random *rand.Rand) *schema.Node {
	const most = 150
	for {
		parameters := tools[random.IntN(len(tools))].Parameters
		isWhole := parameters != nil && parameters.Kind == schema.Object
		if isWhole && parameters.Size() < most && len(schemasIn(parameters)) > 1 && !refers(parameters) {
			return parameters
		}
	}
}

// schemasIn are the schemas that are objects.
func schemasIn(root *schema.Node) (all []*schema.Node) {
	root.Each(func(node *schema.Node) bool {
		if node.Kind == schema.Object {
			all = append(all, node)
		}
		return true
	})
	return all
}

func refers(root *schema.Node) (found bool) {
	root.Each(func(node *schema.Node) bool {
		found = found || node.Has("$ref") || node.Has("$defs") || node.Has("definitions")
		return !found
	})
	return found
}

// splice changes one of the schemas with a part of another tool.
func splice(root *schema.Node, all []*schema.Node, other *schema.Node, random *rand.Rand) {
	node := all[random.IntN(len(all))]
	others := schemasIn(other)
	part := others[1+random.IntN(len(others)-1)].Clone()
	was := *node
	switch random.IntN(7) {
	case 0: // another schema
		if node != root {
			*node = *part
		}
	case 1: // a union, or both
		keyword := []string{"anyOf", "oneOf", "allOf"}[random.IntN(3)]
		*node = *schema.NewObject(schema.Member{Key: keyword, Value: schema.NewArray(&was, part)})
	case 2: // null besides
		if name := node.GetString("type"); name != "" && node != root {
			node.Set("type", schema.NewStrings(name, "null"))
		}
	case 3: // null as a branch
		if node != root {
			null := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("null")})
			*node = *schema.NewObject(schema.Member{Key: "anyOf", Value: schema.NewArray(&was, null)})
		}
	case 4: // a definition that two places refer to
		if node != root {
			definitions := root.Get("$defs")
			if definitions == nil {
				definitions = schema.NewObject()
				root.Set("$defs", definitions)
			}
			name := fmt.Sprintf("D%d", len(definitions.Members))
			definitions.Set(name, &was)
			reference := schema.NewString("#/$defs/" + name)
			*node = *schema.NewObject(schema.Member{Key: "$ref", Value: reference})
			if properties := root.Get("properties"); properties != nil && properties.Kind == schema.Object {
				properties.Set("again", schema.NewObject(schema.Member{Key: "$ref", Value: reference}))
			}
		}
	case 5: // all that is declared is required, or nothing
		properties := node.Get("properties")
		if random.IntN(2) == 0 || properties == nil {
			node.Delete("required")
		} else {
			node.Set("required", schema.NewStrings(properties.Keys()...))
		}
	case 6: // a list, or a map
		if node != root {
			keyword, name := "items", "array"
			if random.IntN(2) == 0 {
				keyword, name = "additionalProperties", "object"
			}
			*node = *schema.NewObject(schema.Member{Key: "type", Value: schema.NewString(name)}, schema.Member{Key: keyword, Value: &was})
		}
	}
}
