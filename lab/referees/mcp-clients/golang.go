package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/server/calls"
)

// compareGo asks the official client for Go about results that the clients for TypeScript take, as far as is known, and
// prints where it says otherwise than the rules predict. It takes much that those refuse, which is not compared.
func compareGo(_, name string, asked []question) (differ int, err error) {
	compared, refused := 0, 0
	for _, made := range asked {
		found, err := judged(made)
		if err != nil {
			return differ, err
		}
		isOf := func(client string) bool {
			return slices.ContainsFunc(found, func(finding calls.Finding) bool { return strings.Contains(finding.Rule.Client, client) })
		}
		if isOf("SDK 1.x") {
			continue
		}
		compared++
		said := askGo(context.Background(), made)
		if said != "" {
			refused++
		}
		if (said != "") != isOf("Go SDK") {
			differ++
			fmt.Printf("%s: %s: Go says %q\n", made.Method, made.Result, said)
		}
	}
	fmt.Printf("%d results %s, %d refused by the client for Go alone, %d differences\n", compared, name, refused, differ)
	return differ, nil
}

// goQuestions are results with members that only the client for Go reads, and values that only it refuses.
func goQuestions() []question {
	var all []question
	add := func(method, format string, values ...string) {
		for _, value := range values {
			all = append(all, question{ID: len(all), Method: method, Result: json.RawMessage(fmt.Sprintf(format, value))})
		}
	}
	members := []string{
		`"id":1`, `"id":"1"`, `"name":1`, `"name":null`, `"data":"x"`, `"data":1`, `"size":"1"`, `"size":1.5`, `"size":1e3`, `"size":1`, `"uri":1`, `"title":{}`,
		`"input":[]`, `"input":{}`,
		`"content":"x"`, `"content":[{"type":"x"}]`, `"isError":"x"`, `"isError":1`, `"toolUseId":1`, `"resource":"x"`, `"resource":{"uri":1}`, `"mimeType":1`, `"icons":{}`,
		`"icons":[{"src":"a","sizes":"48x48"}]`, `"description":1`, `"Id":1`, `"extra":1`, `"cache_control":{"type":"ephemeral"}`, `"structuredContent":1`,
	}
	add("tools/call", `{"content":[{"type":"text","text":"a",%s}]}`, members...)
	add("prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"a",%s}}]}`, members...)
	add("tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"%s"}]}`, "", "AA", "AAA", "AAAA", "AAA=", "AB==", "A A==", `AA==\n`, `A\nA==`, "AA= =")
	add("resources/read", `{"contents":[{"uri":"a:b",%s}]}`, `"text":"a","blob":"%"`, `"text":"a","blob":null`, `"blob":"AA"`, `"blob":"AA=="`, `"text":"a","name":1`,
		`"text":"a","Blob":1`)
	add("tools/call", `{"content":[{"type":"resource_link","uri":"a:b","name":"n","size":%s}]}`, "1", "1.0", "-1", "1e3", "9223372036854775807", "9223372036854775808")
	add("tools/call", `{"content":[],%s}`, `"resultType":1`, `"resultType":"complete"`, `"resultType":"x"`, `"requestState":1`, `"requestState":"a"`,
		`"inputRequests":1`, `"inputRequests":null`, `"structuredContent":{"size":1.5}`, `"ttlMs":"x"`)
	results := []string{
		`"ttlMs":"x"`, `"ttlMs":1.5`, `"ttlMs":-1`, `"ttlMs":60000`, `"ttlMs":null`, `"cacheScope":1`, `"cacheScope":"x"`, `"resultType":1`,
		`"resultType":"x"`, `"TTLMs":"x"`, `"extra":{}`,
	}
	add("prompts/list", `{"prompts":[{"name":"a"}],%s}`, results...)
	add("resources/list", `{"resources":[{"name":"a","uri":"a:b"}],%s}`, results...)
	add("resources/templates/list", `{"resourceTemplates":[{"name":"a","uriTemplate":"a:{b}"}],%s}`, results...)
	add("resources/read", `{"contents":[{"uri":"a:b","text":"a"}],%s}`, results...)
	add("resources/list", `{"resources":[{"name":"a","uri":"a:b",%s}]}`, `"size":1.5`, `"size":2`, `"size":2.0`, `"extra":1`)
	add("completion/complete", `{"completion":{"values":["a"],"total":%s}}`, "1", "1.0", "1e2")
	return all
}

// goWait is how long the client for Go may take with a result.
const goWait = 2 * time.Second

// askGo returns what the official client for Go says to a result; empty if it takes it.
func askGo(ctx context.Context, made question) (said string) {
	ctx, cancel := context.WithTimeout(ctx, goWait)
	defer cancel()
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	go serve(made, fromClient, toClient)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "referee", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		return "not connected: " + err.Error()
	}
	defer session.Close()  //nolint:errcheck // the pipe is closed below
	defer toClient.Close() //nolint:errcheck // nothing is written any more
	defer func() {
		if caught := recover(); caught != nil {
			said = fmt.Sprint("panic: ", caught)
		}
	}()
	if err := requestByGo(ctx, session, made.Method); err != nil {
		return err.Error()
	}
	return ""
}

// requestByGo lets the client ask for the result of a method.
func requestByGo(ctx context.Context, session *mcp.ClientSession, method string) error {
	var err error
	switch method {
	case "tools/call":
		if _, err = session.ListTools(ctx, nil); err == nil {
			_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "f"})
		}
	case "tools/list":
		_, err = session.ListTools(ctx, nil)
	case "prompts/list":
		_, err = session.ListPrompts(ctx, nil)
	case "prompts/get":
		_, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "f"})
	case "resources/list":
		_, err = session.ListResources(ctx, nil)
	case "resources/templates/list":
		_, err = session.ListResourceTemplates(ctx, nil)
	case "resources/read":
		_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "a:b"})
	case "completion/complete":
		_, err = session.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "f"}, Argument: mcp.CompleteParamsArgument{Name: "a"}})
	default:
		panic("no request for " + method)
	}
	return err //nolint:wrapcheck // the words are compared
}

// serve answers a client as a server of the protocol of 2025-11-25 whose only tool is f.
func serve(made question, in io.Reader, out io.WriteCloser) {
	tool := map[string]any{"name": "f", "inputSchema": map[string]string{"type": "object"}}
	if made.OutputSchema != nil {
		tool["outputSchema"] = made.OutputSchema
	}
	answers := map[string]any{
		"initialize": map[string]any{
			"protocolVersion": "2025-11-25", "serverInfo": map[string]string{"name": "t", "version": "1"},
			"capabilities": map[string]any{"tools": struct{}{}, "prompts": struct{}{}, "resources": struct{}{}, "completions": struct{}{}},
		},
		"tools/list": map[string]any{"tools": []any{tool}},
	}
	answers[made.Method] = made.Result
	lines, answer := bufio.NewScanner(in), json.NewEncoder(out)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": request.ID}
		if result, isKnown := answers[request.Method]; isKnown {
			reply["result"] = result
		} else {
			reply["error"] = map[string]any{"code": -32601, "message": "Method not found"}
		}
		if err := answer.Encode(reply); err != nil {
			return
		}
	}
}
