package engines

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// enforceStage is the stage in which a grammar of xgrammar restricts the output of a model. Its rules
// report the keywords that the grammar does not enforce. It leaves out a schema that another
// backend gets, since nothing is known of that. It visits each step of the conversion.
var enforceStage = &provider.Stage{
	Name:           "enforce",
	Shared:         convertStage.Shared,
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		document := visitor.Dialect.SchemaOf(request.Declarations[declaration])
		if document == nil || backendOf(visitor.Dialect).hasFallback && isObject(document) && isRefused(document, visitor) {
			return
		}
		pass := &provider.Pass{Request: request, Declaration: declaration}
		reported := map[string]bool{} // a schema is converted several times if it has a list of types
		whole := &conversion{root: document, charge: visitor.Charge, visit: func(node *schema.Node, at []byte, step *step) bool {
			step.reported = reported
			pass.Node, pass.At, pass.Subject = node, at, step
			visitor.VisitAll(pass)
			return false
		}}
		whole.run()
	},
}

// loss is one reason for which a grammar does not enforce keywords.
type loss struct {
	name, doc string
	// keywords returns keywords that are not enforced if the schema has them.
	keywords func(node *schema.Node, step *step) []string
}

// measured is the source of the losses: instances that a grammar accepts although the schema does not.
const measured = "xgrammar 0.1.27: docs/engines.md#xgrammar"

// losses are all losses.
var losses = []loss{
	{
		name: "keyword_unread",
		doc: `multipleOf, uniqueItems, contains, conditions, dependencies and not are not enforced

minContains counts as minItems.`,
		keywords: func(node *schema.Node, step *step) []string {
			keywords := slices.Clone(unread[step.branch])
			if isObject(node) && step.branch < patternText {
				keywords = append(keywords, "not", "if")
			}
			return keywords
		},
	},
	{
		name: "beside_decider",
		doc: `beside $ref, anyOf, oneOf or allOf nothing is enforced, and oneOf beside anyOf is not either

One keyword decides what the grammar has of a schema.`,
		keywords: func(_ *schema.Node, step *step) []string {
			switch step.branch {
			case reference:
				return append([]string{"const", "enum", "anyOf", "oneOf", "allOf"}, constraining...)
			case union:
				return append([]string{"allOf"}, constraining...)
			case allOf:
				return constraining
			default:
				return nil
			}
		},
	},
	{
		name: "beside_values",
		doc: `beside const or enum nothing is enforced

This matters if a listed value is not of the type, or if enum lacks the value of const.`,
		keywords: func(node *schema.Node, step *step) []string {
			var values []*schema.Node
			switch step.branch {
			case constant:
				values = []*schema.Node{node.Get("const")}
			case enumeration:
				values = node.Get("enum").Elements
			default:
				return nil
			}
			var keywords []string
			isOfNoType := func(value *schema.Node) bool { return !slices.ContainsFunc(node.Types(), value.IsOf) }
			if node.Has("type") && slices.ContainsFunc(values, isOfNoType) {
				keywords = append(keywords, "type")
			}
			isSame := func(value *schema.Node) bool { return schema.Equal(value, values[0]) }
			if listed := node.Get("enum"); step.branch == constant && listed != nil && !slices.ContainsFunc(listed.Elements, isSame) {
				keywords = append(keywords, "enum")
			}
			return keywords
		},
	},
	{
		name: "open_object",
		doc: `where an object may have other properties, an optional one may have what they may have

The name of another property may be any string, and so that of a declared property too.`,
		keywords: func(node *schema.Node, step *step) []string {
			_, other := otherProperties(node)
			if step.branch != objectType || other == nil || node.Has("propertyNames") || len(membersOf(node.Get("patternProperties"))) > 0 {
				return nil
			}
			required := step.tables.requiredOf(node)
			isLoose := func(member schema.Member) bool {
				return !required.has(member.Key) && basicRule(member.Value) != "basic_any"
			}
			if slices.ContainsFunc(membersOf(node.Get("properties")), isLoose) {
				return []string{"properties"}
			}
			return nil
		},
	},
	{
		name: "all_of_several",
		doc:  `an allOf of several schemas accepts any value`,
		keywords: func(node *schema.Node, step *step) []string {
			if step.branch == allOf && len(node.Get("allOf").Elements) > 1 {
				return []string{"allOf"}
			}
			return nil
		},
	},
	{
		name: "reference_elsewhere",
		doc:  `a reference that begins neither with #/ nor is # accepts any value`,
		keywords: func(node *schema.Node, step *step) []string {
			if uri := node.GetString("$ref"); step.branch == reference && uri != "#" && (len(uri) < 2 || uri[:2] != "#/") {
				return []string{"$ref"}
			}
			return nil
		},
	},
	{
		name: "string_keyword_beside",
		doc:  `a known format wins over a pattern, and either over minLength and maxLength`,
		keywords: func(node *schema.Node, step *step) []string {
			switch {
			case step.branch != stringType:
				return nil
			case formats(node.GetString("format")):
				return []string{"pattern", "minLength", "maxLength"}
			case node.Has("pattern"):
				return []string{"minLength", "maxLength"}
			default:
				return nil
			}
		},
	},
	{
		name: "exclusive_bound",
		doc:  `an exclusive bound of a number counts as inclusive`,
		keywords: func(_ *schema.Node, step *step) []string {
			if step.branch != numberType {
				return nil
			}
			return []string{"exclusiveMinimum", "exclusiveMaximum"}
		},
	},
	{
		name: "properties_beside_names",
		doc: `beside patternProperties or propertyNames no property is declared and none required

The grammar accepts only names that match a pattern. propertyNames beside patternProperties is
not read.`,
		keywords: func(node *schema.Node, step *step) []string {
			switch {
			case step.branch != objectType:
				return nil
			case len(membersOf(node.Get("patternProperties"))) > 0:
				return []string{"properties", "required", "additionalProperties", "propertyNames"}
			case node.Has("propertyNames"):
				return []string{"properties", "required", "additionalProperties"}
			default:
				return nil
			}
		},
	},
	{
		name: "required_undeclared",
		doc:  `a required name that no property declares is not required`,
		keywords: func(node *schema.Node, step *step) []string {
			if step.branch != objectType || node.Has("propertyNames") || len(membersOf(node.Get("patternProperties"))) > 0 {
				return nil
			}
			declared := node.Get("properties").Indexed()
			isUndeclared := func(name string) bool { return declared(name) < 0 }
			if slices.ContainsFunc(step.tables.requiredOf(node).names, isUndeclared) {
				return []string{"required"}
			}
			return nil
		},
	},
}

