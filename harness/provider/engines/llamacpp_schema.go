package engines

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// llamaParsed is what llama.cpp makes of the schema of one declaration since llamaParses: it parses
// the schema from the root, follows each reference once, and ends at the first flaw.
type llamaParsed struct {
	walk *llamaWalk
	root *llamaPlace
	// targets are where the references lead, by their text.
	targets map[string]llamaTarget
}

// llamaPath is a place in llama.cpp's own words, which begin at a reference or at the root.
type llamaPath struct {
	above *llamaPath // nil for the beginning
	text  string
}

func (p *llamaPath) below(text string) *llamaPath { return &llamaPath{above: p, text: text} }

func (p *llamaPath) String() string {
	if p.above == nil {
		return p.text
	}
	return p.above.String() + p.text
}

// fail makes a step of a flaw. It returns false, so that a reader can return what it returns.
func (p *llamaParsed) fail(rule string, at *llamaPlace, path *llamaPath, words string) bool {
	text := "JSON schema error at " + path.String() + ": " + words
	p.walk.charge(written(len(text)))
	p.walk.steps = append(p.walk.steps, &llamaStep{by: aboutParsing, place: at, walk: p.walk, flaw: llamaFlaw{rule, text}})
	return false
}

// schema parses a subschema and reports whether llama.cpp can.
func (p *llamaParsed) schema(at *llamaPlace, path *llamaPath) bool {
	node := at.node
	p.walk.charge(8)
	if !isObject(node) {
		return p.fail("schema_kind", at, path, "schema must be an object")
	}
	p.walk.charge(len(node.Members))
	switch by := llamaDecidesParsed(node); by {
	case byRef:
		return p.reference(at.below("$ref", node.Get("$ref")), path)
	case byOneOf, byAnyOf, byAllOf:
		return p.alternatives(at.below(string(by), node.Get(string(by))), path.below("/"+string(by)))
	case byTypes:
		return p.types(at, path)
	case byEnum:
		if values := node.Get("enum"); values.Kind != schema.Array || len(values.Elements) == 0 {
			return p.fail("enum_values", at.below("enum", values), path, "enum must be a non-empty array")
		}
	case byProperties:
		return p.object(at, path)
	case byItems, byPrefixItems, byArray:
		return p.array(at, by, path)
	case byPattern, byFormat, byLength:
		return p.text(at, path)
	case byBounds:
		return p.bounds(at, path)
	case byType:
		return !node.Get("type").Is("string") || p.text(at, path)
	case byAny:
		return p.textOf("pattern", at, path) && p.textOf("format", at, path)
	case byNothing:
		kind := node.Get("type")
		if kind.Kind != schema.String {
			return p.fail("type_kind", at.below("type", kind), path, "type must be a string or an array of strings")
		}
		return p.fail("type_name", at.below("type", kind), path, "unrecognized type "+kind.Text)
	default: // a const has any value
	}
	return true
}

// reference parses what a reference leads to, unless it has been parsed.
func (p *llamaParsed) reference(at *llamaPlace, path *llamaPath) bool {
	if at.node.Kind != schema.String {
		return p.fail("ref_kind", at, path, "$ref must be a string")
	}
	reference := at.node.Text
	if !strings.HasPrefix(reference, "#/") {
		return p.fail("ref_document", at, path, "unsupported $ref "+reference+", only references into the same document are supported")
	}
	if _, isKnown := p.targets[reference]; isKnown {
		return true
	}
	found, token, isOut := p.walk.step(llamaTarget{p.root.node, p.root}, strings.Split(reference, "/")[1:])
	if found.node == nil {
		words := " not found"
		if isOut {
			words = " is out of range"
		}
		return p.fail("ref_target", at, path, "cannot resolve $ref "+reference+", "+token+words)
	}
	p.targets[reference] = found
	return p.schema(found.at, &llamaPath{text: reference})
}

// alternatives parses the schemas of a union or of allOf.
func (p *llamaParsed) alternatives(at *llamaPlace, path *llamaPath) bool {
	switch {
	case at.node.Kind != schema.Array:
		return p.fail("alternatives", at, path, "must be an array of schemas")
	case len(at.node.Elements) == 0:
		return p.fail("alternatives", at, path, "must not be empty")
	}
	return p.each(at, path)
}

