package calls

import (
	"errors"
	"strings"

	"toolproof/schema"
	"toolproof/schema/instance"
)

// Mend is like Restore, and also takes what models write in place of a value if the given tool refuses
// what came and accepts what it becomes: JSON text in place of the value that it is the text of, and
// null in place of the absence of a property. Arguments that the given tool accepts as they came, but
// not as they were restored, stay as they came. The errors are those of Restore.
func (t *Tools) Mend(name, arguments string) (Call, error) {
	call, err := t.Restore(name, arguments)
	var refused *ArgumentsError
	if !errors.As(err, &refused) {
		return call, err
	}
	accepts, _ := t.byName[name].schema()
	came, failed := schema.Parse([]byte(arguments))
	if failed == nil {
		if isAccepted, failed := accepts.AcceptsWithin(came); isAccepted && failed == nil {
			call.Arguments = came
			return call, nil
		}
	}
	const rounds = 3 // JSON text may hold further JSON text
	mended, problems := call.Arguments.Clone(), refused.Problems
	for range rounds {
		isMended := false
		for _, problem := range problems {
			isMended = mendAt(mended, problem.At) || isMended
		}
		if !isMended {
			break
		}
		if problems, failed = accepts.Problems(mended); failed != nil {
			break
		}
		if len(problems) == 0 {
			call.Arguments = mended
			return call, nil
		}
	}
	return call, err
}

// mendAt replaces the text or the null at a place in the arguments, and reports whether one is there.
func mendAt(arguments *schema.Node, at schema.Pointer) bool {
	value := arguments.Find(at)
	switch {
	case value == nil:
		return false
	case value.Kind == schema.String:
		parsed, err := schema.Parse([]byte(value.Text))
		if err != nil || parsed.Kind == schema.String {
			return false
		}
		*value = *parsed
		return true
	case value.Kind == schema.Null && at != "":
		tokens := at.Tokens()
		around := arguments.Find(at[:strings.LastIndexByte(string(at), '/')])
		return around.Kind == schema.Object && around.Delete(tokens[len(tokens)-1]) != nil
	default:
		return false
	}
}

// Misread returns the reasons why the normalized tool refuses the arguments of a call as they came,
// with their places there, which the model knows. There are none if that tool accepts them, or if it
// cannot be told.
func (t *Tools) Misread(name, arguments string) []instance.Problem {
	called := t.byName[name]
	came, err := schema.Parse([]byte(arguments))
	if called == nil || err != nil {
		return nil
	}
	declared, err := instance.Compile(called.result.Tool.Parameters)
	if err != nil {
		return nil
	}
	problems, _ := declared.Problems(came) // too many steps tell nothing
	return problems
}
