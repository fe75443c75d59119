package google

import (
	"encoding/json"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// GeminiOpenAI is the Chat Completions endpoint of the Gemini API. It translates a request into
// one of the Gemini API, leaves out keywords that the API does not know, and passes on the words
// of the API's validator. Little else is known about it.
var GeminiOpenAI = &provider.Dialect{
	Name:     "gemini-openai/chat",
	Doc:      "functions of the Gemini API's endpoint that is compatible with OpenAI's Chat Completions",
	Rules:    slices.Concat(nameRules, []*provider.Rule{itemsAbsent}, limitRules, []*provider.Rule{propertiesNotObject}),
	Path:     "/v1beta/openai/chat/completions",
	API:      provider.ChatCompletions,
	Subject:  provider.Arguments,
	Portable: true,
	Traffic:  provider.Traffic{Hosts: []string{"*generativelanguage*"}, Path: "/openai/", Models: []string{"gemini-*"}},
	Account:  "gemini",
	Control:  provider.ListControl,
	Schema:   "/parameters",
	Declare:  schema.Tool.Node,
	Envelope: chat,
	Render: func(response provider.Response) []byte {
		if response.Verdict == provider.Accepted {
			return render(response)
		}
		return slices.Concat([]byte("["), render(response), []byte("]"))
	},
	Classify: func(status int, data []byte) (provider.Response, error) {
		var listed []json.RawMessage
		if err := json.Unmarshal(data, &listed); err == nil && len(listed) == 1 {
			data = listed[0]
		}
		return classify(status, data)
	},
	Own:    compatibleFunctions,
	Locate: locator(compatibleFunctions),
}

// itemsAbsent reports an array without items.
var itemsAbsent = &provider.Rule{
	Name:   "items_absent",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc: `an array without items, which may be empty, fails the request

An empty schema is accepted here, while the Gemini API treats it as missing.`,
	Evidence: []string{
		"gemini-openai/chat/3fc40a647739",
		// Near misses.
		"gemini-openai/chat/391487a9c7b6",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.typ == "ARRAY" && decoded.fields[fieldItems] == nil {
			reportField(p, "items", "missing field.")
		}
	}),
}

// chat makes the smallest request with the functions.
func chat(declarations []*schema.Node) *schema.Node {
	message := provider.Object("role", schema.NewString("user"), "content", schema.NewString("hi"))
	tools := make([]*schema.Node, len(declarations))
	for i, declaration := range declarations {
		tools[i] = provider.Object("type", schema.NewString("function"), "function", declaration)
	}
	return provider.Object("model", schema.NewString("MODEL"), "messages", schema.NewArray(message), "tools", schema.NewArray(tools...))
}
