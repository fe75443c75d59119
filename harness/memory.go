package harness

import (
	"sync"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Memory keeps what surfaces answered to one tool: several targets ask the same of one
// surface, because they leave the tool as it is or share a declaration. It is safe for
// concurrent use. A nil Memory keeps nothing.
type Memory struct{ answers sync.Map }

// question is a tool on a surface. Tools differ by their nodes, which nobody
// changes.
type question struct {
	dialect                 *provider.Dialect
	name                    string
	description, parameters *schema.Node
}

// answer is what a surface answered.
type answer struct {
	response provider.Response
	err      error
}

// ask returns the answer to a question, which ask finds out where it is the first.
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
