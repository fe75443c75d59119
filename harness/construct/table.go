package construct

import (
	"sync"

	"toolproof/schema"
)

// Table has each construct of many schemas once, so that its address stands for it: there
// are a few thousand, and a run meets them a million times. The zero Table is empty. It is
// safe for concurrent use.
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
	walk := walkers.Get().(*walker) //nolint:forcetypeassert // nothing else is put there
	*walk = walker{found: walk.found[:0], plain: walk.plain[:0]}
	walk.all(roots)
	found := walk.found
	known := make([]*Known, len(found))
	isWhole := true
	t.mutex.RLock()
	for i, one := range found {
		known[i] = t.known[one]
		isWhole = isWhole && known[i] != nil
	}
	t.mutex.RUnlock()
	if !isWhole {
		for i, one := range found {
			known[i] = t.Add(one)
		}
	}
	clear(found) // what is kept must not hold the schemas
	clear(walk.plain)
	walkers.Put(walk)
	return known
}

// walkers are those that have ended: their room is used again.
var walkers = sync.Pool{New: func() any { return new(walker) }}

// Add returns the construct of the table, which it has from then on.
func (t *Table) Add(one Construct) *Known {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := t.known[one]
	if known == nil {
		if t.known == nil {
			t.known = map[Construct]*Known{}
		}
		known = &Known{one, one.String()}
		t.known[one] = known
	}
	return known
}
