package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// beToolServer is a server of the Model Context Protocol for the scripts. It has two
// pages of tools; one is none that its own types would let it have. With the
// argument fails it complains and ends; with names it has two names that become one; with
// plain it has one tool that everybody takes; with members it has one whose further members
// the client's own types refuse; with hangs it says nothing; with leaks it
// complains at length, last of all with its keys; with traces its error stands before a long
// trace; with logs it writes more than messages.
func beToolServer() {
	switch {
	case slices.Contains(os.Args, "hangs"):
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case slices.Contains(os.Args, "leaks"):
		for i := range 10_000 {
			fmt.Fprintln(os.Stderr, "line", i)
		}
		fmt.Fprintf(os.Stderr, "\x1b]0;poison\a %s %s %s\n", strings.Repeat("long", 1000), os.Getenv("API_KEY"), os.Args[len(os.Args)-1])
		fmt.Fprintf(os.Stderr, "the key %s of %s is refused\n", os.Getenv("API_KEY"), os.Args[len(os.Args)-1])
		os.Exit(7)
	}
	if slices.Contains(os.Args, "logs") {
		fmt.Printf("Starting up with %s...\n", os.Getenv("API_KEY"))
	}
	if slices.Contains(os.Args, "traces") {
		fmt.Println("the reason is in standard output")
		fmt.Fprintln(os.Stderr, "starting\nError: listen EADDRINUSE: address already in use"+strings.Repeat("\n    at frame (file:1:2)", 100))
		os.Exit(1)
	}
	if slices.Contains(os.Args, "fails") {
		fmt.Fprintln(os.Stderr, "no database")
		os.Exit(1)
	}
	pages := map[string]string{
		"":  `{"tools":[{"name":"set","inputSchema":{"type":"object","properties":{"z":{"const":"a"},"a":{"type":"number","minimum":1.0}}}}],"nextCursor":"2"}`,
		"2": `{"tools":[{"name":"say","inputSchema":{"type":"string"}}]}`,
	}
	if slices.Contains(os.Args, "names") {
		pages[""] = `{"tools":[{"name":"a/b","inputSchema":{"type":"object","properties":{}}},{"name":"a_b","inputSchema":{"type":"object","properties":{}}}]}`
	}
	if slices.Contains(os.Args, "empty") {
		pages[""] = `{"tools":[]}`
	}
	if slices.Contains(os.Args, "plain") {
		pages[""] = `{"tools":[{"name":"plain","description":"In ` + path.Base(workingDirectory()) + `.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]}`
	}
	if at := slices.Index(os.Args, "numbered"); at > 0 { // numbered COUNT: so many tools
		var tools []string
		count, _ := strconv.Atoi(os.Args[at+1])
		for i := range count {
			tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"Does the thing of number %d.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i, i))
		}
		pages[""] = `{"tools":[` + strings.Join(tools, ",") + `]}`
	}
	if at := slices.Index(os.Args, "turns"); at > 0 { // turns FILE: another order, once the file is there
		tools := []string{`{"name":"one","inputSchema":{"type":"object","properties":{}}}`, `{"name":"two","inputSchema":{"type":"object","properties":{}}}`}
		if _, err := os.Stat(os.Args[at+1]); err == nil {
			slices.Reverse(tools)
		}
		_ = os.WriteFile(os.Args[at+1], nil, 0o600)
		pages[""] = `{"tools":[` + strings.Join(tools, ",") + `]}`
	}
	if slices.Contains(os.Args, "members") {
		pages[""] = `{"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":{"type":"object"},` +
			`"annotations":{"readOnlyHint":"yes"},"outputSchema":{"type":"array"}}]}`
	}
	if slices.Contains(os.Args, "dated") {
		pages[""] = `{"tools":[{"name":"dated","inputSchema":{"type":"object","properties":{}},"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}]}`
	}
	called, offers := map[string]string{}, map[string]string{}
	if slices.Contains(os.Args, "offers") {
		offers = plantedOffers
	}
	if slices.Contains(os.Args, "calls") {
		pages[""], called = plantedCalls()
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				URI             string `json:"uri"`
				ProtocolVersion string `json:"protocolVersion"` //nolint:tagliatelle // the protocol writes it so
				Cursor          string `json:"cursor"`
				Name            string `json:"name"`
			} `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil || request.ID == nil {
			continue
		}
		var result string
		switch request.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}%s},"serverInfo":{"name":"t","version":"1"}}`, request.Params.ProtocolVersion, offers["initialize"])
		case "tools/list":
			result = pages[request.Params.Cursor]
		case "tools/call":
			result = called[request.Params.Name]
			if asked, isAsked := strings.CutPrefix(result, "asks "); isAsked {
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":\"asked\",%s}\n", asked)
				lines.Scan()
				text, err := json.Marshal(lines.Text())
				if err != nil {
					panic(err) // it is a string
				}
				result = fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text)
			}
			switch result {
			case "ends":
				os.Exit(1)
			case "silence":
				continue
			}
		default:
			result = offers[strings.TrimSpace(request.Method+" "+request.Params.Name+request.Params.URI)]
			if refusal, isError := strings.CutPrefix(result, "error "); isError {
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,\"message\":%q}}\n", request.ID, refusal)
				continue
			}
			result = cmp.Or(result, `{}`)
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", request.ID, result)
	}
}

