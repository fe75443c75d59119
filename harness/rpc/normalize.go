package rpc

import (
	"context"
	"encoding/json"
	"slices"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// normalizing are the parameters of normalize.
type normalizing struct {
	Tools   json.RawMessage `json:"tools"`
	Target  string          `json:"target"`
	Options options         `json:"options,omitzero"`
}

// options are those of normalizers.Options that a program chooses.
type options struct {
	Language         string `json:"language,omitempty"`
	KeepTitles       bool   `json:"keep_titles,omitempty"`
	PropertyOrdering bool   `json:"property_ordering,omitempty"`
	SayConstraints   bool   `json:"say_constraints,omitempty"`
	NeverStrict      bool   `json:"never_strict,omitempty"`
}

// normalized is the result of normalize.
type normalized struct {
	// Set names the tools for restore.
	Set string `json:"set"`
	// Dialect is the surface of the target, such as openai/chat-strict.
	Dialect string `json:"dialect"`
	// Tools has an element for each tool of the input, in the same order.
	Tools []normalizedTool `json:"tools"`
}

// normalizedTool is what became of a tool.
type normalizedTool struct {
	// Given is the name of the tool as given, and Name the one that models call. That of a response
	// schema is "response" if it has none.
	Given string `json:"given"`
	Name  string `json:"name,omitempty"`
	// Error says why there is no such form; nothing else is set then.
	Error string `json:"error,omitempty"`
	// Wire is the entry in the list of tools of a request or, with Response, the members of the request
	// that hold the schema of the answer.
	Wire     *schema.Node `json:"wire,omitempty"`
	Response bool         `json:"response,omitempty"`
	Tool     *schema.Node `json:"tool,omitempty"`
	Strict   bool         `json:"strict"`
	// Fallback says why the tool of a strict target is sent with strict false, and AsGiven why it is
	// not rewritten.
	Fallback string           `json:"fallback,omitempty"`
	AsGiven  string           `json:"as_given,omitempty"`
	Loss     rewrite.Loss     `json:"loss"`
	Changes  []verdict.Change `json:"changes"`
	// Restores lists the rules whose changes have to be undone in calls, which restore does.
	Restores []string `json:"restores,omitempty"`
}

// normalize rewrites tools for a target, as verify normalize does.
func (s *Service) normalize(ctx context.Context, asked normalizing) (normalized, error) {
	target, err := targetOf(asked)
	if err != nil {
		return normalized{}, err
	}
	document, err := read(asked.Tools)
	if err != nil {
		return normalized{}, err
	}
	if document.Err != nil {
		return normalized{}, failed(BadTools, "%v", document.Err)
	}
	prepared, err := target.Prepare(ctx, document.Tools)
	if err != nil {
		return normalized{}, err
	}
	made := normalized{Dialect: target.Dialect.Name, Tools: make([]normalizedTool, len(prepared))}
	var sent []normalizers.Result
	for i, one := range prepared {
		given := document.Tools[i]
		made.Tools[i] = shown(given.Name, one)
		if made.Tools[i].Response = given.IsResponse; one.Err == nil && !given.IsResponse {
			sent = append(sent, one.Result)
		}
	}
	declared, err := calls.Of(ctx, sent...)
	if err != nil {
		return normalized{}, err
	}
	made.Set = s.sets.keep(asked, declared)
	return made, nil
}

// targetOf returns the target of a request, as its options want it.
func targetOf(asked normalizing) (judge.Target, error) {
	if asked.Target == "" {
		return judge.Target{}, failed(BadRequest, "normalize needs a target, such as gemini or openai-strict")
	}
	target, err := harness.TargetNamed(asked.Target)
	if err != nil {
		return target, failed(BadRequest, "%v", err)
	}
	pipeline, isPipeline := target.Normalizer.(*normalizers.Pipeline)
	if !isPipeline {
		return target, failed(BadRequest, "no normalizer writes tools for %s", asked.Target)
	}
	chosen := asked.Options
	target.Normalizer = pipeline.With(normalizers.Options{
		Language: chosen.Language, KeepTitles: chosen.KeepTitles, PropertyOrdering: chosen.PropertyOrdering,
		SayConstraints: chosen.SayConstraints, NeverStrict: chosen.NeverStrict,
	})
	return target, nil
}

// shown returns what became of the tool with a name.
func shown(name string, one judge.Prepared) normalizedTool {
	if one.Err != nil {
		return normalizedTool{Given: name, Error: one.Err.Error(), Changes: []verdict.Change{}}
	}
	tool := normalizedTool{
		Given: name, Name: one.Result.Tool.Name, Wire: one.Wire, Tool: one.Shown.Tool, Strict: one.Shown.Strict,
		Fallback: one.Shown.Fallback, AsGiven: one.AsGiven, Loss: one.Shown.Loss, Changes: one.Shown.Changes,
	}
	for _, change := range one.Shown.Changes {
		if change.Restored && !slices.Contains(tool.Restores, change.Rule) {
			tool.Restores = append(tool.Restores, change.Rule)
		}
	}
	return tool
}
