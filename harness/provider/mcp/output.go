package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/metaschema"
	"toolproof/internal/ecma"
	"toolproof/schema"
)

// validators is the stage that compiles a validator for each outputSchema, as clients do before they
// accept a list. It stops at the first violation. It visits the subschemas that the validator
// reads. The Subject is the *compiling of the outputSchema.
var validators = &provider.Stage{Name: "validators", Walk: compile}

// compile visits each outputSchema.
func compile(request provider.Request, _ int, visitor *provider.Visitor) {
	own, _ := visitor.Dialect.Own.(client)
	for i, declaration := range request.Declarations {
		root := declaration.Get("outputSchema")
		if root == nil {
			continue
		}
		reading := &compiling{visitor: visitor, root: root, seen: map[*schema.Node]bool{}, validator: validator{vocabulary: ajv07}}
		if own.validator != nil {
			reading.validator = own.validator(visitor.Day, declaration)
		} else if sdk22 <= visitor.Day && visitor.Day < sdk23 {
			reading.root = kept(root)
		}
		reading.isNamed = sync.OnceValue(reading.hasNames)
		reading.pass = provider.Pass{Request: request, Declaration: i, Subject: reading}
		if reading.read(reading.root, "/outputSchema"); visitor.Done() {
			return
		}
	}
}

// kept returns what the client 1.22.0 keeps of an outputSchema: it drops $defs, so that references to them lead nowhere.
func kept(root *schema.Node) *schema.Node {
	clone := *root
	clone.Members = slices.DeleteFunc(slices.Clone(root.Members), func(member schema.Member) bool {
		return !slices.Contains([]string{"type", "properties", "required", "additionalProperties"}, member.Key)
	})
	return &clone
}

// outputRules are the rules of the stage validators.
var outputRules = []*provider.Rule{outputSchemaKeyword, outputSchemaPattern, outputSchemaReference}

// validator is what compiles an outputSchema.
type validator struct {
	vocabulary

	// unsupported says that the validator does not know the draft of the schema, in its words; empty if it does.
	unsupported string
	// preface precedes the validator's words, of which it leaves most letters.
	preface string
	most    int // 0 means all
}

// compiling reads one outputSchema as the validator does.
type compiling struct {
	validator

	visitor *provider.Visitor
	pass    provider.Pass
	root    *schema.Node
	seen    map[*schema.Node]bool
	// isNamed reports whether any subschema has a name that references may use.
	isNamed func() bool
}

// reportf reports what the validator says about a place.
func (c *compiling) reportf(place provider.Pass, format string, arguments ...any) {
	message := fmt.Sprintf(format, arguments...)
	if c.most > 0 {
		message = cut(message, c.most)
	}
	place.Reportf("%s%s", c.preface, message)
}

// cut returns the beginning of a text, of so many letters as JavaScript counts them.
func cut(text string, most int) string {
	if units := utf16.Encode([]rune(text)); len(units) > most {
		return string(utf16.Decode(units[:most]))
	}
	return text
}

