package judge

import (
	"sync"

	"toolproof/harness/provider"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Memory keeps the results of pipelines, and the answers of surfaces to each tool
// alone. Several targets ask the same of one surface, and a request asks again about
// its tools. It is safe for concurrent use. A nil Memory keeps nothing.
type Memory struct{ made, answers sync.Map }

// question is a tool for a pipeline or on a surface. Tools differ by their nodes, which
// nobody changes.
type question struct {
	of                      any // *normalizers.Pipeline or *provider.Dialect
	name                    string
	description, parameters *schema.Node
}

// answer is what a surface answered.
type answer struct {
	response provider.Response
	err      error
}

// normalized returns what a pipeline makes of a tool, which normalize finds out where it
// is the first.
func (m *Memory) normalized(pipeline *normalizers.Pipeline, tool schema.Tool, normalize func() (normalizers.Result, error)) (normalizers.Result, error) {
	if m == nil {
		return normalize()
	}
	asked := question{pipeline, tool.Name, tool.Description, tool.Parameters}
	if known, ok := m.made.Load(asked); ok {
		return known.(normalization).result, known.(normalization).err //nolint:forcetypeassert // nothing else is stored
	}
	result, err := normalize()
	m.made.Store(asked, normalization{result, err})
	return result, err
}

// ask returns the answer of a surface about a tool, which ask finds out where it is the
// first.
func (m *Memory) ask(dialect *provider.Dialect, tool schema.Tool, ask func() (provider.Response, error)) (provider.Response, error) {
	if m == nil {
		return ask()
	}
	asked := question{dialect, tool.Name, tool.Description, tool.Parameters}
	if known, ok := m.answers.Load(asked); ok {
		return known.(answer).response, known.(answer).err //nolint:forcetypeassert // nothing else is stored
	}
	response, err := ask()
	m.answers.Store(asked, answer{response, err})
	return response, err
}
