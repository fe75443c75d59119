package google

import (
	"net/url"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// jsonSchema is the stage that reads a JSON Schema and follows its references. It reports one
// violation. It has few rules, because the front end takes any JSON for the schema, and the
// service passes over most keywords that it does not support.
var jsonSchema = &provider.Stage{
	Name:   "json schema",
	Shared: "one reader of JSON Schema, for functions and for answers. The Gemini API and Vertex AI answer loops and undeclared required names in the same words",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		surface := surfaceOf(visitor.Dialect)
		for i, declaration := range request.Declarations {
			if root := surface.jsonSchema(declaration); root != nil && root.Kind != schema.Null {
				visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: root, At: []byte("/parameters")})
			}
			if visitor.Done() {
				return
			}
		}
	},
}

// jsonSchemaRules hold for each JSON Schema.
var jsonSchemaRules = []*provider.Rule{notSchema, propertiesNotObject, onlyReference, referenceUndefined, referenceLoop, requiredUnspecified}

// notSchema reports a value other than a schema where a schema is read.
var notSchema = &provider.Rule{
	Name:   "not_schema",
	Effect: provider.Rejects,
	Stage:  jsonSchema,
	Doc: `a schema is an object, or true or false

The known case is a schema that a client wrote into a string.`,
	Evidence: []string{
		"gemini/parametersJsonSchema/977c6c0e788e",
		// Near misses.
		"gemini/parametersJsonSchema/6a458ddb88b7",
	},
	Check: func(p *provider.Pass) {
		walkRead(nil, p.Node, func(tokens []string, node *schema.Node) bool {
			if node.Kind == schema.Object || node.Kind == schema.Bool || node.Kind == schema.Null {
				return true
			}
			reportInSchema(p, tokens, node, "schema at "+dotted(tokens)+" must be a boolean or an object")
			return false
		})
	},
}

// propertiesNotObject reports properties in another form than an object.
var propertiesNotObject = &provider.Rule{
	Name:   "properties_not_object",
	Effect: provider.Rejects,
	Stage:  jsonSchema,
	Doc: `properties is an object

The known cases are null, and the empty list that PHP makes from an empty map. The words were
seen on the endpoint that is compatible with OpenAI's.`,
	Evidence: []string{
		"gemini-openai/chat/798504ed90a3",
		// Near misses.
		"gemini-openai/chat/391487a9c7b6",
		"gemini/parametersJsonSchema/6a458ddb88b7",
	},
	Check: func(p *provider.Pass) {
		walkJSONSchema(p, p.Node, func(tokens []string, node *schema.Node) bool {
			if properties := node.Get("properties"); properties == nil || properties.Kind == schema.Object {
				return true
			}
			reportInSchema(p, tokens, node, "value for properties at "+dotted(tokens)+" must be an object")
			return false
		})
	},
}

// onlyReference reports a reference beside other keywords, which was refused in 2025.
var onlyReference = &provider.Rule{
	Name:   "only_reference",
	Effect: provider.Rejects,
	Stage:  jsonSchema,
	Until:  "2025-10-01",
	Doc: `beside $ref only keywords that begin with $ were allowed

Reported on 2025-07-24, and still documented; a title beside it was accepted by
2025-11.`,
	Source: "https://github.com/google-gemini/gemini-cli/issues/4758 (2025-07-24)",
	Check: func(p *provider.Pass) {
		walkJSONSchema(p, p.Node, func(tokens []string, node *schema.Node) bool {
			if !node.Has("$ref") || !slices.ContainsFunc(node.Members, func(member schema.Member) bool { return !strings.HasPrefix(member.Key, "$") }) {
				return true
			}
			reportInSchema(p, tokens, node, "schema at "+dotted(tokens)+" can only contain properties starting with '$' when $ref is present")
			return false
		})
	},
}

// referenceUndefined reports a reference that leads nowhere.
var referenceUndefined = &provider.Rule{
	Name:   "reference_undefined",
	Effect: provider.Rejects,
	Stage:  jsonSchema,
	Doc: `a $ref that leads to no part of the schema fails the request

References into $defs, definitions and the root are followed, percent-encoded ones too;
a URL is not. Beside a $ref only keywords that begin with $ count. So a reference at the
root leads into $defs, but not into definitions.`,
	Evidence: []string{
		"gemini/parametersJsonSchema/c25e82e1b9a0",
		"gemini/responseJsonSchema/d40ff1bd30ad",
		// Near misses.
		"gemini/parametersJsonSchema/c593cedc33b1",
		"gemini/parametersJsonSchema/551a1a0cee46",
		"gemini/parametersJsonSchema/96059afb202a",
	},
	Check: func(p *provider.Pass) {
		if !hasReference(p) {
			return
		}
		read := newDocument(p)
		walkJSONSchema(p, p.Node, func(tokens []string, node *schema.Node) bool {
			reference := node.Get("$ref")
			if reference == nil || reference.Kind != schema.String || read.defines(node, reference.Text) {
				return true
			}
			reportInSchema(p, tokens, node, "reference to undefined schema at "+dotted(tokens))
			return false
		})
	},
}

