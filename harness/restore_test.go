package harness_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/semantics"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestRestoreGivesBack makes of each valid instance of the fixtures the arguments that a
// model would send for the normalized tool, and restores them. What share of them can be
// said at all is the target's to lose, and may only rise.
func TestRestoreGivesBack(t *testing.T) {
	t.Parallel()
	loaded, _ := load(t)
	said, all := map[string]int{}, 0
	for _, given := range loaded {
		if given.WireOnly || len(given.Valid) == 0 {
			continue
		}
		all += len(given.Valid)
		before, err := semantics.Compile(given.Tools[0].Parameters)
		if err != nil {
			before = nil // no JSON Schema before the repairs
		}
		for _, target := range harness.Targets {
			result, err := target.Normalizer.Normalize(t.Context(), given.Tools[0])
			if err != nil {
				t.Errorf("%s, %s: %v", target.Name(), given.ID, err)
				continue
			}
			if result.Tool.Parameters == nil {
				continue
			}
			for _, instance := range given.Valid {
				if givesBack(t, result, before, instance) {
					said[target.Name()]++
				}
			}
		}
	}
	for _, target := range harness.Targets {
		name := target.Name()
		t.Logf("%s: %d of %d instances said and restored", name, said[name], all)
		if said[name] < canBeSaid[name] {
			t.Errorf("%s: only %d instances can be said, and %d could be", name, said[name], canBeSaid[name])
		}
	}
}

// TestRestoreGivesBackOfRandomSchemas does the same with what nobody wrote, and
// restores arguments that do not fit.
func TestRestoreGivesBackOfRandomSchemas(t *testing.T) {
	t.Parallel()
	for _, target := range harness.Targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				const depth = 3
				parameters := schemas(depth).Draw(t, "parameters")
				instances := rapid.SliceOfN(arguments(depth), 3, 6).Draw(t, "instances")
				result, err := target.Normalizer.Normalize(context.Background(), schema.Tool{Name: "f", Parameters: parameters})
				if err != nil {
					t.Fatalf("%v\n%s", err, parameters)
				}
				before, err := semantics.Compile(parameters)
				for _, instance := range instances {
					result.Restore(instance)
					if err == nil && before.Accepts(instance) {
						givesBack(t, result, before, instance)
					}
				}
			})
		})
	}
}

// givesBack holds Restore against one instance. It returns false where the
// normalized schema is narrower and cannot say it. The schema before is nil where
// it was none.
func givesBack(t failer, result normalizers.Result, before *semantics.Schema, instance *schema.Node) bool {
	t.Helper()
	arguments := filled(t, result, instance)
	if arguments == nil {
		return false
	}
	text := arguments.String()
	restored := result.Restore(arguments)
	// A null that could not be said comes back at the end.
	same := schema.Identical
	if slices.ContainsFunc(result.Changes, func(change rewrite.Change) bool { return change.Property != "" }) {
		same = schema.Equal
	}
	if !same(withoutMore(restored, instance), instance) {
		t.Errorf("%s\nbecame   %s\nrestored %s\nof       %s", instance, text, restored, result.Tool.Parameters)
	}
	if before != nil && before.Accepts(instance) && !before.Accepts(restored) {
		t.Errorf("the tool as given refuses the restored %s, and accepts %s", restored, instance)
	}
	if arguments.String() != text {
		t.Errorf("Restore changed %s to %s", text, arguments)
	}
	return true
}

// withoutMore returns the restored value without nulls that the instance has not:
// a property whose default is null says absent and null alike.
func withoutMore(restored, instance *schema.Node) *schema.Node {
	if restored.Kind != instance.Kind {
		return restored
	}
	result := *restored
	result.Members, result.Elements = nil, nil
	for _, member := range restored.Members {
		other := instance.Get(member.Key)
		if other == nil && member.Value.Kind == schema.Null {
			continue
		}
		if other != nil {
			member.Value = withoutMore(member.Value, other)
		}
		result.Members = append(result.Members, member)
	}
	for i, element := range restored.Elements {
		if i < len(instance.Elements) {
			element = withoutMore(element, instance.Elements[i])
		}
		result.Elements = append(result.Elements, element)
	}
	return &result
}