// unread are the keywords of a type that xgrammar does not read.
var unread = map[branch][]string{
	integerType: {"multipleOf"},
	numberType:  {"multipleOf"},
	arrayType:   {"uniqueItems", "contains", "maxContains"},
	objectType:  {"dependentRequired", "dependentSchemas", "dependencies"},
}

// constraining are the keywords that have no effect beside $ref, a union or allOf.
var constraining = []string{
	"type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
	"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "pattern", "format", "minLength", "maxLength",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// lossRules are the rules of the losses.
var lossRules = func() []*provider.Rule {
	rules := make([]*provider.Rule, len(losses))
	for i, loss := range losses {
		rules[i] = &provider.Rule{
			Name: loss.name, Doc: loss.doc, Effect: provider.Ignores, Stage: enforceStage, Source: measured,
			Check: func(p *provider.Pass) {
				step := p.Subject.(*step) //nolint:forcetypeassert // the package's own type
				node, at := p.Node, p.At
				for _, keyword := range loss.keywords(node, step) {
					value := node.Get(keyword)
					if value == nil || value.IsFalse() && keyword == "uniqueItems" {
						continue
					}
					p.Node, p.At = value, append(slices.Clip(at), schema.Pointer("").Child(keyword)...)
					if !step.reported[string(p.At)] {
						step.reported[string(p.At)] = true
						p.Reportf("%s is not enforced", keyword)
					}
				}
				p.Node, p.At = node, at
			},
		}
	}
	return rules
}()
