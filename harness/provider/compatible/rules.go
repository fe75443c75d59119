package compatible

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/metaschema"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// requiredWithoutProperties reports required names where no properties are declared.
var requiredWithoutProperties = &provider.Rule{
	Name:   "required_without_properties",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `an object with required has properties

This is demanded even if required is empty. It is known of the root only.`,
	Evidence: []string{
		"groq/chat/078551d4c44d",
		// Near misses.
		"groq/chat/2fd2583b550c",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Has("required") && !p.Node.Has("properties") {
			reportTool(p, "'required' present but 'properties' is missing")
		}
	},
}

// reportTool reports a violation in a tool, in Groq's words.
func reportTool(p *provider.Pass, words string) {
	p.Reportf("invalid JSON schema for tool %s, tools[%d].function.parameters: %s", in(p).name, p.Request.Index(p.Declaration), words)
}

// strictToolOpen reports an object of a strict tool that is not closed.
var strictToolOpen = &provider.Rule{
	Name:   "strict_tool_open",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `an object of a strict tool has additionalProperties false

Tools that are not strict are accepted with open objects. The published words lost the
quotes around additionalProperties:false.`,
	Source: "https://github.com/eigent-ai/eigent/pull/1786 (2026-07-19), whose client declares its tools as strict",
	Check: func(p *provider.Pass) {
		if isOpen(p.Node) {
			reportTool(p, placed(p, mustBeClosed))
		}
	},
}

const mustBeClosed = "`additionalProperties:false` must be set on every object"

// isOpen reports whether an object allows properties that it does not declare.
func isOpen(node *schema.Node) bool {
	return node.Get("type").Is("object") && !node.Get("additionalProperties").IsFalse()
}

// placed returns words with the place of the pass before them, unless that is the root.
func placed(p *provider.Pass, words string) string {
	if at := in(p).pointer(); at != "" {
		return at + ": " + words
	}
	return words
}

// reportFormat reports a violation in a response format, in Groq's words.
func reportFormat(p *provider.Pass, words string) {
	p.Report(provider.Finding{Message: "invalid JSON schema for response_format: '" + in(p).name + "':" + words, Location: "response_format"})
}

// itemsCounted reports minItems in an array at the root.
var itemsCounted = &provider.Rule{
	Name:   "items_counted",
	Effect: provider.Rejects,
	Stage:  root,
	Until:  "2025-10-23",
	Doc: `a list of the root has no minItems

Seen on 2025-10-22. No report is of a later day, so the rule holds for that day only.`,
	Source: "https://github.com/i-am-bee/beeai-framework/issues/1215 (2025-10-22)",
	Check: func(p *provider.Pass) {
		for _, member := range membersOf(p.Node.Get("properties")) {
			if member.Value.Get("type").Is("array") && member.Value.Has("minItems") {
				p.Report(provider.Finding{
					Message: "invalid schema for response format: response_format/json_schema/" + member.Key + ": minItems is not supported", Location: "response_format",
				})
				return
			}
		}
	},
}

// objectOpen reports an object that is not closed.
var objectOpen = &provider.Rule{
	Name:   "object_open",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `an object of a response format has additionalProperties false`,
	Source: "https://github.com/Meridiona/meridian/pull/812 (2026-08-19, of the root); the place of a nested one as in https://github.com/eigent-ai/eigent/pull/1786",
	Check: func(p *provider.Pass) {
		if isOpen(p.Node) {
			reportFormat(p, " "+placed(p, mustBeClosed))
		}
	},
}

