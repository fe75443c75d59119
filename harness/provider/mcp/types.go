package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// types is the stage that parses the list as the protocol's types. It reports every
// violation. The Subject is the *reader of a tool.
var types = &provider.Stage{Name: "types", All: true, Walk: parse, Compose: issues}

// parse visits each tool.
func parse(request provider.Request, _ int, visitor *provider.Visitor) {
	own, _ := visitor.Dialect.Own.(client)
	for i, declaration := range request.Declarations {
		visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: declaration, Subject: &reader{client: own, day: visitor.Day}})
	}
}

// issues lists what zod found.
func issues(findings []provider.Finding) string {
	all := make([]string, len(findings))
	for i, finding := range findings {
		all[i] = finding.Message
	}
	return "[\n" + strings.Join(all, ",\n") + "\n]"
}

// typeRules are the rules of the stage types, in the order in which the SDK parses a
// tool.
var typeRules = []*provider.Rule{
	nameType, titleType, iconsType, descriptionType,
	inputSchemaMissing, inputSchemaType, inputSchemaParts,
	outputSchemaObject, outputSchemaType, outputSchemaParts,
	annotationsType, executionType, metaType,
}

// reader is the Subject of the stage types: the client of a day.
type reader struct {
	client

	day provider.Date
}

// isBrief reports whether the client says an issue in one line, as that of one release does.
func (r *reader) isBrief() bool { return r.validator != nil && alpha3 <= r.day && r.day < beta1 }

func (v value) reader() *reader { return v.pass.Subject.(*reader) } //nolint:forcetypeassert // the stage's own type

// reads reports whether the SDK that was current on the day is at least as new as a release.
func (v value) reads(since provider.Date) bool { return v.reader().day >= since }

// value is a value in a tool that a rule checks; its node is nil if it is absent.
type value struct {
	pass *provider.Pass
	node *schema.Node
	// path leads from the tool to the value: names of members and indices of elements.
	path []any
}

// memberOf returns a member of the tool that a pass is about.
func memberOf(p *provider.Pass, name string) value {
	return value{p, p.Node.Get(name), []any{name}}
}

// member returns a member of an object.
func (v value) member(name string) value {
	return value{v.pass, v.node.Get(name), append(slices.Clip(v.path), name)}
}

// element returns an element of a list.
func (v value) element(index int) value {
	return value{v.pass, v.node.Elements[index], append(slices.Clip(v.path), index)}
}

// each returns the elements of a list.
func (v value) each() []value {
	v.pass.Charge(len(v.node.Elements))
	all := make([]value, len(v.node.Elements))
	for i := range all {
		all[i] = v.element(i)
	}
	return all
}

// kinds maps zod's names to the kinds of JSON. A record is an object with any members.
var kinds = map[string]schema.Kind{
	"string": schema.String, "boolean": schema.Bool, "array": schema.Array, "object": schema.Object, "record": schema.Object,
}

// is reports whether a value is present and of a kind. If it is not, is also reports a violation.
func (v value) is(kind string) bool {
	if v.node != nil && v.node.Kind == kinds[kind] {
		return true
	}
	received := "undefined"
	if v.node != nil {
		received = v.node.Kind.String()
	}
	if v.reads(sdk23) {
		v.report([]field{{"expected", quoted(kind)}, {"code", `"invalid_type"`}}, "Invalid input: expected "+kind+", received "+received)
		return false
	}
	if kind == "record" {
		kind = "object"
	}
	message := "Expected " + kind + ", received " + received
	if v.node == nil {
		message = "Required"
	}
	v.report([]field{{"code", `"invalid_type"`}, {"expected", quoted(kind)}, {"received", quoted(received)}}, message)
	return false
}

// isAbsentOr is like is but reports no violation if the value is absent.
func (v value) isAbsentOr(kind string) bool { return v.node != nil && v.is(kind) }

