package conversation

import (
	_ "embed" // forms.json
	"sync"

	"toolproof/schema"
	"toolproof/schema/instance"
)

// forms has a JSON Schema for the result of each method that a client asks a server for, and for the parameters of
// each that a server asks a client for, as far as the clients of the TypeScript SDK read them. It says what their types say;
// lab/referees/mcp-clients compares both.
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
		if compiled, err := instance.Compile(method.Value); err == nil {
			read[method.Key] = compiled
		}
	}
	return read
})

// FormOf returns what clients read of a method: a schema of its result, or of the parameters of elicitation/create and
// sampling/createMessage, without the schemas in those. It returns nil for another method.
func FormOf(method string) *instance.Schema { return readForms()[method] }
