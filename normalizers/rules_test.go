package normalizers_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// aRule is a rule with a target that it serves.
type aRule struct {
	*engine.Rule
	target *engine.Target
}

// allRules returns each rule once, with the target of the first pipeline that has it, not
// only as an option. Where llama.cpp takes more today than Before shows, the target is that of
// December 2025.
func allRules() []aRule {
	var rules []aRule
	seen := map[*engine.Rule]bool{}
	add := func(target *engine.Target, some []*engine.Rule) {
		for _, rule := range some {
			if !seen[rule] {
				rules = append(rules, aRule{rule, target})
			}
			seen[rule] = true
		}
	}
	for _, pipeline := range normalizers.All {
		target, rules, _ := normalizers.Parts(pipeline)
		if pipeline == normalizers.LlamaCPP {
			before, _, _ := normalizers.Parts(pipeline.For(target.Name, normalizers.Limits{Day: "2025-12-18"}))
			isBefore := func(rule *engine.Rule) bool { return rule.Name == "untyped_schema" || rule.Name == "plain_patterns" }
			add(before, slices.DeleteFunc(slices.Clone(rules), func(rule *engine.Rule) bool { return !isBefore(rule) }))
		}
		add(target, rules)
	}
	for _, pipeline := range normalizers.All {
		target, _, optional := normalizers.Parts(pipeline)
		add(target, optional)
	}
	return rules
}

// isAboutTool reports whether Before and After of a rule are tools.
func isAboutTool(rule *engine.Rule) bool { return rule.Rewrite == nil }

func parse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatalf("parsing %s: %v", text, err)
	}
	return node
}

func toolOf(rule *engine.Rule, node *schema.Node) schema.Tool {
	if isAboutTool(rule) {
		return schema.ToolOf(node)
	}
	return schema.Tool{Name: "f", Parameters: node}
}

func resultOf(rule *engine.Rule, tool schema.Tool) *schema.Node {
	if isAboutTool(rule) {
		return tool.Whole()
	}
	return tool.Parameters
}

// apply runs one rule alone.
func apply(rule aRule, tool schema.Tool) (schema.Tool, []rewrite.Change, *rewrite.UnrepresentableError) {
	work := engine.New(context.Background(), tool, rule.target, engine.Options{})
	work.Apply(rule.Rule)
	result, changes := work.Finish(tool)
	return result, changes, work.Failure()
}

func TestRuleIsWellFormed(t *testing.T) {
	t.Parallel()
	validName := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	names := map[string]bool{}
	for _, rule := range allRules() {
		if !validName.MatchString(rule.Name) {
			t.Errorf("%s: the name is not snake_case", rule.Name)
		}
		if names[rule.Name] {
			t.Errorf("%s: the name is taken", rule.Name)
		}
		names[rule.Name] = true
		title, text, _ := strings.Cut(rule.Doc, "\n\n")
		const longest = 100
		if title == "" || text == "" || strings.HasSuffix(title, ".") || len(title) > longest {
			t.Errorf("%s: the documentation is not a short title, a blank line and text", rule.Name)
		}
		if !strings.Contains(text, "Source") && !strings.Contains(text, "seed ") {
			t.Errorf("%s: the documentation names no source", rule.Name)
		}
		if rule.Rewrite == nil && rule.Tool == nil {
			t.Errorf("%s: the rule does nothing", rule.Name)
		}
	}
}

