package conversation

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// undeclared returns the first function that a request demands by name and does not declare, and the node that
// demands it; nil if there is none. Tools of MCP servers that the service asks are not in the request.
func undeclared(request *Request) (string, *schema.Node) {
	body := request.Body
	declared := map[string]bool{}
	for _, tool := range wire.List(body.Get("tools")) {
		for _, function := range slices.Concat(
			[]*schema.Node{tool, tool.Get("function"), tool.Get("custom")}, wire.List(tool.Get("tools")), wire.List(tool.First(functions...)),
		) {
			declared[function.GetString("name")] = true
		}
	}
	if len(declared) == 0 || isGiven(body, "mcp_servers") {
		return "", nil
	}
	choice := body.Get("tool_choice")
	demanded := map[*schema.Node]string{}
	nodes := append([]*schema.Node{choice}, wire.List(choice.Get("tools"))...)
	switch request.API {
	case provider.ChatCompletions:
		demanded[choice] = choice.Get("function").GetString("name")
	case provider.Responses:
		for _, chosen := range nodes {
			if chosen.Get("type").Is("function") {
				demanded[chosen] = chosen.GetString("name")
			}
		}
	case provider.Messages:
		if choice.Get("type").Is("tool") {
			demanded[choice] = choice.GetString("name")
		}
	case provider.GenerateContent:
		calling := body.First("toolConfig", "tool_config").First("functionCallingConfig", "function_calling_config")
		nodes = wire.List(calling.First("allowedFunctionNames", "allowed_function_names"))
		for _, name := range nodes {
			demanded[name] = name.Text
		}
	case provider.CodeAssist, provider.Converse, provider.OllamaChat, provider.ToolsList, provider.Publish, provider.ElicitationCreate, provider.SamplingCreateMessage:
		// What they say to it is not known, or they have no choice by name.
	}
	for _, node := range nodes {
		if name := demanded[node]; name != "" && !declared[name] {
			return name, node
		}
	}
	return "", nil
}

// choiceUndeclared makes a check for a choice of a function that is not declared, with what OpenAI's error calls param.
func choiceUndeclared(param string) func(*Request) *found {
	return func(request *Request) *found {
		if name, node := undeclared(request); node != nil {
			return refuse(param, name).at(node)
		}
		return nil
	}
}
