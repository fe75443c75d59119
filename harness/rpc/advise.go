package rpc

import (
	"context"
	"encoding/json"

	"toolproof/harness/advice"
	"toolproof/harness/judge"
	"toolproof/harness/run"
)

// advising are the parameters of advise.
type advising struct {
	Tools json.RawMessage `json:"tools"`
	// Targets are those for which advise also names what they do not pass on.
	Targets []string `json:"targets"`
	// Language is the language that is read where a tool has texts in several.
	Language string `json:"language"`
}

// advise finds what models get wrong in tools, as verify advise --json does.
func (s *Service) advise(ctx context.Context, asked advising) (lines, error) {
	document, err := read(asked.Tools)
	if err != nil {
		return lines{}, err
	}
	targets, err := targetsNamed(asked.Targets)
	if err != nil {
		return lines{}, err
	}
	advised := run.Run{
		Targets: targets, Judge: judge.Judge{Store: s.Store, Coverage: &s.coverage, Raw: true},
		Advice: &run.Advice{Rules: advice.Usual(), Language: asked.Language, Asks: len(targets) > 0, Alone: true},
	}
	return finish(ctx, &advised, document)
}
