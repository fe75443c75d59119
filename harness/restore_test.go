package harness_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness/semantics"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestRestoreGivesBack makes of each valid instance of the fixtures the arguments
// that a strict model would send, with null for what is absent, and restores them.
func TestRestoreGivesBack(t *testing.T) {
	t.Parallel()
	loaded, _ := load(t)
	tried, all := 0, 0
	for _, given := range loaded {
		if given.WireOnly || len(given.Valid) == 0 {
			continue
		}
		result, err := normalizers.OpenAIStrict.Normalize(t.Context(), given.Tools[0])
		if err != nil {
			t.Errorf("%s: %v", given.ID, err)
			continue
		}
		if result.Tool.Parameters == nil {
			continue
		}
		before, err := semantics.Compile(given.Tools[0].Parameters)
		if err != nil {
			before = nil // no JSON Schema before the repairs
		}
		for _, instance := range given.Valid {
			all++
			if givesBack(t, result, before, instance) {
				tried++
			}
		}
	}
	t.Logf("%d of %d instances restored", tried, all)
	if tried*10 < all*9 {
		t.Errorf("only %d of %d instances can be said in strict mode", tried, all)
	}
}

// TestRestoreGivesBackOfRandomSchemas does the same with what nobody wrote, and
// restores arguments that do not fit.
func TestRestoreGivesBackOfRandomSchemas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const depth = 3
		parameters := schemas(depth).Draw(t, "parameters")
		instances := rapid.SliceOfN(arguments(depth), 3, 6).Draw(t, "instances")
		result, err := normalizers.OpenAIStrict.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: parameters})
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
	if !schema.Identical(withoutMore(restored, instance), instance) {
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
// a property that accepted null and was optional says absent and null alike.
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
	for _, change := range result.Changes {
		if change.Restored && change.Rule == "wrap_root" {
			instance = schema.NewObject(schema.Member{Key: "value", Value: instance})
		}
	}
	after, err := semantics.Compile(result.Tool.Parameters)
	if err != nil {
		return nil
	}
	for _, candidate := range fillings(result.Tool.Parameters, result.Tool.Parameters, instance) {
		if after.Accepts(candidate) {
			return candidate
		}
	}
	return nil
}

// fillings returns an instance with null for each property that it lacks, once for
// each branch that it may be meant for.
func fillings(root, node, instance *schema.Node) []*schema.Node {
	if reference := rewrite.Reference(node); reference != "" {
		node = rewrite.Resolve(root, reference)
	}
	if union := node.Get("anyOf"); union != nil {
		var candidates []*schema.Node
		for _, branch := range union.Elements {
			candidates = append(candidates, fillings(root, branch, instance)...)
		}
		return candidates
	}
	candidates := []*schema.Node{{Kind: instance.Kind, Text: instance.Text}}
	if node.Kind != schema.Object || node.Has("type") && !slices.ContainsFunc(append(node.Get("type").Strings(), node.GetString("type")), instance.IsOf) {
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
		values := []*schema.Node{member.Value}
		if property := node.Get("properties").Get(member.Key); property != nil {
			values = fillings(root, property, member.Value)
		}
		extend(values, func(to, value *schema.Node) { to.Set(member.Key, value) })
	}
	for _, element := range instance.Elements {
		values := []*schema.Node{element}
		if items := node.Get("items"); items != nil {
			values = fillings(root, items, element)
		}
		extend(values, func(to, value *schema.Node) { to.Elements = append(to.Elements, value) })
	}
	if instance.Kind == schema.Object {
		for _, name := range node.Get("required").Strings() {
			if !instance.Has(name) {
				extend([]*schema.Node{{}}, func(to, value *schema.Node) { to.Set(name, value) })
			}
		}
	}
	return candidates
}
