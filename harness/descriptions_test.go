package harness_test

import (
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestDescriptionsArrive checks on the corpus that a model can read what the author of a tool wrote: each
// description that is reached from the root is within a description of the normalized tool. Only a
// rule that fits a tool into a bound of its target leaves one out.
func TestDescriptionsArrive(t *testing.T) {
	t.Parallel()
	tools := corpusTools(t)
	for _, pipeline := range normalizers.Pipelines {
		t.Run(pipeline.Name(), func(t *testing.T) {
			t.Parallel()
			checked := 0
			for i, tool := range tools {
				result, err := pipeline.Normalize(t.Context(), tool)
				if err != nil || isCut(result) {
					continue
				}
				checked++
				arrived := strings.Join(descriptionsOf(result.Tool), "\n")
				for _, text := range descriptionsOf(tool) {
					if !isWithin(text, arrived) {
						t.Errorf("tool %d, %s: no description has %q", i, tool.Name, text)
					}
				}
			}
			if checked < len(tools)*9/10 {
				t.Errorf("only %d of %d tools were checked", checked, len(tools))
			}
		})
	}
}

// isCut reports whether a rule removed a part of a tool to keep a bound.
func isCut(result normalizers.Result) bool {
	for _, change := range result.Changes {
		if change.Rule == "fit_size" || change.Rule == "description_limit" {
			return true
		}
	}
	return false
}

// isWithin reports whether a text is in another one, as it is or quoted as often as unions can hold one
// another in descriptions.
func isWithin(text, others string) bool {
	const deepest = 4
	for range deepest {
		if strings.Contains(others, text) {
			return true
		}
		quoted := schema.NewString(text).String()
		text = quoted[1 : len(quoted)-1]
	}
	return false
}

// descriptionsOf returns the descriptions of a tool and of the schemas that are reached from the root. A
// description beside a reference replaces that of the definition, as the rule inline_refs says.
func descriptionsOf(tool schema.Tool) []string {
	var texts []string
	if tool.Description != nil {
		texts = append(texts, tool.Description.Text)
	}
	resources := schema.NewResources(tool.Parameters)
	seen := map[*schema.Node]bool{}
	var visit func(node *schema.Node, isReplaced bool)
	visit = func(node *schema.Node, isReplaced bool) {
		if !isReplaced {
			texts = append(texts, node.GetString("description"))
		}
		if seen[node] {
			return
		}
		seen[node] = true
		if reference := node.Reference(); reference != "" {
			visit(resources.Resolve(node, reference), isReplaced || node.Has("description"))
		}
		for place := range node.Subschemas() {
			if place.Keyword != "$defs" && place.Keyword != "definitions" {
				visit(place.Node(), false)
			}
		}
	}
	visit(tool.Parameters, false)
	return texts
}
