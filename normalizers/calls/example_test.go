package calls_test

import (
	"context"
	"fmt"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/schema"
)

// Packages toopenai, togenai and toanthropic have examples with the clients of providers.
func Example() {
	ctx := context.Background()
	parameters, err := schema.Parse([]byte(`{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	results, err := normalizers.OpenAIStrict.NormalizeAll(ctx, schema.Tool{Name: "weather/forecast", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	declared, err := calls.Of(ctx, results...)
	if err != nil {
		fmt.Println(err)
		return
	}
	call, err := declared.Restore("weather_forecast", `{"city": "Rome", "days": null}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call.Tool.Name, call.Arguments)
	// Output:
	// weather/forecast {"city":"Rome"}
}
