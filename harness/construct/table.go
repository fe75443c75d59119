package construct

import (
	"sync"

	"toolproof/schema"
)

// Table interns constructs, so that their addresses can be compared: there are a few thousand,
// and a run meets them millions of times. The zero Table is empty. It is safe for concurrent
// use.
type Table struct {
	mutex sync.RWMutex
	known map[Construct]*Known
}

// Known is a construct of a Table.
type Known struct {
	Construct

	text string
}

// String returns the construct in words, as Construct.String does.
func (k *Known) String() string { return k.text }

// Of returns the constructs of schemas, as the function Of does.
func (t *Table) Of(roots ...*schema.Node) []*Known {
	found := Of(roots...)
	known := make([]*Known, len(found))
	isWhole := true
	t.mutex.RLock()
	for i, construct := range found {
		known[i] = t.known[construct]
		isWhole = isWhole && known[i] != nil
	}
	t.mutex.RUnlock()
	if !isWhole {
		for i := range found {
			known[i] = t.Add(found[i])
		}
	}
	return known
}

// Add adds a construct unless the table has it, and returns the table's.
func (t *Table) Add(construct Construct) *Known {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := t.known[construct]
	if known == nil {
		if t.known == nil {
			t.known = map[Construct]*Known{}
		}
		known = &Known{construct, construct.String()}
		t.known[construct] = known
	}
	return known
}