// requiredUnspecified reports a required property that is not declared.
var requiredUnspecified = &provider.Rule{
	Name:   "required_unspecified",
	Effect: provider.Rejects,
	Stage:  jsonSchema,
	Doc: `required names properties of the schema

This is known of schemas with properties. The model accepts required in a branch of a union
that has no properties, and anything below a keyword that the service passes over, such as if.`,
	Evidence: []string{
		"vertex/parametersJsonSchema/f246d6a282bf",
		"gemini/parametersJsonSchema/9a46d6bc9199",
		// Near misses.
		"gemini/parametersJsonSchema/6a458ddb88b7",
	},
	Check: func(p *provider.Pass) {
		walkRead(nil, p.Node, func(tokens []string, node *schema.Node) bool {
			if node.Has("$ref") || !node.Has("properties") {
				return true
			}
			isDeclared := schema.Among(node.Get("properties").Keys())
			for _, name := range node.Get("required").Strings() {
				if !isDeclared(name) {
					reportInSchema(p, tokens, node, "schema at "+dotted(tokens)+" requires unspecified property '"+name+"'")
					return false
				}
			}
			return true
		})
	},
}

// referenceLoop reports a schema that no finite value satisfies.
var referenceLoop = &provider.Rule{
	Name:   "reference_loop",
	Effect: provider.Rejects,
	Stage:  jsonSchema,
	Doc: `a loop of references that nothing ends fails the request

An optional property ends a loop, and so does an array that may be empty. A branch of anyOf
with type null does not, nor does a list of types with array, as measured on gemini-3.8-flash
on 2026-09-27 and 2026-09-28.`,
	Evidence: []string{
		"gemini/responseJsonSchema/a5ffee57dae3",
		"gemini/parametersJsonSchema/d879914bac78",
		"vertex/responseJsonSchema/7d3d8d9d3566",
		// Near misses.
		"gemini/responseJsonSchema/15838165dd64",
	},
	Check: func(p *provider.Pass) {
		if !hasReference(p) {
			return
		}
		loops := loopFinder{document: newDocument(p), state: map[*schema.Node]visited{}}
		walkJSONSchema(p, p.Node, func(tokens []string, node *schema.Node) bool {
			if !loops.follow(tokens, node) {
				return true
			}
			reportInSchema(p, loops.tokens, loops.node, "ref loops are only supported if they include optional or nullable property values, "+
				"or a potentially-zero-length array items, but a ref loop of required fields was found at "+dotted(loops.tokens))
			return false
		})
	},
}

// reportInSchema reports a violation at a place below the schema of the pass.
func reportInSchema(p *provider.Pass, tokens []string, node *schema.Node, message string) {
	at := schema.Pointer(p.At)
	for _, token := range tokens {
		at = at.Child(token)
	}
	p.Node, p.At = node, []byte(at)
	p.Report(provider.Finding{Message: message, Location: dotted(tokens)})
}

// dotted returns a place as the messages of the stage write it.
func dotted(tokens []string) string {
	if len(tokens) == 0 {
		return "top-level"
	}
	return strings.Join(tokens, ".")
}

// walkJSONSchema visits the schema and every subschema that the service reads and that is not
// plain, parents first, until visit returns false.
func walkJSONSchema(p *provider.Pass, root *schema.Node, visit func(tokens []string, node *schema.Node) bool) {
	var walk func(tokens []string, node *schema.Node) bool
	walk = func(tokens []string, node *schema.Node) bool {
		p.Charge(1 + len(node.Members))
		if !visit(tokens, node) {
			return false
		}
		isReference := node.Has("$ref")
		for place := range node.Subschemas() {
			if !place.Node().IsPlain() && counts(place.Keyword, isReference) && !walk(place.AppendTokens(tokens), place.Node()) {
				return false
			}
		}
		return true
	}
	walk(nil, root)
}

