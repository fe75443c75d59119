package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// KeywordValue serves every provider: a keyword whose value has the wrong type
// fails the whole request.
var KeywordValue = &engine.Rule{
	Name: "keyword_value",
	Doc: `a value of the wrong type under a keyword is corrected

A null is removed. A number in a string becomes a number. A single value or schema becomes a
list of one where a list belongs. An empty list of properties, as PHP prints it, becomes an
empty object; an empty list of types or of branches is removed. A string in the place of a
schema becomes the type that it names; in dependencies it is the name of a property, as in
draft 3. Anything else goes into the description. Sources: groups live and bench of the
corpus; https://github.com/cbdb-project/cbdb-online-main-server/pull/879.`,
	Before:     `{"type": "object", "properties": [], "minProperties": "1", "required": null}`,
	After:      `{"type": "object", "properties": {}, "minProperties": 1}`,
	Loss:       rewrite.Both,
	Everywhere: true,
	Tool:       repairDescription,
	Rewrite: func(p *engine.Pass) {
		switch p.Schema.Kind {
		case schema.Object:
			if slices.ContainsFunc(p.Schema.Members, needsRepair) {
				for member := range p.Members() {
					repairValue(p, member.Key, member.Value)
				}
			}
		case schema.Bool:
		default:
			if p.Schema.Kind == schema.Null && slices.Contains([]string{"anyOf", "oneOf", "allOf"}, p.Keyword()) {
				return // repairValue removes it from the list
			}
			if p.Schema.Kind == schema.Null && p.IsRoot() && engine.Has[NullParameters](p.Target) {
				return
			}
			if p.Schema.Kind == schema.String && p.Keyword() == "dependencies" {
				// Draft 3 allows a single name, which newer drafts ignore.
				p.Become(schema.NewArray(schema.NewString(p.Schema.Text)), rewrite.Narrows)
				return
			}
			p.Become(schemaNamed(p, p.Schema), rewrite.Exact)
		}
	},
}

// NullParameters marks a target where the parameters of a tool may be null.
type NullParameters struct{}

// needsRepair reports whether repairValue may change a member. Ruling out most members so saves 6 % of
// the time of all rules.
func needsRepair(member schema.Member) bool {
	want, value := schema.TypeOf(member.Key), member.Value
	switch value.Kind {
	case schema.String:
		return want != "string" && member.Key != "type"
	case schema.Object:
		return want != "object" && want != ""
	case schema.Bool:
		return want != "boolean" && want != ""
	case schema.Number:
		isCount := value.Text > "0" && value.Text < ":" && strings.Trim(value.Text, "0123456789") == ""
		return !isCount || want != "integer" && want != "number"
	case schema.Array:
		return member.Key != "enum" && (member.Key != "required" || !areNames(value.Elements))
	default:
		return true
	}
}

// areNames reports whether a list is short and consists of different strings. It does not look at long
// lists, which would need a set.
func areNames(list []*schema.Node) bool {
	const few = 16
	if len(list) == 0 || len(list) > few {
		return false
	}
	for i, name := range list {
		if name.Kind != schema.String || slices.ContainsFunc(list[:i], func(other *schema.Node) bool { return other.Text == name.Text }) {
			return false
		}
	}
	return true
}

// repairDescription makes the tool's own description a string.
func repairDescription(p *engine.Pass) {
	if description := p.Schema.Get("description"); description != nil {
		repairValue(p, "description", description)
	}
}

