package mcp

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/metaschema"
	"toolproof/schema"
)

// validators is the stage that compiles a validator for each outputSchema, as clients do before they
// accept a list. It stops at the first violation. It visits the subschemas that the validator
// reads. The Subject is the *compiling of the outputSchema.
var validators = &provider.Stage{
	Name: "validators",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, declaration := range request.Declarations {
			root := declaration.Get("outputSchema")
			if root == nil {
				continue
			}
			reading := &compiling{visitor: visitor, root: root, seen: map[*schema.Node]bool{}}
			reading.isNamed = sync.OnceValue(reading.hasNames)
			reading.pass = provider.Pass{Request: request, Declaration: i, Subject: reading}
			if reading.read(root, "/outputSchema"); visitor.Done() {
				return
			}
		}
	},
}

// outputRules are the rules of the stage validators.
var outputRules = []*provider.Rule{outputSchemaKeyword, outputSchemaReference}

// compiling reads one outputSchema as the validator does.
type compiling struct {
	visitor *provider.Visitor
	pass    provider.Pass
	root    *schema.Node
	seen    map[*schema.Node]bool
	// isNamed reports whether any subschema has a name that references may use.
	isNamed func() bool
}

// compiled are the keywords whose schemas the validator compiles. It compiles definitions
// when a reference leads to them.
var compiled = []string{
	"properties", "patternProperties", "additionalProperties", "propertyNames", "items", "contains", "not", "allOf", "anyOf", "oneOf",
}

func (c *compiling) read(node *schema.Node, at schema.Pointer) {
	if node == nil || node.Kind != schema.Object || c.seen[node] || c.visitor.Done() {
		return
	}
	c.seen[node] = true
	c.visitor.ChargeText(len(at))
	place := c.pass
	place.Node, place.At = node, []byte(at)
	if c.visitor.Visit(&place) {
		return
	}
	for below := range node.Subschemas() {
		if slices.Contains(compiled, below.Keyword) {
			place := at
			for _, token := range below.Tokens() {
				place = place.Child(token)
			}
			c.read(below.Node(), place)
		}
	}
	if pointer, isPointer := localPointer(node.GetString("$ref")); isPointer {
		c.read(c.find(pointer), "/outputSchema"+pointer)
	}
}

// find returns the node that a pointer leads to, or nil.
func (c *compiling) find(pointer schema.Pointer) *schema.Node {
	node := c.root
	for _, token := range pointer.Tokens() {
		if node == nil {
			return nil
		}
		c.visitor.Charge(1 + len(node.Members))
		node = node.Step(token)
	}
	return node
}

// hasNames reports whether any subschema has a name that references may use.
func (c *compiling) hasNames() bool {
	found := false
	c.root.Each(func(node *schema.Node) bool {
		c.visitor.Charge(1 + len(node.Members))
		found = found || slices.ContainsFunc([]string{"$id", "id", "$anchor", "$dynamicAnchor"}, node.Has)
		return !found
	})
	return found
}

