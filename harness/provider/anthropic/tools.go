package anthropic

import (
	"strconv"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/metaschema"
	"toolproof/schema"
)

// declaration is the stage that reads the members of each tool, such as its name and its
// input_schema. It visits the tool; the Subject is the day.
var declaration = &provider.Stage{
	Name:           "declaration",
	Shared:         "one type reads tools, strict or not: both answer the type of the root in the same words",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		visitor.Visit(&provider.Pass{
			Request: request, Declaration: declaration, Node: request.Declarations[declaration],
			Location: []byte("tools." + strconv.Itoa(request.Index(declaration)) + ".custom"), Subject: visitor.Day,
		})
	},
}

// toolList is the stage that judges all tools together.
var toolList = &provider.Stage{
	Name:   "tool list",
	Shared: "one list has strict tools and others",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		visitor.Visit(&provider.Pass{Request: request, Declaration: -1, Location: []byte("tools")})
	},
}

// toolRules judge one tool.
var toolRules = []*provider.Rule{
	namePatternBefore, namePattern, nameTooLongBefore, nameTooLong, descriptionText,
	memberExtra, deferredAndCached, schemaRequired, schemaShape, rootTypeRequired, rootType, propertyKeys, rootCombinator,
	draft2020DocsAnthropic, draft2020DocsClaude, draft2020,
}

// toolListRules judge the list of tools.
var toolListRules = []*provider.Rule{duplicateNames}

// report reports a violation by a member of the tool. The member is its path in the provider's
// notation, which begins the message; node and at are the value and the pointer to it.
func report(p *provider.Pass, member string, node *schema.Node, at, message string) {
	p.Node, p.At = node, []byte(at)
	location := string(p.Location) + member
	p.Report(provider.Finding{Message: location + ": " + message, Location: location})
}

// namePatternBefore is namePattern in the words of before the summer of 2025.
var namePatternBefore = &provider.Rule{
	Name:   "name_pattern_64",
	Effect: provider.Rejects,
	Stage:  declaration,
	Until:  "2025-06-29",
	Doc: `a tool name with other characters than letters, digits, _ and - fails the request

The pattern of the message named 64 characters until March 2025.`,
	Evidence: []string{
		"anthropic/tools/77366a9bc865",
		// Near misses.
		"anthropic/tools/2b4f904bd888",
	},
	Check: checkNamePattern("64"),
}

// namePattern reports a name outside the grammar.
var namePattern = &provider.Rule{
	Name:   "name_pattern",
	Effect: provider.Rejects,
	Stage:  declaration,
	Since:  "2025-06-29",
	Doc:    `a tool name with other characters than letters, digits, _ and - fails the request`,
	Evidence: []string{
		"anthropic/tools/cd8901c5ce2f",
		// Near misses.
		"anthropic/tools/58e451941d2d",
	},
	Check: checkNamePattern("128"),
}

func checkNamePattern(length string) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if name := p.Node.Get("name"); name != nil && name.Kind == schema.String && (name.Text == "" || !provider.OfLetters(name.Text, "_-")) {
			report(p, ".name", name, "/name", "String should match pattern '^[a-zA-Z0-9_-]{1,"+length+"}$'")
		}
	}
}

// nameTooLongBefore is nameTooLong with the former limit.
var nameTooLongBefore = &provider.Rule{
	Name:   "name_too_long_64",
	Effect: provider.Rejects,
	Stage:  declaration,
	Until:  "2025-07-08",
	Doc: `a tool name had up to 64 characters

The last report of this limit from Anthropic's own API is of 2025-07-07. The pattern
named 128 before that day.`,
	Evidence: []string{
		"anthropic/tools/a72db55dd542",
		// Near misses.
		"anthropic/tools/2b4f904bd888",
	},
	Check: checkNameLength(64),
}

// nameTooLong reports a name beyond the current limit.
var nameTooLong = &provider.Rule{
	Name:   "name_too_long",
	Effect: provider.Rejects,
	Stage:  declaration,
	Since:  "2025-07-08",
	Doc:    `a tool name has up to 128 characters`,
	Evidence: []string{
		"anthropic/tools/a7584044c0d6",
		// Near misses.
		"anthropic/tools/58e451941d2d",
	},
	Check: checkNameLength(128),
}

