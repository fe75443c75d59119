package openai

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// requestShape is the stage that checks the list of tools, and then the name and the description of
// each tool. The Key of a pass is name or description, or "" for the list.
var requestShape = &provider.Stage{
	Name: "request",
	Shared: "one reader of requests: Chat and Azure answer long descriptions in the same words. Chat and Responses do so for patterns of names, " +
		"and Chat and both formats for schemas that are no object",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		pass := &provider.Pass{Request: request, Declaration: -1, Location: []byte("tools")}
		visitor.Visit(pass)
		for i, declaration := range request.Declarations {
			tool := placed(surfaceOf(visitor.Dialect).tool, request, i)
			for _, key := range []string{"name", "description"} {
				if visitor.Done() {
					return
				}
				pass.Declaration, pass.Key, pass.Node = i, key, declaration.Get(key)
				pass.At = append(append(pass.At[:0], '/'), key...)
				pass.Location = append(append(append(pass.Location[:0], tool...), '.'), key...)
				visitor.Visit(pass)
			}
		}
	},
}

// requestRules judge the list of functions, their names and their descriptions.
var requestRules = []*provider.Rule{tooManyTools, namePattern, nameTooLong64, nameTooLong, schemaType, descriptionTooLong}

// responsesRules are the requestRules of Responses.
var responsesRules = slices.Concat([]*provider.Rule{nameMissing}, requestRules)

// formatRules judge the schema of a response as a member of the request.
var formatRules = []*provider.Rule{schemaType}

const maxTools = 128

// tooManyTools reports more tools than one request may have.
var tooManyTools = &provider.Rule{
	Name:   "too_many_tools",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Doc: `a request has at most 128 tools

A namespace counts as one tool. How many it may contain is not known.`,
	Evidence: []string{
		"openai/chat/ccdce763f288",
		// Near misses.
		"openai/chat/75ec767e04d8",
	},
	Check: func(p *provider.Pass) {
		if n := inList(p.Request); p.Declaration < 0 && n > maxTools {
			reportRequest(p, "array_above_max_length",
				"array too long. Expected an array with maximum length "+strconv.Itoa(maxTools)+", but got an array with length "+strconv.Itoa(n)+" instead.")
		}
	},
}

// inList returns the number of declarations that are entries of the list of tools themselves.
func inList(request provider.Request) int {
	if request.Places == nil {
		return len(request.Declarations)
	}
	count := 0
	for i := range request.Declarations {
		if strings.Count(request.Place(i), "[") == 1 {
			count++
		}
	}
	return count
}

const namePatternText = `^[a-zA-Z0-9_-]+$`

// namePattern reports a name outside the grammar.
var namePattern = &provider.Rule{
	Name:   "name_pattern",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Doc:    `a function name with other characters than letters, digits, _ and - fails the request`,
	Evidence: []string{
		"openai/chat/f8b3f296af80",
		"openai/responses/33b2701c59ec",
		// Near misses.
		"openai/chat/f73d7ddc1200",
	},
	Check: func(p *provider.Pass) {
		if p.Key == "name" && p.Node != nil && (p.Node.Text == "" || !provider.OfLetters(p.Node.Text, "_-")) {
			reportRequest(p, "invalid_value", "string does not match pattern. Expected a string that matches the pattern '"+namePatternText+"'.")
		}
	},
}

// nameTooLong64 is nameTooLong with the former limit.
var nameTooLong64 = &provider.Rule{
	Name:   "name_too_long_64",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Until:  "2026-10-01",
	Doc:    `a function name had up to 64 characters`,
	Source: "the documented limit, quoted in errors from 2024 to 2026; docs/providers.md#openai-names",
	Check:  limit("name", 64),
}

// nameTooLong reports a name beyond the current limit.
var nameTooLong = &provider.Rule{
	Name:   "name_too_long",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Since:  "2026-10-01",
	Doc: `a function name has up to 128 characters

Measured on 2026-10-01, when names of 65 and of 128 characters were accepted.`,
	Evidence: []string{
		"openai/chat/34dbccb38d52",
		// Near misses.
		"openai/chat/d19859d41904",
	},
	Check: limit("name", 128),
}

// descriptionTooLong reports a description beyond the former limit.
var descriptionTooLong = &provider.Rule{
	Name:   "description_too_long",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Until:  "2025-05-19",
	Doc: `the description of a function had up to 1,024 characters

Quoted in errors until 2025-04-25. On 2025-05-19 a description of 36,000 was accepted
(https://github.com/run-llama/llama_index/pull/18784).`,
	Evidence: []string{
		"openai/chat/ca11f7ed5df2",
		// Near misses.
		"openai/chat/f73d7ddc1200",
	},
	Check: limit("description", 1024),
}

func limit(key string, length int) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if p.Key != key || p.Node == nil {
			return
		}
		if n := utf8.RuneCountInString(p.Node.Text); n > length {
			reportRequest(p, "string_above_max_length", "string too long. Expected a string with maximum length "+strconv.Itoa(length)+
				", but got a string with length "+strconv.Itoa(n)+" instead.")
		}
	}
}

// nameMissing reports a function without a name, such as one declared in the form of Chat
// Completions.
var nameMissing = &provider.Rule{
	Name:   "name_missing",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Doc: `a function of Responses has a name beside its type

The form of Chat Completions has the name one level deeper, where it does not count. A name in
both places is accepted.`,
	Evidence: []string{
		"openai/responses/833eea77e8ff",
		// Near misses.
		"openai/responses/fed40a95d79f",
	},
	Check: func(p *provider.Pass) {
		if p.Key == "name" && p.Node == nil {
			p.Report(provider.Finding{Message: "Missing required parameter: '" + string(p.Location) + "'.", Code: "missing_required_parameter"})
		}
	},
}

func reportRequest(p *provider.Pass, code, message string) {
	p.Report(provider.Finding{Message: "Invalid '" + string(p.Location) + "': " + message, Code: code})
}

// schemaType reports a schema other than an object.
var schemaType = &provider.Rule{
	Name:   "schema_type",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Doc: `a schema is an object, not true or false

Null passes this check, and is judged by the metaschema.`,
	Evidence: []string{
		"openai/chat/c3517963c412",
		"openai/response_format/64c20f38a94b",
		"openai/response_format/f9e95baf7712",
		"openai/text_format/0f28e5ba8e34",
		"openai/text_format/52d727ee79a3",
		// Near misses.
		"openai/response_format/a2604c6d57c9",
		"openai/text_format/ddb02d233e35",
	},
	Check: func(p *provider.Pass) {
		if p.Key != "name" {
			return // report each declaration once
		}
		surface := surfaceOf(p.Dialect())
		root := p.Request.Declarations[p.Declaration].Get(surface.parameters)
		if root == nil || root.Kind == schema.Object || root.Kind == schema.Null {
			return
		}
		path := placed(surface.path, p.Request, p.Declaration)
		p.Node, p.At = root, []byte("/parameters")
		p.Report(provider.Finding{
			Message:  "Invalid type for '" + path + "': expected an object, but got " + article(root.Kind) + " instead.",
			Location: path,
			Code:     "invalid_type",
		})
	},
}

func article(kind schema.Kind) string {
	switch kind {
	case schema.Array, schema.Object:
		return "an " + kind.String()
	default:
		return "a " + kind.String()
	}
}
