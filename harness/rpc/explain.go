package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	"toolproof/harness/run"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// explaining are the parameters of explainError.
type explaining struct {
	// Message is the provider's error: its message, or the whole body of the answer.
	Message string `json:"message"`
	// Tools are those that were sent, in their order. Without them the result has only rules.
	Tools json.RawMessage `json:"tools"`
}

// explained is the result of explainError.
type explained struct {
	// Dialect is the surface that answers in these words; empty if that is not known.
	Dialect string `json:"dialect,omitempty"`
	// Rules are the rules that refuse in these words, if the request has no tools.
	Rules []explainedRule `json:"rules,omitempty"`
	// Lines are result lines of the tools that the message means, with what to write instead. The last
	// one has the summary.
	Lines []json.RawMessage `json:"lines,omitempty"`
	// Missing are places that the message names and the tools lack.
	Missing []string `json:"missing,omitempty"`
}

// explainedRule is a rule that refuses in the words of a message.
type explainedRule struct {
	Rule  string `json:"rule"` // such as openai/chat/array_items, or conversation/chat_tools_empty
	About string `json:"about"`
	// Alike means that the rule refuses in words that are only like those of the message.
	Alike bool `json:"alike,omitempty"`
}

// explainError says what the error of a provider means, as verify check --error does.
func (s *Service) explainError(ctx context.Context, asked explaining) (explained, error) {
	if asked.Message == "" {
		return explained{}, failed(BadRequest, "explain_error needs the message of a provider")
	}
	if len(asked.Tools) == 0 || bytes.Equal(asked.Tools, []byte("null")) {
		return s.explainMessage(ctx, asked.Message)
	}
	document, err := read(asked.Tools)
	if err != nil {
		return explained{}, err
	}
	return s.explainTools(ctx, asked.Message, document)
}

// explainMessage names the rules that refuse in the words of a message.
func (s *Service) explainMessage(ctx context.Context, message string) (explained, error) {
	if s.Explainer == nil {
		return explained{}, failed(NoAnswer, "this program explains a message only with the tools that were sent")
	}
	explainer, err := s.Explainer()
	if err != nil {
		return explained{}, err
	}
	known, err := explainer.Explain(ctx, message)
	if err != nil {
		return explained{}, err
	}
	var said explained
	for _, one := range known {
		switch {
		case one.Conversation != nil:
			said.Rules = append(said.Rules, explainedRule{"conversation/" + one.Conversation.Name, one.Conversation.Doc, one.IsAlike})
		case one.Aside != "":
			return explained{}, failed(NoAnswer, "this is not about a tool, but about %s", one.Aside.Doc())
		default:
			said.Rules = append(said.Rules, explainedRule{one.Dialect.Name + "/" + one.Rule.Name, one.Rule.Title(), one.IsAlike})
		}
	}
	if len(said.Rules) == 0 {
		return explained{}, failed(NoAnswer, "%v", refusal.ErrUnknownWords)
	}
	return said, nil
}

// explainTools finds the places in the tools that a message means.
func (s *Service) explainTools(ctx context.Context, message string, document run.Document) (explained, error) {
	var sent []schema.Tool
	var subjects []judge.Subject
	for _, tool := range document.Tools {
		sent, subjects = append(sent, tool.Tool), append(subjects, judge.Subject{Tool: tool, Source: source})
	}
	located, err := refusal.Locator{Dialects: surfaces()}.Locate(ctx, message, sent)
	var said explained
	if located.Dialect != nil {
		said.Dialect = located.Dialect.Name
	}
	for _, place := range located.Missing {
		said.Missing = append(said.Missing, place.Location)
	}
	judged := run.Run{Judge: judge.Judge{Store: s.Store, Coverage: &s.coverage, Raw: true}}
	of, isOfRequest := errors.AsType[*refusal.RequestError](err)
	var results []verdict.Result
	switch {
	case isOfRequest:
		results = []verdict.Result{judge.RefusedRequest(located, of, subjects)}
	case err != nil && ctx.Err() == nil:
		return said, failed(NoAnswer, "%v", err)
	case err == nil:
		results, err = judged.Judge.Refused(ctx, located, harness.Serving(located.Dialect), harness.DirectFor, subjects)
	}
	if ctx.Err() != nil {
		return said, ctx.Err()
	}
	if err != nil && !isOfRequest {
		return said, err
	}
	var out bytes.Buffer
	judged.Sink = report.NewJSON(&out)
	for _, result := range results {
		if err := judged.Count(result); err != nil {
			return said, err
		}
	}
	judged.Summary().Tools, judged.Summary().Read = len(subjects), len(subjects)
	if err := judged.End(); err != nil {
		return said, err
	}
	said.Lines = linesOf(out.Bytes())
	return said, nil
}

// surfaces returns all surfaces, those with a target first.
func surfaces() []*provider.Dialect {
	dialects := make([]*provider.Dialect, len(harness.Surfaces))
	for i, surface := range harness.Surfaces {
		dialects[i] = surface.Dialect
	}
	return dialects
}
