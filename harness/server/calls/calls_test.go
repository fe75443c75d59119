package calls_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/server/calls"
	"toolproof/schema"
)

// parsed returns a JSON value.
func parsed(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// toolOf returns a tool with the members.
func toolOf(t *testing.T, members string) *calls.Tool {
	t.Helper()
	tools, err := calls.Tools([]byte(`{"tools":[{"name":"f"` + members + `}]}`))
	if err != nil || len(tools) != 1 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	return tools[0]
}

const (
	outputs = `,"outputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}`
	inputs  = `,"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	fine    = `{"content":[{"type":"text","text":"fine"}]}`
)

// planted has a fault for each rule, and a near miss.
var planted = []struct {
	rule, tool, result string
	isWrong            bool   // the arguments
	before             string // the first answer of two
	near               string // a result that the rule takes
	method, arguments  string // in place of a call
	change             func(*calls.Answer)
}{
	{rule: "server_ended", change: func(a *calls.Answer) { a.Died = "EOF" }, near: fine},
	{rule: "no_answer", change: func(a *calls.Answer) { a.IsLate, a.Took = true, calls.ClientsWait }, near: fine},
	{rule: "content_form", result: `{"content":[{"type":"json"}]}`, near: `{"content":[{"type":"resource","resource":{"uri":"a:b","text":""}}]}`},
	{rule: "content_form", result: `{"content":[{"type":"image","mimeType":"image/png","data":"%"}]}`, near: `{"content":[{"type":"image","mimeType":"image/png","data":"AA=="}]}`},
	{rule: "go_form", result: `{"content":[{"type":"text","text":"a"},{"type":"text","text":"a","id":1}]}`, near: `{"content":[{"type":"text","text":"a","id":"1"}]}`},
	{rule: "go_form", result: `{"content":[{"type":"image","mimeType":"image/png","data":"AA"}]}`, near: `{"content":[{"type":"image","mimeType":"image/png","data":"AA=="}]}`},
	{rule: "go_form", method: "prompts/list", result: `{"prompts":[],"ttlMs":1.5}`, near: `{"prompts":[],"ttlMs":1}`},
	{rule: "go_form", method: "resources/list", result: `{"resources":[{"uri":"a:b","name":"n","size":3.0}]}`, near: `{"resources":[{"uri":"a:b","name":"n","size":3}]}`},
	{rule: "structured_absent", tool: outputs, result: fine, near: `{"content":[],"isError":true}`},
	{rule: "structured_wrong", tool: outputs, result: `{"structuredContent":{"n":"1"}}`, near: `{"structuredContent":{"n":1.5}}`},
	{rule: "structured_on_error", tool: outputs, result: `{"isError":true,"structuredContent":{"e":1}}`, near: `{"isError":true}`},
	{rule: "image_type", result: `{"content":[{"type":"image","mimeType":"image/svg+xml","data":""}]}`, near: `{"content":[{"type":"image","mimeType":"image/webp","data":""}]}`},
	{rule: "provider_refuses", result: `{"content":[{"type":"image","mimeType":"image/png","data":"/9j/4AAQSkZJRg=="}]}`, near: `{"content":[{"type":"image","mimeType":"image/jpeg","data":"/9j/4AAQSkZJRg=="}]}`},
	{rule: "provider_refuses", result: `{"content":[{"type":"image","mimeType":"image/png","data":"PHN2Zy8+"}]}`, near: `{"content":[{"type":"text","text":""},{"type":"audio","mimeType":"audio/wav","data":""},{"type":"resource_link","uri":"a:b","name":"n"}]}`},
	{rule: "provider_refuses", result: `{"content":[],"structuredContent":{"a":{"$ref":"#/$defs/a"}}}`, near: `{"content":[{"type":"text","text":"{\"$ref\":\"#/$defs/a\"}"}],"structuredContent":{}}`},
	{rule: "too_large", result: `{"content":[{"type":"text","text":"` + strings.Repeat("ä", 28_001) + `"}]}`, near: `{"content":[{"type":"text","text":"` + strings.Repeat("ä", 19_000) + `"}]}`},
	{rule: "too_large", result: `{"content":[{"type":"text","text":"` + strings.Repeat(`\n`, 2000) + `"}]}`, near: `{"content":[{"type":"text","text":"` + strings.Repeat(`\n`, 1999) + `"}]}`},
	{rule: "wrong_arguments_accepted", tool: inputs, isWrong: true, result: fine, near: `{"content":[],"isError":true}`},
	{rule: "error_not_for_the_model", change: func(a *calls.Answer) { a.Code, a.Message = -32602, "no" }, near: `{"isError":true}`},
	{rule: "result_differs", tool: `,"annotations":{"idempotentHint":true}`, before: `{"content":[]}`, result: fine, near: `{"content":[]}`},
	{
		rule: "result_differs", tool: `,"annotations":{"idempotentHint":true}`, before: fine, result: `{"content":[]}`,
		near: `{"content":[{"type":"text","text":"refused at 10:11"}],"isError":true}`,
	},
	{rule: "prompt_argument_typed", method: "prompts/get", arguments: `{"arguments":{"n":"1"}}`, near: `{"messages":[]}`, change: func(a *calls.Answer) {
		a.Code, a.Message = -32602, "Invalid arguments for prompt f: Invalid input: expected number, received string at n"
	}},
	{rule: "prompt_without_arguments", method: "prompts/get", near: `{"messages":[]}`, change: func(a *calls.Answer) {
		a.Code, a.Message = -32602, "Invalid input: expected object, received undefined"
	}},
	{rule: "resource_not_read", method: "resources/read", result: `{"contents":[]}`, near: `{"contents":[{"uri":"a:b","blob":""}]}`},
	{rule: "resource_not_read", method: "resources/read", near: `{"contents":[{"uri":"a:b","text":""}]}`, change: func(a *calls.Answer) { a.Code, a.Message = -32002, "not found" }},
	{rule: "listed_twice", method: "prompts/list", result: `{"prompts":[{"name":"a"},{"name":"a"}]}`, near: `{"prompts":[{"name":"a"},{"name":"A"}]}`},
	{rule: "template_syntax", method: "resources/templates/list", result: `{"resourceTemplates":[{"name":"a","uriTemplate":"a:{b"}]}`, near: `{"resourceTemplates":[{"name":"a","uriTemplate":"a:{+b}/{c.d*,e:30}{?f}"}]}`},
	{rule: "content_form", method: "prompts/get", result: `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, near: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`},
	{rule: "content_form", method: "prompts/get", result: `{"messages":[{"role":"system","content":{"type":"text","text":"a"}}]}`, near: `{"messages":[]}`},
	{rule: "content_form", method: "prompts/list", result: `{"prompts":[{"title":"a"}]}`, near: `{"prompts":[]}`},
	{rule: "content_form", method: "resources/list", result: `{"resources":[{"uri":"a:b"}]}`, near: `{"resources":[{"uri":"a:b","name":""}]}`},
	{rule: "content_form", method: "resources/templates/list", result: `{"resourceTemplates":[{"name":"a","uri":"a:{b}"}]}`, near: `{"resourceTemplates":[]}`},
	{rule: "content_form", method: "resources/read", result: `{"contents":[{"uri":"a:b","blob":"%"}]}`, near: `{"contents":[{"uri":"a:b","blob":"AA"}]}`},
	{
		rule: "content_form", method: "completion/complete", result: `{"completion":{"values":["` + strings.Repeat(`a","`, 100) + `a"]}}`,
		near: `{"completion":{"values":["` + strings.Repeat(`a","`, 99) + `a"]}}`,
	},
	{rule: "request_refused", near: fine, change: asks("elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}`)},
	{rule: "request_refused", near: fine, change: asks("elicitation/create", `{"mode":"url","message":"m","url":"https://example.com/in"}`)},
	{rule: "request_refused", near: fine, change: asks("sampling/createMessage", `{"maxTokens":1,"messages":[],"tools":[{"name":"f","inputSchema":{"type":"string"}}]}`)},
	{rule: "request_refused", near: fine, change: asks("sampling/createMessage", `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"c","content":[]}}]}`)},
	{rule: "form_asks_for_a_secret", near: fine, change: asks("elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"apiKey":{"type":"string"}}}}`)},
	{rule: "input_required", result: `{"resultType":"input_required"}`, near: fine},
	{rule: "input_required", result: `{"resultType":"input_required","inputRequests":{}}`, near: fine, change: of20260728},
	{rule: "input_required", result: `{"resultType":"input_required","inputRequests":{"a":{"method":"tools/call"}}}`, near: fine, change: of20260728},
	{rule: "input_required", result: `{"resultType":"input_required","inputRequests":{"a":1}}`, near: fine, change: of20260728},
	{rule: "input_required", result: `{"resultType":"input_required","requestState":"a"}`, tool: outputs, near: `{"structuredContent":{"n":1}}`, change: of20260728},
	{rule: "input_required", method: "prompts/list", result: `{"resultType":"input_required","requestState":"a"}`, near: `{"prompts":[]}`, change: of20260728},
	{rule: "unsafe_to_retry", before: fine, result: fine, near: `{"isError":true}`},
}

// asks lets a server ask something before it answers.
func asks(method, params string) func(*calls.Answer) {
	return func(a *calls.Answer) { a.Asked = []calls.Asked{calls.ReadAsked(method, []byte(params), false)} }
}

// of20260728 lets a session speak the newest protocol.
func of20260728(a *calls.Answer) { a.Revision = "2026-07-28" }

// TestRespond: a form is filled in for tools that read alone, with its defaults; what clients refuse is refused.
func TestRespond(t *testing.T) {
	t.Parallel()
	const form = `{"message":"m","requestedSchema":{"type":"object","properties":{"city":{"type":"string","default":"Graz"},"day":{"type":"string","enum":["mon"]}},"required":["city","day"]}}`
	const model = `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`
	reads, writes := toolOf(t, `,"annotations":{"readOnlyHint":true}`), toolOf(t, "")
	for _, row := range []struct {
		tool                 *calls.Tool
		method, params, want string
	}{
		{reads, "elicitation/create", form, `{"action":"accept","content":{"city":"Graz","day":"mon"}}`},
		{writes, "elicitation/create", form, `{"action":"decline"}`},
		{reads, "elicitation/create", `{"mode":"url","message":"m","url":"https://example.com/in","elicitationId":"1"}`, `{"action":"decline"}`},
		{reads, "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"null"}}}}`, `refused: Invalid elicitation request: `},
		{reads, "sampling/createMessage", model, `{"role":"assistant"`},
		{writes, "sampling/createMessage", model, `refused: User rejected sampling request`},
		{reads, "sampling/createMessage", `{"messages":[]}`, `refused: Invalid sampling request: `},
		{reads, "roots/list", ``, `{"roots":[]}`},
		{reads, "tools/call", `{}`, `refused: the client has no method tools/call`},
	} {
		asked := calls.ReadAsked(row.method, []byte(row.params), false)
		result, refusal := asked.Respond(row.tool)
		got := "refused: " + refusal
		if result != nil {
			got = result.String()
		}
		if !strings.HasPrefix(got, row.want) {
			t.Errorf("%s %s: %s, want %s", row.method, row.params, got, row.want)
		}
	}
}

func TestPlanted(t *testing.T) {
	t.Parallel()
	for _, row := range planted {
		t.Run(row.rule, func(t *testing.T) {
			t.Parallel()
			found := func(result string, change func(*calls.Answer)) []string {
				exchange := &calls.Exchange{Call: calls.Call{Tool: toolOf(t, row.tool), IsValid: !row.isWrong, Method: row.method, Arguments: parsed(t, cmp.Or(row.arguments, `{}`))}}
				if result != "" {
					exchange.Answer.Result = parsed(t, result)
				}
				if change != nil {
					change(&exchange.Answer)
				}
				if row.before != "" {
					exchange.Before = &calls.Exchange{Answer: calls.Answer{Result: parsed(t, row.before)}}
				}
				var names []string
				for _, finding := range calls.Judge(exchange, calls.Rules) {
					names = append(names, finding.Rule.Name)
				}
				return slices.Compact(names)
			}
			if got := found(row.result, row.change); !slices.Equal(got, []string{row.rule}) {
				t.Errorf("the planted fault is found by %v", got)
			}
			if got := found(row.near, nil); slices.Contains(got, row.rule) {
				t.Errorf("the near miss is found by %v", got)
			}
		})
	}
	for _, rule := range calls.Rules {
		isPlanted := false
		for _, row := range planted {
			isPlanted = isPlanted || row.rule == rule.Name
		}
		if !isPlanted {
			t.Errorf("no fault is planted for %s", rule.Name)
		}
	}
}

// TestGo: a result is read by the client of the version that the rule names, and the words have the place.
func TestGo(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	exchange := &calls.Exchange{Call: calls.Call{Tool: toolOf(t, "")}, Answer: calls.Answer{Result: parsed(t, `{"content":[{"type":"text","text":""},{"type":"text","text":"","id":1}]}`)}}
	found := calls.Judge(exchange, calls.Rules)
	if len(found) != 1 {
		t.Fatalf("%v", found)
	}
	for _, finding := range found {
		version := regexp.MustCompile(`go-sdk (v\S+) `).FindStringSubmatch(finding.Rule.Source)
		if version == nil || !strings.Contains(string(modules), "github.com/modelcontextprotocol/go-sdk "+version[1]+"\n") {
			t.Errorf("%s: the client of go.mod is another", finding.Rule.Source)
		}
		if want := "json: cannot unmarshal ... into Go struct field content.1.id of type string"; finding.At != "/content/1" || finding.Message != want {
			t.Errorf("%s: %s, want %s", finding.At, finding.Message, want)
		}
	}
}

// TestLimits: a result names the clients that do not give it to the model, and no others.
func TestLimits(t *testing.T) {
	t.Parallel()
	for text, clients := range map[string]string{
		strings.Repeat("a", 28_000): "",
		strings.Repeat("a", 28_001): "Qwen Code",
		strings.Repeat("a", 40_001): "Codex Gemini CLI Qwen Code",
		strings.Repeat("a", 30_000) + `"},{"type":"text","text":"` + strings.Repeat("a", 10_001): "Codex Qwen Code",
		strings.Repeat("a", 51_201):  "Codex Gemini CLI Qwen Code opencode",
		strings.Repeat("a", 125_005): "Claude Code Codex Gemini CLI Qwen Code opencode",
		strings.Repeat(`a\n`, 2000):  "opencode",
	} {
		exchange := &calls.Exchange{Call: calls.Call{Tool: toolOf(t, "")}, Answer: calls.Answer{Result: parsed(t, `{"content":[{"type":"text","text":"`+text+`"}]}`)}}
		var named []string
		for _, finding := range calls.Judge(exchange, calls.Rules) {
			for part := range strings.SplitSeq(finding.Message, "; ") {
				client, _, _ := strings.Cut(part, " gives the model")
				named = append(named, client)
			}
		}
		if got := strings.Join(named, " "); got != clients {
			t.Errorf("%d bytes: %q, want %q", len(text), got, clients)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	tool := toolOf(t, `,"inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"o":{"type":"object"},"s":{"type":"string","default":"usual"}},"required":["n","o","s"]}`)
	made := map[string]bool{}
	for _, call := range tool.Plan() {
		made[call.How] = true
		if call.How == "valid arguments" && (!call.IsValid || call.Arguments.GetString("s") != "usual") {
			t.Errorf("valid arguments: %s", call.Sent())
		}
	}
	for _, how := range []string{"valid arguments", "the first call again", "a required member absent", "objects and lists as JSON strings", "numbers as strings", "an extra member", "no arguments at all"} {
		if !made[how] {
			t.Errorf("no call with %s", how)
		}
	}
}

func TestWithheld(t *testing.T) {
	t.Parallel()
	for annotations, isWithheld := range map[string]bool{
		`{"readOnlyHint":true}`: false, `{}`: true, `{"readOnlyHint":true,"destructiveHint":true}`: true, `{"readOnlyHint":false}`: true, `{"readOnlyHint":"true"}`: true,
	} {
		if why := toolOf(t, `,"annotations":`+annotations).Withheld(); (why != "") != isWithheld {
			t.Errorf("%s: withheld %q", annotations, why)
		}
	}
	for name, isWithheld := range map[string]bool{"delete_all": true, "userDelete": true, "items.remove": true, "dropdown_state": true, "list": false, "undeleted": false} {
		tools, err := calls.Tools([]byte(`{"tools":[{"name":"` + name + `","annotations":{"readOnlyHint":true}}]}`))
		if err != nil || (tools[0].Withheld() != "") != isWithheld {
			t.Errorf("%s: withheld %v, %v", name, !isWithheld, err)
		}
	}
}

// TestFollow: what lists have is asked for.
func TestFollow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		method, result string
		want           []string
	}{
		{"prompts/list", `{"prompts":[{"name":"a","arguments":[{"name":"b","required":true}]},{"name":"c"},{}],"nextCursor":"2"}`, []string{
			`prompts/get a {"name":"a","arguments":{"b":"1"}}`, `completion/complete a {"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"b","value":""}}`,
			`prompts/get c {"name":"c","arguments":{}}`, `prompts/get c {"name":"c"}`, `prompts/list {"cursor":"2"}`,
		}},
		{"resources/list", `{"resources":[{"uri":"a:b"},1]}`, []string{`resources/read a:b {"uri":"a:b"}`}},
		{"resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"a:{+b}"},{"uriTemplate":"a:c"}]}`, []string{
			`completion/complete a:{+b} {"ref":{"type":"ref/resource","uri":"a:{+b}"},"argument":{"name":"b","value":""}}`,
		}},
		{"resources/read", `{"contents":[]}`, nil},
	} {
		exchange := &calls.Exchange{Call: calls.Ask(row.method, "", parsed(t, `{}`)), Answer: calls.Answer{Result: parsed(t, row.result)}}
		var got []string
		for _, call := range exchange.Follow(true) {
			got = append(got, call.Tool.Name+" "+call.Sent())
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q", row.method, got)
		}
	}
}
