package conversation

import (
	"net/url"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// client is the client of the Model Context Protocol of which a server asks something.
var client = []string{"mcp"}

// Where the rules about requests of servers are known from.
var (
	sdkClients = Source{
		"https://www.npmjs.com/package/@modelcontextprotocol/sdk/v/1.32.2 and https://www.npmjs.com/package/@modelcontextprotocol/client/v/2.4.0, " +
			"which lab/referees/mcp-clients asks", "2026-11-28",
	}
	goClient   = Source{"https://github.com/modelcontextprotocol/go-sdk/blob/v1.8.0/mcp/client.go", "2026-11-28"}
	ofSampling = Source{"https://modelcontextprotocol.io/specification/2025-11-25/client/sampling", "2025-11-25"}
	ofServers  = Source{"createMessage in dist/esm/server/index.js of https://www.npmjs.com/package/@modelcontextprotocol/sdk/v/1.32.2, which refuses to send it", "2026-11-28"}
	ofForms    = Source{"https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation", "2025-11-25"}
)

// Parts of the examples.
const (
	askForm    = `{"method":"elicitation/create","params":{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}`
	askURL     = `"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://example.com/in"`
	askModel   = `{"method":"sampling/createMessage","params":{"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}`
	askCall    = `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}`
	askResult  = `{"type":"tool_result","toolUseId":"c","content":[]}`
	askResults = `{"role":"user","content":[` + askResult + `]}`
)

// askRules are what the clients of the Model Context Protocol refuse in what a server asks of them, besides the
// schemas of forms and tools. Behind "Invalid elicitation request" and "Invalid sampling request" the words are this
// package's own: the clients of the TypeScript SDK list issues as JSON.
var askRules = []*Rule{
	{
		Name: "elicitation_form", API: provider.ElicitationCreate, Services: client,
		Doc: `elicitation/create has a message, and a requestedSchema or, in mode url, a url`, Since: "2025-06-20",
		Words:   "Invalid elicitation request: not of the form of ElicitRequestParams: %[1]s: %[2]s",
		Instead: `write the members of ElicitRequestParams, of the types of the protocol`,
		Sources: []Source{sdkClients, ofForms},
		Refused: `{"method":"elicitation/create","params":{"mode":"popup","message":"Which city?","requestedSchema":{"type":"object","properties":{}}}}`, Accepted: askForm + `}}`,
		check: formOf,
	},
	{
		Name: "elicitation_url", API: provider.ElicitationCreate, Services: client,
		Doc: `the url of mode url is absolute`, Since: "2025-11-25",
		Words:   "Invalid elicitation request: the url of mode url is no absolute URL: %[1]s",
		Instead: `write the whole address, which begins with https://`,
		Sources: []Source{sdkClients, ofForms},
		Refused: `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"/in"}}`, Accepted: `{` + askURL + `}}`,
		check: func(request *Request) *found {
			if params := asked(request); params.Get("mode").Is("url") && !isAbsolute(params.GetString("url")) {
				return refuse("", params.GetString("url")).at(params.Get("url"))
			}
			return nil
		},
	},
	{
		Name: "elicitation_id", API: provider.ElicitationCreate, Services: client,
		Doc:     `a message of JSON-RPC with mode url has an elicitationId, which the protocol of 2026-07-28 no longer has in the results of calls`,
		Since:   "2025-11-25",
		Words:   "Invalid elicitation request: mode url in a message of JSON-RPC has no elicitationId",
		Instead: `add an elicitationId that is unique, with which notifications/elicitation/complete ends the wait`,
		Sources: []Source{sdkClients, ofForms},
		Refused: `{"jsonrpc":"2.0","id":1,` + askURL + `}}`, Accepted: `{"jsonrpc":"2.0","id":1,` + askURL + `,"elicitationId":"1"}}`,
		check: func(request *Request) *found {
			params := asked(request)
			if request.Body.Has("jsonrpc") && params.Get("mode").Is("url") && !isKind(params.Get("elicitationId"), schema.String) {
				return refuse("").at(params)
			}
			return nil
		},
	},
	{
		Name: "elicitation_of_two_modes", API: provider.ElicitationCreate, Services: client,
		Doc: `a form has no url, and mode url no requestedSchema: known of the client of the Go SDK since 1.2.0`, Since: "2025-12-19",
		Words: "%[1]s must not be set for %[2]s elicitation", Instead: `leave %[1]s out`,
		Sources:  []Source{goClient},
		Refused:  `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://example.com/in","requestedSchema":{"type":"object","properties":{}}}}`,
		Accepted: askForm + `,"elicitationId":"1"}}`,
		check: func(request *Request) *found {
			params := asked(request)
			if isURL := params.Get("mode").Is("url"); isURL && params.Has("requestedSchema") {
				return refuse("", "requestedSchema", "URL").at(params.Get("requestedSchema"))
			} else if address := params.Get("url"); !isURL && params.Has("requestedSchema") && isKind(address, schema.String) && address.Text != "" {
				return refuse("", "URL", "form").at(address)
			}
			return nil
		},
	},
	{
		Name: "sampling_form", API: provider.SamplingCreateMessage, Services: client,
		Doc:     `sampling/createMessage has messages of text, image, audio, tool_use and tool_result, and maxTokens; the mode of toolChoice is auto, required or none`,
		Since:   "2025-11-25",
		Words:   "Invalid sampling request: not of the form of CreateMessageRequestParams: %[1]s: %[2]s",
		Instead: `write the members of CreateMessageRequestParams, of the types of the protocol`,
		Sources: []Source{sdkClients, ofSampling},
		Refused: askModel + `],"toolChoice":{"mode":"any"}}}`, Accepted: askModel + `],"toolChoice":{"mode":"required"}}}`,
		check: formOf,
	},
	{
		Name: "sampling_results_mixed", API: provider.SamplingCreateMessage, Services: client,
		Doc: `a message with tool_result has nothing else`, Since: "2025-11-25",
		Words: "Tool results mixed with other content", Instead: `send the text as a message of its own, after the results`,
		Sources:  []Source{ofSampling, ofServers},
		Refused:  askModel + `,` + askCall + `,{"role":"user","content":[` + askResult + `,{"type":"text","text":"go on"}]}]}}`,
		Accepted: askModel + `,` + askCall + `,` + askResults + `]}}`,
		check: func(request *Request) *found {
			for _, message := range wire.List(asked(request).Get("messages")) {
				results := ofType(message, "tool_result")
				if len(results) > 0 && len(results) < len(wire.List(message.Get("content"))) {
					return refuse("").at(message)
				}
			}
			return nil
		},
	},
	{
		Name: "sampling_result_without_call", API: provider.SamplingCreateMessage, Services: client,
		Doc: `a tool_result follows a message with tool_use`, Since: "2025-11-25",
		Words: "tool_result blocks are not matching any tool_use from the previous message", Instead: `send the message of the model with the tool_use before it`,
		Sources: []Source{ofServers, ofSampling},
		Refused: askModel + `,` + askResults + `]}}`, Accepted: askModel + `,` + askCall + `,` + askResults + `]}}`,
		check: func(request *Request) *found {
			messages := wire.List(asked(request).Get("messages"))
			for i, message := range messages {
				if len(ofType(message, "tool_result")) > 0 && (i == 0 || len(ofType(messages[i-1], "tool_use")) == 0) {
					return refuse("").at(message)
				}
			}
			return nil
		},
	},
	{
		Name: "sampling_call_without_result", API: provider.SamplingCreateMessage, Services: client,
		Doc: `the message after one with tool_use has a tool_result for each, with its id, and no other`, Since: "2025-11-25",
		Words: "ids of tool_result blocks and tool_use blocks from previous message do not match", Instead: `answer each tool_use with a tool_result whose toolUseId is its id`,
		Sources:  []Source{ofServers, ofSampling},
		Refused:  askModel + `,` + askCall + `,{"role":"user","content":[{"type":"tool_result","toolUseId":"d","content":[]}]}]}}`,
		Accepted: askModel + `,` + askCall + `,` + askResults + `,` + askCall + `]}}`,
		check: func(request *Request) *found {
			messages := wire.List(asked(request).Get("messages"))
			for i := 1; i < len(messages); i++ {
				called, answered := idsOf(messages[i-1], "tool_use", "id"), idsOf(messages[i], "tool_result", "toolUseId")
				if len(called) > 0 && !slices.Equal(called, answered) {
					return refuse("").at(messages[i])
				}
			}
			return nil
		},
	},
}

// asked returns the parameters of a request of a server, which may be the whole body.
func asked(request *Request) *schema.Node {
	if request.Body.Has("method") {
		return request.Body.Get("params")
	}
	return request.Body
}

// formOf reports the first place at which the parameters of a request do not have the form of their method.
func formOf(request *Request) *found {
	params := asked(request)
	problems, err := FormOf(string(request.API)).Problems(params)
	if err != nil || len(problems) == 0 {
		return nil // or too large to judge
	}
	return refuse("", problems[0].At, problems[0].Message).at(params.Find(problems[0].At))
}

// ofType returns the blocks of a message that have a type.
func ofType(message *schema.Node, kind string) []*schema.Node {
	return slices.DeleteFunc(slices.Clone(wire.List(message.Get("content"))), func(block *schema.Node) bool { return !block.Get("type").Is(kind) })
}

// idsOf returns the different identifiers of the blocks of a type, in order.
func idsOf(message *schema.Node, kind, member string) []string {
	var ids []string
	for _, block := range ofType(message, kind) {
		ids = append(ids, block.GetString(member))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// scheme matches the beginning of an absolute URL.
var scheme = lazy.Compile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// isAbsolute reports whether a text is a URL as the URL class of JavaScript reads it. An address of the web has a
// host.
func isAbsolute(text string) bool {
	text = strings.TrimSpace(text)
	parsed, err := url.Parse(text)
	if err != nil || !scheme.MatchString(text) {
		return false
	}
	isWeb := slices.Contains([]string{"http", "https", "ws", "wss", "ftp"}, strings.ToLower(parsed.Scheme))
	return !isWeb || parsed.Hostname() != "" || parsed.Opaque != "" || strings.Trim(parsed.Path, `/\`) != "" // which JavaScript takes for the host
}
