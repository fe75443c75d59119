package judge

import (
	"context"
	"errors"
	"fmt"

	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Prepared is a tool or the schema of an answer as the requests to a target have it. No model is asked
// about it.
type Prepared struct {
	// Result is what the normalizer made. Package calls restores the calls of tools from it.
	Result normalizers.Result
	// Shown has the changes as results show them, without an answer.
	Shown *verdict.Normalized
	// Wire is the entry in the list of tools of a request or, for the schema of an answer, the members
	// of the request that hold it.
	Wire *schema.Node
	// AsGiven says why the tool is not rewritten; empty if it is.
	AsGiven string
	// Err says why there is no such form; nothing else is set then.
	Err error
}

// Prepare normalizes the tools of one request as verify normalize does. It returns an element for each
// tool. The error is that of the context, or says that the target has no pipeline.
func (t Target) Prepare(ctx context.Context, tools []toolfile.Tool) ([]Prepared, error) {
	pipeline, isPipeline := t.Normalizer.(*normalizers.Pipeline)
	if !isPipeline {
		return nil, fmt.Errorf("no pipeline of this project rewrites tools for %s", t.Name())
	}
	prepared := make([]Prepared, len(tools))
	var given []schema.Tool
	var at []int // the tools that are normalized
	for i, tool := range tools {
		switch {
		case tool.Err != nil:
			prepared[i].Err = tool.Err
		case !t.IsFor(tool):
			prepared[i].Err = fmt.Errorf("%s does not take it: %s", t.Name(), t.Dialect.Doc)
		default:
			given, at = append(given, tool.Tool), append(at, i)
		}
	}
	results, err := pipeline.NormalizeAll(ctx, given...)
	failed, isFailed := errors.AsType[normalizers.RequestError](err)
	if err != nil && !isFailed {
		return nil, err
	}
	for i, result := range results {
		one := &prepared[at[i]]
		if one.Err = failed[i]; one.Err == nil {
			*one = t.prepared(result, tools[at[i]].IsResponse)
		}
	}
	return prepared, nil
}

// prepared returns the form of a tool in requests.
func (t Target) prepared(result normalizers.Result, isResponse bool) Prepared {
	one := Prepared{Result: result}
	if t.cannotSay(result) {
		one.AsGiven = result.Fallback
		one.Result = normalizers.Result{Tool: result.Given, Given: result.Given, Target: result.Target, Strict: t.Dialect.Strict}
	}
	one.Shown = t.result(one.Result)
	if isResponse {
		one.Wire = t.Format(one.Shown)
	} else {
		one.Wire = t.Wire(one.Shown)
	}
	return one
}