func checkNameLength(limit int) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if name := p.Node.Get("name"); name != nil && utf8.RuneCountInString(name.Text) > limit {
			report(p, ".name", name, "/name", "String should have at most "+strconv.Itoa(limit)+" characters")
		}
	}
}

// descriptionText reports a description other than a string.
var descriptionText = &provider.Rule{
	Name:   "description_text",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc: `the description of a tool is a string, or is left out

A refusal of null was recorded. The words are pydantic's for any value other than a string.`,
	Evidence: []string{
		"anthropic/tools/4995c96810a8",
		// Near misses.
		"anthropic/tools/2b4f904bd888",
	},
	Check: func(p *provider.Pass) {
		if description := p.Node.Get("description"); description != nil && description.Kind != schema.String {
			report(p, ".description", description, "/description", "Input should be a valid string")
		}
	},
}

// schemaRequired reports a tool without an input_schema.
var schemaRequired = &provider.Rule{
	Name:   "schema_required",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc:    `a tool has an input_schema, also one without arguments`,
	Evidence: []string{
		"anthropic/tools/953ee5736ec0",
		// Near misses.
		"anthropic/tools/58e451941d2d",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Has("input_schema") {
			report(p, ".input_schema", nil, "/parameters", "Field required")
		}
	},
}

// schemaShape reports an input_schema other than an object.
var schemaShape = &provider.Rule{
	Name:   "schema_shape",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc:    `an input_schema is an object, not true or false`,
	Evidence: []string{
		"anthropic/tools-strict/46091a43c9ca",
		// Near misses.
		"anthropic/tools-strict/6d9893c0ce5d",
	},
	Check: func(p *provider.Pass) {
		if root := p.Node.Get("input_schema"); root != nil && root.Kind != schema.Object {
			report(p, ".input_schema", root, "/parameters", "Input does not match the expected shape.")
		}
	},
}

// rootTypeRequired reports a root without a type.
var rootTypeRequired = &provider.Rule{
	Name:   "root_type_required",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc: `the root says its type

A reference or a union at the root does not replace it.`,
	Evidence: []string{
		"anthropic/tools/c9d79ed6c5b4",
		"anthropic/tools-strict/b96bd5ceb2fc",
		// Near misses.
		"anthropic/tools/58e451941d2d",
	},
	Check: func(p *provider.Pass) {
		if root := p.Node.Get("input_schema"); root != nil && !root.Has("type") {
			report(p, ".input_schema.type", root, "/parameters", "Field required")
		}
	},
}

// rootType reports a root whose type is not object.
var rootType = &provider.Rule{
	Name:   "root_type",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc:    `a root of another type than object fails the request`,
	Evidence: []string{
		"anthropic/tools/b2ca95d33238",
		"anthropic/tools-strict/a19cbd83da4b",
		// Near misses.
		"anthropic/tools/58e451941d2d",
	},
	Check: func(p *provider.Pass) {
		if value := p.Node.Get("input_schema").Get("type"); value != nil && !value.Is("object") {
			report(p, ".input_schema.type", value, "/parameters/type", "Input should be 'object'")
		}
	},
}

const propertyKeyPattern = `^[a-zA-Z0-9_.-]{1,64}$`

// longestPropertyKey is the limit of the pattern.
const longestPropertyKey = 64

func isPropertyKey(key string) bool {
	return key != "" && len(key) <= longestPropertyKey && provider.OfLetters(key, "_.-")
}

// propertyKeys reports a property of the root whose name is outside the grammar.
var propertyKeys = &provider.Rule{
	Name:   "property_keys",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc: `the properties of the root are named by up to 64 letters, digits, _, . and -

Names of nested properties are free.`,
	Evidence: []string{
		"anthropic/tools/085d7a51275a",
		"anthropic/tools/a493ea0fc76f",
		// Near misses.
		"anthropic/tools/ffb6e9be3b5d",
	},
	Check: func(p *provider.Pass) {
		properties := p.Node.Get("input_schema").Get("properties")
		if properties == nil || properties.Kind != schema.Object {
			return
		}
		for _, member := range properties.Members {
			if !isPropertyKey(member.Key) {
				at := schema.Pointer("/parameters/properties").Child(member.Key)
				report(p, ".input_schema.properties", member.Value, string(at), "Property keys should match pattern '"+propertyKeyPattern+"'")
				return
			}
		}
	},
}

