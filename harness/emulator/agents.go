package emulator

import (
	"path"
	"slices"
	"strings"

	"toolproof/harness/agent/client"
)

// Reply is the kind of the emulator's answers.
type Reply string

// The replies.
const (
	ReplyCall Reply = ""     // a call of a tool that may be called, or a text if there is none
	ReplyText Reply = "text" // a text, even if the request demands a call
)

// isCommand reports whether agents run commands with a tool of this name. A request that
// declares one is an agent's, which would do on its machine what an answer says.
func isCommand(name string) bool {
	return slices.ContainsFunc(client.Rows, func(row *client.Row) bool {
		return row.BuiltIn != nil && slices.Contains(row.BuiltIn.Commands, name)
	})
}

// isBuiltIn reports whether agents bring along a tool of this name.
func isBuiltIn(name string) bool {
	return slices.ContainsFunc(client.Rows, func(row *client.Row) bool {
		return row.BuiltIn != nil && (slices.Contains(row.BuiltIn.Commands, name) || slices.Contains(row.BuiltIn.Others, name))
	})
}

// callable returns the functions that an answer may call.
func (o *Options) callable(functions []function) []function {
	mayCall := o.calls(functions)
	return slices.DeleteFunc(slices.Clone(functions), func(f function) bool { return !mayCall(f) })
}

// calls returns a function that reports whether an answer may call one of the functions. The
// patterns in Call decide, or else the names in Own. Without either, an answer may call every
// function of an application. Of an agent's functions it may call those of MCP servers or, if there
// are none, those that are not built in.
func (o *Options) calls(all []function) func(function) bool {
	switch {
	case len(o.Call) > 0:
		return func(f function) bool { return slices.ContainsFunc(o.Call, f.isLike) }
	case len(o.Own) > 0:
		return func(f function) bool { return slices.ContainsFunc(o.Own, f.comesFrom) }
	case !slices.ContainsFunc(all, func(f function) bool { return isCommand(f.name) }):
		return func(function) bool { return true }
	case slices.ContainsFunc(all, function.isOfServer):
		return function.isOfServer
	default:
		return func(f function) bool { return !isBuiltIn(f.name) && !f.isCustom }
	}
}

// isLike reports whether a pattern of path.Match matches the name of the function, with or
// without its namespace.
func (f function) isLike(pattern string) bool {
	return slices.ContainsFunc([]string{f.name, f.namespace + f.name, f.namespace + "." + f.name, f.namespace + "__" + f.name}, func(name string) bool {
		isLike, err := path.Match(pattern, name)
		return err == nil && isLike
	})
}

// isOfServer reports whether the namespace or the name of the function is one that clients
// give to the tools of an MCP server.
func (f function) isOfServer() bool {
	return f.namespace != "" && f.namespace != "functions" || strings.HasPrefix(f.name, "mcp_") || strings.HasPrefix(f.name, "mcp-")
}

// comesFrom reports whether the function is the tool that the user calls own. Clients put the
// name of the server before the name of a tool, replace characters by _ or -, and cut long
// names.
func (f function) comesFrom(own string) bool {
	plain, name := plainName(own), plainName(f.name)
	if f.name == own || name == plain || strings.HasSuffix(name, "_"+plain) {
		return true
	}
	const cut, most = 24, 40 // how much of a name every client keeps; the length up to which no client cuts one
	return len(plain) > most && strings.Contains(name, plain[:cut])
}

// plainName returns a name with _ for every character but ASCII letters and digits.
func plainName(name string) string {
	return strings.Map(func(letter rune) rune {
		if letter < 128 && (letter >= '0' && letter <= '9' || letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z') {
			return letter
		}
		return '_'
	}, name)
}