// plantedOffers are the prompts and resources of a server, with faults.
var plantedOffers = map[string]string{
	"initialize":               `,"prompts":{},"resources":{},"completions":{}`,
	"prompts/list":             `{"prompts":[{"name":"good"},{"name":"typed","arguments":[{"name":"n","required":true}]},{"name":"bad"},{"name":"bad"}]}`,
	"prompts/get good":         `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`,
	"prompts/get typed":        `error Invalid arguments for prompt typed: Invalid input: expected number, received string at n`,
	"prompts/get bad":          `{"messages":[{"role":"system","content":{"type":"text","text":"hi"}}]}`,
	"resources/list":           `{"resources":[{"uri":"a:good","name":"good"},{"uri":"a:gone","name":"gone"}]}`,
	"resources/read a:good":    `{"contents":[{"uri":"a:good","text":"hi"}]}`,
	"resources/read a:gone":    `error not found`,
	"resources/templates/list": `{"resourceTemplates":[{"name":"t","uriTemplate":"a:{b"}]}`,
	"completion/complete":      `{"completion":{"values":[1]}}`,
}

// plantedCalls returns tools of which each has one fault in its results, and the results. The first tool has none.
func plantedCalls() (list string, results map[string]string) {
	const output = `,"outputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}`
	tools := []struct{ name, members, result string }{
		{"good", output, `{"content":[],"structuredContent":{"n":1}}`},
		{"absent", output, `{"content":[]}`},
		{"wrong", output, `{"content":[],"structuredContent":{"n":"1","x":2}}`},
		{"svg", "", `{"content":[{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zy8+"}]}`},
		{"mistyped", "", `{"content":[{"type":"image","mimeType":"image/png","data":"/9j/4AAQSkZJRg=="}]}`},
		{"block", "", `{"content":[{"type":"json"}]}`},
		{"large", "", `{"content":[{"type":"text","text":"` + strings.Repeat("word ", 120_000) + `"}]}`},
		{"ends", "", "ends"},
		{"silence", "", "silence"},
		{"errors", "", `{"content":[],"isError":true}`},
		{"delete_all", "", `{"content":[]}`},
		{"form", "", `asks "method":"elicitation/create","params":{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string","default":"Graz"}}}}`},
		{"nested", "", `asks "method":"elicitation/create","params":{"message":"Where?","requestedSchema":{"type":"object","properties":{"address":{"type":"object"}}}}`},
		{"password", "", `asks "method":"elicitation/create","params":{"message":"Sign in","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`},
		{"sampling", "", `asks "method":"sampling/createMessage","params":{"maxTokens":9,"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"c","content":[]}}]}`},
		{"early", "", `{"resultType":"input_required","requestState":"s"}`},
	}
	var entries []string
	results = map[string]string{}
	for _, tool := range tools {
		results[tool.name] = tool.result
		entries = append(entries, `{"name":"`+tool.name+`","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}`+tool.members+`}`)
	}
	entries = append(entries, `{"name":"write","inputSchema":{"type":"object"}}`)
	results["write"] = `{"content":[{"type":"text","text":"written"}]}`
	return `{"tools":[` + strings.Join(entries, ",") + `]}`, results
}

// workingDirectory is where the program was started.
func workingDirectory() string {
	dir, err := os.Getwd()
	if err != nil {
		return err.Error()
	}
	return filepath.ToSlash(dir)
}