// hasReference reports whether the schema of a pass has a reference that the service reads.
func hasReference(p *provider.Pass) bool {
	found := false
	walkJSONSchema(p, p.Node, func(_ []string, node *schema.Node) bool {
		found = node.Has("$ref")
		return !found
	})
	return found
}

// walkRead is like walkJSONSchema but visits only the subschemas of keywords that the documentation
// lists as supported, since the service passes over the others. Source:
// docs/providers.md#google-json-schema.
func walkRead(tokens []string, node *schema.Node, visit func(tokens []string, node *schema.Node) bool) bool {
	if !visit(tokens, node) {
		return false
	}
	for place := range node.Subschemas() {
		switch place.Keyword {
		case "properties", "items", "prefixItems", "anyOf", "oneOf", "additionalProperties", "$defs", "definitions":
			if !place.Node().IsPlain() && !node.Has("$ref") && !walkRead(place.AppendTokens(tokens), place.Node(), visit) {
				return false
			}
		}
	}
	return true
}

// counts reports whether the service reads a keyword. Beside a reference it reads only keywords
// that begin with $.
func counts(keyword string, besideReference bool) bool {
	return !besideReference || strings.HasPrefix(keyword, "$")
}

// document is a JSON Schema whose references are followed.
type document struct {
	pass      *provider.Pass
	root      *schema.Node
	indices   schema.Indices
	resources *schema.Resources // of the root; nil until they are needed
	named     map[string]bool   // the results of hasName
}

func newDocument(p *provider.Pass) *document {
	return &document{pass: p, root: p.Node, indices: schema.Indices{}, named: map[string]bool{}}
}

// defines reports whether the reference of a schema leads to a part of the document. It
// is not known whether the service resolves a pointer from the nearest $id or from the
// root, so either suffices.
func (d *document) defines(node *schema.Node, reference string) bool {
	base, fragment, _ := strings.Cut(reference, "#")
	if base != "" { // another document, which this one contains only under an $id
		return d.hasName("$id")
	}
	if fragment != "" && fragment[0] != '/' {
		return d.hasName("$anchor") || d.hasName("$dynamicAnchor")
	}
	if d.resolve(fragment) != nil || !d.hasName("$id") {
		return d.resolve(fragment) != nil
	}
	if d.resources == nil {
		d.resources = schema.NewResources(d.root)
	}
	return d.resources.Resolve(node, reference) != nil
}

// resolve follows a fragment that is a JSON Pointer. It returns nil if the fragment leads
// nowhere.
func (d *document) resolve(fragment string) *schema.Node {
	d.pass.ChargeText(len(fragment))
	decoded, err := url.PathUnescape(fragment)
	if err != nil {
		decoded = fragment
	}
	node := d.root
	for _, token := range schema.Pointer(decoded).Tokens() {
		if node = d.step(node, token); node == nil {
			return nil
		}
	}
	return node
}

func (d *document) step(node *schema.Node, token string) *schema.Node {
	d.pass.Charge(1)
	if node.Kind != schema.Object {
		return node.Step(token)
	}
	reference := d.indices.Get(node, "$ref")
	if !counts(token, reference != nil && reference.Kind == schema.String) {
		return nil
	}
	return d.indices.Get(node, token)
}

// hasName reports whether any schema of the document has the keyword, which is one that names a
// schema. It is not known whether a reference has to have that very name, so any name suffices.
func (d *document) hasName(keyword string) bool {
	found, known := d.named[keyword]
	if !known {
		walkJSONSchema(d.pass, d.root, func(_ []string, node *schema.Node) bool {
			found = found || node.Has(keyword)
			return !found
		})
		d.named[keyword] = found
	}
	return found
}

type visited uint8

const (
	open   visited = iota + 1 // being followed
	closed                    // has been followed to its end
)

// loopFinder follows the subschemas of the parts that every value of a schema has.
type loopFinder struct {
	document *document
	state    map[*schema.Node]visited
	// node is the schema whose reference closes the loop that was found, and tokens lead to it.
	tokens []string
	node   *schema.Node
}

