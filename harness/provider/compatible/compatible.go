// Package compatible models the surfaces of providers whose API is OpenAI's Chat Completions, or
// similar to it, and whose validator is their own. Little is known about most of them: a few
// published refusals and recorded acceptances. The rules cover only what these show, and the
// models accept everything else.
package compatible

import (
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Dialects are the surfaces, in the order in which they are listed.
var Dialects = []*provider.Dialect{
	groqChat, groqChatStrict, groqResponseFormat, cerebrasChat, cerebrasResponseFormat, deepSeekChat, MoonshotChat, moonshotResponseFormat, xaiChat, bedrockConverse,
	bedrockConverseStrict, fireworksChat, mistralChat, mistralResponseFormat, togetherChat, togetherResponseFormat, perplexityResponseFormat, openRouterChat,
	dashScopeChat, lmStudioChat,
}

const thin = " (thin evidence)"

// The surfaces.
var (
	groqChat = chat("groq/chat", "functions of Groq's chat completions", "/openai/v1/chat/completions", []string{"*groq*"}, groqErrors, locateGroqTool,
		requiredWithoutProperties)

	groqChatStrict = strict(chat("groq/chat-strict", "functions of Groq's chat completions with strict true", "/openai/v1/chat/completions", []string{"*groq*"}, groqErrors,
		locateGroqTool, strictToolOpen))

	groqResponseFormat = format("groq/response_format", "response_format of Groq, type json_schema with strict true", "/openai/v1/chat/completions", []string{"*groq*"},
		groqErrors, locateGroqFormat, itemsCounted, objectOpen, propertiesNotRequired)

	cerebrasChat = func() *provider.Dialect {
		row := chat("cerebras/chat", "functions of Cerebras' chat completions", "/v1/chat/completions", []string{"*cerebras*"}, cerebrasErrors, locateCerebras,
			fieldsUnsupported)
		row.Canonical = inOrder
		row.Portable = false // its one rule held until 2025-10-07 and has no recording
		return row
	}()

	cerebrasResponseFormat = func() *provider.Dialect {
		row := format("cerebras/response_format", "response_format of Cerebras, type json_schema with strict true", "/v1/chat/completions", []string{"*cerebras*"},
			cerebrasErrors, locateCerebras, objectWithoutFields)
		row.Relative, row.AsGiven = "", "an object without properties is refused, and only normalizers that lose much more give it some"
		return row
	}()

	deepSeekChat = func() *provider.Dialect {
		row := chat("deepseek/chat", "functions of DeepSeek's chat completions", "/chat/completions", []string{"*deepseek*"}, deepSeekErrors, locateDeepSeek,
			toolTypeMissing, toolName, keywordType, rootType)
		row.Relative = "anthropic" // which gives the root a type
		row.Traffic.Models = []string{"deepseek-chat", "deepseek-reasoner", "deepseek-v4*"}
		row.Canonical = withoutColumn
		return row
	}()

	xaiChat = func() *provider.Dialect {
		row := chat("xai/chat", "functions of xAI's chat completions", "/v1/chat/completions", []string{"*x.ai*", "*xai*"}, xaiErrors, locateXAI, rootNotObject, emptyUnknown)
		row.Traffic.Models = []string{"grok-*"}
		return row
	}()
)

// Where a declaration has its schema.
const (
	inFunction = schema.Pointer("/function/parameters")
	inFormat   = schema.Pointer("/schema")
	inSpec     = schema.Pointer("/toolSpec/inputSchema/json")
)

// chat returns the row of a surface for functions. Unless its provider says otherwise, the target
// openai makes its schemas and portable asks it.
func chat(name, doc, path string, hosts []string, envelope envelope, spoken patterns, rules ...*provider.Rule) *provider.Dialect {
	return &provider.Dialect{
		Name: name, Doc: doc + thin, Path: path, Traffic: provider.Traffic{Hosts: hosts}, Rules: rules,
		API: provider.ChatCompletions, Subject: provider.Arguments, Portable: true, Schema: inFunction, Relative: "openai",
		Declare: func(tool schema.Tool) *schema.Node {
			return provider.Object("type", function, "function", tool.Node())
		},
		Envelope: func(declarations []*schema.Node) *schema.Node {
			return provider.Object("model", anyModel, "messages", hello, "tools", schema.NewArray(declarations...))
		},
		Render: envelope.render, Classify: envelope.classify, Locate: spoken.locate(inFunction),
	}
}

// strict returns the row of a surface for functions with strict true, from the row of those without. The
// target openai-strict makes its schemas, and portable does not ask it.
func strict(row *provider.Dialect) *provider.Dialect {
	declare := row.Declare
	row.Strict, row.Portable, row.Relative = true, false, "openai-strict"
	row.Declare = func(tool schema.Tool) *schema.Node {
		declaration := declare(tool)
		declaration.First("function", "toolSpec").Set("strict", schema.NewBool(true))
		return declaration
	}
	return row
}

// format returns the row of a surface for strict answers. Unless its provider says otherwise, the
// target openai-strict makes its schemas.
func format(name, doc, path string, hosts []string, envelope envelope, spoken patterns, rules ...*provider.Rule) *provider.Dialect {
	return &provider.Dialect{
		Name: name, Doc: doc + thin, Path: path, Traffic: provider.Traffic{Hosts: hosts}, Rules: rules,
		API: provider.ChatCompletions, Subject: provider.Answer, Schema: inFormat, MostTools: 1, Relative: "openai-strict",
		Declare: func(tool schema.Tool) *schema.Node {
			declaration := tool.Node()
			if parameters := declaration.Delete("parameters"); parameters != nil {
				declaration.Set("schema", parameters)
			}
			declaration.Set("strict", schema.NewBool(true))
			return declaration
		},
		Envelope: func(declarations []*schema.Node) *schema.Node {
			return provider.Object("model", anyModel, "messages", hello, "response_format", provider.Object("type", schema.NewString("json_schema"), "json_schema", declarations[0]))
		},
		Render: envelope.render, Classify: envelope.classify, Locate: spoken.locate(inFormat),
	}
}

// Nodes that all requests share, since nobody changes a node of a request.
var (
	anyModel     = schema.NewString("{model}")
	function     = schema.NewString("function")
	hello        = conversation(schema.NewString("hi"))
	helloOfParts = conversation(schema.NewArray(provider.Object("text", schema.NewString("hi"))))
)

// conversation makes a conversation of one message.
func conversation(content *schema.Node) *schema.Node {
	return schema.NewArray(provider.Object("role", schema.NewString("user"), "content", content))
}

// membersOf returns the members of a node, which may be nil.
func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}

