package engines

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Enforce is the stage in which a grammar of xgrammar holds a model to a schema: its rules
// say what of the schema the grammar does not have. Where another backend takes the
// schema, nothing is known of that.
var Enforce = &provider.Stage{
	Name:           "enforce",
	Shared:         Convert.Shared,
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		root := visitor.Dialect.SchemaOf(request.Declarations[declaration])
		if root == nil || runs(visitor.Dialect).falls && isObject(root) && isRefused(root, visitor) {
			return
		}
		met := map[string]bool{} // a list of types has its schema converted for each
		whole := &conversion{root: root, charge: visitor.Charge, meet: func(node *schema.Node, at []byte, subject *asked) bool {
			visitor.ChargeText(len(at))
			subject.again = met[string(at)]
			met[string(at)] = true
			visitor.VisitAll(&provider.Pass{
				Request: request, Declaration: declaration, Node: node, At: append([]byte("/parameters"), at...), Subject: subject,
			})
			return false
		}}
		whole.run()
	},
}

// unenforced is one kind of what a grammar does not have.
type unenforced struct {
	name, doc string
	// keywords returns those of a schema that have no effect.
	keywords func(node *schema.Node, subject *asked) []string
}

// measured is where instances show what grammars take.
const measured = "xgrammar 0.1.27: docs/engines.md#xgrammar"

// losses are all of them.
var losses = []unenforced{
	{
		name: "keyword_unread",
		doc: `multipleOf, uniqueItems, contains, conditions, dependencies and not are not enforced

minContains counts as minItems.`,
		keywords: func(node *schema.Node, subject *asked) []string {
			var keywords []string
			switch subject.branch {
			case integerType, numberType:
				keywords = []string{"multipleOf"}
			case arrayType:
				keywords = []string{"uniqueItems", "contains", "maxContains"}
			case objectType:
				keywords = []string{"dependentRequired", "dependentSchemas", "dependencies"}
			}
			if isObject(node) && !subject.again && subject.branch < patternText {
				keywords = append(keywords, "not", "if")
			}
			return keywords
		},
	},
	{
		name: "beside_decider",
		doc: `beside $ref, anyOf, oneOf or allOf nothing is enforced, and oneOf beside anyOf is not either

One keyword decides what a schema comes to.`,
		keywords: func(_ *schema.Node, subject *asked) []string {
			switch subject.branch {
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
		name: "all_of_several",
		doc:  `an allOf of several schemas comes to any value`,
		keywords: func(node *schema.Node, subject *asked) []string {
			if subject.branch == allOf && len(node.Get("allOf").Elements) > 1 {
				return []string{"allOf"}
			}
			return nil
		},
	},
	{
		name: "reference_elsewhere",
		doc:  `a reference that begins neither with #/ nor is # comes to any value`,
		keywords: func(node *schema.Node, subject *asked) []string {
			if uri := node.GetString("$ref"); subject.branch == reference && uri != "#" && (len(uri) < 2 || uri[:2] != "#/") {
				return []string{"$ref"}
			}
			return nil
		},
	},
	{
		name: "string_keyword_beside",
		doc:  `a known format wins over a pattern, and either over minLength and maxLength`,
		keywords: func(node *schema.Node, subject *asked) []string {
			switch {
			case subject.branch != stringType:
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
		keywords: func(_ *schema.Node, subject *asked) []string {
			if subject.branch != numberType {
				return nil
			}
			return []string{"exclusiveMinimum", "exclusiveMaximum"}
		},
	},
	{
		name: "properties_beside_names",
		doc: `beside patternProperties or propertyNames no property is declared and none required

The grammar takes only names that fit a pattern; propertyNames beside patternProperties is
passed over.`,
		keywords: func(node *schema.Node, subject *asked) []string {
			switch {
			case subject.branch != objectType:
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
		keywords: func(node *schema.Node, subject *asked) []string {
			if subject.branch != objectType || node.Has("propertyNames") || len(membersOf(node.Get("patternProperties"))) > 0 {
				return nil
			}
			declared := node.Get("properties").Indexed()
			isUndeclared := func(name string) bool { return declared(name) < 0 }
			if slices.ContainsFunc(requiredOf(node), isUndeclared) {
				return []string{"required"}
			}
			return nil
		},
	},
}

// constraining are the keywords that narrow a schema, besides those that decide before
// them.
var constraining = []string{
	"type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
	"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "pattern", "format", "minLength", "maxLength",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// lossRules are the rules of what a grammar does not have.
var lossRules = func() []*provider.Rule {
	rules := make([]*provider.Rule, len(losses))
	for i, one := range losses {
		rules[i] = &provider.Rule{
			Name: one.name, Doc: one.doc, Effect: provider.Ignores, Stage: Enforce, Source: measured,
			Check: func(p *provider.Pass) {
				subject := p.Subject.(*asked) //nolint:forcetypeassert // the package's own type
				node, at := p.Node, p.At
				for _, keyword := range one.keywords(node, subject) {
					value := node.Get(keyword)
					if value == nil || value.IsFalse() && keyword == "uniqueItems" {
						continue
					}
					p.Node, p.At = value, append(slices.Clip(at), schema.Pointer("").Child(keyword)...)
					p.Reportf("%s is not enforced", keyword)
				}
				p.Node, p.At = node, at
			},
		}
	}
	return rules
}()
