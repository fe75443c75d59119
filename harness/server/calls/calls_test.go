package calls_test

import (
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
	change             func(*calls.Answer)
}{
	{rule: "server_ended", change: func(a *calls.Answer) { a.Died = "EOF" }, near: fine},
	{rule: "no_answer", change: func(a *calls.Answer) { a.IsLate, a.Took = true, calls.ClientsWait }, near: fine},
	{rule: "content_form", result: `{"content":[{"type":"json"}]}`, near: `{"content":[{"type":"resource","resource":{"uri":"a:b","text":""}}]}`},
	{rule: "content_form", result: `{"content":[{"type":"image","mimeType":"image/png","data":"%"}]}`, near: `{"content":[{"type":"image","mimeType":"image/png","data":"AA=="}]}`},
	{rule: "structured_absent", tool: outputs, result: fine, near: `{"content":[],"isError":true}`},
	{rule: "structured_wrong", tool: outputs, result: `{"structuredContent":{"n":"1"}}`, near: `{"structuredContent":{"n":1.5}}`},
	{rule: "structured_on_error", tool: outputs, result: `{"isError":true,"structuredContent":{"e":1}}`, near: `{"isError":true}`},
	{rule: "image_type", result: `{"content":[{"type":"image","mimeType":"image/svg+xml","data":""}]}`, near: `{"content":[{"type":"image","mimeType":"image/webp","data":""}]}`},
	{rule: "provider_refuses", result: `{"content":[{"type":"image","mimeType":"image/png","data":"/9j/4AAQSkZJRg=="}]}`, near: `{"content":[{"type":"image","mimeType":"image/jpeg","data":"/9j/4AAQSkZJRg=="}]}`},
	{rule: "provider_refuses", result: `{"content":[{"type":"image","mimeType":"image/png","data":"PHN2Zy8+"}]}`, near: `{"content":[{"type":"text","text":""},{"type":"audio","mimeType":"audio/wav","data":""},{"type":"resource_link","uri":"a:b","name":"n"}]}`},
	{rule: "provider_refuses", result: `{"content":[],"structuredContent":{"a":{"$ref":"#/$defs/a"}}}`, near: `{"content":[{"type":"text","text":"{\"$ref\":\"#/$defs/a\"}"}],"structuredContent":{}}`},
	{rule: "too_large", result: `{"content":[{"type":"text","text":"` + strings.Repeat("word ", 25_001) + `"}]}`, near: `{"content":[{"type":"text","text":"` + strings.Repeat("word ", 25_000) + `"}]}`},
	{rule: "wrong_arguments_accepted", tool: inputs, isWrong: true, result: fine, near: `{"content":[],"isError":true}`},
	{rule: "error_not_for_the_model", change: func(a *calls.Answer) { a.Code, a.Message = -32602, "no" }, near: `{"isError":true}`},
	{rule: "result_differs", tool: `,"annotations":{"idempotentHint":true}`, before: `{"content":[]}`, result: fine, near: `{"content":[]}`},
	{
		rule: "result_differs", tool: `,"annotations":{"idempotentHint":true}`, before: fine, result: `{"content":[]}`,
		near: `{"content":[{"type":"text","text":"refused at 10:11"}],"isError":true}`,
	},
	{rule: "unsafe_to_retry", before: fine, result: fine, near: `{"isError":true}`},
}

func TestPlanted(t *testing.T) {
	t.Parallel()
	for _, row := range planted {
		t.Run(row.rule, func(t *testing.T) {
			t.Parallel()
			found := func(result string, change func(*calls.Answer)) []string {
				exchange := &calls.Exchange{Call: calls.Call{Tool: toolOf(t, row.tool), IsValid: !row.isWrong}}
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
