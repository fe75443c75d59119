package calls

import (
	"cmp"

	"toolproof/harness/conversation"
)

// contentForm reports a result that the clients' types refuse.
var contentForm = &Rule{
	Name: "content_form", Since: "2025-06-18",
	Doc: "A result has the form of the protocol: the content of a call and of a prompt's message is text, image, audio, resource_link or resource, a resource has a " +
		"text or a blob in Base64, lists have entries with names, structuredContent is an object, and completions have 100 values at most.",
	Source: sdk, Client: "the TypeScript SDK 1.x and 2.x",
	Instead: "return the members of the protocol's types",
	check: func(e *Exchange) []fault {
		form := conversation.FormOf(cmp.Or(e.Call.Method, "tools/call"))
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
