package harness_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/normalizers"
	"toolproof/schema"
)

// takingOut are the rules that take a keyword out because of the surface. The others say
// it in other words, or repair what no surface reads; instances hold what they lose.
var takingOut = []string{"spill_keywords", "drop_meta", "python_patterns", "default_to_description"}

// exception is a keyword that a target takes out although the model of its surface takes
// it. Keywords are separated by spaces; * is any, ? is any that is none of JSON Schema, a/* is
// any in the value of a, and a:b is a with b in its text.
type exception struct{ target, keywords, reason string }

var exceptions = []exception{
	{"openai-strict anthropic-strict", "$schema $id $comment $anchor $dynamicAnchor id $recursiveAnchor", "tells a model nothing, and no other keyword needs it"},
	{"openai-strict", "?", "an extension of a vendor, or a misspelling: that strict mode takes any is not known"},
	{"openai-strict", "title", "repeats the name of what it stands at; KeepTitles keeps it"},
	{
		"openai-strict", "example examples deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema patternProperties nullable propertyOrdering discriminator",
		"neither documented for strict mode nor in any accepted answer: a refusal would cost the tool",
	},
	{"anthropic-strict", "example deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema", "not in any accepted answer of a strict tool"},
	{"anthropic-strict", "enum", "at the root: whole arguments that are listed; no answer shows any"},
	{"anthropic-strict", "if then else", "say nothing, one without the other; the model refuses an if that says something"},
	{"anthropic-strict", "pattern:(?", "the documentation of strict tools takes no look-around, and https://github.com/Dokploy/mcp/issues/45 says that it was refused; the words are not known"},
	{"anthropic-strict", "format", "a format of a number: for numbers keywords were refused that the documentation does not name"},
	{"anthropic-strict", "? discriminator xml externalDocs", "refused of an object, as recording anthropic/output_format/c75f681a2a64 shows; what boolean and null have is not known"},
	{"portable", "example", "no keyword of JSON Schema: Ollama ignores it of a property, and of most surfaces no answer shows it taken"},
	{"gemini-openai", "*", "the endpoint passes over what the Gemini API has no field for: kept, it would be lost in silence"},
	{"codeassist-claude", "*", "docs/seeds.md#seed-004-32 strips it; no answer shows what of it reaches Claude"},
	{
		"vertex", "additionalProperties/*",
		"the message has a value there that its parser does not look into; as which of a Schema and JSON Schema the service reads it is not known, and the target writes what both take",
	},
	{"gemini gemini-response", "any_of", "another spelling of the anyOf that the schema has too"},
}

// exceptionFor returns the index of the exception by which a target may take a keyword out of the
// schema at a place, or -1.
func exceptionFor(target string, member schema.Member, at schema.Pointer) int {
	return slices.IndexFunc(exceptions, func(exception exception) bool {
		if !strings.Contains(exception.target, target) || !slices.Contains(strings.Fields(exception.target), target) {
			return false
		}
		names := strings.Fields(exception.keywords)
		if around, isBelow := strings.CutSuffix(names[0], "/*"); isBelow {
			return slices.Contains(at.Tokens(), around)
		}
		if keyword, part, isPart := strings.Cut(names[0], ":"); isPart {
			return member.Key == keyword && strings.Contains(member.Value.Text, part)
		}
		return slices.Contains(names, member.Key) || names[0] == "*" || names[0] == "?" && schema.ClassOf(member.Key) == schema.Unknown
	})
}

// isExcepted reports whether a target may take a keyword out of the schema at a place, and notes the
// exception.
func isExcepted(target string, member schema.Member, at schema.Pointer, met []bool) bool {
	i := exceptionFor(target, member, at)
	if i >= 0 {
		met[i] = true
	}
	return i >= 0
}

// mayMeet reports whether a schema has a keyword of an exception that was not met yet.
func mayMeet(target judge.Target, root *schema.Node, met []bool) bool {
	may := false
	var visit func(node *schema.Node, at schema.Pointer)
	visit = func(node *schema.Node, at schema.Pointer) {
		may = may || node != nil && slices.ContainsFunc(node.Members, func(member schema.Member) bool {
			i := exceptionFor(target.Name(), member, at)
			return i >= 0 && !met[i]
		})
		for place := range node.Subschemas() {
			visit(place.Node(), at.Child(place.Keyword))
		}
	}
	visit(root, "")
	return may
}

