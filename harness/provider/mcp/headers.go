package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// StreamableHTTP is a tool whose arguments become headers of HTTP. Its clients leave out a faulty tool and keep
// the rest of the list.
var StreamableHTTP = &provider.Dialect{
	Name:     "mcp/streamable-http",
	Doc:      "tools of the Model Context Protocol of 2026-07-28 with x-mcp-header, as clients read them over streamable HTTP",
	Rules:    []*provider.Rule{headerPlace, headerEmpty, headerToken, headerType, headerUnique},
	Path:     "tools/list",
	API:      provider.ToolsList,
	Subject:  provider.Arguments,
	Schema:   "/inputSchema",
	Keyword:  headerKey,
	Relative: "mcp",
	Versions: modern,
	Declare:  declare,
	Envelope: envelope,
	Render:   renderWarning,
	Classify: classifyWarning,
	Locate:   locateHeader,
}

// headerKey is the keyword that names a header.
const headerKey = "x-mcp-header"

// headerSource says where the rules and their words are from.
const headerSource = "specification of 2026-07-28, server/tools, x-mcp-header: https://modelcontextprotocol.io/specification/2026-07-28/server/tools; " +
	"words of the npm package @modelcontextprotocol/client 2.4.0, as of 2026-11-27"

// headers is the stage that reads the x-mcp-header of each schema in an inputSchema. The Subject is a *header.
var headers = &provider.Stage{
	Name:           "headers",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		declared := request.Declarations[declaration]
		reading := &headerReading{visitor: visitor, seen: map[string]string{}, pass: provider.Pass{Request: request, Declaration: declaration}, tool: declared.GetString("name")}
		reading.read(declared.Get("inputSchema"), "/parameters", nil, true)
	},
}

// headerReading reads one inputSchema as the client does.
type headerReading struct {
	visitor *provider.Visitor
	pass    provider.Pass
	tool    string
	seen    map[string]string // headers by their names in lower case
}

// header is what the client knows of a schema that has x-mcp-header.
type header struct {
	tool string
	path string // names of properties, with dots between
	// isReachable says that only properties lead to the schema.
	isReachable bool
	prior       string // the same header before; empty if there is none
	day         provider.Date
}

// elsewhere are the keywords whose schemas a chain of properties does not pass, in the order of the client.
var elsewhere = []string{
	"items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames",
	"patternProperties", "dependentSchemas", "oneOf", "anyOf", "allOf", "not", "if", "then", "else", "$defs", "definitions",
}

// byName are those of elsewhere whose value has schemas by names.
var byName = []string{"patternProperties", "dependentSchemas", "$defs", "definitions"}

// read visits a value and the schemas in it.
func (r *headerReading) read(node *schema.Node, at schema.Pointer, path []string, isReachable bool) {
	if node == nil || node.Kind != schema.Object || r.visitor.Done() {
		return
	}
	r.visitor.ChargeText(len(at))
	if node.Has(headerKey) {
		name := node.GetString(headerKey)
		pass := r.pass
		pass.Node, pass.At = node, []byte(at)
		pass.Subject = &header{
			tool: r.tool, path: cmp.Or(strings.Join(path, "."), "<root>"), isReachable: isReachable && len(path) > 0,
			prior: r.seen[strings.ToLower(name)], day: r.visitor.Day,
		}
		if r.visitor.Visit(&pass) {
			return
		}
		r.seen[strings.ToLower(name)] = name
	}
	for _, member := range membersOf(node.Get("properties")) {
		r.read(member.Value, at.Child("properties").Child(member.Key), append(slices.Clip(path), member.Key), isReachable)
	}
	for _, keyword := range elsewhere {
		r.readElsewhere(node.Get(keyword), at.Child(keyword), append(slices.Clip(path), "<"+keyword+">"), slices.Contains(byName, keyword))
	}
}

// readElsewhere visits the schemas of a keyword that no chain of properties passes.
func (r *headerReading) readElsewhere(node *schema.Node, at schema.Pointer, path []string, isByName bool) {
	switch {
	case node == nil:
	case node.Kind == schema.Array:
		for i, element := range node.Elements {
			r.read(element, at.Element(i), path, false)
		}
	case isByName:
		for _, member := range membersOf(node) {
			r.read(member.Value, at.Child(member.Key), path, false)
		}
	default:
		r.read(node, at, path, false)
	}
}

func membersOf(node *schema.Node) []schema.Member {
	if node == nil || node.Kind != schema.Object {
		return nil
	}
	return node.Members
}

// exclude reports that the client leaves out the tool of a pass, and why.
func exclude(p *provider.Pass, why string) {
	of := p.Subject.(*header) //nolint:forcetypeassert // the stage's own type
	p.At = append(p.At, "/"+headerKey...)
	p.Reportf("[mcp-sdk] excluding tool '%s' from tools/list: invalid x-mcp-header declaration — %s", of.tool, why)
}

// excludeAt is exclude with the path of the schema.
func excludeAt(p *provider.Pass, why string) {
	exclude(p, p.Subject.(*header).path+": "+why) //nolint:forcetypeassert // the stage's own type
}

// headerOf returns the value of x-mcp-header where it is a name that a header may have.
func headerOf(p *provider.Pass) (name string, isName bool) {
	value := p.Node.Get(headerKey)
	return value.Text, value.Kind == schema.String && value.Text != ""
}

// token matches a token of RFC 9110, section 5.6.2.
var token = lazy.Compile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$")

