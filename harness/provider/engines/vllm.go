package engines

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// vllmReleases are the releases in which vLLM is known to have changed how it checks schemas, or
// what it does with a schema that xgrammar refuses. The last two are days of its main branch.
var vllmReleases = []provider.Version{
	{Name: "0.8.0", Date: "2025-03-18"},
	{Name: "0.8.4", Date: automatic},
	{Name: "0.9.0", Date: itemsCounted},
	{Name: "0.13.0", Date: formatsKnown},
	{Name: "main of 2026-07-27", Date: lengthsRefused},
	{Name: "main of 2026-11-01", Date: namesMixed},
}

const (
	// automatic is the first day on which a server that is not started with one backend passes
	// the schemas that xgrammar refuses to guidance:
	// https://github.com/vllm-project/vllm/pull/15724.
	automatic = "2025-04-14"
	// itemsCounted is the first day on which minItems and maxItems pass the check:
	// https://github.com/vllm-project/vllm/pull/17845.
	itemsCounted = "2025-05-27"
	// formatsKnown is the first day on which minProperties, maxProperties and the formats that
	// xgrammar knows pass the check: https://github.com/vllm-project/vllm/pull/30390.
	formatsKnown = "2025-12-18"
	// lengthsRefused is the first day on which minLength or maxLength beside a pattern is
	// refused: https://github.com/vllm-project/vllm/pull/49996.
	lengthsRefused = "2026-07-27"
	// namesMixed is the day on which the main branch was read. It lets patternProperties and
	// propertyNames pass if they stand alone; since when is not known.
	namesMixed = "2026-11-01"
)

// feature is something in an object of a schema that vLLM's own check refuses.
type feature struct {
	name, doc, source string
	since, until      provider.Date
	// isIn reports whether an object has the feature. isOf reports whether the object names one
	// of some types.
	isIn func(object *schema.Node, isOf func(types ...string) bool) bool
}

const vllmCheck = "https://github.com/vllm-project/vllm, vllm/v1/structured_output/backend_xgrammar.py"

// features are all features that the check has refused in any release.
var features = []feature{
	{
		name: "feature_multiple", source: vllmCheck,
		doc: `a number has no multipleOf`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("integer", "number") && object.Has("multipleOf")
		},
	},
	{
		name: "feature_elements", source: vllmCheck,
		doc: `an array has no uniqueItems, contains, minContains and maxContains`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("array") && hasAny(object, "uniqueItems", "contains", "minContains", "maxContains")
		},
	},
	{
		name: "feature_item_count", until: itemsCounted, source: "https://github.com/vllm-project/vllm/issues/16880",
		doc: `an array has no minItems and maxItems

If tool_choice was required, the server itself added minItems and so refused every tool.`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("array") && hasAny(object, "minItems", "maxItems")
		},
	},
	{
		name: "feature_any_format", until: formatsKnown, source: "https://github.com/vllm-project/vllm/pull/30390",
		doc: `a string has no format`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("string") && object.Has("format")
		},
	},
	{
		name: "feature_format", source: vllmCheck,
		doc: `the format of a string is one of the fourteen that xgrammar knows`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("string") && object.Has("format") && !formats(object.GetString("format"))
		},
	},
	{
		name: "feature_property_count", until: formatsKnown, source: "https://github.com/vllm-project/vllm/pull/30390",
		doc: `an object has no minProperties and maxProperties`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("object") && hasAny(object, "minProperties", "maxProperties")
		},
	},
	{
		name: "feature_length", since: lengthsRefused, source: "https://github.com/vllm-project/vllm/pull/49996",
		doc: `a string with a pattern or a format has no minLength and maxLength

The same holds for the schema in propertyNames.`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("string") && hasLengthBesidePattern(object) || isOf("object") && hasLengthBesidePattern(object.Get("propertyNames"))
		},
	},
	{
		name: "feature_names", until: namesMixed, source: vllmCheck,
		doc: `an object has no patternProperties and propertyNames`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			return isOf("object") && hasAny(object, "patternProperties", "propertyNames")
		},
	},
	{
		name: "feature_names_mixed", since: namesMixed, source: vllmCheck,
		doc: `patternProperties has one pattern and no properties beside it; propertyNames has no schemas of properties beside it

additionalProperties that is true or false does not count as a schema of properties.`,
		isIn: func(object *schema.Node, isOf func(...string) bool) bool {
			if !isOf("object") {
				return false
			}
			patterns, rest := object.Get("patternProperties"), object.Get("unevaluatedProperties")
			return object.Has("propertyNames") &&
				(hasAny(object, "properties", "patternProperties") || isObject(object.Get("additionalProperties")) || rest != nil && !rest.IsTrue()) ||
				isObject(patterns) && (object.Has("properties") || len(patterns.Members) > 1)
		},
	},
}

