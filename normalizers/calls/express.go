package calls

import "toolproof/schema"

// Express converts the arguments of a call of a given tool, such as one in a history, to those of the
// normalized tool, whose name it takes. Restore makes the given ones of them again. An object that the
// given tool does not accept stays as it is, since a program has it from the model.
func (t *Tools) Express(name string, arguments *schema.Node) *schema.Node {
	called := t.byName[name]
	if called == nil {
		return arguments
	}
	if parameters, _ := called.schema(); arguments.Kind == schema.Object && parameters != nil {
		if isAccepted, err := parameters.AcceptsWithin(arguments); !isAccepted || err != nil {
			return arguments
		}
	}
	return called.result.Express(arguments)
}
