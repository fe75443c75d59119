package harness_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/meaning"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// TestRestoreGivesBack makes of each valid instance of the fixtures the arguments that a
// model would send for the normalized tool, and restores them. What share of them can be
// said at all is the target's to lose, and may only rise: make whole holds that.
func TestRestoreGivesBack(t *testing.T) {
	t.Parallel()
	loaded, _ := load(t)
	said, all := map[string]int{}, 0
	for i, given := range loaded {
		if given.WireOnly || len(given.Valid) == 0 {
			continue
		}
		all += len(given.Valid)
		before, _ := compile(given.Tools[0].Parameters) // nil for what is no JSON Schema before the repairs
		for number, target := range harness.Targets {
			if !isAsked(i, number) {
				continue
			}
			result := normalized(t, target, i)[0]
			if result.Tool.Parameters == nil {
				continue
			}
			after, err := compile(result.Tool.Parameters)
			if err != nil {
				continue
			}
			for _, instance := range given.Valid {
				if givesBack(t, result, before, after, instance) {
					said[target.Name()]++
				}
			}
		}
	}
	for _, target := range harness.Targets {
		name := target.Name()
		t.Logf("%s: %d of %d instances said and restored", name, said[name], all)
		if said[name] < canBeSaid[name] && !testing.Short() {
			t.Errorf("%s: only %d instances can be said, and %d could be", name, said[name], canBeSaid[name])
		}
	}
}

// compiledOnce has what instance.Compile returned, by the schema's text: most targets make
// the same of a tool, and several tests ask what that means.
var compiledOnce sync.Map

// compile is instance.Compile, once for each schema.
func compile(node *schema.Node) (*instance.Schema, error) {
	once, _ := compiledOnce.LoadOrStore(node.String(), sync.OnceValues(func() (*instance.Schema, error) { return instance.Compile(node) }))
	return once.(func() (*instance.Schema, error))() //nolint:forcetypeassert // nothing else is in there
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
				before, err := instance.Compile(parameters)
				after, unread := instance.Compile(result.Tool.Parameters)
				for _, instance := range instances {
					result.Restore(instance)
					if err == nil && unread == nil && before.Accepts(instance) {
						givesBack(t, result, before, after, instance)
					}
				}
			})
		})
	}
}

// givesBack holds Restore against one instance, given. It returns false where the
// normalized schema, after, is narrower and cannot say it. The schema before is nil where
// it was none.
func givesBack(t failer, result normalizers.Result, before, after *instance.Schema, given *schema.Node) bool {
	t.Helper()
	arguments := meaning.Say(result, after, given)
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
	if !same(withoutMore(restored, given), given) {
		t.Errorf("%s\nbecame   %s\nrestored %s\nof       %s", given, text, restored, result.Tool.Parameters)
	}
	if before != nil && before.Accepts(given) && !before.Accepts(restored) {
		t.Errorf("the tool as given refuses the restored %s, and accepts %s", restored, given)
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

// canBeSaid is how many of the valid instances of the fixtures each target can say.
var canBeSaid = map[string]int{
	"gemini": 588, "gemini-json": 590, "gemini-response": 570, "gemini-response-json": 590, "vertex": 588, "vertex-json": 590, "gemini-openai": 588,
	"openai": 583, "openai-strict": 575, "openai-responses": 583,
	"anthropic": 583, "anthropic-strict": 576,
	"codeassist-claude": 516, "mcp": 583, "portable": 551,
}
