package transport

import (
	"toolproof/schema"
)

// generateContent is the API of Google's models, whose fields have two spellings. A call in a stream is
// whole.
var generateContent = &api{
	paths:       []string{":generateContent", ":streamGenerateContent", ":countTokens"},
	targets:     []string{"gemini", "gemini-json", "vertex", "vertex-json", "portable"},
	objectsOnly: true,
	keys: map[string]string{
		"gemini": "parameters", "vertex": "parameters", "gemini-json": "parametersJsonSchema", "vertex-json": "parametersJsonSchema",
	},
	declarations: func(request *schema.Node) []declaration {
		var declared []declaration
		for _, tool := range each(request.Get("tools")) {
			for _, function := range each(tool.First("functionDeclarations", "function_declarations")) {
				declared = append(declared, declaration{function, schemaKey(function)})
			}
		}
		return declared
	},
	others: func(*schema.Node) []string { return nil },
	names: func(request *schema.Node) []*schema.Node {
		calling := request.First("toolConfig", "tool_config").First("functionCallingConfig", "function_calling_config")
		var names []*schema.Node
		for _, name := range each(calling.First("allowedFunctionNames", "allowed_function_names")) {
			if name.Kind == schema.String {
				names = append(names, name)
			}
		}
		for _, content := range each(request.Get("contents")) {
			for _, part := range each(content.Get("parts")) {
				names = append(names, nameIn(part.First("functionResponse", "function_response"), "name")...)
			}
		}
		return names
	},
	said: func(request *schema.Node) []call { return callsInContents(each(request.Get("contents"))) },
	answered: func(response *schema.Node) []call {
		var contents []*schema.Node
		for _, candidate := range each(response.Get("candidates")) {
			contents = append(contents, each(candidate.Get("content"))...)
		}
		return callsInContents(contents)
	},
	stream: func(answer *answer) restorer { return wholeEvents{answer} },
}

// schemaKey returns the field of a declaration that has the schema.
func schemaKey(function *schema.Node) string {
	for _, key := range []string{"parametersJsonSchema", "parameters_json_schema"} {
		if function.First(key) != nil {
			return key
		}
	}
	return "parameters"
}

func callsInContents(contents []*schema.Node) []call {
	var calls []call
	for _, content := range contents {
		for _, part := range each(content.Get("parts")) {
			if called := part.First("functionCall", "function_call"); called != nil {
				calls = append(calls, call{called, called.GetString("id"), "args", false})
			}
		}
	}
	return calls
}

// wholeEvents restores the calls of a stream whose events are whole answers.
type wholeEvents struct{ answer *answer }

func (s wholeEvents) event(e *event) []*event {
	e.isChanged = s.answer.restoreAll(s.answer.api.answered(e.data))
	return []*event{e}
}

func (s wholeEvents) unfinished() string { return "" }
