package compatible

import (
	"slices"
	"strings"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/walle"
	"toolproof/schema"
)

// The surfaces of Moonshot, whose validator package walle models.
var (
	MoonshotChat = func() *provider.Dialect {
		row := chat("moonshot/chat", "functions of Moonshot's chat completions", "/v1/chat/completions", []string{"*moonshot*"}, moonshotErrors, locateMoonshot,
			slices.Concat([]*provider.Rule{functionName, parametersTypeMissing}, walle.Rules,
				[]*provider.Rule{referenceAnnotated, typeNotDefined, parametersType, emptyUnknown, nameUnknown})...)
		row.Relative = "" // it has a target
		row.Traffic.Models = []string{"kimi-*", "moonshot-v1-*"}
		return judgedByWalle(row, "tools.function.parameters")
	}()

	moonshotResponseFormat = func() *provider.Dialect {
		row := format("moonshot/response_format", "response_format of Moonshot, type json_schema", "/v1/chat/completions", []string{"*moonshot*"}, moonshotErrors, locateMoonshot,
			slices.Concat(walle.Rules, []*provider.Rule{defaultBesideUnion})...)
		row.Relative = "moonshot"
		return judgedByWalle(row, "Invalid request: response_format.json_schema")
	}()
)

// judgedByWalle completes the row of a surface whose messages begin with the field.
func judgedByWalle(row *provider.Dialect, field string) *provider.Dialect {
	row.Doc = strings.TrimSuffix(row.Doc, thin)
	row.Own, row.Versions, row.Unordered, row.Canonical = walle.Surface{Field: field}, walle.Versions, true, withoutPrefix
	return row
}

// withoutPrefix returns a message without the words that precede it on api.moonshot.ai and, in the
// refusals of a response format, everywhere: docs/providers.md#moonshot.
func withoutPrefix(message string) string {
	return walle.Canonical(strings.TrimPrefix(message, "Invalid request: "))
}

// functionName reports a name that does not begin with a letter or has other characters than
// letters, digits, _ and -.
var functionName = &provider.Rule{
	Name:   "function_name",
	Effect: provider.Rejects,
	Stage:  tools,
	Doc: `the name of a function begins with a letter and has letters, digits, _ and - alone

Refused were a digit and $ at the beginning, a dot, and an empty name. For others see
function_name_unknown.`,
	Evidence: []string{
		"moonshot/chat/6fbae9185163",
		"moonshot/chat/15d7d8ca0d12",
		// Near misses.
		"moonshot/chat/946d6190762a",
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		name := p.Node.Get("function").Get("name")
		if name == nil || name.Kind != schema.String {
			return
		}
		isOther := func(r rune) bool { return r < utf8.RuneSelf && !provider.OfLetters(string(r), "_-") }
		if text := name.Text; text == "" || strings.ContainsRune("0123456789-", rune(text[0])) || strings.ContainsFunc(text, isOther) {
			p.Node, p.At = name, []byte("/name")
			p.Reportf("function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes")
		}
	},
}

const typeRequired = `tools.function.parameters.type is required and must be "object"`

// nameUnknown reports a name that begins with _, or has letters other than those of ASCII.
var nameUnknown = &provider.Rule{
	Name:   "function_name_unknown",
	Effect: provider.Unknown,
	Stage:  tools,
	Doc: `whether a name that begins with _, or has letters beyond ASCII, is refused is not known

The documentation allows the first, and the message of function_name does not. No public answer is
about either.`,
	Source: "the words of function_name, and the documentation of tools on platform.moonshot.ai",
	Check: func(p *provider.Pass) {
		name := p.Node.Get("function").Get("name")
		isForeign := func(r rune) bool { return r >= utf8.RuneSelf }
		if name != nil && (strings.HasPrefix(name.Text, "_") || strings.ContainsFunc(name.Text, isForeign)) {
			p.Node, p.At = name, []byte("/name")
			p.Reportf("it is unknown whether %s refuses the name %s", p.Dialect().Name, name)
		}
	},
}

