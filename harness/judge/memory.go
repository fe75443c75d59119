package judge

import (
	"sync"

	"toolproof/harness/provider"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Memory keeps the answers of surfaces to tools alone, and what pipelines made of the
// tools of a request. Several targets ask the same of one surface, and a request asks again about
// its tools. It is safe for concurrent use. A nil Memory keeps nothing.
type Memory struct{ made, answers sync.Map }

// question is a tool for a pipeline or on a surface. Tools differ by their nodes, which
// nobody changes.
type question struct {
	of   any // *normalizers.Pipeline or *provider.Dialect
	tool schema.Tool
}

// answer is what a surface answered.
type answer struct {
	response provider.Response
	err      error
}

// maxKept is how many values and changes a result has at most that is kept: a small tool
// can make a large one.
const maxKept = 20_000

// keep keeps what a pipeline made of a tool.
func (m *Memory) keep(pipeline *normalizers.Pipeline, tool schema.Tool, made normalizers.Result) {
	if m != nil && made.Tool.Parameters.Size()+len(made.Changes) <= maxKept {
		m.made.Store(question{pipeline, tool}, made)
	}
}

// kept returns what a pipeline made of a tool, where that is kept.
func (m *Memory) kept(pipeline *normalizers.Pipeline, tool schema.Tool) (normalizers.Result, bool) {
	if m == nil {
		return normalizers.Result{}, false
	}
	known, ok := m.made.Load(question{pipeline, tool})
	if !ok {
		return normalizers.Result{}, false
	}
	return known.(normalizers.Result), true //nolint:forcetypeassert // nothing else is stored
}

// ask returns the answer of a surface about a tool, which ask finds out where it is the
// first.
func (m *Memory) ask(dialect *provider.Dialect, tool schema.Tool, ask func() (provider.Response, error)) (provider.Response, error) {
	if m == nil {
		return ask()
	}
	asked := question{dialect, tool}
	if known, ok := m.answers.Load(asked); ok {
		return known.(answer).response, known.(answer).err //nolint:forcetypeassert // nothing else is stored
	}
	response, err := ask()
	m.answers.Store(asked, answer{response, err})
	return response, err
}
