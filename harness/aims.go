package harness

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// Aims are the targets of the tools of a document: those to which the requests that have them send them. The
// zero value knows no request.
type Aims struct {
	requests int
	tools    map[*schema.Node]aim   // by their declarations
	targets  map[int][]judge.Target // by the Request of tools
	numbers  map[string]int         // the Request of tools, by the request in the document and its targets
}

// aim says in which request of a document a tool is, and for which targets.
type aim struct {
	request int
	targets []judge.Target
}

// Request adds the tools of a request, of which find returns the targets.
func (a *Aims) Request(tools []toolfile.Tool, find func(toolfile.Tool) []judge.Target) {
	if a.tools == nil {
		a.tools = map[*schema.Node]aim{}
	}
	a.requests++
	for _, tool := range tools {
		a.tools[tool.Declaration] = aim{a.requests, find(tool)}
	}
}

// Meant numbers all tools of a document by their requests and the targets to which these send them, and returns
// what finds the targets. It returns nil, and changes nothing, if some tool has none. A list in no request, with
// tools that say that they are strict, is that of a request to the API whose form it has.
func (a *Aims) Meant(tools []toolfile.Tool) func(toolfile.Tool) []judge.Target {
	if a.requests == 0 && slices.ContainsFunc(tools, isStrict) {
		a.Request(tools, ofStrict(tools))
	}
	isAimless := func(tool toolfile.Tool) bool {
		return tool.Declaration == nil || len(a.tools[tool.Declaration].targets) == 0
	}
	if slices.ContainsFunc(tools, isAimless) {
		return nil
	}
	for i := range tools {
		aim := a.tools[tools[i].Declaration]
		a.Number(&tools[i], aim.targets, aim.request, i)
	}
	return a.Of
}

// Of returns the targets of a tool that is numbered.
func (a *Aims) Of(tool toolfile.Tool) []judge.Target { return a.targets[tool.Request] }

// Number gives a tool, the one at an index, the number of its request and of its targets: tools for several
// surfaces are requests of their own.
func (a *Aims) Number(tool *toolfile.Tool, targets []judge.Target, request, index int) {
	key := fmt.Sprint(request, NamesOf(targets))
	if tool.Request == 0 { // it stands alone
		key += fmt.Sprint(" alone ", index)
	}
	if a.numbers == nil {
		a.numbers, a.targets = map[string]int{}, map[int][]judge.Target{}
	}
	if a.numbers[key] == 0 {
		a.numbers[key] = len(a.numbers) + 1
		a.targets[a.numbers[key]] = targets
	}
	tool.Request = a.numbers[key]
}

// NamesOf joins the names of targets.
func NamesOf(targets []judge.Target) string {
	names := make([]string, len(targets))
	for i, target := range targets {
		names[i] = target.Name()
	}
	return strings.Join(names, " ")
}

// isStrict reports whether a tool is declared with strict true.
func isStrict(tool toolfile.Tool) bool {
	return tool.Declaration.Get("strict").IsTrue() || tool.Declaration.Get("function").Get("strict").IsTrue()
}

// ofStrict returns what finds the targets of a list of tools: those of a request with this list.
func ofStrict(tools []toolfile.Tool) func(toolfile.Tool) []judge.Target {
	list := schema.NewArray()
	for _, tool := range tools {
		if tool.Declaration != nil {
			list.Elements = append(list.Elements, tool.Declaration)
		}
	}
	body := schema.NewObject(schema.Member{Key: "tools", Value: list})
	return Declaring(DirectFor(toolfile.FormOf(tools))[0].Dialect.API, "", body)
}
