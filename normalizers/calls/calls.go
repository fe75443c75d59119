// Package calls converts a model's calls of normalized tools to calls of the given tools. It restores
// the name and the arguments, and validates the arguments.
package calls

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"toolproof/normalizers"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Tools are the tools of one request. They may be used by several goroutines.
type Tools struct{ byName map[string]*tool }

type tool struct {
	result normalizers.Result
	// schema compiles the parameters of the given tool when it is first called. They are nil if the
	// arguments cannot be validated. unchecked says why the arguments, or a part of them, cannot be;
	// it is empty for a tool without parameters.
	schema func() (parameters *instance.Schema, unchecked string)
}

// Call is a call of a given tool.
type Call struct {
	Tool      schema.Tool
	Arguments *schema.Node
	// Unchecked says why the arguments, or a part of them, were not validated, for example
	// because a pattern in the tool's schema is no regular expression; empty otherwise.
	Unchecked string
}

// Of returns the tools of a request. It needs the results as Normalize returned them. Two tools with
// one normalized name are an error, which NormalizeAll avoids.
func Of(ctx context.Context, results ...normalizers.Result) (*Tools, error) {
	tools := &Tools{make(map[string]*tool, len(results))}
	for _, result := range results {
		if other := tools.byName[result.Tool.Name]; other != nil {
			return nil, fmt.Errorf("two tools are called %q: %q and %q\nnormalize the tools of a request with NormalizeAll",
				result.Tool.Name, other.result.Given.Name, result.Given.Name)
		}
		added := &tool{result: result, schema: func() (*instance.Schema, string) { return nil, "" }}
		if result.Given.Parameters != nil {
			added.schema = sync.OnceValues(func() (*instance.Schema, string) { return compile(context.WithoutCancel(ctx), result.Given) })
		}
		tools.byName[result.Tool.Name] = added
	}
	return tools, nil
}

// compile compiles the parameters of a tool, and says what of them cannot be validated. If they are not
// valid JSON Schema, for example because they have types of a programming language, compile repairs them
// first as the normalizers do.
func compile(ctx context.Context, tool schema.Tool) (parameters *instance.Schema, unchecked string) {
	var patterns []string
	tool.Parameters, patterns = instance.WithoutUnreadable(tool.Parameters)
	if len(patterns) > 0 {
		unchecked = fmt.Sprintf("no text is checked by what is no regular expression: %q", patterns)
	}
	parameters, err := instance.Compile(tool.Parameters)
	if err == nil {
		return parameters, unchecked
	}
	repaired, err := normalizers.Repair(ctx, tool)
	if err == nil {
		parameters, err = instance.Compile(repaired.Tool.Parameters)
	}
	if err != nil {
		return nil, err.Error()
	}
	return parameters, unchecked
}

// Restore returns the call of a given tool for a call of the model, which consists of a name and the
// JSON text of the arguments. An empty text means no arguments. The error wraps an *UnknownToolError
// for an unknown name, and a *schema.SyntaxError for text that is not JSON. It wraps an
// *ArgumentsError if the arguments are not valid for the given tool, and instance.ErrTooManySteps if
// validating them would take too long, as with recursive unions; with these two errors, Restore
// returns the call too. Time and memory are bounded for any text.
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
	parameters, unchecked := called.schema()
	call := Call{Tool: called.result.Given, Arguments: called.result.Restore(parsed), Unchecked: unchecked}
	if parameters == nil {
		return call, nil
	}
	problems, err := parameters.Problems(call.Arguments)
	if err != nil {
		return call, fmt.Errorf("validating the arguments of %s: %w", call.Tool.Name, err)
	}
	if len(problems) > 0 {
		return call, &ArgumentsError{call.Tool.Name, problems}
	}
	return call, nil
}

// UnknownToolError says that no tool of the request has the name that a model called.
type UnknownToolError struct{ Name string }

// Error names the tool.
func (e *UnknownToolError) Error() string { return fmt.Sprintf("no tool is called %q", e.Name) }

// ArgumentsError says why a tool does not accept the arguments of a call. Its text can be sent to the
// model, so that the model tries again.
type ArgumentsError struct {
	Tool string // the given name of the tool
	// Problems has at least one problem, with its place in the restored arguments.
	Problems []instance.Problem
}

// maxTold is the greatest number of problems in the text of an ArgumentsError.
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
