package whole

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/agent/client"
	"toolproof/harness/report"
)

// one is a tool as a client sends it.
type one struct {
	server, tool, space, name string
	place, tokens             int // place is that of the server
}

// String returns the tool as SERVER/TOOL.
func (o one) String() string { return o.server + "/" + o.tool }

// loss is a problem for which a client may not send tools of the server at a place.
type loss struct {
	place, tools int
	problem      report.AgentProblem
}

// together returns the tools that a client sends, in its order, and what it loses by names.
func together(row *client.Row, lists []report.List) (sent []one, lost []loss) {
	renamed, lost := renamed(row, lists)
	sent, same := distinct(row, renamed)
	inOrder(row.Run.Names.Order, sent)
	return sent, append(lost, same...)
}

// renamed returns the tools under the names that a client gives to them, in the order of the configuration,
// and what it loses to names that are reserved.
func renamed(row *client.Row, lists []report.List) (tools []one, lost []loss) {
	own := map[string]bool{}
	if row.BuiltIn != nil {
		for _, name := range slices.Concat(row.BuiltIn.Commands, row.BuiltIn.Others) {
			own[name] = true
		}
	}
	for place, list := range lists {
		if !row.Run.TakesServer(list.Server) {
			says := fmt.Sprintf("%s sends no tool of a server that is called %s", row.Title, list.Server)
			lost = append(lost, loss{place, len(list.Tools), report.AgentProblem{Kind: report.ReservedName, Server: list.Server, Says: says}})
			continue
		}
		for _, tool := range list.Tools {
			space, name := row.Run.Sent(list.Server, tool.Name)
			if space != "" {
				space += " " + list.Server // clients keep namespaces of one name apart by a hash
			}
			this := one{list.Server, tool.Name, space, name, place, tool.Tokens[row.Name]}
			if tools = append(tools, this); space == "" && own[name] {
				lost = append(lost, reserved(row, this))
			}
		}
	}
	return tools, lost
}

// distinct returns the tools that a client sends if several have one name, and what it loses for that.
func distinct(row *client.Row, tools []one) (sent []one, lost []loss) {
	type key struct{ space, name string }
	named := make(map[key]int, len(tools)) // the indices of tools in sent
	for _, this := range tools {
		at := key{this.space, this.name}
		if other, isTaken := named[at]; isTaken {
			lost = append(lost, same(row, sent[other], this))
			if row.Run.Names.Equal != client.SendsAll {
				continue
			}
		}
		named[at] = len(sent)
		sent = append(sent, this)
	}
	return sent, lost
}

// reserved returns the problem of a tool with the name of one of the client's own.
func reserved(row *client.Row, tool one) loss {
	says := fmt.Sprintf("%s is %s, as a tool of its own: which one it sends is not known", tool, tool.name)
	if row.Run.Names.Equal == client.SendsAll {
		says = fmt.Sprintf("%s is %s, as a tool of its own: it sends both", tool, tool.name)
	}
	return loss{tool.place, 0, report.AgentProblem{Kind: report.ReservedName, Server: tool.server, Tool: tool.tool, Sent: tool.name, Says: says}}
}

// same returns the problem of two tools with one name. The second is later in the configuration.
func same(row *client.Row, first, second one) loss {
	says, tools := "it sends one of them", 1
	switch row.Run.Names.Equal {
	case client.SendsFirst:
		says = "it sends the first"
	case client.SendsAll:
		says, tools = "it sends both", 0
	case client.SendsOne:
	}
	return loss{second.place, tools, report.AgentProblem{
		Kind: report.SameName, Server: second.server, Tool: second.tool, Sent: second.name, With: first.server,
		Says: fmt.Sprintf("%s and %s are both %s: %s", first, second, second.name, says),
	}}
}

// inOrder brings tools into the order in which a client sends them.
func inOrder(order client.Order, tools []one) {
	slices.SortStableFunc(tools, func(a, b one) int {
		switch order {
		case client.ByServer:
			return client.CompareAsWords(a.server, b.server)
		case client.ByName:
			return cmp.Or(strings.Compare(a.space, b.space), strings.Compare(a.name, b.name))
		case client.ByNameAsWords:
			return client.CompareAsWords(a.name, b.name)
		default:
			return cmp.Compare(a.place, b.place)
		}
	})
}