func hasAny(object *schema.Node, keywords ...string) bool {
	return slices.ContainsFunc(keywords, object.Has)
}

func isObject(node *schema.Node) bool { return node != nil && node.Kind == schema.Object }

func hasLengthBesidePattern(object *schema.Node) bool {
	return isObject(object) && hasAny(object, "pattern", "format") && hasAny(object, "minLength", "maxLength")
}

// typesOf returns the types that an object names, alone or in a list.
func typesOf(object *schema.Node) []*schema.Node {
	switch value := object.Get("type"); {
	case value == nil:
		return nil
	case value.Kind == schema.Array:
		return value.Elements
	default:
		return []*schema.Node{value}
	}
}

// typesIn returns a function that reports whether an object names one of some types.
func typesIn(object *schema.Node) func(types ...string) bool {
	named := object.Types()
	return func(types ...string) bool {
		return slices.ContainsFunc(named, func(name string) bool { return slices.Contains(types, name) })
	}
}

// objects visits every object that vLLM's check looks at, also those in data: an object, the
// objects that are values of its members, and those that are elements of such values. It ends
// when visit returns true.
type objects struct {
	at    []byte // which visit must not keep
	visit func(object *schema.Node, at []byte) bool
}

func (o *objects) each(node *schema.Node) bool {
	if o.visit(node, o.at) {
		return true
	}
	above := len(o.at)
	for _, member := range node.Members {
		if member.Value.Kind != schema.Object && len(member.Value.Elements) == 0 || member.Value.IsPlain() {
			continue // a plain schema has no feature
		}
		o.at = schema.AppendToken(o.at[:above], member.Key)
		if member.Value.Kind == schema.Object && o.each(member.Value) {
			return true
		}
		list := len(o.at)
		for i, element := range member.Value.Elements {
			if element.Kind != schema.Object {
				continue
			}
			o.at = append(o.at[:list], schema.Pointer("").Element(i)...)
			if o.each(element) {
				return true
			}
		}
	}
	o.at = o.at[:above]
	return false
}

const unsupported = "The provided JSON schema contains features not supported by xgrammar."

// featureStage is the stage in which vLLM looks for features that xgrammar does not support, before
// xgrammar gets the schema.
var featureStage = &provider.Stage{
	Name:           "features",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		document := visitor.Dialect.SchemaOf(request.Declarations[declaration])
		if !isObject(document) {
			return
		}
		pass := &provider.Pass{Request: request, Declaration: declaration}
		all := &objects{at: []byte(root), visit: func(object *schema.Node, at []byte) bool {
			pass.Node, pass.At = object, at
			return visitor.Visit(pass)
		}}
		all.each(document)
	},
}

// featureRules are the rules of the check.
var featureRules = func() []*provider.Rule {
	rules := make([]*provider.Rule, len(features))
	for i, feature := range features {
		rules[i] = &provider.Rule{
			Name: feature.name, Doc: feature.doc, Effect: provider.Rejects, Stage: featureStage, Since: feature.since, Until: feature.until, Source: feature.source,
			Check: func(p *provider.Pass) {
				if feature.isIn(p.Node, typesIn(p.Node)) {
					p.Reportf(unsupported)
				}
			},
		}
	}
	return rules
}()