// follow reports whether every value of the schema at a place contains another value of
// the same schema, without end.
func (f *loopFinder) follow(tokens []string, node *schema.Node) bool {
	f.document.pass.Charge(1)
	if node == nil || node.Kind != schema.Object || f.state[node] != 0 {
		return false
	}
	f.document.pass.Charge(len(node.Members))
	f.state[node] = open
	defer func() { f.state[node] = closed }()
	if reference := node.Get("$ref"); reference != nil {
		fragment, ok := strings.CutPrefix(reference.Text, "#")
		if !ok || fragment != "" && fragment[0] != '/' {
			return false
		}
		target := f.document.resolve(fragment)
		if f.state[target] == open {
			f.tokens, f.node = slices.Clone(tokens), node
			return true
		}
		return f.follow(schema.Pointer(fragment).Tokens(), target)
	}
	isRequired := schema.Among(node.Get("required").Strings())
	least, _ := node.Get("minItems").Int64()
	for place := range node.Subschemas() {
		needed := false // whether each value of the schema has a value at the place
		switch place.Keyword {
		case "properties":
			needed = isRequired(place.Name)
		case "items":
			needed = least > 0 || node.Get("type").IsOf("array")
		case "anyOf", "oneOf", "allOf":
			needed = true
		}
		if needed && f.follow(place.AppendTokens(tokens), place.Node()) {
			return true
		}
	}
	return false
}

// budget is the stage that refuses a request because the constraint made from all its schemas is
// too large. The answer does not say so.
var budget = &provider.Stage{
	Name:   "budget",
	Shared: "one constraint is made of all schemas of a request, in any field",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		visitor.Visit(&provider.Pass{Request: request, Declaration: -1})
	},
}

var budgetRules = []*provider.Rule{tooManyItems}

const maxItemsBudget = 960

// tooManyItems reports arrays that may grow too long together.
var tooManyItems = &provider.Rule{
	Name:   "too_many_items",
	Effect: provider.Rejects,
	Stage:  budget,
	Since:  "2026-03-01",
	Doc: `the maxItems of a request sum up to about 960 at most

The sum was measured on gemini-3-flash-preview, and again on gemini-3.8-flash. The
answer says only that an argument is invalid. What else makes the constraint too large is
unknown: long enums, long names and many tools were refused, by gemini-2.5-flash with the
words "too many states for serving". See docs/providers.md#google-states.`,
	Evidence: []string{
		"gemini/parametersJsonSchema/44a79ae5bbe3",
		// Near misses.
		"gemini/responseJsonSchema/24f630cc8135",
	},
	Check: func(p *provider.Pass) {
		sum := int64(0)
		for _, declaration := range p.Request.Declarations {
			root := surfaceOf(p.Dialect()).jsonSchema(declaration)
			p.Each(root, func(node *schema.Node) bool {
				if most, ok := node.Get("maxItems").Int64(); ok && most > 0 {
					sum = min(sum+most, maxItemsBudget+1)
				}
				return true
			})
		}
		if sum > maxItemsBudget {
			p.Reportf("Request contains an invalid argument.")
		}
	},
}

// nesting is the stage that limits how deeply objects and arrays may be nested in a response
// schema. Its message names no place.
var nesting = &provider.Stage{
	Name:   "nesting",
	Shared: "one message speaks of every schema in generationConfig",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, node := range request.Declarations {
			if visitor.Visit(&provider.Pass{Request: request, Declaration: i, Node: node, At: []byte("/parameters")}) {
				return
			}
		}
	},
}

var nestingRules = []*provider.Rule{responseTooDeep}

// maxResponseLevels is the largest number of levels that is not known to be refused.
const maxResponseLevels = 7

// responseTooDeep reports a response schema with too many levels.
var responseTooDeep = &provider.Rule{
	Name:   "response_too_deep",
	Effect: provider.Rejects,
	Stage:  nesting,
	Since:  "2025-08-13",
	Doc: `the objects and arrays of a response schema are nested a few levels deep

The limit is not published, and reports put it between 4 and 8 levels. In 2025-10 five were
accepted and nine refused. The model refuses eight; six and seven are unknown. Levels behind
a reference do not count.`,
	Source: "https://github.com/googleapis/js-genai/issues/882 (2025-08-13); https://github.com/Portkey-AI/gateway/issues/1546 (2026-03-02); docs/providers.md#google-nesting",
	Check: func(p *provider.Pass) {
		if levels(p, p.Node) > maxResponseLevels {
			p.Reportf("A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.")
		}
	},
}

// levels counts the objects and arrays on the longest path down a schema.
func levels(p *provider.Pass, node *schema.Node) int {
	p.Charge(1 + len(node.Members))
	deepest := 0
	for place := range node.Subschemas() {
		if !place.Node().IsPlain() && !strings.HasPrefix(place.Keyword, "$") && place.Keyword != "definitions" {
			deepest = max(deepest, levels(p, place.Node()))
		}
	}
	if node.Has("items") || node.Has("properties") {
		deepest++
	}
	return deepest
}
