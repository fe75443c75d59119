package toanthropic_test

import (
	"context"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/toanthropic"
	"toolproof/schema"
)

func ExampleTool() {
	ctx := context.Background()
	parameters, err := schema.Parse([]byte(`{"type": "object", "properties": {"filter[name]": {"type": "string"}}, "required": ["filter[name]"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}

	// Normalize, and declare.
	result, err := normalizers.AnthropicStrict.Normalize(ctx, schema.Tool{Name: "users.search", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool, err := toanthropic.Tool(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	params := anthropic.MessageNewParams{Tools: []anthropic.ToolUnionParam{tool}}
	fmt.Printf("%s strict %t %s\n", params.Tools[0].OfTool.Name, params.Tools[0].OfTool.Strict.Value, params.Tools[0].OfTool.InputSchema.Properties)

	// The model's call comes back, as a ToolUseBlock with Name and Input.
	tools, err := calls.Of(ctx, result)
	if err != nil {
		fmt.Println(err)
		return
	}
	call, err := tools.Restore("users_search", `{"filter_name_": "Ada"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call.Tool.Name, call.Arguments)
	// Output:
	// users_search strict true {"filter_name_":{"type":"string"}}
	// users.search {"filter[name]":"Ada"}
}
