package suites_test

import (
	"context"
	"fmt"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
	"toolproof/suites"
)

// In a Ginkgo suite, or with Gomega in any test, this is Expect(results).To(suites.Conform()).
func ExampleConform() {
	tool, err := schema.NewTool("list", "Lists the orders.", `{"type": "object", "properties": {"ids": {"type": "array"}}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	var results []verdict.Result
	for _, name := range []string{"anthropic", "openai"} {
		target, err := harness.TargetNamed(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		asGiven := judge.Judge{Raw: true} // the tool must be accepted as it is, not only once it is normalized
		results = append(results, asGiven.Tool(context.Background(), judge.Subject{Tool: toolfile.Of(tool)}, target))
	}
	conforms, err := suites.Conform().Match(results)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(conforms)
	fmt.Println(suites.Conform().FailureMessage(results))
	// Output:
	// false
	// these do not conform:
	// list on openai/chat: fail
	//     /parameters/properties/ids: Invalid schema for function 'list': In context=('properties', 'ids'), array schema missing items.
}