// compilingOf returns the Subject of a pass of the stage.
func compilingOf(p *provider.Pass) *compiling { return p.Subject.(*compiling) } //nolint:forcetypeassert // the stage's own type

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
		if slices.Contains(c.compiled, below.Keyword) && !c.isIdle(node, below.Keyword) {
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

// isIdle reports whether the validator does not read a keyword of an object for want of another.
func (v vocabulary) isIdle(node *schema.Node, keyword string) bool {
	judges := func(keyword string) bool { return node.Has(keyword) && !v.acceptsAll(node.Get(keyword)) }
	switch keyword {
	case "if":
		return !judges("then") && !judges("else")
	case "then", "else":
		return !node.Has("if")
	case "additionalItems":
		items := node.Get("items")
		return items == nil || items.Kind != schema.Array
	default:
		return false
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

// vocabulary is what a validator, which is Ajv, knows of a draft.
type vocabulary struct {
	// kinds are the kinds of values that it accepts for keywords.
	kinds map[string][]string
	// compiled are the keywords whose schemas it compiles. It compiles definitions when a reference leads to them.
	compiled []string
	// tracks says that it compiles the patterns of patternProperties even if their schemas accept everything, for
	// unevaluatedProperties.
	tracks bool
	// known begin the references that lead to metaschemas.
	known []string
}

// The vocabularies.
var (
	ajv07 = vocabulary{
		kinds: kindsOf(
			"type: string array",
			"maximum minimum exclusiveMaximum exclusiveMinimum multipleOf maxLength minLength maxItems minItems maxProperties minProperties: number",
			"pattern format $ref: string",
			"enum required allOf anyOf oneOf: array",
			"uniqueItems nullable: boolean",
			"properties patternProperties dependencies: object",
			"additionalProperties additionalItems: boolean object",
			"propertyNames not if then else contains: object boolean",
			"items: object array boolean",
		),
		compiled: []string{
			"properties", "patternProperties", "additionalProperties", "propertyNames", "dependencies", "items", "additionalItems", "contains",
			"not", "allOf", "anyOf", "oneOf", "if", "then", "else",
		},
		known: []string{"http://json-schema.org/draft-07/schema"},
	}
	ajv2019 = ajv07.with("https://json-schema.org/draft/2019-09/",
		"minContains maxContains: number",
		"dependentRequired dependentSchemas: object",
		"unevaluatedProperties unevaluatedItems: boolean object",
	)
	ajv2020 = ajv2019.with("https://json-schema.org/draft/2020-12/", "prefixItems: array", "items: object boolean")
)

// kindsOf reads lines of keywords and, behind a colon, the kinds of their values.
func kindsOf(lines ...string) map[string][]string {
	kinds := map[string][]string{}
	for _, line := range lines {
		keywords, values, _ := strings.Cut(line, ": ")
		for keyword := range strings.FieldsSeq(keywords) {
			kinds[keyword] = strings.Fields(values)
		}
	}
	return kinds
}

// with returns the vocabulary of a later draft, with the address of its metaschema and more keywords.
func (v vocabulary) with(metaschema string, lines ...string) vocabulary {
	kinds := maps.Clone(v.kinds)
	maps.Copy(kinds, kindsOf(lines...))
	return vocabulary{
		kinds: kinds, compiled: append(slices.Clip(v.compiled), "prefixItems", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"),
		tracks: true, known: []string{metaschema},
	}
}

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
		"mcp/client-2/2545204d191e",
		"mcp/2026-07-28/7bbf01ae5192",
		// Near misses.
		"mcp/inputSchema/3d77f585ec6e",
	},
	Check: func(p *provider.Pass) {
		for i := range p.Node.Members {
			if message := refusedKeyword(compilingOf(p).kinds, p.Node, &p.Node.Members[i]); message != "" {
				place := *p
				place.Node, place.KeyPosition = p.Node.Members[i].Value, p.Node.Members[i].Position
				place.At = []byte(schema.Pointer(p.At).Child(p.Node.Members[i].Key))
				compilingOf(p).reportf(place, "%s", message)
				return
			}
		}
	},
}

// refusedKeyword returns the validator's words about a keyword that it refuses, or "".
func refusedKeyword(kinds map[string][]string, node *schema.Node, member *schema.Member) string {
	taken, keyword := kinds[member.Key], member.Key
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
		"mcp/client-2/9bf64366a0c0",
		"mcp/2026-07-28/04a9f444837d",
		// Near misses.
		"mcp/inputSchema/5ab9a15bbdc6",
	},
	Check: func(p *provider.Pass) {
		reference := p.Node.GetString("$ref")
		reading := compilingOf(p)
		if reference == "" || reading.knows(reference) || reading.isNamed() {
			return
		}
		if pointer, isPointer := localPointer(reference); !isPointer || reading.find(pointer) == nil {
			place := *p
			place.Node, place.At = p.Node.Get("$ref"), []byte(schema.Pointer(p.At).Child("$ref"))
			reading.reportf(place, "can't resolve reference %s from id #", reference)
		}
	},
}

// knows reports whether a reference leads to a metaschema.
func (v vocabulary) knows(reference string) bool {
	return slices.ContainsFunc(v.known, func(begin string) bool { return strings.HasPrefix(reference, begin) })
}

// outputSchemaPattern reports a pattern that is no regular expression.
var outputSchemaPattern = &provider.Rule{
	Name:   "output_schema_pattern",
	Effect: provider.Rejects,
	Stage:  validators,
	Since:  sdk21,
	Doc: `a pattern in an outputSchema is a regular expression of ECMAScript with the flag u

With that flag a backslash stands only before letters with a meaning of their own, so that \- outside of brackets is
refused, and so are the (?i) and (?P<name>) of other languages. Since the SDK 1.21.0 (2025-11-03) the whole list is lost.`,
	Evidence: []string{
		"mcp/inputSchema/1211a566bbbd",
		"mcp/inputSchema/796254f9cd21",
		"mcp/inputSchema/f4dfe6be014e",
		"mcp/client-2/fd6769550f3a",
		"mcp/2026-07-28/1690303f8166",
		// Near misses.
		"mcp/inputSchema/92738bc13dfb",
	},
	Check: func(p *provider.Pass) {
		reading := compilingOf(p)
		refuse := func(pattern string, node *schema.Node, at ...string) {
			if fault := ecma.Fault(pattern); fault != "" {
				place := *p
				place.Node, place.At = node, p.At
				for _, token := range at {
					place.At = []byte(schema.Pointer(place.At).Child(token))
				}
				reading.reportf(place, "Invalid regular expression: /%s/u: %s", pattern, fault)
			}
		}
		if pattern := p.Node.Get("pattern"); pattern != nil && pattern.Kind == schema.String {
			p.ChargeText(len(pattern.Text))
			refuse(pattern.Text, pattern, "pattern")
		}
		if !reading.readsNames(p.Node) {
			return
		}
		for _, member := range membersOf(p.Node.Get("patternProperties")) {
			p.ChargeText(len(member.Key))
			refuse(member.Key, member.Value, "patternProperties", member.Key)
		}
	},
}

// readsNames reports whether the validator compiles the patterns of an object's patternProperties.
func (v vocabulary) readsNames(node *schema.Node) bool {
	if further := node.Get("additionalProperties"); further != nil {
		return !v.acceptsAll(further)
	}
	return v.tracks || slices.ContainsFunc(membersOf(node.Get("patternProperties")), func(member schema.Member) bool { return !v.acceptsAll(member.Value) })
}

// acceptsAll reports whether a schema has no keyword that the validator judges by.
func (v vocabulary) acceptsAll(node *schema.Node) bool {
	return node.IsTrue() || node.Kind == schema.Object && !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return v.kinds[member.Key] != nil || member.Key == "const"
	})
}
