package engine

import (
	"sync"

	"toolproof/schema"
)

// memory holds the lists that a Work needs for itself. A result has no part of them, so that the
// next Work uses them again: most tools are small, and without that more than half of the time
// went into making and collecting such lists.
type memory struct {
	wrapper schema.Node // the given tool as an object
	given   places      // of the given tool; the copy of the i-th has the number i
	nodes   []schema.Node
	members []schema.Member // of the copy; a result that differs keeps both
	visits  []visit
	arounds []around
	changes []change
	parts   []schema.Member // what changes have removed and added
	fates   []fate          // see Pass.RemoveEach
	copied  places          // see Pass.Copy
	result  places
	// pointers is the text of all pointers of a report, one after the other.
	pointers []byte
}

var memories sync.Pool

func newMemory() *memory {
	if kept, ok := memories.Get().(*memory); ok {
		return kept
	}
	return new(memory)
}

// mostKept is how many elements a list of a memory may have to be used again.
const mostKept = 1 << 16

// release gives the memory back, with the nodes of the copy unless the result is made of them.
func (w *Work) release(isUsed bool) {
	m := w.memory
	w.memory = nil
	if isUsed {
		w.tool.From = nil // it leads into the memory
		m.nodes, m.members = nil, nil
	}
	if max(cap(m.given.list), cap(m.nodes), cap(m.members), cap(m.visits), cap(m.arounds), cap(m.changes), cap(m.parts),
		cap(m.copied.list), cap(m.result.list), cap(m.pointers)>>4) > mostKept {
		return
	}
	// The kept lists must not keep tools alive.
	m.given.work, m.copied.work, m.result.work = nil, nil, nil
	m.wrapper.Members = emptied(m.wrapper.Members)
	m.given.list, m.result.list = emptied(m.given.list), emptied(m.result.list)
	m.nodes, m.members = emptied(m.nodes), emptied(m.members)
	m.visits, m.arounds, m.changes = emptied(m.visits), emptied(m.arounds), emptied(m.changes)
	m.parts = emptied(m.parts)
	m.pointers = m.pointers[:0]
	memories.Put(m)
}

// kept returns a list if it is small enough to be used again, and nil otherwise.
func kept[E any](list []E) []E {
	if cap(list) > mostKept {
		return nil
	}
	return list
}

func emptied[E any](list []E) []E {
	clear(list)
	return list[:0]
}

// newAround keeps an around in a block with others. A full block stays alive as long as something
// points into it.
func (m *memory) newAround(of around) *around {
	if len(m.arounds) == cap(m.arounds) {
		const first = 32
		m.arounds = make([]around, 0, max(first, 2*cap(m.arounds)))
	}
	m.arounds = append(m.arounds, of)
	return &m.arounds[len(m.arounds)-1]
}