// isObjectType reports a violation unless a value is the string object.
func (v value) isObjectType() {
	switch {
	case v.node.Is("object"):
	case v.reads(sdk23):
		v.report([]field{{"code", `"invalid_value"`}, {"values", "[\n      \"object\"\n    ]"}}, `Invalid input: expected "object"`)
	default:
		members := []field{{"code", `"invalid_literal"`}, {"expected", `"object"`}}
		if v.node != nil {
			var received bytes.Buffer
			if json.Indent(&received, v.node.JSON(), "    ", "  ") == nil {
				members = append([]field{{"received", received.String()}}, members...)
			}
		}
		v.report(members, `Invalid literal value, expected "object"`)
	}
}

// isOneOf reports a violation if a string is none of the words.
func (v value) isOneOf(words ...string) {
	list, options := make([]string, len(words)), make([]string, len(words))
	for i, word := range words {
		if v.node.Is(word) {
			return
		}
		list[i], options[i] = "      "+quoted(word), quoted(word)
	}
	v.report([]field{{"code", `"invalid_value"`}, {"values", "[\n" + strings.Join(list, ",\n") + "\n    ]"}}, "Invalid option: expected one of "+strings.Join(options, "|"))
}

// field is a member of an issue, with its value as JSON.
type field struct{ name, json string }

// report reports an issue as zod prints it: its members, its path and its message.
func (v value) report(members []field, message string) {
	var text strings.Builder
	text.WriteString("  {\n")
	for _, member := range members {
		text.WriteString("    " + quoted(member.name) + ": " + member.json + ",\n")
	}
	text.WriteString("    \"path\": [\n      ")
	location, at := "tools."+strconv.Itoa(v.pass.Request.Index(v.pass.Declaration)), schema.Pointer("")
	if v.pass.Dialect().API == provider.SamplingCreateMessage {
		text.WriteString("\"params\",\n      ")
		location = "params." + location
	}
	text.WriteString("\"tools\",\n      " + strconv.Itoa(v.pass.Request.Index(v.pass.Declaration)))
	last := at // the deepest place that exists
	for _, step := range v.path {
		token, shown := "", ""
		switch step := step.(type) {
		case int:
			token, shown = strconv.Itoa(step), strconv.Itoa(step)
		case string:
			token, shown = step, quoted(step)
		}
		text.WriteString(",\n      " + shown)
		location, last, at = location+"."+token, at, at.Child(token)
	}
	text.WriteString("\n    ],\n    \"message\": " + quoted(message) + "\n  }")
	place := *v.pass
	if place.Node = v.node; v.node == nil {
		at = last // the value that lacks the missing one
		place.Node = v.pass.Node.Find(at)
	}
	place.At = []byte(inTool(at))
	said := text.String()
	if v.reader().isBrief() {
		said = location + ": " + message
	}
	place.Report(provider.Finding{Message: said, Location: location})
}

// inTool turns a pointer from the declaration into one from the tool.
func inTool(at schema.Pointer) schema.Pointer {
	if rest, ok := strings.CutPrefix(string(at), "/inputSchema"); ok {
		return schema.Pointer("/parameters" + rest)
	}
	return at
}

func quoted(text string) string { return schema.NewString(text).String() }

// nameType reports a tool without a name.
var nameType = &provider.Rule{
	Name:   "name_type",
	Effect: provider.Rejects,
	Stage:  types,
	Doc: `a tool has a name, which is a string

Clients accept any string, even an empty one, and two tools with one name. The specification of
2025-11-25 says that names should be unique and have 1 to 128 letters, digits, _, - and dots. No
SDK refuses others, but providers do: see their own rules.`,
	Evidence: []string{
		"mcp/inputSchema/880344a983e4",
		"mcp/inputSchema/9e387d354e17",
		"mcp/client-2/c350e2730d77",
		"mcp/2026-07-28/df42bbea1707",
		// Near misses.
		"mcp/inputSchema/933cd5132d93",
		"mcp/inputSchema/f8b8d01756d5",
		"mcp/inputSchema/7b6f7ec1c348",
	},
	Check: func(p *provider.Pass) { memberOf(p, "name").is("string") },
}