// propertiesNotRequired reports optional properties.
var propertiesNotRequired = &provider.Rule{
	Name:   "properties_not_required",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `an object of a response format requires each of its properties; the message lists the others`,
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

// objectWithoutFields reports an object with neither properties nor anyOf.
var objectWithoutFields = &provider.Rule{
	Name:   "object_without_fields",
	Effect: provider.Rejects,
	Stage:  subschemas,
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

// fieldsUnsupported reports an array with minItems.
var fieldsUnsupported = &provider.Rule{
	Name:   "fields_unsupported",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  "2025-10-07",
	Doc: `a list has no minItems

The message lists fields in no particular order. It lists items too, although arrays with items
were accepted. minimum, which another message listed, was accepted on 2025-10-07; whether
minItems has been accepted since is not known.`,
	Source: "https://github.com/musistudio/claude-code-router/issues/708 (2025-08-26), the same in https://github.com/musistudio/claude-code-router/issues/338 (2025-07-27)",
	Check: func(p *provider.Pass) {
		if p.Node.Has("items") && p.Node.Has("minItems") {
			p.Reportf("Unsupported JSON schema fields: {'items', 'minItems'}")
		}
	},
}

// fieldSet matches a message that ends in a set of names, in the notation of Python or JSON.
var fieldSet = lazy.Compile(`^(.*: )[{\[]((?:['"][^'"]*['"](?:, )?)+)[}\]]$`)

// inOrder sorts the set of names at the end of a message.
func inOrder(message string) string {
	match := fieldSet.FindStringSubmatch(message)
	if match == nil {
		return message
	}
	names := strings.Split(strings.ReplaceAll(match[2], `"`, "'"), ", ")
	slices.Sort(names)
	return match[1] + "{" + strings.Join(names, ", ") + "}"
}

const deepSeekCode = "invalid_request_error"

// toolName reports a name of a function outside the pattern.
var toolName = &provider.Rule{
	Name:   "tool_name",
	Effect: provider.Rejects,
	Stage:  tools,
	Since:  "2025-06-06",
	Doc: `the name of a function has letters, digits, _ and - alone

Nine reports from 2025-06-06 to 2026-07-12 show it of dots and of Chinese letters. A limit of the
length is not known.`,
	Evidence: []string{
		"deepseek/chat/f20988969a6e",
		// Near misses.
		"deepseek/chat/0b0dd9a67f0e",
	},
	Check: func(p *provider.Pass) {
		name := p.Node.Get("function").Get("name")
		if name == nil || name.Kind != schema.String || name.Text != "" && provider.OfLetters(name.Text, "_-") {
			return
		}
		p.Node, p.At = name, []byte("/name")
		p.Report(provider.Finding{
			Message: "Invalid 'tools[" + strconv.Itoa(p.Request.Index(p.Declaration)) + "].function.name': string does not match pattern. " +
				"Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
			Code: deepSeekCode,
		})
	},
}

// toolTypeMissing reports a tool without a type.
var toolTypeMissing = &provider.Rule{
	Name:   "tool_type_missing",
	Effect: provider.Rejects,
	Stage:  tools,
	Doc: `a tool has a type

The provider adds the line and the column in the body, which are not predicted.`,
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

// columnInBody matches the place in the body at which a reader failed.
var columnInBody = lazy.Compile(` at line \d+ column \d+$`)

// withoutColumn returns a message without the line and the column in the body.
func withoutColumn(message string) string { return columnInBody.ReplaceAllString(message, "") }

func reportFunction(p *provider.Pass, words string) {
	p.Report(provider.Finding{Message: "Invalid schema for function '" + in(p).name + "': " + words, Code: deepSeekCode})
}

// keywordType reports a keyword whose value is of the wrong type.
var keywordType = &provider.Rule{
	Name:   "keyword_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `the value of a keyword is of the type that the metaschema demands

The words are those of a Rust library, which quotes the value as JSON and the type in double
quotes, without a full stop. It reports an unknown type as a value that fails every branch of a
union.`,
	Evidence: []string{
		"deepseek/chat/b890e1a7add9",
		"deepseek/chat/f68f8ecb9d46",
		// Near misses.
		"deepseek/chat/0b0dd9a67f0e",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			switch member.Key {
			case "type":
				if !metaschema.IsType(member.Value) {
					reportFunction(p, member.Value.String()+" is not valid under any of the schemas listed in the 'anyOf' keyword")
					return
				}
				continue
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

// rootType reports a root whose type is not object.
var rootType = &provider.Rule{
	Name:   "root_type",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `a root of another type than object fails the request

An empty schema fails, too. How a function without parameters is judged is not known.`,
	Evidence: []string{
		"deepseek/chat/235e28a04564",
		"deepseek/chat/4d92e5de89ab",
		// Near misses.
		"deepseek/chat/0b0dd9a67f0e",
	},
	Check: func(p *provider.Pass) {
		value := p.Node.Get("type")
		if value.Is("object") {
			return
		}
		got := "null"
		if value != nil {
			got = value.String()
		}
		reportFunction(p, `schema must be a JSON Schema of 'type: "object"', got 'type: `+got+`'.`)
	},
}
