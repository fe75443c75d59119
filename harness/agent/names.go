package agent

import (
	"slices"
	"strings"

	"toolproof/harness/agent/arrival"
	"toolproof/schema"
)

// match finds the declarations of tools, which clients call by other names: behind the
// name of the server, with other characters, cut off, or with a hash. It returns the index
// of the declaration for each tool, or -1.
func match(tools []schema.Tool, declared []arrival.Declaration, server string) []int {
	found := slices.Repeat([]int{-1}, len(tools))
	taken := make([]bool, len(declared))
	take := func(isOne func(tool schema.Tool, one arrival.Declaration) bool) {
		for i, tool := range tools {
			if found[i] >= 0 {
				continue
			}
			for j, one := range declared {
				if !taken[j] && isOne(tool, one) {
					found[i], taken[j] = j, true
					break
				}
			}
		}
	}
	// A name with that of the server goes before one without: a tool of the client's own
	// may have the latter.
	behind := func(one arrival.Declaration) (string, bool) { return behindServer(one, server) }
	take(func(tool schema.Tool, one arrival.Declaration) bool {
		rest, isOf := behind(one)
		return isOf && rest == tool.Name
	})
	take(func(tool schema.Tool, one arrival.Declaration) bool {
		rest, isOf := behind(one)
		return isOf && plain(rest) == plain(tool.Name)
	})
	take(func(tool schema.Tool, one arrival.Declaration) bool { return one.Tool.Name == tool.Name })
	take(func(tool schema.Tool, one arrival.Declaration) bool { return plain(one.Tool.Name) == plain(tool.Name) })
	// What is left was cut off, or has a hash. The description tells which it is, or else
	// how much of the name is there.
	take(func(tool schema.Tool, one arrival.Declaration) bool {
		text, err := tool.DescriptionText()
		other, _ := one.Tool.DescriptionText()
		return err == nil && text != "" && text == other && shares(tool, one, server) >= shortest
	})
	take(func(tool schema.Tool, one arrival.Declaration) bool { return shares(tool, one, server) >= long })
	return found
}

// The lengths of a beginning by which a name is known: with the same description, and
// without.
const (
	shortest = 3
	long     = 12
)

// behindServer returns what stands behind the name of the server: mcp__S__t, mcp_S_t,
// S__t, S_t, S-t, S.t, or t in a namespace of the server.
func behindServer(one arrival.Declaration, server string) (string, bool) {
	if plain(strings.TrimPrefix(one.Space, "mcp__")) == plain(server) || plain(one.Space) == plain(server) {
		return one.Tool.Name, true
	}
	for _, prefix := range []string{"mcp__", "mcp_", "mcp-", ""} {
		rest, ok := strings.CutPrefix(one.Tool.Name, prefix)
		if !ok {
			continue
		}
		rest, ok = strings.CutPrefix(rest, server)
		if !ok {
			continue
		}
		for _, separator := range []string{"__", "_", "-", ".", "/", ":"} {
			if name, ok := strings.CutPrefix(rest, separator); ok {
				return name, true
			}
		}
	}
	return "", false
}

// plain returns a name with one character for all that are no letters and digits.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '_'
		}
	}, name)
}

// shares returns how many characters the names begin with alike.
func shares(tool schema.Tool, one arrival.Declaration, server string) int {
	name, isOf := behindServer(one, server)
	if !isOf {
		name = one.Tool.Name
	}
	a, b := plain(tool.Name), plain(name)
	count := 0
	for count < min(len(a), len(b)) && a[count] == b[count] {
		count++
	}
	return count
}
