package anthropic

import (
	"regexp"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// The ways in which Anthropic's messages tell a place.
var (
	toolPlace   = regexp.MustCompile(`tools\.(\d+)(?:\.custom)?((?:\.[^\s:.]+)*):[^\n]*`)
	formatPlace = regexp.MustCompile(`(?:output_format|output_config\.format)\.schema((?:\.[^\s:.]+)*):[^\n]*`)
)

// locateTool finds the tool by its index. A path into input_schema is followed as far
// as the schema has it.
func locateTool(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	var places []provider.Place
	for _, match := range toolPlace.FindAllStringSubmatch(refusal.Message, -1) {
		location, _, _ := strings.Cut(match[0], ": ")
		place := provider.Place{Location: location, Message: strings.TrimSpace(match[0])}
		index, err := strconv.Atoi(match[1])
		if err != nil {
			index = provider.Nowhere
		}
		if place.Declaration = provider.DeclarationAt(declarations, index); place.Declaration != provider.Nowhere {
			place.At = follow(declarations[place.Declaration], match[2])
		}
		places = append(places, place)
	}
	return places
}

// locateFormat finds the schema of an output format.
func locateFormat(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	match := formatPlace.FindStringSubmatch(refusal.Message)
	if match == nil {
		return nil
	}
	location, _, _ := strings.Cut(match[0], ": ")
	place := provider.Place{Declaration: provider.DeclarationAt(declarations, 0), Location: location, Message: strings.TrimSpace(match[0])}
	if len(declarations) != 1 {
		place.Declaration = provider.Nowhere // a request has one format: which is not told
	} else {
		place.At = follow(declarations[0], ".schema"+match[1])
	}
	return []provider.Place{place}
}

// follow turns .input_schema.type into a pointer into the tool; what is missed is
// pointed at by what it is missed in.
func follow(node *schema.Node, rest string) schema.Pointer {
	at := schema.Pointer("")
	for token := range strings.SplitSeq(strings.TrimPrefix(rest, "."), ".") {
		if node = node.Step(token); node == nil {
			break
		}
		if at == "" && (token == "input_schema" || token == "schema") {
			token = "parameters"
		}
		at = at.Child(token)
	}
	return at
}