// TestEveryRuleIsUsed: a file of a rule that is in no pipeline is held against nothing.
func TestEveryRuleIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, rule := range allRules() {
		used[rule.Name] = true
	}
	files, err := os.ReadDir("internal/rules")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^(?:var |\t)\w+ += &engine\.Rule\{$`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("internal", "rules", file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		count := len(declared.FindAll(text, -1))
		found += count
		if name := strings.TrimSuffix(file.Name(), ".go"); count > 1 || count == 1 && !used[name] {
			t.Errorf("internal/rules/%s has %d rules; %s is in a pipeline: %t", file.Name(), count, name, used[name])
		}
	}
	if found != len(used) {
		t.Errorf("%d rules are declared, and the pipelines have %d", found, len(used))
	}
}

func TestBeforeGivesAfter(t *testing.T) {
	t.Parallel()
	for _, rule := range allRules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			before, after := parse(t, rule.Before), parse(t, rule.After)
			given := toolOf(rule.Rule, before)
			text := given.Whole().String()
			result, changes, failure := apply(rule, given)
			if failure != nil {
				t.Fatalf("the example cannot be represented: %v", failure)
			}
			if got := resultOf(rule.Rule, result); !schema.Identical(got, after) {
				t.Errorf("got   %s\nwant  %s", got, after)
			}
			if given.Whole().String() != text {
				t.Errorf("the rule changed its input to %s", given.Whole())
			}
			if len(changes) == 0 && result.Whole().String() != text {
				t.Error("the rule changed the schema in silence")
			}
			for _, change := range changes {
				if change.Loss&^rule.Loss != 0 {
					t.Errorf("a change loses %s, the rule declares %s at most", change.Loss, rule.Loss)
				}
				if given.Whole().Find(change.From) == nil {
					t.Errorf("from %q leads nowhere in the input", change.From)
				}
				if result.Whole().Find(change.At) == nil {
					t.Errorf("at %q leads nowhere in the result", change.At)
				}
			}
			if _, again, _ := apply(rule, result); len(again) > 0 {
				t.Errorf("the rule is not idempotent: %s %s", again[0].Before.Node(), again[0].After.Node())
			}
		})
	}
}

// keywordsAsNames are names of properties that are also keywords.
var keywordsAsNames = []string{
	"const", "enum", "title", "default", "description", "required", "type", "$ref", "definitions", "$defs", "properties", "nullable",
	"items", "anyOf", "oneOf", "allOf", "not", "if", "pattern", "format", "additionalProperties", "prefixItems", "exclusiveMinimum",
	"$schema", "$id", "id", "dependencies", "any_of", "min_items", "x-order", "propertyOrdering",
}

// TestDecoys holds each rule against what only looks like its business: properties
// that are named like keywords, and payloads that look like schemas.
func TestDecoys(t *testing.T) {
	t.Parallel()
	for _, rule := range allRules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			properties := schema.NewObject()
			names := keywordsAsNames
			if rule.Name == "property_keys" {
				// The names with a $ are what the rule is about.
				names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, "$") })
			}
			for _, name := range names {
				properties.Set(name, parse(t, `{"type": "string"}`))
			}
			payload := parse(t, rule.Before)
			holder := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: schema.NewObject()})
			for _, keyword := range []string{"default", "example"} {
				holder.Set(keyword, payload)
			}
			holder.Set("examples", schema.NewArray(payload))
			properties.Set("payload", holder)
			root := schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("object")},
				schema.Member{Key: "properties", Value: properties},
			)
			result, _, failure := apply(rule, schema.Tool{Name: "f", Parameters: root})
			if failure != nil {
				return // a strict target says that it cannot say this, and changes nothing
			}
			for _, name := range names {
				got := result.Parameters.Get("properties").Get(name)
				if got == nil {
					t.Errorf("the property %s is gone", name)
					continue
				}
				for got.Has("anyOf") { // made nullable
					got = got.Get("anyOf").Elements[0]
				}
				if kind := strings.ToLower(got.GetString("type")); kind != "string" {
					t.Errorf("the property %s became %s", name, got)
				}
			}
			got := result.Parameters.Get("properties").Get("payload")
			for got.Has("anyOf") {
				got = got.Get("anyOf").Elements[0]
			}
			for _, keyword := range []string{"default", "example"} {
				if value := got.Get(keyword); value != nil && !schema.Identical(value, payload) {
					t.Errorf("the payload of %s became %s", keyword, value)
				}
			}
			if values := got.Get("examples"); values != nil && !schema.Identical(values.Elements[0], payload) {
				t.Errorf("the payload of examples became %s", values)
			}
		})
	}
}

// instances are values of every kind, among them those that the examples of the
// rules speak of.
var instances = []string{
	`null`, `true`, `false`, `0`, `1`, `2`, `5`, `6`, `8`, `9`, `10`, `-1`, `1.5`, `1e2`, `""`, `"a"`, `"b"`, `"x"`, `"celsius"`, `"xyz"`,
	`[]`, `["a"]`, `[1]`, `["a", 1]`, `["a", 1, true]`, `[[1]]`, `[null]`, `["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]`,
	`{}`, `{"a": "x"}`, `{"a": 1}`, `{"a": null}`, `{"a": "x", "b": 1}`, `{"a": "x", "b": null}`, `{"a": "x", "b": true, "c": 1}`,
	`{"id": "x"}`, `{"name": "x"}`, `{"name": 1, "id": "x"}`, `{"value": "x"}`, `{"unit": "a"}`, `{"unit": "z"}`, `{"tags": ["a"]}`,
	`{"tags": "a"}`, `{"x": ["a"], "y": "b"}`, `{"b": 1}`, `{"b": []}`, `{"c": 1}`, `{"a": {"b": {}}}`, `{"b": 1.5, "a": {}}`,
}

// TestDeclaredLoss holds the loss of each change against instances: what is said
// to be exact accepts the same of them, and what only widens refuses none more.
func TestDeclaredLoss(t *testing.T) {
	t.Parallel()
	for _, rule := range allRules() {
		if isAboutTool(rule.Rule) {
			continue
		}
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			if rule.Rule == rules.ProtoNames {
				t.Skip("the names of Google's proto say nothing in JSON Schema")
			}
			before, err := instance.Compile(parse(t, rule.Before))
			if err != nil {
				t.Skipf("the example is no schema before the rule: %v", err)
			}
			result, changes, _ := apply(rule, toolOf(rule.Rule, parse(t, rule.Before)))
			after, err := instance.Compile(result.Parameters)
			if err != nil {
				t.Fatalf("the example is no schema after the rule: %v", err)
			}
			loss := rewrite.Exact
			for _, change := range changes {
				loss |= change.Loss
			}
			for _, text := range instances {
				instance := parse(t, text)
				was, is := before.Accepts(instance), after.Accepts(instance)
				if was && !is && loss&rewrite.Narrows == 0 {
					t.Errorf("%s is refused now, and the loss is %s", text, loss)
				}
				if !was && is && loss&rewrite.Widens == 0 {
					t.Errorf("%s is accepted now, and the loss is %s", text, loss)
				}
			}
		})
	}
}

func TestPipelinesListRulesOnce(t *testing.T) {
	t.Parallel()
	for _, pipeline := range normalizers.All {
		var names []string
		for _, rule := range pipeline.Rules() {
			if slices.Contains(names, rule.Name) {
				t.Errorf("%s has the rule %s twice", pipeline.Name(), rule.Name)
			}
			names = append(names, rule.Name)
		}
		if normalizers.Named(pipeline.Name()) != pipeline {
			t.Errorf("%s is not found by its name", pipeline.Name())
		}
	}
}
