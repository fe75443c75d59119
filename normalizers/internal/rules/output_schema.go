package rules

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolproof/internal/ecma"
	"toolproof/internal/lazy"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// OutputSchema serves targets that publish tools.
var OutputSchema = &engine.Rule{
	Name: "output_schema",
	Doc: `an outputSchema becomes one that clients accept, or is left out

It gets the type object if all its values are objects, or if it has no constraint. It is
left out if it accepts other values: the server returns these, and no client accepts them.
Its keywords are repaired as those of the parameters are, and a reference that leads nowhere
is removed, as is a pattern that is none of ECMAScript: one that only has a backslash too many
keeps its meaning. A $schema that the clients 2.x do not know becomes draft 7 or is removed. A
client that refuses one outputSchema loses the whole list of tools. Sources: rules
output_schema_type, output_schema_keyword, output_schema_pattern and output_schema_reference of
mcp/inputSchema, and output_schema_dialect of mcp/client-2.`,
	Before: `{"name": "f", "outputSchema": {"anyOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]}}`,
	After:  `{"name": "f", "outputSchema": {"type": "object", "anyOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]}}`,
	Loss:   rewrite.Both,
	Tool: func(p *engine.Pass) {
		output := p.Schema.Get("outputSchema")
		switch {
		case output == nil:
			return
		case output.Kind != schema.Object: // null and true have no constraint
			p.Remove("outputSchema", lossIf(output.Kind != schema.Null && !output.IsTrue(), rewrite.Widens))
			return
		}
		outputDialect(p.Below(output, "outputSchema"))
		for _, rule := range []*engine.Rule{
			KeywordValue, RequiredFlags, ForeignType, {Rewrite: outputKeywords}, DanglingRefs, BooleanProperties,
		} {
			p.Within("outputSchema", rule)
		}
		below := p.Below(output, "outputSchema")
		switch types := output.Types(); {
		case isOfType(output, "object"):
		case slices.Contains(types, "object"):
			below.Set("type", schema.NewString("object"), lossIf(len(types) > 1, rewrite.Narrows))
		case len(types) == 0 && objectsOf(p, output).takes(output):
			giveType(below, []string{"object"}, rewrite.Exact)
		case len(types) == 0 && !constrains(output):
			giveType(below, []string{"object"}, rewrite.Narrows)
		default:
			p.Remove("outputSchema", rewrite.Widens)
		}
	},
}

// outputDialects are in the names of the drafts that clients know.
var outputDialects = lazy.Compile(`^https?://json-schema\.org/(draft/2020-12|draft/2019-09|draft-07|draft-06)/schema#?$`)

// outputDialect replaces a $schema that clients do not know.
func outputDialect(p *engine.Pass) {
	switch dialect := p.Schema.Get("$schema"); {
	case dialect == nil || dialect.Kind == schema.String && outputDialects.MatchString(dialect.Text):
	case strings.Contains(dialect.Text, "/draft-04/") || strings.Contains(dialect.Text, "/draft-03/"):
		p.Set("$schema", schema.NewString(draft7), lossIf(beginsToCount(p.Schema, draft7, true), rewrite.Both))
	default:
		p.Remove("$schema", rewrite.Exact)
	}
}

// outputPatterns repairs patterns that clients do not compile, or removes them.
func outputPatterns(p *engine.Pass) {
	if pattern := p.Schema.Get("pattern"); pattern != nil && pattern.Kind == schema.String {
		if repaired, ok := compilable(pattern.Text); !ok {
			p.Remove("pattern", rewrite.Widens)
		} else if repaired != pattern.Text {
			p.Set("pattern", schema.NewString(repaired), rewrite.Exact)
		}
	}
	named := p.Schema.Get("patternProperties")
	if named == nil || named.Kind != schema.Object {
		return
	}
	kept := schema.NewObject()
	for _, member := range named.Members {
		if repaired, ok := compilable(member.Key); ok && !kept.Has(repaired) {
			kept.Set(repaired, member.Value)
		}
	}
	if !schema.Equal(kept, named) {
		p.Set("patternProperties", kept, rewrite.Both) // additionalProperties may refuse what a pattern took
	}
}