// titleType reports a title other than a string.
var titleType = &provider.Rule{
	Name:   "title_type",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk13,
	Doc: `a title is a string

Clients refuse the whole list of a server for one tool. null is no string.`,
	Evidence: []string{
		"mcp/inputSchema/48915d4a3203",
		"mcp/inputSchema/4a3be307258b",
		"mcp/client-2/f9b3a6eaf8ab",
		"mcp/2026-07-28/795cde2e2c9c",
		// Near misses.
		"mcp/inputSchema/fe7285002ed8",
	},
	Check: func(p *provider.Pass) { memberOf(p, "title").isAbsentOr("string") },
}

// iconsType reports icons other than a list of icons.
var iconsType = &provider.Rule{
	Name:   "icons_type",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk18,
	Doc: `icons are a list of objects that have a src

Both src and mimeType are strings, and sizes is a list of strings; before 1.19.1 (2025-10-02) it
was a string. Since 1.25.0 (2025-12-15) theme is light or dark.
Clients refuse the whole list of a server for one tool.`,
	Evidence: []string{
		"mcp/inputSchema/e7aa3241a308",
		"mcp/inputSchema/0e29145dc11c",
		"mcp/client-2/b7558fbd5062",
		"mcp/2026-07-28/378bdc2e1f37",
		// Near misses.
		"mcp/inputSchema/096989da37e2",
	},
	Check: func(p *provider.Pass) {
		icons := memberOf(p, "icons")
		if !icons.isAbsentOr("array") {
			return
		}
		for _, icon := range icons.each() {
			if !icon.is("object") {
				continue
			}
			icon.member("src").is("string")
			icon.member("mimeType").isAbsentOr("string")
			if sizes := icon.member("sizes"); !sizes.reads(sdk19) {
				sizes.isAbsentOr("string")
			} else if sizes.isAbsentOr("array") {
				for _, size := range sizes.each() {
					size.is("string")
				}
			}
			if theme := icon.member("theme"); theme.node != nil && theme.reads(sdk25) {
				theme.isOneOf("light", "dark")
			}
		}
	},
}

// descriptionType reports a description other than a string.
var descriptionType = &provider.Rule{
	Name:   "description_type",
	Effect: provider.Rejects,
	Stage:  types,
	Doc: `a description is a string

Clients refuse the whole list of a server for one tool. null is no string.`,
	Evidence: []string{
		"mcp/inputSchema/ceb596f32f72",
		"mcp/inputSchema/fab641b77d8d",
		"mcp/client-2/8f489e25c203",
		"mcp/2026-07-28/bb30e25e7a83",
		// Near misses.
		"mcp/inputSchema/041875437b0d",
	},
	Check: func(p *provider.Pass) { memberOf(p, "description").isAbsentOr("string") },
}

// inputSchemaMissing reports a tool without an inputSchema.
var inputSchemaMissing = &provider.Rule{
	Name:   "input_schema_missing",
	Effect: provider.Rejects,
	Stage:  types,
	Doc: `a tool has an inputSchema, which is an object

The specification of 2025-11-25 says so in server/tools: it is a valid JSON Schema object,
not null. Clients refuse the whole list of a server for one tool.`,
	Evidence: []string{
		"mcp/inputSchema/5d42d26eea79",
		"mcp/inputSchema/2ba42f35a6a2",
		"mcp/inputSchema/703387c20d20",
		"mcp/client-2/7f03f0eee162",
		"mcp/2026-07-28/ff6e0829922a",
		// Near misses.
		"mcp/inputSchema/59e1919f0f72",
	},
	Check: func(p *provider.Pass) { memberOf(p, "inputSchema").is("object") },
}