// localPointer returns the pointer of a reference within a schema.
func localPointer(reference string) (schema.Pointer, bool) {
	fragment, isLocal := strings.CutPrefix(reference, "#")
	if !isLocal {
		return "", false
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	return schema.Pointer(fragment), fragment == "" || fragment[0] == '/'
}

// valueKinds are the kinds of values that the validator accepts for keywords.
var valueKinds = func() map[string][]string {
	kinds := map[string][]string{}
	for _, row := range []struct{ keywords, kinds string }{
		{"type", "string array"},
		{"maximum minimum exclusiveMaximum exclusiveMinimum multipleOf maxLength minLength maxItems minItems maxProperties minProperties", "number"},
		{"pattern format $ref", "string"},
		{"enum required allOf anyOf oneOf", "array"},
		{"uniqueItems nullable", "boolean"},
		{"properties patternProperties", "object"},
		{"additionalProperties", "boolean object"},
		{"propertyNames not if contains", "object boolean"},
		{"items", "object array boolean"},
	} {
		for keyword := range strings.FieldsSeq(row.keywords) {
			kinds[keyword] = strings.Fields(row.kinds)
		}
	}
	return kinds
}()

// outputSchemaKeyword reports a keyword whose value the validator refuses.
var outputSchemaKeyword = &provider.Rule{
	Name:   "output_schema_keyword",
	Effect: provider.Rejects,
	Stage:  validators,
	Since:  sdk21,
	Doc: `a keyword in an outputSchema has a value of its kind

A type is one of JSON Schema's. A boolean required belongs to draft 3 and id to draft 4, and
nullable needs a type. The client of the TypeScript SDK 1.x compiles a validator for each
outputSchema before it returns the list. If that fails, since 1.21.0 (2025-11-03) the whole list
is lost: https://github.com/anomalyco/opencode/issues/21591 (2026-04-09).`,
	Evidence: []string{
		"mcp/inputSchema/015185054c63",
		"mcp/inputSchema/8e6d9cee5132",
		"mcp/inputSchema/388ff7ceedaa",
		"mcp/inputSchema/27e5c7ca465c",
		"mcp/inputSchema/867ed17765bf",
		"mcp/inputSchema/678415eee183",
		"mcp/inputSchema/d270ea5373f9",
		"mcp/inputSchema/4eae9a51dc55",
		// Near misses.
		"mcp/inputSchema/3d77f585ec6e",
	},
	Check: func(p *provider.Pass) {
		for i := range p.Node.Members {
			if message := refusedKeyword(p.Node, &p.Node.Members[i]); message != "" {
				place := *p
				place.Node, place.KeyPosition = p.Node.Members[i].Value, p.Node.Members[i].Position
				place.At = []byte(schema.Pointer(p.At).Child(p.Node.Members[i].Key))
				place.Reportf("%s", message)
				return
			}
		}
	},
}

// refusedKeyword returns the validator's words about a keyword that it refuses, or "".
func refusedKeyword(node *schema.Node, member *schema.Member) string {
	taken, keyword := valueKinds[member.Key], member.Key
	switch {
	case keyword == "id":
		return `NOT SUPPORTED: keyword "id", use "$id" for schema ID`
	case taken == nil:
		return ""
	case keyword == "type" && !areTypes(member.Value):
		return "type must be JSONType or JSONType[]: " + joined(member.Value)
	case !slices.Contains(taken, member.Value.Kind.String()):
		return keyword + ` value must be ["` + strings.Join(taken, `","`) + `"]`
	case keyword == "enum" && len(member.Value.Elements) == 0:
		return "enum must have non-empty array"
	case keyword == "nullable" && !node.Has("type"):
		return `"nullable" cannot be used without "type"`
	default:
		return ""
	}
}

// areTypes reports whether a value is a type of JSON Schema or a list of types. It returns true for
// null, which the validator reports as a value of the wrong kind.
func areTypes(node *schema.Node) bool {
	elements := []*schema.Node{node}
	switch node.Kind {
	case schema.Null:
		return true
	case schema.Array:
		elements = node.Elements
	default:
	}
	return !slices.ContainsFunc(elements, func(element *schema.Node) bool {
		return element.Kind != schema.String || !metaschema.IsType(element)
	})
}

// joined returns the string that JavaScript converts a value to.
func joined(node *schema.Node) string {
	switch node.Kind {
	case schema.String:
		return node.Text
	case schema.Array:
		texts := make([]string, len(node.Elements))
		for i, element := range node.Elements {
			texts[i] = joined(element)
		}
		return strings.Join(texts, ",")
	case schema.Object:
		return "[object Object]"
	default:
		return node.String()
	}
}

// outputSchemaReference reports a reference that leads nowhere.
var outputSchemaReference = &provider.Rule{
	Name:   "output_schema_reference",
	Effect: provider.Rejects,
	Stage:  validators,
	Since:  sdk21,
	Doc: `a reference in an outputSchema leads to a schema in it

The client of the TypeScript SDK 1.x compiles a validator for each outputSchema before it
returns the list, and fetches nothing. If it cannot resolve a reference, since 1.21.0
(2025-11-03) the whole list is lost: https://github.com/anomalyco/opencode/issues/26529
(2026-05-09). The model does not judge references in a schema with $id or $anchor.`,
	Evidence: []string{
		"mcp/inputSchema/31f6a10adef9",
		"mcp/inputSchema/28115b727828",
		// Near misses.
		"mcp/inputSchema/5ab9a15bbdc6",
	},
	Check: func(p *provider.Pass) {
		reference := p.Node.GetString("$ref")
		reading := p.Subject.(*compiling) //nolint:forcetypeassert // the stage's own type
		if reference == "" || strings.HasPrefix(reference, "http://json-schema.org/draft-07/schema") || reading.isNamed() {
			return
		}
		if pointer, isPointer := localPointer(reference); !isPointer || reading.find(pointer) == nil {
			place := *p
			place.Node, place.At = p.Node.Get("$ref"), []byte(schema.Pointer(p.At).Child("$ref"))
			place.Reportf("can't resolve reference %s from id #", reference)
		}
	},
}
