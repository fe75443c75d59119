package harness_test

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/normalizers"
	"toolproof/schema"
)

// staysTree runs the rules of a target one by one. After each of them every schema, and
// every list or object of schemas, must lie in one place: what is done to one place
// would show at the other.
func staysTree(t failer, pipeline *normalizers.Pipeline, options normalizers.Options, tool schema.Tool) {
	t.Helper()
	var rooms, known []room
	broken := false
	watched := pipeline.With(options).Watched(func(rule string, parameters *schema.Node) {
		rooms = appendRooms(rooms[:0], parameters)
		if broken || slices.Equal(rooms, known) {
			return // the rule moved nothing
		}
		rooms, known = known, rooms
		if shared := sharedNode(known); shared != nil {
			t.Errorf("%s: after %s two places share %s\n%s\n%s", pipeline.Name(), rule, shared, tool.Node(), parameters)
			broken = true
		}
	})
	_, _ = watched.Normalize(context.Background(), tool) // what cannot be expressed is a tree until then
}

// appendRooms appends the rooms of the schemas of a tree, and of the holders of schemas.
// Data may be shared.
func appendRooms(rooms []room, root *schema.Node) []room {
	note := func(node *schema.Node) {
		rooms = append(rooms, roomOf(node, node, 1))
		// What is appended to one list must not appear in another: the room that a list may
		// grow into is its own.
		if most := cap(node.Members); most > 0 {
			rooms = append(rooms, roomOf(node, &node.Members[:1][0], most))
		}
		if most := cap(node.Elements); most > 0 {
			rooms = append(rooms, roomOf(node, &node.Elements[:1][0], most))
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
		return true
	})
	return rooms
}

// sharedNode returns what lies in two places of a tree, or whose members lie in the room
// of another's, or nil.
func sharedNode(rooms []room) *schema.Node {
	rooms = slices.Clone(rooms)
	slices.SortFunc(rooms, func(a, b room) int { return cmp.Compare(a.begin, b.begin) })
	for i := 1; i < len(rooms); i++ {
		if rooms[i].begin < rooms[i-1].end {
			return rooms[i].of
		}
	}
	return nil
}

// room is where in memory a node is, or what it holds.
type room struct {
	begin, end uintptr
	of         *schema.Node
}

// roomOf returns the room of so many values from the first on.
func roomOf[Value any](of *schema.Node, first *Value, count int) room {
	begin := reflect.ValueOf(first).Pointer()
	return room{begin, begin + uintptr(count)*reflect.TypeFor[Value]().Size(), of}
}

// emptied are unions whose branches are empty once a keyword is out: the copies of such
// a branch shared the room that its members had left.
var emptied = []string{
	`{"type": ["string", "number"], "anyOf": [{"not": {"const": 1}}]}`,
	`{"type": ["string", "number"], "anyOf": [{"properties": null, "not": null}], "minimum": 0}`,
	`{"properties": {"a": {"type": ["string", "array"], "anyOf": [{"if": {}}, {"minContains": 1}]}}}`,
}

// TestSchemasStayTrees runs the rules on the fixtures, and on what nobody wrote.
func TestSchemasStayTrees(t *testing.T) {
	t.Parallel()
	given, _ := load(t)
	for number, target := range slices.Concat(harness.Targets, harness.Alternates) {
		pipeline, ok := target.Normalizer.(*normalizers.Pipeline)
		if !ok {
			t.Errorf("%s is no pipeline", target.Name())
			continue
		}
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			for i, one := range given {
				if !isAsked(i, number) {
					continue
				}
				for _, tool := range one.Tools {
					staysTree(t, pipeline, normalizers.Options{MaxValues: one.Expect[target.Dialect.Name].MaxValues}, tool)
				}
			}
			for _, text := range emptied {
				parameters, err := schema.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				staysTree(t, pipeline, normalizers.Options{}, schema.Tool{Name: "f", Parameters: parameters})
			}
		})
		t.Run(target.Name()+"/random", func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				const depth = 3
				staysTree(t, pipeline, normalizers.Options{}, schema.Tool{Name: "f", Parameters: schemas(depth).Draw(t, "parameters")})
			})
		})
	}
}

// TestSharedNodeIsFound shares a schema, and the room of a list.
func TestSharedNodeIsFound(t *testing.T) {
	t.Parallel()
	leaf := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")})
	holder := func(a, b *schema.Node) *schema.Node {
		return schema.NewObject(schema.Member{Key: "properties", Value: schema.NewObject(
			schema.Member{Key: "a", Value: a}, schema.Member{Key: "b", Value: b},
		)})
	}
	other := *leaf
	room := make([]schema.Member, 0, 4)
	one, two := schema.NewObject(), schema.NewObject()
	one.Members, two.Members = room[:0:2], room[1:1]
	for name, tree := range map[string]*schema.Node{"a schema": holder(leaf, leaf), "its members": holder(leaf, &other), "empty room": holder(one, two)} {
		if sharedNode(appendRooms(nil, tree)) == nil {
			t.Errorf("%s lies in two places, and is not found", name)
		}
	}
	if shared := sharedNode(appendRooms(nil, holder(leaf, leaf.Clone()))); shared != nil {
		t.Errorf("%s lies in one place", shared)
	}
}
