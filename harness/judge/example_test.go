package judge_test

import (
	"context"
	"fmt"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// A request is judged as a whole, apart from the schemas of its tools.
func ExampleJudge_Conversation() {
	body, err := schema.Parse([]byte(`{"model": "gpt-4o", "messages": [
		{"role": "user", "content": "hi"},
		{"role": "function", "content": "42"}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	api := conversation.APIOf("", body)
	for _, target := range harness.Conversing(api, "", "") {
		result := judge.Judge{}.Conversation(context.Background(), judge.Conversation{API: api, Body: body, Line: 1}, target)
		for _, finding := range result.Findings() {
			fmt.Println(result.Status, target.Name(), finding.Line, finding.At)
			fmt.Println(finding.Message)
			fmt.Println(finding.Instead)
		}
	}
	// Output:
	// fail openai 3 /messages/1
	// Missing parameter 'name': messages with role 'function' must have a 'name'.
	// add the name of the function to the message
}

// A tool is judged as it is given, and as the normalizer of the target makes it.
func Example() {
	tool, err := schema.NewTool("get_weather", "Gets the weather.", `{
		"type": "object",
		"properties": {"unit": {"const": "celsius"}}
	}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := harness.TargetNamed("gemini")
	if err != nil {
		fmt.Println(err)
		return
	}
	result := judge.Judge{}.Tool(context.Background(), judge.Subject{Tool: toolfile.Of(tool)}, target)
	sides := result.Sides()
	fmt.Println(result.Status, sides.Raw.Verdict, sides.Raw.Evidence)
	for _, finding := range sides.Raw.Findings {
		fmt.Println(finding.At, finding.Message)
	}
	fmt.Println(sides.Normalized.Verdict, sides.Normalized.Loss, sides.Normalized.Tool.Get("parameters"))
	// Output:
	// pass rejected predicted
	// /parameters/properties/unit/const Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.
	// accepted exact {"type":"OBJECT","properties":{"unit":{"type":"STRING","enum":["celsius"]}}}
}
