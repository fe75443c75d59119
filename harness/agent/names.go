package agent

import (
	"slices"
	"strings"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/emulator"
	"toolproof/schema"
)

// match finds the declaration of each tool. Clients rename tools: they put the name of the
// server before the name, replace characters, cut long names, and add hashes. It returns the
// index of the declaration for each tool, or -1.
func match(tools []schema.Tool, declared []arrival.Declaration, server string) []int {
	found := slices.Repeat([]int{-1}, len(tools))
	taken := make([]bool, len(declared))
	take := func(isOf func(schema.Tool, arrival.Declaration) bool) {
		for i, tool := range tools {
			if found[i] >= 0 {
				continue
			}
			for j, declaration := range declared {
				if !taken[j] && isOf(tool, declaration) {
					found[i], taken[j] = j, true
					break
				}
			}
		}
	}
	// Names that follow the name of the server come first: a bare name may belong to one of the
	// client's own tools.
	behind := func(declaration arrival.Declaration) (string, bool) { return behindServer(declaration, server) }
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		rest, isOf := behind(declaration)
		return isOf && rest == tool.Name
	})
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		rest, isOf := behind(declaration)
		return isOf && plain(rest) == plain(tool.Name)
	})
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		return declaration.Tool.Name == tool.Name
	})
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		return plain(declaration.Tool.Name) == plain(tool.Name)
	})
	// The remaining names were cut or have a hash. They are matched by the description, or else by
	// a long common beginning or the whole name with a hash behind it.
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		text, err := tool.DescriptionText()
		other, _ := declaration.Tool.DescriptionText()
		return err == nil && text != "" && text == other && shares(tool, declaration, server) >= shortest
	})
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		return shares(tool, declaration, server) >= long
	})
	take(func(tool schema.Tool, declaration arrival.Declaration) bool {
		rest, isOf := behind(declaration)
		return isOf && strings.HasPrefix(plain(rest), plain(tool.Name)+"_")
	})
	return found
}

// announced returns the names of the tools that a request has among its words for the model's search,
// and the empty string for any other tool. Only a name behind that of the server counts.
func announced(tools []schema.Tool, server string, request *emulator.Entry, declared []arrival.Declaration) []string {
	names := make([]string, len(tools))
	if request == nil {
		return names
	}
	var words []arrival.Declaration
	for _, word := range slices.Compact(slices.Sorted(slices.Values(arrival.Announced(request, declared)))) {
		word := arrival.Declaration{Tool: schema.Tool{Name: word}}
		if _, isOf := behindServer(word, server); isOf {
			words = append(words, word)
		}
	}
	for i, at := range match(tools, words, server) {
		if at >= 0 {
			names[i] = words[at].Tool.Name
		}
	}
	return names
}

// The lengths of a common beginning by which two names match.
const (
	shortest = 3  // with the same description
	long     = 12 // without
)

// behindServer returns the name t of a tool that is declared after the name S of its server: as
// mcp__S__t, mcp_S_t, S__t, S_t, S-t or S.t, as t in a namespace of the server, or as Cline before 3 names it.
func behindServer(declaration arrival.Declaration, server string) (string, bool) {
	if plain(strings.TrimPrefix(declaration.Space, "mcp__")) == plain(server) || plain(declaration.Space) == plain(server) {
		return declaration.Tool.Name, true
	}
	if key, name, ok := strings.Cut(declaration.Tool.Name, "0mcp0"); ok && len(key) == len("cYfY-p") { // a random key for the server
		return name, true
	}
	for _, prefix := range []string{"mcp__", "mcp_", "mcp-", ""} {
		rest, ok := strings.CutPrefix(declaration.Tool.Name, prefix)
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

// plain returns a name in lower case, with _ for every character but ASCII letters and digits.
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

// shares returns the length of the common beginning of the names.
func shares(tool schema.Tool, declaration arrival.Declaration, server string) int {
	name, isOf := behindServer(declaration, server)
	if !isOf {
		name = declaration.Tool.Name
	}
	a, b := plain(tool.Name), plain(name)
	count := 0
	for count < min(len(a), len(b)) && a[count] == b[count] {
		count++
	}
	return count
}
