package harness_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// staysTree runs the rules of a target one by one. After each of them every schema, and
// every list or object of schemas, must lie in one place: what is done to one place
// would show at the other.
func staysTree(t failer, pipeline *normalizers.Pipeline, tool schema.Tool) {
	t.Helper()
	work := rewrite.New(context.Background(), tool, pipeline.Target, rewrite.Options{})
	for _, rule := range pipeline.Rules {
		work.Apply(rule)
		if work.Failure() != nil {
			return
		}
		if shared := sharedNode(work.Root()); shared != nil {
			t.Errorf("%s: after %s two places share %s\n%s\n%s", pipeline.Name(), rule.Name, shared, tool.Node(), work.Root())
			return
		}
	}
}

// sharedNode returns a schema, or a holder of schemas, that lies in two places of the
// tree, or whose members lie in the room of another's, or nil. Data may be shared.
func sharedNode(root *schema.Node) *schema.Node {
	var shared *schema.Node
	seen := map[*schema.Node]bool{}
	rooms := map[any]bool{}
	note := func(node *schema.Node) {
		if seen[node] {
			shared = node
		}
		seen[node] = true
		// What is appended to one list must not appear in another: each place in the room
		// that a list may grow into is its own.
		for i := range node.Members[:cap(node.Members)] {
			if room := &node.Members[:cap(node.Members)][i]; rooms[room] {
				shared = node
			} else {
				rooms[room] = true
			}
		}
		for i := range node.Elements[:cap(node.Elements)] {
			if room := &node.Elements[:cap(node.Elements)][i]; rooms[room] {
				shared = node
			} else {
				rooms[room] = true
			}
		}
	}
	root.Each(func(node *schema.Node) bool {
		note(node)
		for _, member := range node.Members {
			switch class := schema.ClassOf(member.Key); class.HeldIn(member.Value) {
			case schema.Elements, schema.Members:
				note(member.Value)
			case schema.Itself, schema.Nothing:
			}
		}
		return shared == nil
	})
	return shared
}

// emptied are unions whose branches are empty once a keyword is out: the copies of such
// a branch shared the room that its members had left.
var emptied = []string{
	`{"type": ["string", "number"], "anyOf": [{"not": {"const": 1}}]}`,
	`{"type": ["string", "number"], "anyOf": [{"properties": null, "not": null}], "minimum": 0}`,
	`{"properties": {"a": {"type": ["string", "array"], "anyOf": [{"if": {}}, {"minContains": 1}]}}}`,
}

func TestSchemasStayTrees(t *testing.T) {
	t.Parallel()
	given, _ := load(t)
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		pipeline, ok := target.Normalizer.(*normalizers.Pipeline)
		if !ok {
			t.Errorf("%s is no pipeline", target.Name())
			continue
		}
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			for _, one := range given {
				for _, tool := range one.Tools {
					staysTree(t, pipeline, tool)
				}
			}
			for _, text := range emptied {
				parameters, err := schema.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				staysTree(t, pipeline, schema.Tool{Name: "f", Parameters: parameters})
			}
		})
		t.Run(target.Name()+"/random", func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				const depth = 3
				staysTree(t, pipeline, schema.Tool{Name: "f", Parameters: schemas(depth).Draw(t, "parameters")})
			})
		})
	}
}
