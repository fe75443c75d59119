package judge

import (
	"sync"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/normalizers"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Memory keeps the answers of surfaces to tools alone, what pipelines made of the tools
// of a request, and compiled schemas. Several targets ask the same of one surface, and
// make the same of a tool. A request asks again about its tools. It is safe for
// concurrent use. A nil Memory keeps nothing.
type Memory struct {
	mutex   sync.Mutex
	made    map[question]normalizers.Result
	answers map[question]answer
	// constructs are those of a schema, by its root.
	constructs map[*schema.Node][]*construct.Known
	// compiled are schemas by their text.
	compiled map[string]compiled
}

// question is a tool for a pipeline or on a surface. Tools differ by their nodes, which
// nobody changes.
type question struct {
	of   any // *normalizers.Pipeline or Offline
	tool schema.Tool
}

// compiled is a schema, or why it is none.
type compiled struct {
	schema *instance.Schema
	err    error
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
	m.made[question{of: pipeline, tool: tool}] = made
}

// kept returns what a pipeline made of a tool, where that is kept.
func (m *Memory) kept(pipeline *normalizers.Pipeline, tool schema.Tool) (normalizers.Result, bool) {
	if m == nil {
		return normalizers.Result{}, false
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	known, ok := m.made[question{of: pipeline, tool: tool}]
	return known, ok
}

// ask returns the answer to a question about a surface, which ask finds out where it is
// the first.
func (m *Memory) ask(asked question, ask func() (provider.Response, error)) (provider.Response, error) {
	if m == nil {
		return ask()
	}
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

// compile is instance.Compile. What it returns it keeps by the schema's text.
func (m *Memory) compile(root *schema.Node) (*instance.Schema, error) {
	if m == nil || root.Size() > maxKept {
		return instance.Compile(root)
	}
	text := root.String()
	m.mutex.Lock()
	known, ok := m.compiled[text]
	m.mutex.Unlock()
	if ok {
		return known.schema, known.err
	}
	known.schema, known.err = instance.Compile(root)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.compiled == nil {
		m.compiled = map[string]compiled{}
	}
	m.compiled[text] = known
	return known.schema, known.err
}

// constructsOf returns the constructs of schemas, as a table has them. Those of one
// schema it keeps: several surfaces take the same.
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
