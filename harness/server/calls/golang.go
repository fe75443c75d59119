package calls

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/encoding/json"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// goTypes make the types into which the client for Go reads the results of each method.
var goTypes = map[string]func() any{
	"tools/call":               func() any { return new(mcp.CallToolResult) },
	"prompts/list":             func() any { return new(mcp.ListPromptsResult) },
	"prompts/get":              func() any { return new(mcp.GetPromptResult) },
	"resources/list":           func() any { return new(mcp.ListResourcesResult) },
	"resources/templates/list": func() any { return new(mcp.ListResourceTemplatesResult) },
	"resources/read":           func() any { return new(mcp.ReadResourceResult) },
	"completion/complete":      func() any { return new(mcp.CompleteResult) },
}

// goForm reports a result that the client for Go cannot read and those for TypeScript can. It is read by the code of that
// client.
var goForm = &Rule{
	Name: "go_form", Since: "2026-09-04",
	Doc: "The client for Go reads a block of content as if it were of every kind: an id, name, title or description is a string in each, data and blob are Base64 with " +
		"padding and without spaces, and size is a whole number without a point. So are ttlMs and the other members of lists of its types.",
	Source:  "github.com/modelcontextprotocol/go-sdk v1.8.0 (2026-09-04), package mcp, whose types read the result here; lab/referees/mcp-clients asks its client",
	Client:  "the Go SDK",
	Instead: "leave out members that the protocol does not have, and write the others in its types",
	check: func(e *Exchange) []fault {
		method := cmp.Or(e.Call.Method, "tools/call")
		if e.Answer.Result == nil || goTypes[method] == nil || len(contentForm.check(e)) > 0 {
			return nil
		}
		words := readByGo(method, e.Answer.Result)
		if words == "" {
			return nil
		}
		var faults []fault
		for _, member := range e.Answer.Result.Members {
			for i, element := range member.Value.Elements {
				alone := schema.NewObject(schema.Member{Key: member.Key, Value: schema.NewArray(element)})
				if words := readByGo(method, alone); words != "" {
					words = strings.Replace(words, member.Key+".0", member.Key+"."+strconv.Itoa(i), 1)
					faults = append(faults, fault{at: schema.Pointer("").Child(member.Key).Element(i), message: words})
				}
			}
		}
		if faults == nil {
			return []fault{{message: words}}
		}
		return faults
	},
}

// readByGo returns what the client for Go says to a result; empty if it takes it.
func readByGo(method string, result *schema.Node) string {
	decoder := json.NewDecoder(bytes.NewReader(result.JSON()))
	decoder.DontMatchCaseInsensitiveStructFields()
	err := decoder.Decode(goTypes[method]())
	if err == nil {
		return ""
	}
	words := value.ReplaceAllString(err.Error(), "cannot unmarshal ... into")
	before, field, isField := strings.Cut(words, " Go struct field ")
	if !isField {
		return words
	}
	for _, member := range result.Members { // what comes before a member is a type, mostly one without a name
		for _, end := range []string{".", " of type "} {
			if at := strings.LastIndex(field, "."+member.Key+end); at >= 0 {
				field = field[at+1:]
			}
		}
	}
	return before + " Go struct field " + field
}

// value matches the rest of the text that the client shows with a value that it cannot read.
var value = lazy.Compile(`cannot unmarshal ".*" into`)
