// Package calls converts a model's calls of normalized tools to calls of the tools as
// given. It restores the name and the arguments, and checks whether they are valid.
package calls

import (
	"context"
	"fmt"
	"strings"

	"toolproof/normalizers"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Tools are the tools of one request. They may be used by several goroutines.
type Tools struct{ byName map[string]*tool }

type tool struct {
	result    normalizers.Result
	given     *instance.Schema // nil where there is nothing to validate with
	unchecked string           // why that is so; empty for a tool without parameters
}

// Call is a call of a tool as it was given.
type Call struct {
	Tool      schema.Tool
	Arguments *schema.Node
	// Unchecked says why nothing was validated, such as a reference in the tool's
	// schema that leads nowhere; empty otherwise.
	Unchecked string
}

// Of returns the tools of a request by their normalized names, each with the Result as
// Normalize returned it. Two tools of one name are an error, which NormalizeAll avoids.
func Of(ctx context.Context, results ...normalizers.Result) (*Tools, error) {
	tools := &Tools{make(map[string]*tool, len(results))}
	for _, result := range results {
		if other := tools.byName[result.Tool.Name]; other != nil {
			return nil, fmt.Errorf("two tools are called %q: %q and %q\nnormalize the tools of a request with NormalizeAll",
				result.Tool.Name, other.result.Given.Name, result.Given.Name)
		}
		one := &tool{result: result}
		if result.Given.Parameters != nil {
			var err error
			if one.given, err = compile(ctx, result.Given); err != nil {
				one.unchecked = err.Error()
			}
		}
		tools.byName[result.Tool.Name] = one
	}
	return tools, nil
}

// compile reads the schema of a tool as it was given; one that is no JSON Schema, such
// as with the types of a programming language, as the normalizers read it.
func compile(ctx context.Context, given schema.Tool) (*instance.Schema, error) {
	compiled, err := instance.Compile(given.Parameters)
	if err == nil {
		return compiled, nil
	}
	repaired, err := normalizers.Repair(ctx, given)
	if err != nil {
		return nil, err
	}
	return instance.Compile(repaired.Tool.Parameters)
}

// Restore returns the call that the model made, from its name and the JSON text of its
// arguments. No text means no arguments. The error is *UnknownToolError for an unknown
// name, and *schema.SyntaxError for a text that is not JSON. It is *ArgumentsError
// where the arguments are not valid for the tool as given. It is
// instance.ErrTooManySteps where the check would take too long, as with recursive
// unions. With the latter two the call comes all the same. Time and memory are bounded
// for any text.
func (t *Tools) Restore(name, arguments string) (Call, error) {
	called := t.byName[name]
	if called == nil {
		return Call{}, &UnknownToolError{name}
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	parsed, err := schema.Parse([]byte(arguments))
	if err != nil {
		return Call{}, fmt.Errorf("reading the arguments of %s: %w", name, err)
	}
	call := Call{Tool: called.result.Given, Arguments: called.result.Restore(parsed), Unchecked: called.unchecked}
	if called.given == nil {
		return call, nil
	}
	problems, err := called.given.Problems(call.Arguments)
	if err != nil {
		return call, fmt.Errorf("validating the arguments of %s: %w", call.Tool.Name, err)
	}
	if len(problems) > 0 {
		return call, &ArgumentsError{call.Tool.Name, problems}
	}
	return call, nil
}

// UnknownToolError says that a model called what is no tool of the request.
type UnknownToolError struct{ Name string }

// Error names the tool.
func (e *UnknownToolError) Error() string { return fmt.Sprintf("no tool is called %q", e.Name) }

// ArgumentsError says why a tool does not accept the arguments of a call. Its text is
// fit to be given to the model, so that it tries again.
type ArgumentsError struct {
	Tool string // its name as given
	// Problems have their places in the restored arguments. There is at least one.
	Problems []instance.Problem
}

// maxTold is how many problems the text of an ArgumentsError has.
const maxTold = 10

// Error returns the first problems, a line each.
func (e *ArgumentsError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "invalid arguments for %s:", e.Tool)
	for i, problem := range e.Problems {
		if i == maxTold {
			fmt.Fprintf(&text, "\n%d more", len(e.Problems)-i)
			break
		}
		text.WriteByte('\n')
		if problem.At != "" {
			text.WriteString(string(problem.At) + ": ")
		}
		text.WriteString(problem.Message)
	}
	return text.String()
}