// inputSchemaType reports an inputSchema that is not of type object.
var inputSchemaType = &provider.Rule{
	Name:   "input_schema_type",
	Effect: provider.Rejects,
	Stage:  types,
	Doc: `an inputSchema of another type than object fails the list

A union of objects at the root does not replace it. Clients refuse the whole list of a server
for one tool, some of them silently. Threads:
https://github.com/cloudflare/playwright-mcp/issues/28;
https://github.com/zereight/gitlab-mcp/issues/286 (2025-11-19);
https://github.com/anthropics/claude-code/issues/88049 (2026-08-19).`,
	Evidence: []string{
		"mcp/inputSchema/cf13bc1303f8",
		"mcp/inputSchema/ddf9b09b0c92",
		"mcp/inputSchema/9eba0d294b1a",
		"mcp/client-2/71685062ba73",
		"mcp/2026-07-28/05261f81ec00",
		// Near misses.
		"mcp/inputSchema/9ab4c885200f",
	},
	Check: func(p *provider.Pass) { checkType(memberOf(p, "inputSchema")) },
}

// inputSchemaParts reports properties and required of an inputSchema that do not have the
// protocol's types.
var inputSchemaParts = &provider.Rule{
	Name:   "input_schema_parts",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk12,
	Doc: `the properties of an inputSchema are objects, and required is a list of strings

This is demanded at the root, where a property may not be true. The specification and the SDK
2.x accept true. The SDK 1.x has refused it since 1.22.0 (2025-11-13), and clients lose the whole
list: https://github.com/anomalyco/opencode/issues/49464 (2026-09-17).`,
	Evidence: []string{
		"mcp/inputSchema/1f62219b2560",
		"mcp/inputSchema/40e0b3be8635",
		"mcp/inputSchema/f80ea04fe6e6",
		// Near misses.
		"mcp/inputSchema/c8bb8258b4fb",
	},
	Check: func(p *provider.Pass) { checkParts(memberOf(p, "inputSchema")) },
}

// checkType reports a violation if a schema is an object and its type is not object.
func checkType(root value) {
	if root.node != nil && root.node.Kind == schema.Object {
		root.member("type").isObjectType()
	}
}

// checkParts reports properties and required of a schema that do not have the protocol's
// types.
func checkParts(root value) {
	if root.node == nil || root.node.Kind != schema.Object {
		return
	}
	if properties := root.member("properties"); properties.isAbsentOr("record") && properties.reads(sdk22) && !properties.reader().takesAnyProperty {
		root.pass.Charge(len(properties.node.Members))
		index := properties.node.Indexed()
		for i, property := range properties.node.Members {
			if property.Value.Kind != schema.Object && property.Value.Kind != schema.Array && index(property.Key) == i {
				members := []field{{"code", `"custom"`}}
				if !properties.reads(sdk23) {
					members = append(members, field{"fatal", "true"})
				}
				value{properties.pass, property.Value, append(slices.Clip(properties.path), property.Key)}.report(members, "Invalid input")
			}
		}
	}
	if required := root.member("required"); required.isAbsentOr("array") {
		for _, name := range required.each() {
			name.is("string")
		}
	}
}

// outputSchemaObject reports an outputSchema other than an object.
var outputSchemaObject = &provider.Rule{
	Name:   "output_schema_object",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk12,
	Doc: `an outputSchema is an object

It may be absent, but not null. Clients refuse the whole list of a server for one tool.`,
	Evidence: []string{
		"mcp/inputSchema/63f81fceffc4",
		"mcp/inputSchema/b2a4089b7562",
		"mcp/client-2/7f7c943c53fa",
		"mcp/2026-07-28/742d6dd5d703",
		// Near misses.
		"mcp/inputSchema/6953305a362e",
	},
	Check: func(p *provider.Pass) { memberOf(p, "outputSchema").isAbsentOr("object") },
}

// outputSchemaType reports an outputSchema that is not of type object.
var outputSchemaType = &provider.Rule{
	Name:   "output_schema_type",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk12,
	Doc: `the type of an outputSchema is object

A union of objects at the root does not replace it. The TypeScript SDK 1.x refuses the whole
list of a server for one tool, as do Claude Code, Cursor and others. The protocol of 2026-07-28
accepts other types, and so does the SDK 2.x if both sides speak it. Threads: https://github.com/anthropics/claude-code/issues/10030 (2025-10-21);
https://github.com/trycua/cua/issues/2977 (2026-08-07).`,
	Evidence: []string{
		"mcp/inputSchema/7cfda55d9abf",
		"mcp/inputSchema/595339d0c57b",
		"mcp/inputSchema/c196db840084",
		"mcp/inputSchema/d8cd41a29f49",
		"mcp/inputSchema/f163b2fdb6bf",
		"mcp/client-2/55f185e8aacb",
		// Near misses.
		"mcp/inputSchema/02d8c14bb9c4",
	},
	Check: func(p *provider.Pass) { checkType(memberOf(p, "outputSchema")) },
}

