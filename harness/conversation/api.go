package conversation

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// APIOf returns the API to which a request with a body goes, by the path of its URL or, without one, by the
// form of the body. It returns "" for a body that is no request of a known API.
func APIOf(path string, body *schema.Node) provider.API {
	path = strings.TrimSuffix(path, "/")
	for _, known := range []struct {
		end string
		api provider.API
	}{
		{"v1internal:generateContent", provider.CodeAssist},
		{"v1internal:streamGenerateContent", provider.CodeAssist},
		{":generateContent", provider.GenerateContent},
		{":streamGenerateContent", provider.GenerateContent},
		{"/chat/completions", provider.ChatCompletions},
		{"/responses", provider.Responses},
		{"/messages", provider.Messages},
		{"/converse", provider.Converse},
		{"/converse-stream", provider.Converse},
		{"/api/chat", provider.OllamaChat},
		{"/v0/publish", provider.Publish},
		{"/v0.1/publish", provider.Publish},
	} {
		if strings.HasSuffix(path, known.end) {
			return known.api
		}
	}
	switch messages := body.Get("messages"); {
	case path != "":
		return "" // another method, which may take messages as well
	case slices.Contains(asks, provider.API(body.GetString("method"))) && isKind(body.Get("params"), schema.Object):
		return provider.API(body.GetString("method"))
	case isKind(body.Get("requestedSchema"), schema.Object):
		return provider.ElicitationCreate // the parameters alone
	case isKind(body.Get("contents"), schema.Array):
		return provider.GenerateContent
	case isKind(body.Get("request").Get("contents"), schema.Array):
		return provider.CodeAssist
	case isKind(messages, schema.Array):
		return apiOfMessages(body, messages.Elements)
	case body.Has("input") && isKind(body.Get("model"), schema.String):
		return provider.Responses
	case isServer(body):
		return provider.Publish
	default:
		return ""
	}
}

// isServer reports whether a body is the server.json of a server of the Model Context Protocol.
func isServer(body *schema.Node) bool {
	isRun := slices.ContainsFunc(slices.Concat(wire.List(body.Get("packages")), wire.List(body.Get("remotes"))), func(way *schema.Node) bool {
		return slices.ContainsFunc([]string{"registryType", "registry_type", "identifier", "transport", "url"}, way.Has)
	})
	return strings.HasSuffix(body.GetString("$schema"), "/server.schema.json") || isRun && isKind(body.Get("name"), schema.String) && body.Has("description")
}

// asks are the requests that a server of the Model Context Protocol sends to a client.
var asks = []provider.API{provider.ElicitationCreate, provider.SamplingCreateMessage}

// apiOfMessages tells the APIs apart whose requests have messages. A request that several of them take
// counts as one of Chat, which most services have.
func apiOfMessages(body *schema.Node, messages []*schema.Node) provider.API {
	isOfConverse := func(block *schema.Node) bool {
		return !block.Has("type") && slices.ContainsFunc([]string{"text", "toolUse", "toolResult", "image", "document", "reasoningContent"}, block.Has)
	}
	isOfMessages := func(block *schema.Node) bool {
		return slices.Contains([]string{"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"}, block.GetString("type")) ||
			block.Has("source") || block.Has("cache_control")
	}
	isOllama := func(call *schema.Node) bool { return isKind(call.Get("function").Get("arguments"), schema.Object) }
	isOfChat := func(message *schema.Node) bool {
		return slices.Contains([]string{"developer", "tool", "function"}, message.GetString("role")) || message.Has("tool_calls")
	}
	has := func(is func(*schema.Node) bool) bool {
		return slices.ContainsFunc(messages, func(message *schema.Node) bool { return slices.ContainsFunc(blocks(message), is) })
	}
	hasOne := func(keys ...string) bool { return slices.ContainsFunc(keys, body.Has) }
	isInput := func(tool *schema.Node) bool { return tool.Has("input_schema") }
	isClaude := strings.HasPrefix(body.GetString("model"), "claude-") && body.Has("max_tokens")
	switch {
	case hasOne("toolConfig", "inferenceConfig", "additionalModelRequestFields") || has(isOfConverse):
		return provider.Converse
	case hasOne("options", "keep_alive", "format") ||
		slices.ContainsFunc(messages, func(message *schema.Node) bool {
			return slices.ContainsFunc(wire.List(message.Get("tool_calls")), isOllama)
		}):
		return provider.OllamaChat
	case slices.ContainsFunc(messages, isOfChat):
		return provider.ChatCompletions
	case hasOne("system", "anthropic_version", "stop_sequences") || has(isOfMessages) || slices.ContainsFunc(wire.List(body.Get("tools")), isInput),
		isClaude:
		return provider.Messages
	default:
		return provider.ChatCompletions
	}
}

func isKind(node *schema.Node, kind schema.Kind) bool { return node != nil && node.Kind == kind }