// firstList reports the keywords that the first releases refused, whose only backend was xgrammar.
var firstList = &provider.Rule{
	Name:   "features_of_2025",
	Effect: provider.Rejects,
	Stage:  featureStage,
	Until:  automatic,
	Doc: `a schema has no pattern, enum, bound or count, and no format

This was the check in the first releases of vLLM's engine 1, which had no other backend. If
tool_choice was required, the server itself added an enum and so refused every tool.`,
	Source: "https://github.com/vllm-project/vllm/issues/16321 (2025-04-09); vllm/v1/structured_output/utils.py of 0.8.0",
	Check: func(p *provider.Pass) {
		isOf := typesIn(p.Node)
		if hasAny(p.Node, "pattern", "enum") ||
			isOf("integer", "number") && hasAny(p.Node, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") ||
			isOf("array") && hasAny(p.Node, "uniqueItems", "contains", "minContains", "maxContains", "minItems", "maxItems") ||
			isOf("string") && hasAny(p.Node, "minLength", "maxLength", "format") ||
			isOf("object") && hasAny(p.Node, "minProperties", "maxProperties", "propertyNames", "patternProperties") {
			p.Reportf(unsupported)
		}
	},
}

// guidanceStage is the stage in which guidance judges a schema that vLLM's check or xgrammar has
// refused, on a server with the backend auto. It leaves out a schema with patternProperties,
// which goes to outlines instead; see outlinesUnknown.
var guidanceStage = &provider.Stage{
	Name:           "guidance",
	Shared:         "the tools and the response formats of one server go through one check",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		document := visitor.Dialect.SchemaOf(request.Declarations[declaration])
		if !isObject(document) || !isRefused(document, visitor) || hasPatternNames(document, visitor) {
			return
		}
		walk := &guidanceWalk{root: document, charge: visitor.Charge, visit: func(node *schema.Node, at schema.Pointer) bool {
			return visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: node, At: []byte(at)})
		}}
		walk.run()
	},
}

// outlinesUnknown reports a schema that goes to outlines.
var outlinesUnknown = &provider.Rule{
	Name:   "outlines_unknown",
	Effect: provider.Unknown,
	Stage: &provider.Stage{
		Name:           "outlines",
		PerDeclaration: true,
		Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
			document := visitor.Dialect.SchemaOf(request.Declarations[declaration])
			if isObject(document) && hasPatternNames(document, visitor) && isRefused(document, visitor) {
				visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: document, At: []byte(root)})
			}
		},
	},
	Since: guidanceKeyword.Since,
	Doc: `whether outlines refuses a schema with patternProperties is not known

A server with the backend auto hands a schema that its check or xgrammar refuses to outlines, if the schema
has patternProperties.`,
	Source: guidanceKeyword.Source,
	Check: func(p *provider.Pass) {
		p.Reportf("it is unknown whether %s refuses patternProperties beside what xgrammar does not support: outlines judges the schema", p.Dialect().Name)
	},
}

// refused is the key under which isRefused keeps its result for a schema.
type refused struct{ schema *schema.Node }

// isRefused reports whether vLLM's check or xgrammar refuses a schema.
func isRefused(document *schema.Node, visitor *provider.Visitor) bool {
	return provider.Keep(visitor, refused{document}, func() bool { return findRefused(document, visitor) })
}

func findRefused(document *schema.Node, visitor *provider.Visitor) bool {
	var inForce []feature
	for i, rule := range featureRules {
		if rule.InForce(visitor.Day, "") {
			inForce = append(inForce, features[i])
		}
	}
	all := &objects{visit: func(object *schema.Node, _ []byte) bool {
		visitor.Charge(len(features) + len(object.Members))
		isOf := typesIn(object)
		return slices.ContainsFunc(inForce, func(feature feature) bool { return feature.isIn(object, isOf) })
	}}
	if all.each(document) {
		return true
	}
	refused := false
	convert(document, visitor.Charge, func(node *schema.Node, _ []byte, step *step) bool {
		refused = wordsOf(node, step, visitor.Charge) != ""
		return refused
	})
	return refused
}

