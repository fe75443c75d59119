package harness_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/normalizers"
	"toolproof/schema"
)

// The drafts that a $schema may name.
var dialects = []string{
	"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

// metaschemas are the metaschemas by their address.
var metaschemas = func() map[string]*jsonschema.Schema {
	compiled := map[string]*jsonschema.Schema{}
	for _, dialect := range dialects {
		compiler := jsonschema.NewCompiler()
		compiler.UseRegexpEngine(anyPattern)
		compiled[dialect] = compiler.MustCompile(dialect)
	}
	return compiled
}()

// anyPattern takes patterns of any dialect of regular expressions.
func anyPattern(text string) (jsonschema.Regexp, error) { //nolint:ireturn // the validator asks for it
	if pattern, err := regexp.Compile(text); err == nil {
		return pattern, nil
	}
	return regexp.MustCompile(""), nil
}

// isJSONSchema reports whether a target's schemas are JSON Schema: not in a form of
// Google's own, and not as a seed says.
func isJSONSchema(target judge.Target) bool {
	return !slices.Contains([]string{"gemini", "gemini-response", "vertex"}, target.Name()) && !isAlternate(target)
}

// fitsMetaschema returns what the metaschema that a schema names says against it, or
// that of 2020-12 where it names none, or of 2019-09 where it has what only that knows. One
// that reads older forms may have those of draft 7 then.
func fitsMetaschema(root *schema.Node, oldDrafts bool) error {
	if root == nil || root.Kind == schema.Null { // OpenAI takes null for no schema
		return nil
	}
	if named := metaschemas[root.GetString("$schema")]; named != nil {
		return named.Validate(root.Value())
	}
	if mentions(root, "$recursiveAnchor", "$recursiveRef") { // only one draft knows them
		return metaschemas[dialects[3]].Validate(root.Value())
	}
	err := metaschemas[dialects[4]].Validate(root.Value())
	if err != nil && oldDrafts {
		err = metaschemas[dialects[2]].Validate(root.Value())
	}
	return err
}

// staysValid holds the normalized schema against the metaschema that it names.
func staysValid(t failer, target judge.Target, tool schema.Tool, result normalizers.Result) {
	t.Helper()
	if !isJSONSchema(target) {
		return
	}
	if err := fitsMetaschema(result.Tool.Parameters, readsOld(target)); err != nil {
		t.Errorf("%s: %v\n%s\n%s", target.Name(), err, tool.Parameters, result.Tool.Parameters)
	}
}

// readsOld reports whether the surface of a target reads forms of older drafts.
func readsOld(target judge.Target) bool { return strings.HasPrefix(target.Name(), "openai") }

// TestValidUnderMetaschema holds what the targets make of the fixtures, and of what nobody
// wrote. Most targets make the same of a fixture: it is validated once.
func TestValidUnderMetaschema(t *testing.T) {
	t.Parallel()
	given, _ := load(t)
	targets := slices.DeleteFunc(slices.Clone(harness.Targets), func(target judge.Target) bool { return !isJSONSchema(target) })
	t.Run("fixtures", func(t *testing.T) {
		t.Parallel()
		for i, one := range given {
			for j, tool := range one.Tools {
				if _, err := schema.Parse(tool.Node().JSON()); err != nil {
					continue // that is of other tests
				}
				type validated struct {
					text     string
					readsOld bool
				}
				seen := map[validated]bool{}
				for number, target := range targets {
					if !isAsked(i, number) {
						continue
					}
					result := normalized(t, target, i)[j]
					if of := (validated{result.Tool.Parameters.String(), readsOld(target)}); !seen[of] {
						seen[of] = true
						staysValid(t, target, tool, result)
					}
				}
			}
		}
	})
	for _, target := range targets {
		t.Run(target.Name()+"/random", func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				const depth = 3
				parameters := schemas(depth).Draw(t, "parameters")
				if dialect := rapid.SampledFrom([]string{"", dialects[0], dialects[1], dialects[2]}).Draw(t, "$schema"); dialect != "" && parameters.Kind == schema.Object {
					parameters.Set("$schema", schema.NewString(dialect))
				}
				tool := schema.Tool{Name: "f", Parameters: parameters}
				result, err := target.Normalizer.Normalize(context.Background(), tool)
				if _, parsing := schema.Parse(tool.Node().JSON()); err == nil && parsing == nil { // that is of other tests
					staysValid(t, target, tool, result)
				}
			})
		})
	}
}
