package toolfile_test

import (
	"fmt"
	"strings"

	"toolproof/harness/toolfile"
)

// A file may have tools in the form of any provider, or of the Model Context Protocol.
func Example() {
	tools, err := toolfile.Read(strings.NewReader(`{"tools": [
		{"name": "forecast", "inputSchema": {"type": "object"}},
		{"type": "function", "function": {"name": "alarm", "parameters": {"type": "object"}}}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range tools {
		fmt.Println(tool.Line, tool.Name, tool.Form, tool.Parameters)
	}
	// Output:
	// 2 forecast MCP {"type":"object"}
	// 3 alarm OpenAI Chat {"type":"object"}
}