// keepsWhatIsTaken holds that each keyword that was taken out is refused where it stood:
// it is put back alone, and the models of the surfaces are asked. seen are the forms that
// need not be asked about again, or nil.
func keepsWhatIsTaken(t failer, target judge.Target, tool schema.Tool, result normalizers.Result, met []bool, seen map[string]bool) (asked int) {
	t.Helper()
	var back *schema.Node
	for _, change := range result.Changes {
		if !slices.Contains(takingOut, change.Rule) || change.Schema == nil || change.Before.IsZero() {
			continue
		}
		for _, member := range change.Before.Node().Members {
			if change.Rule == "drop_meta" && (member.Key == "$defs" || strings.HasSuffix(string(change.At), "/$defs")) {
				continue // nothing refers to such a definition
			}
			if back == nil {
				back = result.Tool.Node().Clone()
			}
			place := back.Find(change.At)
			if change.After.Node().Has(member.Key) || place == nil || place.Kind != schema.Object || saysNothing(place, member) {
				continue
			}
			if seen != nil {
				form := formOf(back, change.At, member)
				if seen[form] {
					continue
				}
				seen[form] = true
			}
			given := putBack(place, member)
			if len(given) == 0 {
				continue
			}
			asked++
			if isTaken(target, result, back) && !isExcepted(target.Name(), member, change.At, met) {
				t.Errorf("%s: %s took out %s, which is taken at %s\n%s\n%s", target.Name(), change.Rule, member.Key, change.At, tool.Node(), back)
			}
			for _, changed := range given {
				changed.Delete(member.Key)
			}
		}
	}
	return asked
}

// formOf says what a keyword is that was taken out, and where: its value, unless that is a
// text or holds others, the keywords beside it, and those that lead there with the unions
// beside them.
func formOf(root *schema.Node, at schema.Pointer, member schema.Member) string {
	form := []string{member.Key, strconv.Itoa(int(member.Value.Kind))}
	if member.Value.Kind != schema.String || member.Key == "format" {
		form = append(form, member.Value.Text)
	}
	node, isName := root, false
	for _, token := range at.Tokens() {
		if !isName {
			form = append(form, token)
			for _, keyword := range []string{"$ref", "oneOf", "anyOf", "allOf", "enum"} {
				if node.Has(keyword) {
					form = append(form, keyword)
				}
			}
		}
		node = node.Step(token)
		class := schema.ClassOf(token)
		isName = !isName && (node.Kind == schema.Array || class == schema.SchemaMap || class == schema.SchemaOrNamesMap)
	}
	beside := make([]string, 0, len(node.Members))
	for _, other := range node.Members {
		switch other.Key {
		case "title", "description":
		case "type", "format":
			beside = append(beside, other.Key+other.Value.String())
		default:
			beside = append(beside, other.Key)
		}
	}
	slices.Sort(beside)
	return strings.Join(append(form, beside...), " ")
}

// speaksOf are the types that keywords speak of; they pass over values of others.
var speaksOf = map[string]string{
	"minimum": "number integer", "maximum": "number integer", "exclusiveMinimum": "number integer", "exclusiveMaximum": "number integer",
	"multipleOf": "number integer", "minLength": "string", "maxLength": "string", "pattern": "string",
	"minItems": "array", "maxItems": "array", "uniqueItems": "array", "contains": "array", "prefixItems": "array", "items": "array",
	"minProperties": "object", "maxProperties": "object", "propertyNames": "object", "patternProperties": "object",
	"dependentRequired": "object", "dependentSchemas": "object", "unevaluatedProperties": "object",
}

