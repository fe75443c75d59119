package engine

import (
	"sync"

	"toolproof/schema"
)

// memory holds lists that a Work needs only until it is finished, so that the next Work can use them
// again. Without that, normalizing a typical tool takes two thirds more time.
type memory struct {
	wrapper  schema.Node     // the given tool as an object
	given    places          // the places of the given tool; the Number of a copied node is the index of its place here
	nodes    []schema.Node   // the copied nodes, which a changed result keeps
	members  []schema.Member // the members of nodes, which a changed result keeps
	visits   []visit
	arounds  []around
	changes  []change
	parts    []schema.Member // the members that changes have removed and added
	fates    []fate          // see Pass.RemoveEach
	copied   places          // see Pass.Copy
	result   places          // the places of the result
	pointers []byte          // the JSON Pointers of a report, one after the other
}

var memories sync.Pool

func newMemory() *memory {
	if kept, ok := memories.Get().(*memory); ok {
		return kept
	}
	return new(memory)
}

// mostKept is the greatest capacity of a list that is used again.
const mostKept = 1 << 16

// release makes the memory available to the next Work. isUsed is set if the result consists of nodes
// and members, which it then keeps.
func (w *Work) release(isUsed bool) {
	m := w.memory
	w.memory = nil
	if isUsed {
		w.tool.From = nil // it points into the memory
		m.nodes, m.members = nil, nil
	}
	if max(cap(m.given.list), cap(m.nodes), cap(m.members), cap(m.visits), cap(m.arounds), cap(m.changes), cap(m.parts),
		cap(m.copied.list), cap(m.result.list), cap(m.pointers)>>4) > mostKept {
		return
	}
	// The lists must not keep tools alive.
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

// newAround allocates an around in a block with others. The pointer stays valid when the block is
// full and another one begins.
func (m *memory) newAround(of around) *around {
	if len(m.arounds) == cap(m.arounds) {
		const first = 32
		m.arounds = make([]around, 0, max(first, 2*cap(m.arounds)))
	}
	m.arounds = append(m.arounds, of)
	return &m.arounds[len(m.arounds)-1]
}
