package report

import (
	"strings"

	"toolproof/internal/escape"
)

// spelled are the words of names of targets as their owners spell them, and the names of targets that are
// one of several fields of a provider.
var spelled = map[string]string{
	"anthropic": "Anthropic", "codeassist": "Code Assist", "claude": "Claude", "gemini": "Gemini", "json": "JSON", "llamacpp": "llama.cpp",
	"mcp": "MCP", "moonshot": "Moonshot", "ollama": "Ollama", "openai": "OpenAI", "responses": "Responses", "vertex": "Vertex AI", "vllm": "vLLM",

	"gemini-json": "Gemini (parametersJsonSchema)", "gemini-response": "Gemini (responseSchema)", "gemini-response-json": "Gemini (responseJsonSchema)",
	"vertex-json": "Vertex AI (parametersJsonSchema)", "gemini-openai": "Gemini (as OpenAI)", "codeassist-claude": "Code Assist (Claude)",
}

// nameOfTarget returns the name of a target in a sentence, such as OpenAI Responses for openai-responses.
// The name of a surface, such as azure/chat, stays.
func nameOfTarget(target string) string {
	if strings.Contains(target, "/") {
		return escape.Line(target)
	}
	if name := spelled[target]; name != "" {
		return name
	}
	words := strings.Split(target, "-")
	for i, word := range words {
		if name := spelled[word]; name != "" {
			words[i] = name
		}
	}
	return escape.Line(strings.Join(words, " "))
}

// listed joins names as a sentence has them: A, B and C.
func listed(names []string) string {
	if len(names) < 2 { //nolint:mnd // one needs no and
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// namesOf lists targets as a sentence has them.
func namesOf(targets []string) string {
	names := make([]string, len(targets))
	for i, target := range targets {
		names[i] = nameOfTarget(target)
	}
	return listed(names)
}

// plural returns the form of a verb for so many subjects.
func plural(subjects int, one, several string) string {
	if subjects == 1 {
		return one
	}
	return several
}