var headerPlace = &provider.Rule{
	Name: "header_place", Effect: provider.Rejects, Stage: headers, Since: beta1,
	Doc: `x-mcp-header is in a property to which only properties lead

A client copies the argument into a header without reading the schema. In items, a branch of a union, a definition, or the
root it does not know the argument, and leaves out the tool.`,
	Source: headerSource,
	Check: func(p *provider.Pass) {
		if !p.Subject.(*header).isReachable { //nolint:forcetypeassert // the stage's own type
			excludeAt(p, "x-mcp-header is only permitted on properties statically reachable via a chain of 'properties' keys "+
				"(not under items, additionalProperties, oneOf/anyOf/allOf/not, if/then/else, or $ref)")
		}
	},
}

var headerEmpty = &provider.Rule{
	Name: "header_empty", Effect: provider.Rejects, Stage: headers, Since: beta1,
	Doc: `x-mcp-header is a string that is not empty

It is the part of the header's name behind Mcp-Param-.`,
	Source: headerSource,
	Check: func(p *provider.Pass) {
		if _, isName := headerOf(p); !isName {
			excludeAt(p, "x-mcp-header MUST be a non-empty string")
		}
	},
}

var headerToken = &provider.Rule{
	Name: "header_token", Effect: provider.Rejects, Stage: headers, Since: beta1,
	Doc: `x-mcp-header is a token of HTTP

A token has letters, digits and the marks !#$%&'*+-.^_|~ and the backtick: no space, no colon, no line end.`,
	Source: headerSource,
	Check: func(p *provider.Pass) {
		if name, isName := headerOf(p); isName && !token.MatchString(name) {
			excludeAt(p, fmt.Sprintf("x-mcp-header '%s' is not a valid RFC 9110 token (no spaces, control characters or HTTP delimiters)", name))
		}
	},
}

var headerType = &provider.Rule{
	Name: "header_type", Effect: provider.Rejects, Stage: headers, Since: beta1,
	Doc: `a property with x-mcp-header has the type string, integer or boolean

The type number is not allowed, and neither is a list of types: the value of a header has one spelling. The clients before
2.4.0 (2026-10-23) took number.`,
	Source: headerSource,
	Check: func(p *provider.Pass) {
		kind := p.Node.Get("type")
		if kind.Is("number") && p.Subject.(*header).day < minor4 { //nolint:forcetypeassert // the stage's own type
			return
		}
		if kind != nil && kind.Kind == schema.String && slices.Contains([]string{"string", "integer", "boolean"}, kind.Text) {
			return
		}
		got := "<none>"
		if kind != nil && kind.Kind == schema.String {
			got = kind.Text
		}
		excludeAt(p, "x-mcp-header is only permitted on primitive-typed properties (string, integer, boolean); got "+got)
	},
}

var headerUnique = &provider.Rule{
	Name: "header_unique", Effect: provider.Rejects, Stage: headers, Since: beta1,
	Doc: `no two x-mcp-header of a tool are the same but for upper and lower case

HTTP does not tell the case of a header's name.`,
	Source: headerSource,
	Check: func(p *provider.Pass) {
		name, _ := headerOf(p)
		if prior := p.Subject.(*header).prior; prior != "" { //nolint:forcetypeassert // the stage's own type
			exclude(p, fmt.Sprintf("x-mcp-header '%s' is not case-insensitively unique (also declared as '%s')", name, prior))
		}
	},
}

// renderWarning makes the warning of a client that leaves out a tool.
func renderWarning(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	return provider.AnswerBody(map[string]string{"name": "Warning", "message": response.Message})
}

// aboutHeader matches the warning: its groups are the tool, the path, which one warning lacks, and the name.
var aboutHeader = lazy.Compile(`excluding tool '(.*)' from tools/list: invalid x-mcp-header declaration — (?:(\S+): )?x-mcp-header (?:'([^']*)')?`)

// classifyWarning reads what a client reports. A status of 200 stands for a tool that the client keeps.
func classifyWarning(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(data, &body); err != nil || !aboutHeader.MatchString(body.Message) {
		return provider.Response{}, provider.ErrNothingLearnt
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Message}, nil
}

// locateHeader finds the tool and the schema that a warning names.
func locateHeader(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	match := aboutHeader.FindStringSubmatch(refusal.Message)
	if match == nil {
		return nil
	}
	place := provider.Place{Declaration: provider.Nowhere, Location: match[1] + ": " + cmp.Or(match[2], match[3]), Message: match[0]}
	at := slices.IndexFunc(declarations, func(declaration *schema.Node) bool { return declaration.GetString("name") == match[1] })
	if at < 0 {
		return []provider.Place{place}
	}
	place.Declaration, place.At = at, "/parameters"
	if input := declarations[at].Get("inputSchema"); match[2] != "" {
		place.At = followHeader(input, place.At, match[2])
	} else {
		place.At = repeatedHeader(input, place.At, match[3], map[string]bool{})
	}
	return []provider.Place{place}
}

// followHeader returns the pointer to the x-mcp-header at a path of properties, as far as a schema has it.
func followHeader(node *schema.Node, at schema.Pointer, path string) schema.Pointer {
	for name := range strings.SplitSeq(path, ".") {
		if node = node.Get("properties").Get(name); node == nil {
			return at
		}
		at = at.Child("properties").Child(name)
	}
	return at.Child(headerKey)
}

// repeatedHeader returns the pointer to the x-mcp-header of a name that is in a schema for the second time; the
// pointer of the schema if there is none.
func repeatedHeader(node *schema.Node, at schema.Pointer, name string, seen map[string]bool) schema.Pointer {
	for _, member := range membersOf(node.Get("properties")) {
		below := at.Child("properties").Child(member.Key)
		found := member.Value.GetString(headerKey)
		if found == name && seen[strings.ToLower(name)] {
			return below.Child(headerKey)
		}
		seen[strings.ToLower(found)] = true
		if deeper := repeatedHeader(member.Value, below, name, seen); deeper != below {
			return deeper
		}
	}
	return at
}
