package gbnf

import (
	"maps"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// keywords are the members of a subschema that llama.cpp looks at. They are nil where they
// are missing; of a subschema that is no object, all are.
type keywords struct {
	typ, format                          *schema.Node
	ref, oneOf, anyOf, constant, enum    *schema.Node
	properties, required, additional     *schema.Node
	allOf, items, prefixItems            *schema.Node
	minItems, maxItems, pattern          *schema.Node
	minLength, maxLength                 *schema.Node
	minimum, maximum                     *schema.Node
	exclusiveMinimum, exclusiveMaximum   *schema.Node
	count                                int
	isUntyped, isObject, isText, isEmpty bool
}

// keywordsOf reads the members of a subschema.
func keywordsOf(node *schema.Node) *keywords {
	k := &keywords{isEmpty: isEmpty(node)}
	if node != nil {
		k.count = len(node.Members)
		for i := range node.Members {
			if field := k.field(node.Members[i].Key); field != nil {
				*field = node.Members[i].Value
			}
		}
	}
	k.isUntyped = k.typ == nil || k.typ.Kind == schema.Null
	k.isObject, k.isText = k.typ.Is("object"), k.typ.Is("string")
	return k
}

func (k *keywords) field(name string) **schema.Node {
	switch name {
	case "type":
		return &k.typ
	case "format":
		return &k.format
	case "$ref":
		return &k.ref
	case "oneOf":
		return &k.oneOf
	case "anyOf":
		return &k.anyOf
	case "const":
		return &k.constant
	case "enum":
		return &k.enum
	case "properties":
		return &k.properties
	case "required":
		return &k.required
	case "additionalProperties":
		return &k.additional
	case "allOf":
		return &k.allOf
	case "items":
		return &k.items
	case "prefixItems":
		return &k.prefixItems
	case "minItems":
		return &k.minItems
	case "maxItems":
		return &k.maxItems
	case "pattern":
		return &k.pattern
	case "minLength":
		return &k.minLength
	case "maxLength":
		return &k.maxLength
	case "minimum":
		return &k.minimum
	case "maximum":
		return &k.maximum
	case "exclusiveMinimum":
		return &k.exclusiveMinimum
	case "exclusiveMaximum":
		return &k.exclusiveMaximum
	default:
		return nil
	}
}

// Decide returns what decides about a subschema.
func Decide(node *schema.Node) Branch { return keywordsOf(node).decides() }

// decides returns what decides about the subschema: the first that is there.
func (k *keywords) decides() Branch {
	switch {
	case k.ref != nil:
		return ByRef
	case k.oneOf != nil:
		return ByOneOf
	case k.anyOf != nil:
		return ByAnyOf
	case k.typ != nil && k.typ.Kind == schema.Array:
		return ByTypes
	case k.constant != nil:
		return ByConst
	case k.enum != nil:
		return ByEnum
	case (k.isUntyped || k.isObject) && (k.properties != nil || k.additional != nil && !k.additional.IsTrue()):
		return ByProperties
	case (k.isUntyped || k.isObject || k.isText) && k.allOf != nil:
		return ByAllOf
	case (k.isUntyped || k.typ.Is("array")) && k.items != nil:
		return ByItems
	case (k.isUntyped || k.typ.Is("array")) && k.prefixItems != nil:
		return ByPrefixItems
	case (k.isUntyped || k.isText) && k.pattern != nil:
		return ByPattern
	case (k.isUntyped || k.isText) && k.format != nil && isKnownFormat(k.format.Text):
		return ByFormat
	case k.isText && (k.minLength != nil || k.maxLength != nil):
		return ByLength
	case k.typ.Is("integer") && (k.minimum != nil || k.exclusiveMinimum != nil || k.maximum != nil || k.exclusiveMaximum != nil):
		return ByBounds
	case k.isEmpty || k.isObject:
		return ByType
	case k.typ != nil && k.typ.Kind == schema.String && isPrimitive(k.typ.Text):
		return ByType
	default:
		return ByNothing
	}
}

// copies returns the subschema once for each of the types that it lists.
func (k *keywords) copies(node *schema.Node) []*schema.Node {
	made := make([]*schema.Node, len(k.typ.Elements))
	for i, typ := range k.typ.Elements {
		made[i] = node.With("type", typ)
	}
	return made
}

// isEmpty reports whether a value is null, or holds nothing.
func isEmpty(node *schema.Node) bool {
	switch {
	case node == nil || node.Kind == schema.Null:
		return true
	case node.Kind == schema.Object:
		return len(node.Members) == 0
	case node.Kind == schema.Array:
		return len(node.Elements) == 0
	default:
		return false
	}
}

// valuesOf returns the elements of a value, or the values of its members; of any other
// value itself.
func valuesOf(node *schema.Node) []*schema.Node {
	switch {
	case node == nil || node.Kind == schema.Null:
		return nil
	case node.Kind == schema.Array:
		return node.Elements
	case node.Kind == schema.Object:
		values := make([]*schema.Node, len(node.Members))
		for i := range node.Members {
			values[i] = node.Members[i].Value
		}
		return values
	default:
		return []*schema.Node{node}
	}
}

// namesIn returns the texts of a list.
func (c *converter) namesIn(node *schema.Node) map[string]bool {
	if node == nil || node.Kind != schema.Array {
		return nil
	}
	names := make(map[string]bool, len(node.Elements))
	for _, element := range node.Elements {
		c.charge(4 + len(element.Text)/bytesPerStep)
		if element.Kind == schema.String {
			names[element.Text] = true
		}
	}
	return names
}

// builtin is a rule that a grammar gets when it is used.
type builtin struct {
	text  string
	needs []string
}

const spaceRule = `| " " | "\n"{1,2} [ \t]{0,20}`

// primitives are the types, and what they are made of; a schema can name each as its type.
var primitives = map[string]builtin{
	"boolean":       {text: `("true" | "false") space`},
	"decimal-part":  {text: `[0-9]{1,16}`},
	"integral-part": {text: `[0] | [1-9] [0-9]{0,15}`},
	"number":        {`("-"? integral-part) ("." decimal-part)? ([eE] [-+]? integral-part)? space`, []string{"integral-part", "decimal-part"}},
	"integer":       {`("-"? integral-part) space`, []string{"integral-part"}},
	"value":         {`object | array | string | number | boolean | null`, []string{"object", "array", "string", "number", "boolean", "null"}},
	"object":        {`"{" space ( string ":" space value ("," space string ":" space value)* )? "}" space`, []string{"string", "value"}},
	"array":         {`"[" space ( value ("," space value)* )? "]" space`, []string{"value"}},
	"uuid":          {text: `"\"" [0-9a-fA-F]{8} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{12} "\"" space`},
	"char":          {text: `[^"\\\x7F\x00-\x1F] | [\\] (["\\bfnrt] | "u" [0-9a-fA-F]{4})`},
	"string":        {`"\"" char* "\"" space`, []string{"char"}},
	"null":          {text: `"null" space`},
}

// formats are the formats of a text with a rule of their own, and what they are made of.
var formats = map[string]builtin{
	"date": {text: `[0-9]{4} "-" ( "0" [1-9] | "1" [0-2] ) "-" ( "0" [1-9] | [1-2] [0-9] | "3" [0-1] )`},
	"time": {text: `([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ( "." [0-9]{3} )? ( "Z" | ( "+" | "-" ) ( [01] [0-9] | "2" [0-3] ) ":" [0-5] [0-9] )`},

	"date-time":        {`date "T" time`, []string{"date", "time"}},
	"date-string":      {`"\"" date "\"" space`, []string{"date"}},
	"time-string":      {`"\"" time "\"" space`, []string{"time"}},
	"date-time-string": {`"\"" date-time "\"" space`, []string{"date-time"}},
}

// builtins are primitives and formats; a rule of a schema does not get their names.
var builtins = func() map[string]builtin {
	all := map[string]builtin{"root": {}}
	maps.Copy(all, primitives)
	maps.Copy(all, formats)
	return all
}()

func isReserved(name string) bool { _, ok := builtins[name]; return ok }

func isPrimitive(name string) bool { _, ok := primitives[name]; return ok }

var uuid = lazy.Compile(`^uuid[1-5]?$`)

// isKnownFormat reports whether a grammar can say a format.
func isKnownFormat(name string) bool {
	_, ok := formats[name+"-string"]
	return ok || uuid.MatchString(name)
}
