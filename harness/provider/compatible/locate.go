package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// words is one way in which the messages of a surface speak. What its groups of these
// names match is the place; each may be missing.
//
//	index     of the declaration
//	name      of the declaration
//	pointer   from the root of the schema, as a JSON Pointer
//	dotted    the same with dots, $ and root are the root
//	keyword   at the place
//	member    of the declaration, such as the type of a tool
type words struct{ *lazy.Regexp }

// group returns what the group of the name matched, and whether it did.
func (w words) group(match []string, name string) (text string, ok bool) {
	i := w.SubexpIndex(name)
	if i < 0 || i >= len(match) {
		return "", false
	}
	return match[i], match[i] != ""
}

// locator makes the Locate of a surface that speaks in the given ways; the first that
// matches counts.
func locator(spoken ...string) func(provider.Response, []*schema.Node) []provider.Place {
	ways := make([]words, len(spoken))
	for i, text := range spoken {
		ways[i] = words{lazy.Compile(text)}
	}
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		for _, way := range ways {
			if match := way.FindStringSubmatch(refusal.Message); match != nil {
				return []provider.Place{way.place(match, declarations)}
			}
		}
		return nil
	}
}

// place returns the place of a match in the declarations. Where the message names no
// declaration it is the first that has the place.
func (w words) place(match []string, declarations []*schema.Node) provider.Place {
	place := provider.Place{Declaration: provider.Nowhere, Location: w.location(match), Message: strings.TrimSpace(match[0])}
	candidates := make([]int, 0, len(declarations))
	name, isNamed := w.group(match, "name")
	index, isCounted := w.group(match, "index")
	switch {
	case isNamed && provider.DeclarationNamed(unwrapped(declarations), name) != provider.Nowhere:
		candidates = append(candidates, provider.DeclarationNamed(unwrapped(declarations), name))
	case isCounted:
		if number, err := strconv.Atoi(index); err == nil {
			candidates = append(candidates, provider.DeclarationAt(declarations, number))
		}
	case isNamed: // another tool than those that are given
	default:
		for i := range declarations {
			candidates = append(candidates, i)
		}
	}
	isWhole := !isNamed && !isCounted && place.Location == ""
	if isWhole && len(declarations) != 1 {
		return place
	}
	for _, i := range candidates {
		if i == provider.Nowhere {
			continue
		}
		if at, ok := w.follow(match, declarations[i]); ok {
			place.Declaration, place.At = i, at
			break
		}
	}
	return place
}

