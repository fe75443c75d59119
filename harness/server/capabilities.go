package server

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Capabilities are the capabilities of a whole client, which are declared to a server because some
// servers list further tools for them. A request that a server makes for one of them is refused, unless
// Session.Respond answers it.
var Capabilities = []string{"roots", "sampling", "elicitation", "tasks"}

// capabilities returns all capabilities that the SDK knows but those to withhold.
func capabilities(withhold []string) *mcp.ClientCapabilities {
	declared := &mcp.ClientCapabilities{}
	if !slices.Contains(withhold, "roots") {
		declared.RootsV2 = &mcp.RootCapabilities{ListChanged: true} //nolint:staticcheck // servers of today ask for it
	}
	if !slices.Contains(withhold, "sampling") {
		declared.Sampling = &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}, Context: &mcp.SamplingContextCapabilities{}} //nolint:staticcheck // as roots
	}
	if !slices.Contains(withhold, "elicitation") {
		declared.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	}
	return declared
}

// tasks is the capability of version 2025-11-25 that the SDK does not know.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
const tasks = `{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}`

// withTasks adds tasks to the parameters of initialize, unless it is withheld.
func withTasks(parameters json.RawMessage, withhold []string) json.RawMessage {
	var members, declared map[string]json.RawMessage
	if slices.Contains(withhold, "tasks") || json.Unmarshal(parameters, &members) != nil || json.Unmarshal(members["capabilities"], &declared) != nil {
		return parameters
	}
	declared["tasks"] = json.RawMessage(tasks)
	text, err := json.Marshal(declared)
	if err == nil {
		members["capabilities"] = text
		text, err = json.Marshal(members)
	}
	if err != nil {
		return parameters
	}
	return text
}
