package anthropic

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// The forms in which Anthropic's messages name a place.
var (
	toolPlace = lazy.Compile(`tools\.(\d+)(?:\.custom)?((?:\.[^\s:.]+)*):[^\n]*`)
	// ofNamed matches messages about members of a tool that they name.
	ofNamed = lazy.Compile(`[^\n]*Tool '([^']+)' cannot have both[^\n]*`)
	// ofTools and ofGrammar match the parts of messages that refuse a schema without naming it.
	ofTools   = lazy.Compile(`[^\n]*(?:input_schema does not support oneOf|JSON schema is invalid\. It must match|Tool names must be unique)[^\n]*`)
	ofGrammar = lazy.Compile(`[^\n]*(?:Schemas contains too many|Too many strict tools|The compiled grammar is too large|Schema is too complex|` +
		`For '\w+' type, |For 'anyOf', '|propert(?:y|ies) [\w', -]+ (?:is|are) not supported|Schema (?:keyword|type) '\w+' is not supported|` +
		`Circular reference detected|Enum value '|Array types must be specified|Empty schema \(\{\}\))[^\n]*`)
	// ofRequest matches messages about all tools together.
	ofRequest   = lazy.Compile(`Tool names must be unique|Too many strict tools|[Aa]t least one tool must`)
	formatPlace = lazy.Compile(`(?:output_format|output_config\.format)\.schema((?:\.[^\s:.]+)*):[^\n]*`)
)

// locateTool finds a tool by its index, and follows a path into input_schema as far as the schema
// has it.
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
	if named := ofNamed.FindStringSubmatch(refusal.Message); named != nil {
		message := strings.TrimSpace(named[0])
		places = append(places, provider.Place{Declaration: provider.DeclarationNamed(declarations, named[1]), Name: named[1], Location: named[1], Message: message})
	}
	if len(places) == 0 {
		return whole(refusal.Message, declarations, ofTools)
	}
	return places
}

// locateStrict is like locateTool and also understands the words of the grammar's compiler.
func locateStrict(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	if places := locateTool(refusal, declarations); len(places) > 0 {
		return places
	}
	return whole(refusal.Message, declarations, ofGrammar)
}

// whole reads a message that names no place. It means the schema if there is only one.
func whole(message string, declarations []*schema.Node, pattern *lazy.Regexp) []provider.Place {
	words := strings.TrimSpace(pattern.FindString(message))
	switch {
	case words == "":
		return nil
	case ofRequest.MatchString(words):
		return []provider.Place{{Declaration: provider.Elsewhere, Location: "tools", Message: words}}
	case len(declarations) == 1:
		return []provider.Place{{At: "/parameters", Message: words}}
	default:
		return []provider.Place{{Declaration: provider.Nowhere, Message: words}}
	}
}

// locateFormat finds the schema of an output format.
func locateFormat(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	match := formatPlace.FindStringSubmatch(refusal.Message)
	if match == nil && toolPlace.MatchString(refusal.Message) {
		return nil
	}
	if match == nil {
		return whole(refusal.Message, declarations, ofGrammar)
	}
	location, _, _ := strings.Cut(match[0], ": ")
	place := provider.Place{Declaration: provider.DeclarationAt(declarations, 0), Location: location, Message: strings.TrimSpace(match[0])}
	if len(declarations) != 1 {
		place.Declaration = provider.Nowhere // a request has one format, and the message does not name it
	} else {
		place.At = follow(declarations[0], ".schema"+match[1])
	}
	return []provider.Place{place}
}

// follow returns the pointer into the tool for a path such as .input_schema.type. If the path
// leads to a missing member, the pointer leads to the value that lacks it.
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