// location returns the place as the message spells it.
func (w words) location(match []string) string {
	var parts []string
	for _, name := range []string{"index", "name", "pointer", "dotted", "keyword", "member"} {
		if text, ok := w.group(match, name); ok {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// follow returns where a match leads in a declaration; a keyword that is missed is
// pointed at by what it is missed in.
func (w words) follow(match []string, declaration *schema.Node) (schema.Pointer, bool) {
	if member, ok := w.group(match, "member"); ok {
		if declaration.Has(member) {
			return schema.Pointer("").Child(member), true
		}
		return "", true
	}
	_, node := schemaOf(declaration)
	at := schema.Pointer("/parameters")
	if node == nil {
		return "", true
	}
	var tokens []string
	if pointer, ok := w.group(match, "pointer"); ok {
		tokens = schema.Pointer(strings.TrimRight(pointer, "/")).Tokens()
	}
	dotted, _ := w.group(match, "dotted")
	if dotted = strings.TrimPrefix(strings.TrimPrefix(dotted, "$"), "."); dotted != "" && dotted != "root" {
		found, ok := dottedTokens(node, dotted)
		if !ok {
			return "", false
		}
		tokens = found
	}
	if keyword, ok := w.group(match, "keyword"); ok {
		tokens = append(tokens, keyword)
	}
	for i, token := range tokens {
		below := node.Step(token)
		if below == nil {
			return at, i == len(tokens)-1
		}
		node, at = below, at.Child(token)
	}
	return at, true
}

// dottedTokens splits a way of members at its dots; names may have dots of their own.
// What the last object lacks is its last token.
func dottedTokens(node *schema.Node, rest string) (tokens []string, ok bool) {
	if rest == "" || node == nil {
		return nil, rest == ""
	}
	names := node.Keys()
	if node.Kind == schema.Array {
		first, _, _ := strings.Cut(rest, ".")
		names = []string{first}
	}
	for _, name := range names {
		after, cut := strings.CutPrefix(rest, name)
		if !cut || after != "" && after[0] != '.' {
			continue
		}
		if below, ok := dottedTokens(node.Step(name), strings.TrimPrefix(after, ".")); ok {
			return append([]string{name}, below...), true
		}
	}
	return []string{rest}, node.Kind == schema.Object && !strings.Contains(rest, ".")
}

// unwrapped returns the objects of declarations that have their names.
func unwrapped(declarations []*schema.Node) []*schema.Node {
	inner := make([]*schema.Node, len(declarations))
	for i, declaration := range declarations {
		inner[i] = declaration
		for _, wrapper := range []string{"function", "toolSpec"} {
			if below := declaration.Get(wrapper); below != nil {
				inner[i] = below
			}
		}
	}
	return inner
}

// The ways in which the providers speak. Terminals wrap lines.
var (
	locateGroqTool = locator(
		`invalid JSON schema for tool (?P<name>[^\s,]+),\s+tools\[(?P<index>\d+)\]\.function\.parameters:\s+(?:(?P<pointer>/[^\s:]*):\s)?[^\n]*`,
	)
	locateGroqFormat = locator(
		`invalid JSON schema for response_format:\s+(?:'(?P<name>[^']*)':\s*)?(?:(?P<pointer>/[^\s:]*):\s)?[^\n]*(?:\n[^\n]+)?`,
		`invalid schema for response format:\s+response_format/json_schema(?:/[^\s:]*)?:[^\n]*`,
	)
	locateCerebras = locator(
		`Object fields require at least one of: [^\n]*`,
		`Unsupported JSON schema fields: [^\n]*`,
		`Invalid fields for schema[^\n]*`,
	)
	locateDeepSeek = locator(
		`Invalid schema for function '(?P<name>[^']*)': (?:schema must be a JSON Schema of 'type: "object"', got 'type: (?:null|"\w+")'|.* is not of type "\w+"|`+
			`.* is not valid under any of the schemas listed in the '\w+' keyword)[^\n]*`,
		`target type: tools\[(?P<index>\d+)\]: missing field .(?P<member>type)[^\n]*`,
	)
	locateMoonshot = locator(
		`moonshot flavored json schema, details: <At path '(?P<dotted>[^']*)'[^\n]*`,
		`moonshot flavored json schema[^\n]*`,
		`tools\.function\.parameters\.(?P<keyword>type) is required[^\n]*`,
	)
	locateXAI = locator(
		`(?:(?P<name>[^\s:]+): )?tool parameter root must be an object type[^\n]*`,
		`Invalid function schema[^\n]*`,
	)
	locateBedrock = locator(
		`toolConfig\.tools\.(?P<index>\d+)\.toolSpec\.inputSchema\.json\.(?P<keyword>\w+) must be[^\n]*`,
		`toolConfig\.tools\.(?P<index>\d+)\.toolSpec\.inputSchema is invalid\. [^$\n]*(?P<dotted>\$[^\s:]*):[^\n]*`,
		`#/toolConfig/tools/(?P<index>\d+)/toolSpec/inputSchema/json(?P<pointer>/[^\s:]*)?: extraneous key \[(?P<keyword>[^\]]*)\][^\n]*`,
		`The model returned the following errors: tools\.(?P<index>\d+)\.custom\.input_schema[^\n]*`,
	)
)
