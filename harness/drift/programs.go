package drift

import (
	"cmp"
	"slices"
)

// Cell is one measurement of a third-party program: the outcome of one tool, or the number of
// tools with one outcome.
type Cell struct {
	// Program is the name of the program, and Version its version when it was measured.
	Program, Version string
	// Place is the surface, or the route through a gateway. Subject is the tool, or the outcome
	// that is counted.
	Place, Subject string
	// Value is the outcome, in a word, or the number.
	Value string
}

// Program is a program whose version or behaviour differs between two measurements.
type Program struct {
	Name string
	// From and To are the versions; "" if the program was not measured.
	From, To string
	Cells    []CellFlip
}

// CellFlip is a cell with different values. Before or After is "" if there was no such cell.
type CellFlip struct{ Place, Subject, Before, After string }

// Programs compares two measurements and returns the programs that differ, sorted by name.
func Programs(before, after []Cell) []Program {
	type key struct{ program, place, subject string }
	versions := [2]map[string]string{{}, {}}
	values := [2]map[key]string{{}, {}}
	var order []key
	for i, cells := range [][]Cell{before, after} {
		for _, cell := range cells {
			at := key{cell.Program, cell.Place, cell.Subject}
			versions[i][cell.Program] = cell.Version
			if _, isKnown := values[0][at]; i == 0 || !isKnown {
				order = append(order, at)
			}
			values[i][at] = cell.Value
		}
	}
	found := map[string]*Program{}
	program := func(name string) *Program {
		if found[name] == nil {
			found[name] = &Program{Name: name, From: versions[0][name], To: versions[1][name]}
		}
		return found[name]
	}
	for i := range versions {
		for name, version := range versions[i] {
			if other, isThere := versions[1-i][name]; !isThere || other != version {
				program(name)
			}
		}
	}
	for _, at := range order {
		if values[0][at] != values[1][at] {
			changed := program(at.program)
			changed.Cells = append(changed.Cells, CellFlip{at.place, at.subject, values[0][at], values[1][at]})
		}
	}
	programs := make([]Program, 0, len(found))
	for _, program := range found {
		programs = append(programs, *program)
	}
	slices.SortFunc(programs, func(a, b Program) int { return cmp.Compare(a.Name, b.Name) })
	return programs
}
