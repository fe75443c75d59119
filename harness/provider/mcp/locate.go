package mcp

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// issuePath matches the path of an issue of zod, also in an escaped text, and pathToken a token of
// it.
var (
	issuePath = lazy.Compile(`path\W{1,8}\[\s*(?:\\*["']?params\\*["']?\s*,\s*)?\\*["']?tools\\*["']?\s*,\s*(\d+)\s*,?([^\]]*)\]`)
	pathToken = lazy.Compile(`[^\s,"'\\]+`)
)

// locate finds the tools and places of the issues that an SDK lists.
func locate(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	var places []provider.Place
	for _, match := range issuePath.FindAllStringSubmatch(refusal.Message, -1) {
		tokens := pathToken.FindAllString(match[2], -1)
		place := provider.Place{
			Declaration: provider.Nowhere, Location: strings.Join(append([]string{"tools", match[1]}, tokens...), "."), Message: match[0],
		}
		index, err := strconv.Atoi(match[1])
		if err == nil {
			place.Declaration = provider.DeclarationAt(declarations, index)
		}
		if place.Declaration != provider.Nowhere {
			place.At = follow(declarations[place.Declaration], tokens)
		}
		places = append(places, place)
	}
	return places
}

// follow returns the pointer into the tool for a path, as far as the declaration has it.
func follow(node *schema.Node, tokens []string) schema.Pointer {
	at := schema.Pointer("")
	for i, token := range tokens {
		below := node.Step(token)
		if i == 0 && token == "inputSchema" {
			token = "parameters"
		} else if below == nil {
			break
		}
		node, at = below, at.Child(token)
	}
	return at
}
