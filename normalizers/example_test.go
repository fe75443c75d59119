package normalizers_test

import (
	"context"
	"fmt"

	"toolproof/normalizers"
	"toolproof/schema"
)

func ExamplePipeline_Normalize() {
	tool, err := schema.NewTool("get_weather", "", `{"type": "object", "properties": {"unit": {"const": "celsius"}}, "additionalProperties": false}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.Gemini.Normalize(context.Background(), tool)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Tool.Parameters)
	for _, change := range result.Changes {
		fmt.Println(change)
	}
	// Output:
	// {"type":"OBJECT","properties":{"unit":{"type":"STRING","enum":["celsius"]}}}
	// spill_keywords at /parameters: {"additionalProperties":false} is left out (widens)
	// const_to_enum at /parameters/properties/unit: {"const":"celsius"} becomes {"enum":["celsius"]} (exact)
	// fill_type at /parameters/properties/unit: {"type":"string"} is added (exact)
	// type_case at /parameters/properties/unit: {"type":"string"} becomes {"type":"STRING"} (exact)
	// type_case at /parameters: {"type":"object"} becomes {"type":"OBJECT"} (exact)
}

func ExampleResult_Restore() {
	tool, err := schema.NewTool("weather/forecast", "", `{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.OpenAIStrict.Normalize(context.Background(), tool)
	if err != nil {
		fmt.Println(err)
		return
	}
	// The model has called the normalized tool.
	arguments, err := schema.Parse([]byte(`{"city": "Rome", "days": null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Given.Name, result.Restore(arguments))
	// Output:
	// weather/forecast {"city":"Rome"}
}