// each parses the elements of a list.
func (p *llamaParsed) each(list *llamaPlace, path *llamaPath) bool {
	for _, element := range llamaValues(list) {
		if !p.schema(element, path.below("/"+element.token)) {
			return false
		}
	}
	return true
}

// types parses a copy of a subschema for each type of its list.
func (p *llamaParsed) types(at *llamaPlace, path *llamaPath) bool {
	list := at.node.Get("type")
	if len(list.Elements) == 0 {
		return p.fail("type_list", at.below("type", list), path, "type must not be empty")
	}
	for i, name := range list.Elements {
		p.walk.charge(1 + len(at.node.Members))
		copied := *at
		copied.node = at.node.With("type", name)
		if !p.schema(&copied, path.below("/type/"+strconv.Itoa(i))) {
			return false
		}
	}
	return true
}

func (p *llamaParsed) object(at *llamaPlace, path *llamaPath) bool {
	if properties := at.node.Get("properties"); properties != nil {
		within := at.below("properties", properties)
		if properties.Kind != schema.Object {
			return p.fail("properties_kind", within, path, "properties must be an object")
		}
		if !p.each(within, path.below("/properties")) {
			return false
		}
	}
	switch other := at.node.Get("additionalProperties"); {
	case other == nil || other.Kind == schema.Bool:
		return true
	case other.Kind == schema.Object:
		return p.schema(at.below("additionalProperties", other), path.below("/additionalProperties"))
	default:
		return p.fail("additional_properties", at.below("additionalProperties", other), path, "additionalProperties must be a boolean or a schema")
	}
}

func (p *llamaParsed) array(at *llamaPlace, by llamaBranch, path *llamaPath) bool {
	if by != byArray {
		items := at.below(string(by), at.node.Get(string(by)))
		below := path.below("/" + string(by))
		if items.node.Kind == schema.Array {
			return p.each(items, below)
		}
		if !p.schema(items, below) {
			return false
		}
	}
	return p.count("minItems", at, path) && p.count("maxItems", at, path)
}

func (p *llamaParsed) text(at *llamaPlace, path *llamaPath) bool {
	return p.textOf("pattern", at, path) && p.textOf("format", at, path) && p.count("minLength", at, path) && p.count("maxLength", at, path)
}

// textOf reports whether a keyword is a text, or not there.
func (p *llamaParsed) textOf(keyword string, at *llamaPlace, path *llamaPath) bool {
	if value := at.node.Get(keyword); value != nil && value.Kind != schema.String {
		return p.fail("text_kind", at.below(keyword, value), path, keyword+" must be a string")
	}
	return true
}

// count reports whether a keyword is a count, or not there. Only the last 32 bits of a number count.
func (p *llamaParsed) count(keyword string, at *llamaPlace, path *llamaPath) bool {
	if value := at.node.Get(keyword); value != nil && (!isWhole(value) || intOf(value, 0) < 0) {
		return p.fail("count", at.below(keyword, value), path, keyword+" must be a non-negative integer")
	}
	return true
}

// bounds reports whether the bounds of an integer that count are numbers.
func (p *llamaParsed) bounds(at *llamaPlace, path *llamaPath) bool {
	for _, keyword := range boundsOf(at.node) {
		if value := at.node.Get(keyword); value != nil && value.Kind != schema.Number {
			return p.fail("bound", at.below(keyword, value), path, keyword+" must be a number")
		}
	}
	return true
}

// llamaDecidesParsed returns what decides about a subschema since llamaParses.
func llamaDecidesParsed(node *schema.Node) llamaBranch {
	has, kind := node.Has, node.Get("type")
	isUntyped := kind == nil || kind.Kind == schema.Null || kind.Is("")
	isText := kind.Is("string")
	by := llamaDecidesFirst(node, isUntyped)
	switch {
	case by != byNothing:
		return by
	case kind.Is("array"):
		return byArray
	case (isUntyped || isText) && has("pattern") && !node.Get("pattern").Is(""):
		return byPattern
	case (isUntyped || isText) && llamaFormats.MatchString(node.GetString("format")):
		return byFormat
	case (isUntyped || isText) && (has("minLength") || has("maxLength")):
		return byLength
	case isUntyped:
		return byAny
	case kind.Is("integer") && slices.ContainsFunc(llamaBounds, has):
		return byBounds
	case isText || kind.Is("object") || kind.Is("integer") || kind.Is("number") || kind.Is("boolean") || kind.Is("null"):
		return byType
	default:
		return byNothing
	}
}