// compilable returns a pattern that ECMAScript compiles with the flag u, and that means the same: without backslashes before
// letters that mean themselves anyway.
func compilable(pattern string) (repaired string, ok bool) {
	if ecma.Fault(pattern) == "" {
		return pattern, true
	}
	var text strings.Builder
	isInClass, isEscaped := false, false
	for _, letter := range pattern {
		if isEscaped && (unicode.IsLetter(letter) || unicode.IsDigit(letter) || strings.ContainsRune(`^$\.*+?()[]{}|/`, letter) || isInClass && letter == '-') {
			text.WriteByte('\\')
		}
		if !isEscaped && (letter == '[' || letter == ']') {
			isInClass = letter == '['
		}
		if isEscaped = !isEscaped && letter == '\\'; !isEscaped {
			text.WriteRune(letter)
		}
	}
	if isEscaped {
		return "", false
	}
	return text.String(), ecma.Fault(text.String()) == ""
}

// outputKeywords removes keywords that the validators of clients refuse and JSON Schema ignores.
func outputKeywords(p *engine.Pass) {
	if p.Schema.Kind != schema.Object {
		return
	}
	outputPatterns(p)
	upgradeBound(p, "exclusiveMinimum", "minimum")
	upgradeBound(p, "exclusiveMaximum", "maximum")
	if nullable := p.Schema.Get("nullable"); nullable != nil && (nullable.Kind != schema.Bool || !p.Schema.Has("type")) {
		p.Remove("nullable", rewrite.Exact) // it has no meaning without a type
	}
	if p.Schema.Has("id") {
		p.Remove("id", rewrite.Exact) // the name of $id in draft 4
	}
	if values := p.Schema.Get("enum"); values != nil && values.Kind == schema.Array && len(values.Elements) == 0 {
		p.Become(p.New(schema.Member{Key: "not", Value: schema.NewObject()}), rewrite.Exact)
	}
}

// constrains reports whether a schema has a keyword that a value can violate.
func constrains(node *schema.Node) bool {
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		switch member.Key {
		case "title", "description", "default", "examples", "$defs", "definitions":
			return false
		default:
			return schema.ClassOf(member.Key) != schema.Unknown && !schema.IsMeta(member.Key)
		}
	})
}

// objects knows which schemas of an output accept only objects.
type objects struct {
	pass      *engine.Pass
	resources func() *schema.Resources
	known     map[*schema.Node]bool // false for a schema until its result is known, so that a circle of references proves nothing
}

func objectsOf(p *engine.Pass, root *schema.Node) *objects {
	return &objects{p, sync.OnceValue(func() *schema.Resources { return schema.NewResources(root) }), map[*schema.Node]bool{}}
}

// takes reports whether a schema accepts only objects, or has only keywords that apply to objects.
func (o *objects) takes(node *schema.Node) bool {
	isKnown, seen := o.known[node]
	if !seen {
		o.known[node] = false
		isKnown = o.find(node)
		o.known[node] = isKnown
	}
	return isKnown
}

func (o *objects) find(node *schema.Node) bool {
	o.pass.Charge(1 + len(node.Members))
	if node.Has("type") {
		return isOfType(node, "object")
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := node.Get(keyword); branches != nil && len(branches.Elements) > 0 && every(branches.Elements, o.takes) {
			return true
		}
	}
	if all := node.Get("allOf"); all != nil && slices.ContainsFunc(all.Elements, o.takes) {
		return true
	}
	if reference := node.Reference(); reference != "" {
		target := o.resources().Resolve(node, reference)
		return target != nil && o.takes(target)
	}
	return !slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "enum", "const", "not"}, node.Has) &&
		slices.ContainsFunc(node.Members, func(member schema.Member) bool { return slices.Contains(belongsTo[member.Key], "object") })
}
