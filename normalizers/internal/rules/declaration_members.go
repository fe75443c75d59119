package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DeclarationMembers serves Google's surfaces, which decode all members of a function declaration.
var DeclarationMembers = &engine.Rule{
	Name: "declaration_members",
	Doc: `a response that is no Schema message becomes responseJsonSchema

That member takes any JSON Schema. A behavior that the service has no name for is removed.
Source: the field table of FunctionDeclaration in the published protos.`,
	Before: `{"name": "f", "behavior": "SOMETIMES", "response": {"type": "object", "properties": {"a": {"const": 1}}}}`,
	After:  `{"name": "f", "responseJsonSchema": {"type": "object", "properties": {"a": {"const": 1}}}}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		behaviors := []string{"UNSPECIFIED", "BLOCKING", "NON_BLOCKING"}
		if behavior := p.Schema.Get("behavior"); behavior != nil && !slices.Contains(behaviors, strings.ToUpper(behavior.Text)) {
			p.Remove("behavior", rewrite.Exact)
		}
		response := p.Schema.Get("response")
		switch {
		case response == nil || isMessage(response):
		case p.Schema.Has("responseJsonSchema") || p.Schema.Has("response_json_schema"):
			p.Remove("response", rewrite.Exact)
		default:
			p.Replace("response", "responseJsonSchema", response, rewrite.Exact)
		}
	},
}

// isMessage reports whether a value can be read as a Schema message of any of Google's services.
func isMessage(node *schema.Node) bool {
	return node.Kind == schema.Object && !slices.ContainsFunc(node.Members, func(member schema.Member) bool { return !isField(member) })
}

// isField reports whether a member can be read as a field of a Schema message.
func isField(member schema.Member) bool {
	value := member.Value
	switch member.Key {
	case "type":
		return value.Kind == schema.String && slices.Contains(engine.TypeNames, strings.ToLower(value.Text))
	case "title", "description", "format", "pattern":
		return value.Kind == schema.String
	case "nullable":
		return value.Kind == schema.Bool
	case "minimum", "maximum":
		return value.Kind == schema.Number
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		_, isWhole := value.Int64()
		return isWhole
	case "enum", "required", "propertyOrdering":
		return value.Kind == schema.Array && len(value.Strings()) == len(value.Elements)
	case "default", "example":
		return true
	case "items":
		return isMessage(value)
	case "anyOf":
		return value.Kind == schema.Array && !slices.ContainsFunc(value.Elements, func(branch *schema.Node) bool { return !isMessage(branch) })
	case "properties":
		return value.Kind == schema.Object && !slices.ContainsFunc(value.Members, func(property schema.Member) bool { return !isMessage(property.Value) })
	default:
		return false
	}
}
