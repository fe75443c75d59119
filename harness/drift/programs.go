package drift

import (
	"cmp"
	"slices"
)

// Cell is what was measured of a program that others wrote: what becomes of a tool there, or
// how many tools have an outcome.
type Cell struct {
	// Program is its name, and Version that of what was measured.
	Program, Version string
	// Where is the surface, or the way through a gateway; What is the tool, or the outcome.
	Where, What string
	// Says is what was found, in a word or a number.
	Says string
}

// Program is a program that has another version, or does something else, than before.
type Program struct {
	Name string
	// From and To are the versions; one is empty where the program was not measured.
	From, To string
	Cells    []CellFlip
}

// CellFlip is a cell that says something else than before. Before or After is empty where
// there was no such cell.
type CellFlip struct{ Where, What, Before, After string }

// Programs compares what was measured twice: the programs that differ, by their names.
func Programs(before, after []Cell) []Program {
	type place struct{ program, where, what string }
	versions := [2]map[string]string{{}, {}}
	says := [2]map[place]string{{}, {}}
	var order []place
	for i, cells := range [][]Cell{before, after} {
		for _, cell := range cells {
			at := place{cell.Program, cell.Where, cell.What}
			versions[i][cell.Program] = cell.Version
			if _, isKnown := says[0][at]; i == 0 || !isKnown {
				order = append(order, at)
			}
			says[i][at] = cell.Says
		}
	}
	found := map[string]*Program{}
	of := func(name string) *Program {
		if found[name] == nil {
			found[name] = &Program{Name: name, From: versions[0][name], To: versions[1][name]}
		}
		return found[name]
	}
	for i := range versions {
		for name, version := range versions[i] {
			if other, isThere := versions[1-i][name]; !isThere || other != version {
				of(name)
			}
		}
	}
	for _, at := range order {
		if says[0][at] != says[1][at] {
			program := of(at.program)
			program.Cells = append(program.Cells, CellFlip{at.where, at.what, says[0][at], says[1][at]})
		}
	}
	programs := make([]Program, 0, len(found))
	for _, program := range found {
		programs = append(programs, *program)
	}
	slices.SortFunc(programs, func(a, b Program) int { return cmp.Compare(a.Name, b.Name) })
	return programs
}
