package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// RequiredWithoutProperties reports required names where no properties are declared.
var RequiredWithoutProperties = &provider.Rule{
	Name:   "required_without_properties",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc: `an object with required has properties

Also where required is empty. Known of the root alone.`,
	Evidence: []string{
		"groq/chat/078551d4c44d",
		// Near misses.
		"groq/chat/2fd2583b550c",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Has("required") && !p.Node.Has("properties") {
			p.Reportf("invalid JSON schema for tool %s, tools[%d].function.parameters: \n'required' present but 'properties' is missing", in(p).name, p.Declaration)
		}
	},
}

// reportFormat reports a violation in a response format of Groq.
func reportFormat(p *provider.Pass, words string) {
	p.Report(provider.Finding{Message: "invalid JSON schema for response_format: '" + in(p).name + "':" + words, Location: "response_format"})
}

// ObjectOpen reports an object that may have more properties.
var ObjectOpen = &provider.Rule{
	Name:   "object_open",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `an object of a response format has additionalProperties false`,
	Source: "https://github.com/Meridiona/meridian/pull/812 (2026-08-19, of the root); the place of a nested one as in https://github.com/eigent-ai/eigent/pull/1786",
	Check: func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") || p.Node.Get("additionalProperties").IsFalse() {
			return
		}
		at := in(p).pointer()
		if at != "" {
			at += ": "
		}
		reportFormat(p, " "+at+"`additionalProperties:false` must be set on every object")
	},
}

// PropertiesNotRequired reports optional properties.
var PropertiesNotRequired = &provider.Rule{
	Name:   "properties_not_required",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `an object of a response format requires each of its properties; those that it does not are listed`,
	Evidence: []string{
		"groq/response_format/29237047b1db",
		// Near misses.
		"groq/response_format/b2c49b2ddd03",
	},
	Check: func(p *provider.Pass) {
		isRequired := schema.Among(p.Node.Get("required").Strings())
		var missing []string
		for _, name := range p.Node.Get("properties").Keys() {
			if !isRequired(name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			reportFormat(p, "\n"+in(p).pointer()+"/required:\nThe following properties must be listed in `required`: "+strings.Join(missing, ", "))
		}
	},
}

// ObjectWithoutFields reports an object that does not say what it holds.
var ObjectWithoutFields = &provider.Rule{
	Name:   "object_without_fields",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `an object has properties, if only an empty object of them, or anyOf`,
	Evidence: []string{
		"cerebras/response_format/fddc41c0cd7f",
		// Near misses.
		"cerebras/response_format/ee009749c6be",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Get("type").Is("object") && !p.Node.Has("properties") && !p.Node.Has("anyOf") {
			p.Report(provider.Finding{
				Message:  "Object fields require at least one of: 'properties' or 'anyOf'",
				Location: "response_format", Code: "wrong_api_format",
			})
		}
	},
}

const deepSeekCode = "invalid_request_error"

// ToolTypeMissing reports a tool that does not say what it is.
var ToolTypeMissing = &provider.Rule{
	Name:   "tool_type_missing",
	Effect: provider.Rejects,
	Stage:  Tools,
	Doc: `a tool has a type

The provider adds the line and the column of its body, which are not predicted.`,
	Evidence: []string{
		"deepseek/chat/579c37a2a54e",
		// Near misses.
		"deepseek/chat/0b0dd9a67f0e",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Has("type") {
			p.Report(provider.Finding{
				Message: "Failed to deserialize the JSON body into the target type: tools[" + strconv.Itoa(p.Declaration) + "]: missing field `type`",
				Code:    deepSeekCode,
			})
		}
	},
}

func reportFunction(p *provider.Pass, words string) {
	p.Report(provider.Finding{Message: "Invalid schema for function '" + in(p).name + "': " + words, Code: deepSeekCode})
}

// KeywordType reports a keyword whose value is of the wrong type.
var KeywordType = &provider.Rule{
	Name:   "keyword_type",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `the value of a keyword is of the type that the metaschema demands

In the words of a library of Rust: the value as JSON, the type in double quotes.`,
	Evidence: []string{
		"deepseek/chat/b890e1a7add9",
		// Near misses.
		"deepseek/chat/0b0dd9a67f0e",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			switch member.Key {
			case "properties", "required", "enum", "anyOf", "allOf", "oneOf", "description", "title", "pattern":
			default:
				continue
			}
			if want := schema.TypeOf(member.Key); want != "" && !member.Value.IsOf(want) {
				reportFunction(p, member.Value.String()+` is not of type "`+want+`"`)
				return
			}
		}
	},
}

// RootType reports a root whose type is not object.
var RootType = &provider.Rule{
	Name:   "root_type",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc:    `the root has type object`,
	Evidence: []string{
		"deepseek/chat/235e28a04564",
		// Near misses.
		"deepseek/chat/0b0dd9a67f0e",
	},
	Check: func(p *provider.Pass) {
		value := p.Node.Get("type")
		if value.Is("object") || len(p.Node.Members) == 0 {
			return
		}
		got := "null"
		if value != nil {
			got = value.String()
		}
		reportFunction(p, `schema must be a JSON Schema of 'type: "object"', got 'type: `+got+`'.`)
	},
}

const moonshotFlavor = "tools.function.parameters is not a valid moonshot flavored json schema, details: "

// ReferencePrefix reports a reference to anything but a definition.
var ReferencePrefix = &provider.Rule{
	Name:   "reference_prefix",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a reference leads to a definition below $defs`,
	Source: "a published refusal of 2026 in a public source file without a stable address; PROVIDERS.md 3",
	Check: func(p *provider.Pass) {
		reference := p.Node.Get("$ref")
		if reference != nil && reference.Kind == schema.String && !strings.HasPrefix(reference.Text, "#/$defs/") {
			p.Reportf(moonshotFlavor+"<At path '%s': references must start with #/$defs/>", in(p).dotted("$ref"))
		}
	},
}

// ReferenceBesideType reports a type beside a reference.
var ReferenceBesideType = &provider.Rule{
	Name:   "reference_beside_type",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `a reference has no type beside it

How the message names the place is not known.`,
	Source: "a refusal of 2026 in a public source file without a stable address, quoted in part; PROVIDERS.md 3",
	Check: func(p *provider.Pass) {
		if p.Node.Has("$ref") && p.Node.Has("type") {
			p.Reportf(moonshotFlavor+"<At path '%s': when using $ref, type should be defined in the referenced schema instead of the parent schema>",
				strings.Join(in(p).tokens, "."))
		}
	},
}

// InputSchemaType reports a root whose type is not object.
var InputSchemaType = &provider.Rule{
	Name:   "input_schema_type",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc:    `the root has type object`,
	Source: "a published refusal of 2026 in a public source file without a stable address; PROVIDERS.md 3",
	Check: func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") {
			p.Report(provider.Finding{
				Message: "The value at toolConfig.tools." + strconv.Itoa(p.Declaration) + ".toolSpec.inputSchema.json.type must be one of the following: object.",
			})
		}
	},
}