// saysNothing reports whether a keyword speaks of other types than the schema has, or
// has a number that no machine holds.
func saysNothing(node *schema.Node, member schema.Member) bool {
	if member.Key == "required" && member.Value.Kind == schema.Array && len(member.Value.Elements) == 0 {
		return true
	}
	if member.Value.Kind == schema.Number {
		if _, err := strconv.ParseFloat(member.Value.Text, 64); err != nil {
			return true
		}
	}
	name, about := strings.ToLower(node.GetString("type")), strings.Fields(speaksOf[member.Key])
	return name != "" && len(about) > 0 && !slices.Contains(about, name)
}

// putBack gives a schema a member again, or the branches of the union that took its
// place. It returns what has it now: nothing where there is another.
func putBack(place *schema.Node, member schema.Member) []*schema.Node {
	if union := place.Get("anyOf"); union != nil && !place.Has("type") {
		if slices.ContainsFunc(union.Elements, func(branch *schema.Node) bool { return branch.Kind != schema.Object || branch.Has(member.Key) }) {
			return nil
		}
		for _, branch := range union.Elements {
			branch.Set(member.Key, member.Value)
		}
		return union.Elements
	}
	if place.Has(member.Key) {
		return nil
	}
	place.Set(member.Key, member.Value)
	return []*schema.Node{place}
}

// isTaken reports whether all surfaces of a target take a normalized tool, and ignore no
// more of it than before.
func isTaken(target judge.Target, result normalizers.Result, tool *schema.Node) bool {
	dialect := target.Dialect
	if target.Fallback != nil && !result.Strict {
		dialect = target.Fallback
	}
	given := schema.Tool{Name: tool.GetString("name"), Description: tool.Get("description"), Parameters: tool.Get("parameters")}
	return !slices.ContainsFunc(askedOf(target, dialect), func(surface *provider.Dialect) bool {
		model := &provider.Model{Dialect: surface}
		response, err := model.Send(context.Background(), surface.Encode([]schema.Tool{given}))
		if err != nil || response.Verdict != provider.Accepted || response.Settled() != nil || len(response.Ignored) == 0 {
			return err != nil || response.Verdict != provider.Accepted || response.Settled() != nil
		}
		before, err := model.Send(context.Background(), surface.Encode([]schema.Tool{result.Tool}))
		return err != nil || len(response.Ignored) > len(before.Ignored)
	})
}

// TestKeepsWhatIsTaken holds it of the fixtures. An exception that none of them needs is
// an error: a short test asks about those, too, that may need one.
func TestKeepsWhatIsTaken(t *testing.T) {
	t.Parallel()
	given, _ := load(t)
	for number, target := range harness.Targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			met, asked := make([]bool, len(exceptions)), 0
			for i, one := range given {
				if one.WireOnly {
					continue
				}
				if isAsked(i, number) || mayMeet(target, one.Tools[0].Parameters, met) {
					asked += keepsWhatIsTaken(t, target, one.Tools[0], normalized(t, target, i)[0], met, nil)
				}
			}
			t.Logf("%d keywords put back", asked)
			for i, exception := range exceptions {
				if slices.Contains(strings.Fields(exception.target), target.Name()) && !met[i] {
					t.Errorf("no fixture needs the exception for %s", exception.keywords)
				}
			}
		})
	}
}

func TestKeepsWhatIsTakenOfRandomSchemas(t *testing.T) {
	t.Parallel()
	for _, target := range harness.Targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				const depth = 3
				tool := schema.Tool{Name: "f", Parameters: schemas(depth).Draw(t, "parameters")}
				keepsWhatIsTaken(t, target, tool, normalize(t, target, tool), make([]bool, len(exceptions)), nil)
			})
		})
	}
}

// TestKeepsWhatIsTakenInCorpus holds it of all tools, and asks about each form of a keyword
// and its place once. A short test has one of eleven tools, and asks each target about one
// of six of them.
func TestKeepsWhatIsTakenInCorpus(t *testing.T) {
	t.Parallel()
	tools := corpusTools(t)
	for number, target := range harness.Targets {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			met, seen, asked := make([]bool, len(exceptions)), map[string]bool{}, 0
			for i, tool := range tools {
				if !inShare(i+number, 6) {
					continue
				}
				asked += keepsWhatIsTaken(t, target, tool, normalize(t, target, tool), met, seen)
			}
			t.Logf("%d keywords put back", asked)
		})
	}
}