// outputSchemaParts reports properties and required of an outputSchema that do not have
// the protocol's types.
var outputSchemaParts = &provider.Rule{
	Name:   "output_schema_parts",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk12,
	Doc: `the properties of an outputSchema are objects, and required is a list of strings

This is demanded at the root. Since 1.22.0 (2025-11-13) a property may not be true, and in 1.22.0
alone additionalProperties may not be a schema. Clients refuse the whole list of a server for one tool.`,
	Evidence: []string{
		"mcp/inputSchema/4c29a563d2fa",
		"mcp/client-2/14f892649cae",
		// Near misses.
		"mcp/inputSchema/f82391aac4fc",
	},
	Check: func(p *provider.Pass) {
		output := memberOf(p, "outputSchema")
		checkParts(output)
		if output.node != nil && output.node.Kind == schema.Object && output.reads(sdk22) && !output.reads(sdk23) {
			output.member("additionalProperties").isAbsentOr("boolean")
		}
	},
}

// annotationsType reports annotations that do not have the protocol's types.
var annotationsType = &provider.Rule{
	Name:   "annotations_type",
	Effect: provider.Rejects,
	Stage:  types,
	Doc: `annotations are an object with a title and hints

title is a string. readOnlyHint, destructiveHint, idempotentHint and openWorldHint are
booleans, and not null. Clients refuse the whole list of a server for one tool.`,
	Evidence: []string{
		"mcp/inputSchema/4203924f5ccd",
		"mcp/inputSchema/f366cc1bb825",
		"mcp/client-2/0b1dc4cc16e4",
		"mcp/2026-07-28/65d4f7f19efd",
		// Near misses.
		"mcp/inputSchema/405ebc935f41",
	},
	Check: func(p *provider.Pass) {
		annotations := memberOf(p, "annotations")
		if !annotations.isAbsentOr("object") {
			return
		}
		annotations.member("title").isAbsentOr("string")
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			annotations.member(hint).isAbsentOr("boolean")
		}
	},
}

// executionType reports an execution that does not have the protocol's type.
var executionType = &provider.Rule{
	Name:   "execution_type",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk24,
	Doc: `execution is an object whose taskSupport is required, optional or forbidden

Clients refuse the whole list of a server for one tool. The SDK 2.x no longer reads it
where both sides speak the protocol of 2026-07-28.`,
	Evidence: []string{
		"mcp/inputSchema/f784edd4bfaa",
		"mcp/inputSchema/569935ed4ffa",
		"mcp/client-2/1409f53f4453",
		// Near misses.
		"mcp/inputSchema/f927177fa0ac",
	},
	Check: func(p *provider.Pass) {
		if execution := memberOf(p, "execution"); execution.isAbsentOr("object") {
			if support := execution.member("taskSupport"); support.node != nil {
				support.isOneOf("required", "optional", "forbidden")
			}
		}
	},
}

// metaType reports a _meta other than an object.
var metaType = &provider.Rule{
	Name:   "meta_type",
	Effect: provider.Rejects,
	Stage:  types,
	Since:  sdk13,
	Doc: `_meta is an object

Clients refuse the whole list of a server for one tool.`,
	Evidence: []string{
		"mcp/inputSchema/5d09740db199",
		"mcp/client-2/3d9b1fbfa472",
		"mcp/2026-07-28/151015bb9f2d",
		// Near misses.
		"mcp/inputSchema/442d5edf3ea0",
	},
	Check: func(p *provider.Pass) { memberOf(p, "_meta").isAbsentOr("record") },
}
