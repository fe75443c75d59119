package normalizers_test

import (
	"context"
	"fmt"

	"toolproof/normalizers"
	"toolproof/schema"
)

func ExamplePipeline_Normalize() {
	parameters, err := schema.Parse([]byte(`{"type": "object", "properties": {"unit": {"const": "celsius"}}, "additionalProperties": false}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.Gemini.Normalize(context.Background(), schema.Tool{Name: "get_weather", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Tool.Parameters)
	for _, change := range result.Changes {
		fmt.Println(change.Rule, change.From, change.Loss)
	}
	// Output:
	// {"type":"OBJECT","properties":{"unit":{"type":"STRING","enum":["celsius"]}}}
	// spill_keywords /parameters widens
	// const_to_enum /parameters/properties/unit exact
	// fill_type /parameters/properties/unit exact
	// type_case /parameters/properties/unit exact
	// type_case /parameters exact
}

func ExampleResult_Restore() {
	parameters, err := schema.Parse([]byte(`{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.OpenAIStrict.Normalize(context.Background(), schema.Tool{Name: "weather/forecast", Parameters: parameters})
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