// filled returns the arguments that say an instance to the normalized tool, or nil
// where none do.
func filled(t failer, result normalizers.Result, instance *schema.Node) *schema.Node {
	t.Helper()
	f := filler{
		root: result.Tool.Parameters, given: map[*schema.Node]string{}, left: map[*schema.Node][]string{}, texts: map[*schema.Node]bool{},
		nulls: map[*schema.Node]*schema.Node{},
	}
	for _, change := range result.Changes {
		switch {
		case !change.Restored:
		case change.Rule == "wrap_root":
			instance = schema.NewObject(schema.Member{Key: "value", Value: instance})
		case change.Rule == "property_keys":
			f.given[change.After.Members[0].Value] = change.Before.Members[0].Key
		case change.Rule == "optional_to_nullable":
			if union := change.After.Get("anyOf"); union != nil {
				if last := union.Elements[len(union.Elements)-1]; last.Has("required") {
					f.nulls[change.Schema] = last
				}
			}
		case change.Rule == "json_text":
			f.texts[change.Schema] = true
		case change.Property != "":
			f.left[change.Schema] = append(f.left[change.Schema], change.Property)
		}
	}
	after, err := semantics.Compile(result.Tool.Parameters)
	if err != nil {
		return nil
	}
	for _, candidate := range append(f.fillings(f.root, instance), instance) {
		if after.Accepts(candidate) {
			return candidate
		}
	}
	return nil
}

// filler makes arguments for a normalized schema.
type filler struct {
	root  *schema.Node
	given map[*schema.Node]string       // the names that properties had
	left  map[*schema.Node][]string     // the properties that are left out for null
	texts map[*schema.Node]bool         // the schemas of JSON as text
	nulls map[*schema.Node]*schema.Node // of properties for which null stands for absent: the schema of what stands for null
}

// fillings returns an instance in the names of the schema, with null for each property
// that it lacks and must have, without null where that is left out, and as text where
// JSON is one; once for each branch that it may be meant for.
func (f *filler) fillings(node, instance *schema.Node) []*schema.Node {
	if reference := rewrite.Reference(node); reference != "" {
		node = schema.NewResources(f.root).Resolve(node, reference)
	}
	if union := node.Get("anyOf"); union != nil {
		var candidates []*schema.Node
		for _, branch := range union.Elements {
			candidates = append(candidates, f.fillings(branch, instance)...)
		}
		return candidates
	}
	if f.texts[node] && (instance.Kind == schema.Object || instance.Kind == schema.Array) {
		return []*schema.Node{schema.NewString(instance.String())}
	}
	candidates := []*schema.Node{{Kind: instance.Kind, Text: instance.Text}}
	if node.Kind != schema.Object || !isOfItsTypes(node, instance) {
		return nil
	}
	const most = 1000
	extend := func(values []*schema.Node, add func(to, value *schema.Node)) {
		var longer []*schema.Node
		for _, candidate := range candidates {
			for _, value := range values {
				next := *candidate
				next.Members, next.Elements = slices.Clone(candidate.Members), slices.Clone(candidate.Elements)
				add(&next, value)
				longer = append(longer, &next)
			}
		}
		candidates = longer[:min(len(longer), most)]
	}
	for _, member := range instance.Members {
		if member.Value.Kind == schema.Null && slices.Contains(f.left[node], member.Key) {
			continue
		}
		key, property := member.Key, node.Get("properties").Get(member.Key)
		for _, other := range membersOf(node.Get("properties")) {
			if f.given[other.Value] == member.Key {
				key, property = other.Key, other.Value
			}
		}
		values := []*schema.Node{member.Value}
		if null := f.nulls[property]; null != nil && member.Value.Kind == schema.Null {
			values = []*schema.Node{schema.NewObject(schema.Member{Key: null.Get("required").Strings()[0], Value: member.Value})}
		} else if property != nil {
			values = f.fillings(property, member.Value)
		}
		extend(values, func(to, value *schema.Node) { to.Set(key, value) })
	}
	for _, element := range instance.Elements {
		values := []*schema.Node{element}
		if items := node.Get("items"); items != nil {
			values = f.fillings(items, element)
		}
		extend(values, func(to, value *schema.Node) { to.Elements = append(to.Elements, value) })
	}
	if instance.Kind == schema.Object {
		for _, name := range node.Get("required").Strings() {
			if given := f.given[node.Get("properties").Get(name)]; !instance.Has(name) && (given == "" || !instance.Has(given)) {
				extend([]*schema.Node{{}}, func(to, value *schema.Node) { to.Set(name, value) })
			}
		}
	}
	return candidates
}

func isOfItsTypes(node, instance *schema.Node) bool {
	if !node.Has("type") || instance.Kind == schema.Null && node.Get("nullable").IsTrue() {
		return true
	}
	return slices.ContainsFunc(append(node.Get("type").Strings(), node.GetString("type")), func(name string) bool {
		return instance.IsOf(strings.ToLower(name))
	})
}

func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}

// canBeSaid is how many of the valid instances of the fixtures each target can say.
var canBeSaid = map[string]int{
	"gemini": 588, "gemini-json": 590, "gemini-response": 570, "gemini-response-json": 590, "vertex": 588, "gemini-openai": 588,
	"openai": 583, "openai-strict": 575, "openai-responses": 583,
	"anthropic": 583, "anthropic-strict": 576,
	"codeassist-claude": 516, "mcp": 583, "portable": 551,
}