// parametersTypeMissing reports a root without a type.
var parametersTypeMissing = &provider.Rule{
	Name:   "parameters_type_missing",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `the root has a type

This is demanded before the validator runs. How a reference at the root is judged is not known;
of an empty schema see empty_schema_unknown.`,
	Evidence: []string{
		"moonshot/chat/16ccccef7f83",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		if len(p.Node.Members) > 0 && !p.Node.Has("type") && !p.Node.Has("$ref") {
			p.Reportf(typeRequired)
		}
	},
}

// parametersType reports a root whose type is not object.
var parametersType = &provider.Rule{
	Name:   "parameters_type",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `the type of the root is object

The message says so. Whether it precedes the validator's, when both refuse a schema, is not
known.`,
	Source: "the words of a refusal of a missing type; https://github.com/14790897/MiqroForge-Desktop/issues/1165 (2026-09-21)",
	Check: func(p *provider.Pass) {
		if value := p.Node.Get("type"); value != nil && !value.Is("object") {
			p.Reportf(typeRequired)
		}
	},
}

// strictSince is the first day on which refusals are those of the validator's level strict. The
// ones before are those of its level ultra.
const strictSince = "2026-06-10"

// flavor reports a violation in the validator's words.
func flavor(p *provider.Pass, words string) {
	place := in(p).path()
	if place == "" {
		place = "root"
	}
	surface, _ := p.Dialect().Own.(walle.Surface)
	p.Reportf("%s is not a valid moonshot flavored json schema, details: <At path '%s': %s>", surface.Field, place, words)
}

// referenceAnnotated reports a description both beside a reference and in its definition.
var referenceAnnotated = &provider.Rule{
	Name:   "reference_annotated",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  strictSince,
	Doc:    `a description is not both beside a reference and in its definition`,
	Evidence: []string{
		"moonshot/chat/86b5374ab6af",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		root := p.Dialect().SchemaOf(p.Request.Declarations[p.Declaration])
		if target := definition(root, p.Node.GetString("$ref")); p.Node.Has("description") && target.Has("description") {
			flavor(p, "conflicting keywords found after $ref expansion: description")
		}
	},
}

// definition returns the definition that a reference leads to, or an empty schema.
func definition(root *schema.Node, reference string) *schema.Node {
	if name, isDefinition := strings.CutPrefix(reference, "#/$defs/"); isDefinition {
		if found := root.Get("$defs").Get(name); found != nil {
			return found
		}
	}
	return schema.NewObject()
}

// typeNotDefined reports a property without a type.
var typeNotDefined = &provider.Rule{
	Name:   "type_not_defined",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  strictSince,
	Doc: `the schema of a property has a type, a reference or a union

Seen once, in a report that implies the schema. The validator accepts it at its level strict.`,
	Evidence: []string{
		"moonshot/chat/a4faeec9742c",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		isObject := p.Node.Kind == schema.Object
		if isObject && isProperty(in(p).tokens()) && !slices.ContainsFunc([]string{"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}, p.Node.Has) {
			flavor(p, "type is not defined")
		}
	},
}

// isProperty reports whether tokens lead from the root to the schema of a property.
func isProperty(tokens []string) bool {
	for len(tokens) > 1 {
		class := schema.ClassOf(tokens[0])
		switch {
		case len(tokens) == 2 && tokens[0] == "properties":
			return true
		case class == schema.SchemaMap || class == schema.SchemaOrNamesMap || class == schema.SchemaList:
			tokens = tokens[2:]
		default:
			tokens = tokens[1:]
		}
	}
	return false
}

// defaultBesideUnion reports a default beside a union.
var defaultBesideUnion = &provider.Rule{
	Name:   "default_beside_union",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  strictSince,
	Doc: `anyOf has no default beside it

The validator's level ultra allows only title and description there; of what it refuses,
a default was seen.`,
	Source: "https://github.com/murtaza-nasir/maestro/issues/34 (2025-09-03)",
	Check: func(p *provider.Pass) {
		if p.Node.Has("anyOf") && p.Node.Has("default") {
			flavor(p, "keyword 'default' is not allowed at the same level as anyOf")
		}
	},
}
