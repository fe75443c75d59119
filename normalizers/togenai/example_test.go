package togenai_test

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/genai"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/togenai"
	"toolproof/schema"
)

func ExampleFunctionDeclaration() {
	ctx := context.Background()
	parameters, err := schema.Parse([]byte(`{
		"type": "object",
		"properties": {"to": {"type": "string"}, "from": {"type": "string"}, "class": {"const": "economy"}},
		"required": ["to", "from"]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}

	// Normalize, and declare.
	gemini := normalizers.Gemini.With(normalizers.Options{PropertyOrdering: true})
	results, err := gemini.NormalizeAll(ctx, schema.Tool{Name: "book/flight", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := &genai.Tool{}
	for _, result := range results {
		declaration, err := togenai.FunctionDeclaration(result)
		if err != nil {
			fmt.Println(err)
			return
		}
		tool.FunctionDeclarations = append(tool.FunctionDeclarations, declaration)
	}
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{tool}}
	declaration := config.Tools[0].FunctionDeclarations[0]
	fmt.Println(declaration.Name, declaration.Parameters.PropertyOrdering, declaration.Parameters.Properties["class"].Enum)

	// The model's call comes back, as GenerateContentResponse.FunctionCalls has it.
	called := &genai.FunctionCall{Name: "book_flight", Args: map[string]any{"to": "Rome", "from": "Vienna"}}
	arguments, err := json.Marshal(called.Args)
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := calls.Of(ctx, results...)
	if err != nil {
		fmt.Println(err)
		return
	}
	call, err := tools.Restore(called.Name, string(arguments))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call.Tool.Name, call.Arguments)
	// Output:
	// book_flight [to from class] [economy]
	// book/flight {"from":"Vienna","to":"Rome"}
}

func ExampleFunctionDeclarationJSON() {
	parameters, err := schema.Parse([]byte(`{"type": "object", "properties": {"unit": {"const": "celsius"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.GeminiJSON.Normalize(context.Background(), schema.Tool{Name: "get_weather", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	declaration, err := togenai.FunctionDeclarationJSON(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s\n", declaration.Name, declaration.ParametersJsonSchema)
	// Output:
	// get_weather {"type":"object","properties":{"unit":{"const":"celsius"}}}
}

func ExampleResponseSchema() {
	answer, err := schema.Parse([]byte(`{"type": "object", "properties": {"name": {"type": "string"}, "labels": {"type": "object"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.GeminiResponse.Normalize(context.Background(), schema.Tool{Parameters: answer})
	if err != nil {
		fmt.Println(err)
		return
	}
	responseSchema, err := togenai.ResponseSchema(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseSchema: responseSchema}
	fmt.Println(config.ResponseMIMEType, config.ResponseSchema.Properties["labels"].Description)

	// The answer comes back, as GenerateContentResponse.Text has it.
	text, err := schema.Parse([]byte(`{"name": "a", "labels": "{\"color\": \"red\"}"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Restore(text))
	// Output:
	// application/json An object as JSON text.
	// {"name":"a","labels":{"color":"red"}}
}

func ExampleResponseJSONSchema() {
	answer, err := schema.Parse([]byte(`{"type": "object", "properties": {"name": {"type": "string"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.GeminiResponseJSON.Normalize(context.Background(), schema.Tool{Parameters: answer})
	if err != nil {
		fmt.Println(err)
		return
	}
	responseSchema, err := togenai.ResponseJSONSchema(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseJsonSchema: responseSchema}
	fmt.Printf("%s %s\n", config.ResponseMIMEType, config.ResponseJsonSchema)
	// Output:
	// application/json {"type":"object","properties":{"name":{"type":"string"}}}
}
