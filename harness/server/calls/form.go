package calls

import (
	"cmp"
	_ "embed" // forms.json
	"sync"

	"toolproof/schema"
	"toolproof/schema/instance"
)

// forms has a JSON Schema for the results of each method, as far as the clients read them. It says what their types
// say; lab/referees/mcp-clients compares both.
//
//go:embed forms.json
var forms []byte

// readForms reads forms.
var readForms = sync.OnceValue(func() map[string]*instance.Schema {
	node, err := schema.Parse(forms)
	if err != nil {
		return nil // a test uses each
	}
	read := map[string]*instance.Schema{}
	for _, method := range node.Members {
		method.Value.Set("$defs", node.Get("$defs"))
		read[method.Key] = compiled(method.Value)
	}
	return read
})

// contentForm reports a result that the clients' types refuse.
var contentForm = &Rule{
	Name: "content_form", Since: "2025-06-18",
	Doc: "A result has the form of the protocol: the content of a call and of a prompt's message is text, image, audio, resource_link or resource, a resource has a " +
		"text or a blob in Base64, lists have entries with names, structuredContent is an object, and completions have 100 values at most.",
	Source: sdk, Client: "the TypeScript SDK 1.x and 2.x",
	Instead: "return the members of the protocol's types",
	check: func(e *Exchange) []fault {
		form := readForms()[cmp.Or(e.Call.Method, "tools/call")]
		if e.Answer.Result == nil || form == nil {
			return nil
		}
		problems, err := form.Problems(e.Answer.Result)
		if err != nil {
			return nil // too large to judge
		}
		var faults []fault
		for _, problem := range problems {
			faults = append(faults, fault{at: problem.At, message: problem.Message})
		}
		return faults
	},
}