// repairValue corrects the value of one keyword.
func repairValue(p *engine.Pass, keyword string, value *schema.Node) {
	class, want := schema.ClassOf(keyword), schema.TypeOf(keyword)
	switch {
	case isEmptyUnion(class, keyword, value):
		p.Remove(keyword, lossIf(keyword != "prefixItems", rewrite.Widens))
	case p.Target.Typeless && p.Target.Keywords == nil && slices.Contains(notJSONSchema, keyword):
		// A target that takes all of JSON Schema ignores these keywords.
	case class == schema.Unknown || keyword == "type" || keyword == "const" || keyword == "default" || keyword == "example":
		return
	case class == schema.SchemaList && slices.ContainsFunc(value.Elements, isNullValue):
		if left := slices.DeleteFunc(slices.Clone(value.Elements), isNullValue); len(left) > 0 {
			p.Set(keyword, schema.NewArray(left...), rewrite.Exact)
		} else {
			p.Remove(keyword, rewrite.Exact)
		}
	case value.Kind == schema.Null:
		p.Remove(keyword, rewrite.Exact)
	case keyword == "required" && isFlag(value):
		// required_flags moves these to the parent.
	case (keyword == "exclusiveMinimum" || keyword == "exclusiveMaximum") && value.Kind == schema.Bool:
		// upgrade_draft rewrites these.
	case keyword == "required" && value.Kind == schema.Array:
		repairRequired(p, value)
	case isBelowRange(keyword, value):
		p.SpillAway(keyword, rewrite.Widens)
	case want == "" || value.IsOf(want):
		return
	default:
		repaired := valueAs(want, class, value)
		if keyword == "required" && len(repaired.Strings()) == 0 || strings.HasPrefix(keyword, "$") {
			repaired = nil // the value is neither a name nor a reference
		}
		if repaired != nil {
			p.Set(keyword, repaired, rewrite.Exact)
			return
		}
		if (keyword == "description" || keyword == "title") && len(value.Members)+len(value.Elements) == 0 && value.Text == "" {
			p.Remove(keyword, rewrite.Exact)
			return
		}
		if keyword == "description" || keyword == "title" {
			p.Set(keyword, schema.NewString(value.String()), rewrite.Exact)
			return
		}
		p.SpillAway(keyword, rewrite.Widens)
	}
}

// notJSONSchema are keywords of other specifications and of older drafts.
var notJSONSchema = []string{"nullable", "propertyOrdering", "example", "id", "$recursiveAnchor", "$recursiveRef"}

// isBelowRange reports whether the metaschema refuses a number because it is too small: a multipleOf
// that is not above 0, or a negative count.
func isBelowRange(keyword string, value *schema.Node) bool {
	isFactor := keyword == "multipleOf"
	if !isFactor && schema.TypeOf(keyword) != "integer" {
		return false
	}
	number := value.Rat()
	return number != nil && (number.Sign() < 0 || isFactor && number.Sign() == 0)
}

// isEmptyUnion reports whether a keyword that needs at least one element has an empty list,
// which has no meaning in any specification.
func isEmptyUnion(class schema.Class, keyword string, value *schema.Node) bool {
	return (class == schema.SchemaList || keyword == "type") && value.Kind == schema.Array && len(value.Elements) == 0
}

// valueAs returns what a value of the wrong type stands for, or nil.
func valueAs(want string, class schema.Class, value *schema.Node) *schema.Node {
	switch want {
	case "number", "integer":
		if value.Kind == schema.String {
			if number, err := schema.Parse([]byte(value.Text)); err == nil && number.IsOf(want) {
				return schema.NewNumber(number.Text)
			}
		}
	case "boolean":
		if value.Kind == schema.String && isFlag(value) {
			return schema.NewBool(value.Text == "true")
		}
	case "object":
		if value.Kind == schema.Array && len(value.Elements) == 0 {
			return schema.NewObject()
		}
	case "array":
		if class == schema.Data && value.Kind != schema.Object || class == schema.SchemaList && value.Kind == schema.Object {
			return schema.NewArray(value)
		}
	}
	return nil
}

// repairRequired removes the elements that are not strings, and repeated names, which no metaschema
// allows.
func repairRequired(p *engine.Pass, list *schema.Node) {
	names := list.Strings()
	loss := lossIf(len(names) < len(list.Elements), rewrite.Widens)
	names = merge.Names(nil, names)
	if len(names) < len(list.Elements) {
		p.Set("required", schema.NewStrings(names...), loss)
	}
}

// schemaNamed returns the schema that another value in its place stands for.
func schemaNamed(p *engine.Pass, value *schema.Node) *schema.Node {
	node := p.New()
	switch value.Kind {
	case schema.String:
		if name, _ := typeNamed(value.Text); name != "" {
			node.Set("type", schema.NewString(name))
		} else if text := strings.TrimSpace(value.Text); text != "" {
			node.Set("description", schema.NewString(text))
		}
	case schema.Null:
	default:
		node.Set("description", schema.NewString(value.String()))
	}
	return node
}
