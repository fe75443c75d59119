package conversation

import (
	"slices"
	"strconv"

	"toolproof/harness/provider"
)

// members are the members that a request of an API may have: all that the newest pinned
// clients of the providers can send, and stream, which these add themselves. A test
// compares them. Only the client in Node has thread.
var members = map[provider.API][]string{
	provider.ChatCompletions: {
		"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "metadata",
		"modalities", "model", "moderation", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options",
		"prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options",
		"temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
	},
	provider.Responses: {
		"access_programs", "background", "context_management", "conversation", "include", "input", "instructions", "max_output_tokens", "max_tool_calls",
		"metadata", "model", "moderation", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_options",
		"prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice",
		"tools", "top_logprobs", "top_p", "truncation", "user",
	},
	provider.Messages: {
		"cache_control", "compaction", "container", "context_management", "diagnostics", "fallback_credit_token", "fallbacks", "inference_geo", "max_tokens",
		"mcp_servers", "messages", "metadata", "model", "output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "system",
		"temperature", "thinking", "thread", "tool_choice", "tools", "top_k", "top_p",
	},
}

// Members returns the members that a request of an API may have, or nil if they are not
// known.
func Members(api provider.API) []string { return members[api] }

// ownServices are the services whose clients were read for the members.
var ownServices = []string{"openai", "azure", "anthropic"}

// Unknown returns a sentence for each member of the request that no source names, ten at
// most, and for a choice of a function that is not declared. The rules accept these, since whether the service
// refuses them is not known.
func Unknown(request *Request) []string {
	var sentences []string
	known := members[request.API]
	if known != nil && slices.Contains(ownServices, request.Service) {
		const most = 10
		for _, member := range request.Body.Members {
			if !slices.Contains(known, member.Key) && len(sentences) < most {
				sentences = append(sentences, "no source names the member "+strconv.Quote("/"+member.Key))
			}
		}
	}
	if name, node := undeclared(request); node != nil {
		sentences = append(sentences, "no source says what becomes of a choice of "+strconv.Quote(name)+", which is not declared")
	}
	return sentences
}