// rootCombinator reports a union at the root.
var rootCombinator = &provider.Rule{
	Name:   "root_combinator",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc:    `the root has no oneOf, allOf or anyOf, also beside type object`,
	Evidence: []string{
		"anthropic/tools/33b913255d09",
		"anthropic/tools/3bbb46dca29b",
		// Near misses.
		"anthropic/tools/ffb6e9be3b5d",
	},
	Check: func(p *provider.Pass) {
		root := p.Node.Get("input_schema")
		for _, keyword := range []string{"oneOf", "allOf", "anyOf"} {
			if value := root.Get(keyword); value != nil {
				report(p, ".input_schema", value, "/parameters/"+keyword, "input_schema does not support oneOf, allOf, or anyOf at the top level")
				return
			}
		}
	},
}

// draft2020DocsAnthropic is draft2020 with the address of the documentation before October 2025.
var draft2020DocsAnthropic = &provider.Rule{
	Name:   "draft_2020_12_docs_anthropic",
	Effect: provider.Rejects,
	Stage:  declaration,
	Until:  "2025-10-01",
	Doc: `an input_schema is a schema of JSON Schema draft 2020-12

The message sent readers to docs.anthropic.com up to September 2025.`,
	Evidence: []string{
		"anthropic/tools/8285221dd175",
		// Near misses.
		"anthropic/tools/2b4f904bd888",
	},
	Check: checkDraft("https://docs.anthropic.com/en/docs/tool-use"),
}

// draft2020DocsClaude is draft2020 with the address of the documentation until May 2026.
var draft2020DocsClaude = &provider.Rule{
	Name:   "draft_2020_12_docs_claude",
	Effect: provider.Rejects,
	Stage:  declaration,
	Since:  "2025-10-01",
	Until:  "2026-05-30",
	Doc: `an input_schema is a schema of JSON Schema draft 2020-12

The message sent readers to docs.claude.com from October 2025 to May 2026.`,
	Source: "https://github.com/anthropics/claude-code/issues/63673 (2026-05-29), without the schema",
	Check:  checkDraft("https://docs.claude.com/en/docs/tool-use"),
}

// draft2020 reports an input_schema that the metaschema of 2020-12 does not accept.
var draft2020 = &provider.Rule{
	Name:   "draft_2020_12",
	Effect: provider.Rejects,
	Stage:  declaration,
	Since:  "2026-05-30",
	Doc: `an input_schema is a schema of JSON Schema draft 2020-12

This is demanded whatever $schema says. Forms of older drafts fail, such as a list of items
or a bound that is true. Unknown keywords pass.`,
	Source: "https://github.com/anthropics/claude-code/issues/86665 (2026-08-14), without the schema",
	Check:  checkDraft("https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview"),
}

func checkDraft(address string) func(*provider.Pass) {
	return func(p *provider.Pass) {
		root := p.Node.Get("input_schema")
		if root == nil {
			return
		}
		if fault, at := metaschema.Invalid(root, p.Charge); fault != nil {
			report(p, ".input_schema", fault, "/parameters"+string(at), "JSON schema is invalid. It must match JSON Schema draft 2020-12 "+
				"(https://json-schema.org/draft/2020-12). Learn more about tool use at "+address+".")
		}
	}
}

// duplicateNames reports two tools with one name.
var duplicateNames = &provider.Rule{
	Name:   "duplicate_names",
	Effect: provider.Rejects,
	Stage:  toolList,
	Doc:    `the names of the tools differ`,
	Evidence: []string{
		"anthropic/tools/c29524a421aa",
		// Near misses.
		"anthropic/tools/eee225f3033a",
	},
	Check: func(p *provider.Pass) {
		seen := make(map[string]bool, len(p.Request.Declarations))
		for i, declaration := range p.Request.Declarations {
			name := declaration.GetString("name")
			if seen[name] {
				p.Declaration, p.Node, p.At = i, declaration.Get("name"), []byte("/name")
				p.Report(provider.Finding{Message: "tools: Tool names must be unique."})
				return
			}
			seen[name] = true
		}
	},
}