// named returns the object in a declaration that has its name: the declaration itself, or the
// member of it through which the pointer at leads to the schema.
func named(declaration *schema.Node, at schema.Pointer) *schema.Node {
	if inner := declaration.Get(at.Tokens()[0]); inner.Has("name") {
		return inner
	}
	return declaration
}

// place is the Subject of the stages that look at schemas.
type place struct {
	name string
	at   []byte // the pointer from the root of the schema to the node
}

// in returns the place that is the Subject of a pass.
func in(p *provider.Pass) *place {
	return p.Subject.(*place) //nolint:forcetypeassert // the package's own type
}

// pointer returns the place as a JSON Pointer from the root of the schema.
func (s *place) pointer() string { return string(s.at) }

// path returns the place in dotted form, which is empty for the root.
func (s *place) path() string { return strings.Join(s.tokens(), ".") }

// tokens lead from the root of the schema to the node.
func (s *place) tokens() []string { return schema.Pointer(s.at).Tokens() }

// tools is the stage that looks at each declaration as a member of the request.
var tools = &provider.Stage{
	Name:           "tools",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: request.Declarations[declaration]})
	},
}

// root is the stage that judges the root of each schema.
var root = &provider.Stage{
	Name:           "root",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		declared, dialect := request.Declarations[declaration], visitor.Dialect
		if root := dialect.SchemaOf(declared); root != nil {
			visitor.Visit(&provider.Pass{
				Request: request, Declaration: declaration, Node: root, At: []byte("/parameters"),
				Subject: &place{name: named(declared, dialect.Schema).GetString("name")},
			})
		}
	},
}

// subschemas is the stage that judges every subschema, parents first. The order in which the
// providers judge them is not known.
var subschemas = &provider.Stage{
	Name:           "subschemas",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		declared, dialect := request.Declarations[declaration], visitor.Dialect
		here := &place{name: named(declared, dialect.Schema).GetString("name")}
		pass := &provider.Pass{Request: request, Declaration: declaration, Subject: here}
		dialect.SchemaOf(declared).WalkText(func(at []byte, node *schema.Node) bool {
			if node.IsPlain() {
				return true
			}
			visitor.ChargeText(2 * len(at)) // for writing the pointer and for splitting it
			if !visitor.Done() {
				here.at = at
				pass.Node, pass.At = node, append(append(pass.At[:0], "/parameters"...), at...)
				visitor.Visit(pass)
			}
			return !visitor.Done()
		})
	},
}
