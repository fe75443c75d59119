package rpc

import (
	"context"
	"slices"

	"toolproof/harness"
	"toolproof/harness/provider"
)

// hello is the result of the method of that name.
type hello struct {
	Protocol int      `json:"protocol"`
	Version  string   `json:"version"`
	Targets  []target `json:"targets"`
}

// target is a target, or a dialect that has none.
type target struct {
	Name    string `json:"name"`
	Dialect string `json:"dialect"`
	Doc     string `json:"doc"`
	// Normalizes is set if the target rewrites tools, which normalize needs.
	Normalizes bool `json:"normalizes"`
	// Answers is set if the target takes the schema of an answer, and no tools.
	Answers bool `json:"answers"`
}

// hello says which version answers, and for which targets.
func (s *Service) hello(context.Context, struct{}) (hello, error) {
	said := hello{Protocol: Protocol, Version: s.Version}
	for _, known := range slices.Concat(harness.Targets, harness.Relatives) {
		said.Targets = append(said.Targets, target{
			known.Name(), known.Dialect.Name, known.Dialect.Doc, known.Normalizer != nil, known.Dialect.Subject == provider.Answer,
		})
	}
	return said, nil
}
