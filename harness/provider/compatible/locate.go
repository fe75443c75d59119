package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// pattern matches one form of the messages of a surface. Its named groups match the parts of the
// place. Each of them may be missing:
//
//	index     of the declaration
//	name      of the declaration
//	pointer   from the root of the schema, as a JSON Pointer
//	dotted    from the root of the schema, with dots; $ and root stand for the root
//	keyword   at the place
//	member    of the declaration, such as the type of a tool
type pattern struct{ *lazy.Regexp }

// group returns the text that the group of the name matched, and whether there is any.
func (w pattern) group(match []string, name string) (text string, ok bool) {
	i := w.SubexpIndex(name)
	if i < 0 || i >= len(match) {
		return "", false
	}
	return match[i], match[i] != ""
}

// patterns are the patterns of a surface's messages. The first that matches counts.
type patterns []pattern

func spoken(texts ...string) patterns {
	compiled := make(patterns, len(texts))
	for i, text := range texts {
		compiled[i] = pattern{lazy.Compile(text)}
	}
	return compiled
}

// locate makes the Locate of a surface that has the schema of a declaration at the pointer.
func (w patterns) locate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		for _, pattern := range w {
			if match := pattern.FindStringSubmatch(refusal.Message); match != nil {
				return []provider.Place{pattern.place(match, declarations, at)}
			}
		}
		return nil
	}
}

// place returns the place of a match in the declarations. If the message names no declaration,
// it returns the place in the first one that has it.
func (w pattern) place(match []string, declarations []*schema.Node, at schema.Pointer) provider.Place {
	place := provider.Place{Declaration: provider.Nowhere, Location: w.location(match), Message: strings.TrimSpace(match[0])}
	candidates := make([]int, 0, len(declarations))
	name, isNamed := w.group(match, "name")
	index, isCounted := w.group(match, "index")
	switch {
	case isNamed && provider.DeclarationNamed(withNames(declarations, at), name) != provider.Nowhere:
		candidates, place.Name = append(candidates, provider.DeclarationNamed(withNames(declarations, at), name)), name
	case isCounted && (!isNamed || len(declarations) == 1 && provider.NameOf(withNames(declarations, at)[0]) == ""):
		if number, err := strconv.Atoi(index); err == nil {
			candidates = append(candidates, provider.DeclarationAt(declarations, number))
		}
	case isNamed: // a tool that is not among the declarations
		place.Name = name
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
		if found, ok := w.follow(match, declarations[i], at); ok {
			place.Declaration, place.At = i, found
			break
		}
	}
	return place
}

// location returns the place in the message's own notation.
func (w pattern) location(match []string) string {
	var parts []string
	for _, name := range []string{"index", "name", "pointer", "dotted", "keyword", "member"} {
		if text, ok := w.group(match, name); ok {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// follow returns the place in a declaration that a match names. For a missing keyword it
// returns the place of the schema that lacks it.
func (w pattern) follow(match []string, declaration *schema.Node, root schema.Pointer) (schema.Pointer, bool) {
	if member, ok := w.group(match, "member"); ok {
		if declaration.Has(member) {
			return schema.Pointer("").Child(member), true
		}
		return "", true
	}
	node := declaration.Find(root)
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

// dottedTokens splits a dotted path into tokens. Names may contain dots. A member that
// the last object lacks becomes the last token.
func dottedTokens(node *schema.Node, rest string) (tokens []string, ok bool) {
	if rest == "" || node == nil {
		return nil, rest == ""
	}
	names := node.Keys()
	if node.Kind == schema.Array {
		first, _, _ := strings.Cut(rest, ".")
		names = []string{first}
		if _, err := strconv.Atoi(first); err != nil { // the index of a branch is left out
			return branchTokens(node, rest)
		}
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

// branchTokens splits a path that leads through a branch of a union without its index. It takes
// the first branch that has the path.
func branchTokens(list *schema.Node, rest string) (tokens []string, ok bool) {
	for i, branch := range list.Elements {
		if below, ok := dottedTokens(branch, rest); ok {
			return append([]string{strconv.Itoa(i)}, below...), true
		}
	}
	return nil, false
}

// withNames returns for each declaration the object that has its name.
func withNames(declarations []*schema.Node, at schema.Pointer) []*schema.Node {
	parts := make([]*schema.Node, len(declarations))
	for i, declaration := range declarations {
		parts[i] = named(declaration, at)
	}
	return parts
}

// The forms of the providers' messages, in which a terminal may have broken lines at spaces.
var (
	locateGroqTool = spoken(
		`invalid JSON schema for tool (?P<name>[^\s,]+),\s+tools\[(?P<index>\d+)\]\.function\.parameters:\s+(?:(?P<pointer>/[^\s:]*):\s)?[^\n]*`,
	)
	locateGroqFormat = spoken(
		`invalid JSON schema for response_format:\s+(?:'(?P<name>[^']*)':\s*)?(?:(?P<pointer>/[^\s:]*):\s)?[^\n]*(?:\n[^\n]+)?`,
		`invalid schema for response format:\s+response_format/json_schema(?:/[^\s:]*)?:[^\n]*`,
	)
	locateCerebras = spoken(
		`Object fields require at least one of: [^\n]*`,
		`Unsupported JSON schema fields: [^\n]*`,
		`Invalid fields for schema[^\n]*`,
	)
	locateDeepSeek = spoken(
		`Invalid schema for function '(?P<name>[^']*)': (?:schema must be a JSON Schema of 'type: "object"', got 'type: (?:null|"\w+")'|.* is not of type "\w+"|`+
			`.* is not valid under any of the schemas listed in the '\w+' keyword)[^\n]*`,
		`Invalid 'tools\[(?P<index>\d+)\]\.function\.(?P<member>name)': string does not match pattern\.[^\n]*`,
		`target type: tools\[(?P<index>\d+)\]: missing field .(?P<member>type)[^\n]*`,
	)
	locateMoonshot = spoken(
		`moonshot flavored json schema, details: <At path '(?P<dotted>[^']*)'[^\n]*`,
		`moonshot flavored json schema[^\n]*`,
		`tools\.function\.parameters\.(?P<keyword>type) is required[^\n]*`,
		`function name is invalid, must start with a letter[^\n]*`,
	)
	locateXAI = spoken(
		`(?:(?P<name>[^\s:]+): )?tool parameter root must be an object type[^\n]*`,
		`Invalid function schema[^\n]*`,
	)
	locateBedrock = spoken(
		`toolConfig\.tools\.(?P<index>\d+)\.toolSpec\.inputSchema\.json\.(?P<keyword>\w+) must be[^\n]*`,
		`toolConfig\.tools\.(?P<index>\d+)\.toolSpec\.inputSchema is invalid\. [^$\n]*(?P<dotted>\$[^\s:]*):[^\n]*`,
		`#/toolConfig/tools/(?P<index>\d+)/toolSpec/inputSchema/json(?P<pointer>/[^\s:]*)?: extraneous key \[(?P<keyword>[^\]]*)\][^\n]*`,
		`The model returned the following errors: tools\.(?P<index>\d+)\.custom(?:\.input_schema[\w.]*|\.(?P<member>strict))?: [^\n]*`,
	)
)