func hasPatternNames(document *schema.Node, visitor *provider.Visitor) bool {
	all := &objects{visit: func(object *schema.Node, _ []byte) bool {
		visitor.Charge(1 + len(object.Members))
		return object.Has("patternProperties")
	}}
	return all.each(document)
}

// guidanceWalk visits schemas in the order in which llguidance compiles them: each before its
// subschemas, and the target of each reference once.
type guidanceWalk struct {
	root *schema.Node
	// visit is called with a schema and its place. The walk ends when it returns true.
	visit  func(node *schema.Node, at schema.Pointer) bool
	charge func(steps int)

	seen    map[string]bool // the references that were followed
	indices schema.Indices
	depth   int
	ended   bool
}

func (w *guidanceWalk) run() {
	w.seen, w.indices = map[string]bool{}, schema.Indices{}
	w.schema(w.root, root)
}

func (w *guidanceWalk) schema(node *schema.Node, at schema.Pointer) {
	if w.ended || !isObject(node) || w.depth > schema.MaxDepth {
		return
	}
	w.charge(written(len(at)) + len(node.Members))
	if w.ended = w.visit(node, at); w.ended {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	isOf, hasType := typesIn(node), node.Has("type")
	if !hasType || isOf("array") {
		for _, keyword := range []string{"prefixItems", "items"} {
			w.schema(node.Get(keyword), at.Child(keyword))
			w.elements(node, keyword, at)
		}
	}
	if !hasType || isOf("object") {
		for _, member := range membersOf(node.Get("properties")) {
			w.schema(member.Value, at.Child("properties").Child(member.Key))
		}
		w.schema(node.Get("additionalProperties"), at.Child("additionalProperties"))
	}
	if reference, isLocal := strings.CutPrefix(node.GetString("$ref"), "#"); isLocal && node.Has("$ref") && !w.seen[reference] {
		w.seen[reference] = true
		w.schema(w.indices.Find(w.root, schema.Pointer(reference)), root+schema.Pointer(reference))
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		w.elements(node, keyword, at)
	}
}

func (w *guidanceWalk) elements(node *schema.Node, keyword string, at schema.Pointer) {
	list := node.Get(keyword)
	if list == nil {
		return
	}
	for i, element := range list.Elements {
		w.schema(element, at.Child(keyword).Element(i))
	}
}

const llguidance = "https://github.com/guidance-ai/llguidance, parser/src/json/schema.rs"

// guidanceKeyword reports propertyNames.
var guidanceKeyword = &provider.Rule{
	Name:   "guidance_keyword",
	Effect: provider.Rejects,
	Stage:  guidanceStage,
	Since:  automatic,
	Doc: `a schema that goes to guidance has no propertyNames

The message lists all keywords of the schema that guidance lacks. Only this one was seen.`,
	Source: "https://github.com/noonghunna/club-3090/issues/45 (2026-05-04); " + llguidance,
	Check:  func(p *provider.Pass) { report(p, lackingKeyword(p.Node)) },
}

// report reports words, unless there are none.
func report(p *provider.Pass, words string) {
	if words != "" {
		p.Reportf("%s", words)
	}
}

// lackingKeyword returns the words of guidance about a keyword of a schema that it lacks, or "".
func lackingKeyword(node *schema.Node) string {
	if node.Has("propertyNames") {
		return `Grammar error: Unimplemented keys: ["propertyNames"]`
	}
	return ""
}

// guidanceType reports a type that JSON Schema does not have.
var guidanceType = &provider.Rule{
	Name:   "guidance_type",
	Effect: provider.Rejects,
	Stage:  guidanceStage,
	Since:  automatic,
	Doc: `a type that JSON Schema does not have fails the request

xgrammar refuses such a type first, but the server does not show its words.`,
	Source: llguidance,
	Check:  func(p *provider.Pass) { report(p, unknownType(p.Node)) },
}

// unknownType returns the words of guidance about a type that JSON Schema does not have, or "".
func unknownType(node *schema.Node) string {
	for _, value := range typesOf(node) {
		if value.Kind == schema.String && branchOfType(value) == typed {
			return "Grammar error: Invalid type: " + value.Text
		}
	}
	return ""
}
