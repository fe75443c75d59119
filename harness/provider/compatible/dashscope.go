package compatible

import (
	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

// dashScopeChat is the functions of DashScope, which serves Qwen. The target portable does not ask it,
// since its one rule is about a name that is common, and that most clients of the Model Context
// Protocol extend by the name of the server.
var dashScopeChat = func() *provider.Dialect {
	row := chat("dashscope/chat", "functions of DashScope's chat completions", "/compatible-mode/v1/chat/completions", []string{"*dashscope*"},
		envelope{wrapped: true, kind: "invalid_request_error", hasNulls: true, about: lazy.Compile(`Tool names are not allowed to be`)},
		spoken(`(?:<400> )?InternalError\.Algo\.InvalidParameter: Tool names are not allowed to be \[(?P<name>[^\]]*)\][^\n]*`), reservedName)
	row.Portable = false
	row.Traffic.Models = []string{"qwen-max*", "qwen-plus*", "qwen-turbo*", "qwen-flash*", "qwen3-max*", "qwen3.*-max*", "qwen3.*-plus*"}
	row.Relative, row.AsGiven = "", "its one rule is about the name search, which no normalizer takes from a tool"
	return row
}()

// reservedName reports the name search.
var reservedName = &provider.Rule{
	Name:   "reserved_name",
	Effect: provider.Rejects,
	Stage:  tools,
	Doc: `no function is named search

Reports are of 2025-08 to 2025-10, and DashScope's documentation lists the refusal since.`,
	Evidence: []string{
		"dashscope/chat/ff14634fe4b2",
		// Near misses.
		"dashscope/chat/19c70544b9a9",
	},
	Check: func(p *provider.Pass) {
		if name := p.Node.Get("function").Get("name"); name.Is("search") {
			p.Node, p.At = name, []byte("/name")
			p.Report(provider.Finding{
				Message: "<400> InternalError.Algo.InvalidParameter: Tool names are not allowed to be [search]", Code: "invalid_parameter_error",
			})
		}
	},
}
