package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// checking are the parameters of check.
type checking struct {
	// Tools are tools in any form that verify check reads: a JSON value, or a text.
	Tools json.RawMessage `json:"tools"`
	// Targets are names of targets and dialects, patterns, or all. Without them, check asks the same
	// surfaces as verify check.
	Targets []string `json:"targets"`
	// Normalized means that each tool is rewritten for its target first.
	Normalized bool `json:"normalized"`
	// Model is the name of the provider's model, or empty if the caller does not know it.
	Model string `json:"model"`
}

// lines is the result of methods that judge.
type lines struct {
	// Lines are result lines, as docs/schema/result.schema.json describes them. The last one has the
	// summary.
	Lines []json.RawMessage `json:"lines"`
	// Conforms reports whether the command would exit with 0.
	Conforms bool `json:"conforms"`
}

// source is the name that results give to the tools of a request, which is that of standard input.
const source = "-"

// check judges tools as verify check --json does.
func (s *Service) check(ctx context.Context, asked checking) (lines, error) {
	document, err := read(asked.Tools)
	if err != nil {
		return lines{}, err
	}
	judged := run.Run{Judge: judge.Judge{Store: s.Store, Coverage: &s.coverage, Raw: !asked.Normalized, ModelName: asked.Model}}
	if err := choose(&judged, document, asked); err != nil {
		return lines{}, err
	}
	if len(asked.Targets) > 0 || asked.Normalized {
		document.Meant = nil
	}
	return finish(ctx, &judged, document)
}

// choose sets the targets of a run: those that the request names or, if it names none, those that verify
// check asks about the tools.
func choose(judged *run.Run, document run.Document, asked checking) error {
	var err error
	names := asked.Targets
	if len(names) == 0 && asked.Normalized {
		names = []string{"all"}
	}
	if judged.Targets, err = targetsNamed(names); err != nil {
		return err
	}
	if len(names) == 0 {
		judged.Targets, judged.Responses = harness.DirectFor(toolfile.FormOf(document.Tools)), harness.DirectResponses
		return nil
	}
	for _, tool := range document.Tools {
		if tool.IsResponse { // without such a schema tools are judged for all targets
			judged.Targets, judged.Responses = judge.Divide(judged.Targets)
			break
		}
	}
	return nil
}

// finish judges the tools and returns the lines, with the summary as the last.
func finish(ctx context.Context, judged *run.Run, document run.Document) (lines, error) {
	var out bytes.Buffer
	sink := report.NewJSON(&out)
	if len(document.Tools) > report.MostAnswered {
		sink.Brief()
	}
	judged.Sink = sink
	if err := judged.Documents(ctx, []run.Document{document}); err != nil {
		return lines{}, err
	}
	summary := judged.Summary()
	if worst := summary.Worst(); worst == verdict.Error || worst == verdict.Inconclusive || summary.Judged == 0 {
		summary.Conforms = false
	}
	if err := judged.End(); err != nil {
		return lines{}, err
	}
	return lines{linesOf(out.Bytes()), summary.Conforms}, nil
}

// linesOf returns the lines of a text without the ends of line.
func linesOf(text []byte) []json.RawMessage {
	parts := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	all := make([]json.RawMessage, len(parts))
	for i, part := range parts {
		all[i] = part
	}
	return all
}

// targetsNamed returns the targets of names and patterns, each once.
func targetsNamed(names []string) ([]judge.Target, error) {
	var targets []judge.Target
	seen := map[string]bool{}
	for _, name := range names {
		named, err := harness.TargetsNamed(name)
		if err != nil {
			return nil, failed(BadRequest, "%v", err)
		}
		for _, target := range named {
			if !seen[target.Name()] {
				seen[target.Name()] = true
				targets = append(targets, target)
			}
		}
	}
	return targets, nil
}

// read reads tools. It is an error if there are none.
func read(value json.RawMessage) (run.Document, error) {
	text, err := textOf(value)
	if err != nil {
		return run.Document{}, failed(BadRequest, "reading tools: %v", err)
	}
	document := run.Document{Source: source}
	reader := toolfile.Reader{Responses: true, Passed: func(entry toolfile.Passed) { document.Passed = append(document.Passed, entry) }}
	var aims harness.Aims
	reader.Body = func(body *schema.Node, tools []toolfile.Tool) {
		aims.Request(tools, harness.Declaring(conversation.APIOf("", body), "", body))
	}
	document.Tools, document.Err = reader.Read(strings.NewReader(text))
	document.Meant = aims.Meant(document.Tools)
	switch {
	case len(document.Tools) > 0:
		return document, nil
	case document.Err != nil:
		return document, failed(BadTools, "%v", document.Err)
	case len(document.Passed) > 0:
		return document, failed(BadTools, "the input has only tools of the provider's own, which declare no schema")
	default:
		return document, failed(BadTools, "the input has no tool")
	}
}
