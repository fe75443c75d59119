package judge

import (
	"sync"

	"toolproof/harness/provider"
	"toolproof/internal/construct"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Memory keeps the answers of surfaces to tools alone, and what pipelines made of the
// tools of a request. Several targets ask the same of one surface, and a request asks again about
// its tools. It is safe for concurrent use. A nil Memory keeps nothing.
type Memory struct {
	mutex   sync.Mutex
	made    map[question]normalizers.Result
	answers map[question]answer
	// constructs are those of a schema, by its root.
	constructs map[*schema.Node][]*construct.Known
}

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
	if m == nil || made.Tool.Parameters.Size()+len(made.Changes) > maxKept {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.made == nil {
		m.made = map[question]normalizers.Result{}
	}
	m.made[question{pipeline, tool}] = made
}

// kept returns what a pipeline made of a tool, where that is kept.
func (m *Memory) kept(pipeline *normalizers.Pipeline, tool schema.Tool) (normalizers.Result, bool) {
	if m == nil {
		return normalizers.Result{}, false
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	known, ok := m.made[question{pipeline, tool}]
	return known, ok
}

// ask returns the answer of a surface about a tool, which ask finds out where it is the
// first.
func (m *Memory) ask(dialect *provider.Dialect, tool schema.Tool, ask func() (provider.Response, error)) (provider.Response, error) {
	if m == nil {
		return ask()
	}
	asked := question{dialect, tool}
	m.mutex.Lock()
	known, ok := m.answers[asked]
	m.mutex.Unlock()
	if ok {
		return known.response, known.err
	}
	response, err := ask() // another may ask the same meanwhile, and get the same
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.answers == nil {
		const usual = 32 // all targets ask about so many surfaces and normalized tools
		m.answers = make(map[question]answer, usual)
	}
	m.answers[asked] = answer{response, err}
	return response, err
}

// constructsOf returns the constructs of schemas, as a table has them. Those of one schema it keeps: several
// surfaces take the same.
func (m *Memory) constructsOf(table *construct.Table, roots []*schema.Node) []*construct.Known {
	if m == nil || len(roots) != 1 {
		return table.Of(roots...)
	}
	m.mutex.Lock()
	known, ok := m.constructs[roots[0]]
	m.mutex.Unlock()
	if ok {
		return known
	}
	found := table.Of(roots[0])
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.constructs == nil {
		m.constructs = map[*schema.Node][]*construct.Known{}
	}
	m.constructs[roots[0]] = found
	return found
}
