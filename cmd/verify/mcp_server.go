package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

func newMCPServer(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp-server",
		Short: "Offer check, normalize and explain to coding agents, as an MCP server",
		Long: `mcp-server is an MCP server on standard input and output. With its tools, check,
normalize, explain, explain_error and minimize, a coding agent that wrote a tool can see
which providers refuse it, and correct it.

The tools take the text of a file, not its name. They read and write no files of yours
and ask no provider.`,
		Example: `  verify mcp-server
  claude mcp add toolproof -- verify mcp-server`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return s.serveMCP(command.Context())
		},
	}
}

// servedTool is a command that the server offers as a tool.
type servedTool struct {
	name, title, description string
	// parameters is the JSON Schema of the arguments.
	parameters string
	// words returns the command line of a call and its standard input. The word errorFile stands
	// for a file with the error of the call.
	words func(arguments call) (words []string, input string)
	// hasEdits adds the edits that the command proposes to the result, as JSON.
	hasEdits bool
}

// call holds the arguments of a call. Each tool takes some of them.
type call struct {
	Tools      string   `json:"tools"`
	Targets    []string `json:"targets"`
	Normalized bool     `json:"normalized"`
	Target     string   `json:"target"`
	Rule       string   `json:"rule"`
	Error      string   `json:"error"`
}

// toolsText is the schema of the argument that holds tools.
const toolsText = `"tools":{"type":"string","description":"The JSON text of the tools: the result of MCP tools/list, ` +
	`a list of tools of OpenAI, Gemini or Anthropic, or one bare schema."}`

var servedTools = []servedTool{
	{
		name: "check", title: "Check tools",
		description: "Check which LLM providers refuse tool declarations, where, and what to write instead. Call it after writing or changing a tool. " +
			"The answer begins with who refuses how many of them and who takes them. It asks no provider.",
		parameters: `{"type":"object","properties":{` + toolsText + `,` +
			`"targets":{"type":"array","items":{"type":"string"},"description":"What the tools are sent to, such as gemini, openai-strict or all. ` +
			`Leave it out for where clients send tools as they are."},` +
			`"normalized":{"type":"boolean","description":"Check what the normalizer of each target makes of the tools. Default: check them as they are."}},"required":["tools"]}`,
		words: func(arguments call) ([]string, string) {
			words := []string{"check", "--no-config", "--limit", "5"}
			for _, target := range arguments.Targets {
				words = append(words, "--target="+target)
			}
			if arguments.Normalized {
				words = append(words, "--normalized")
			}
			return append(words, "-"), arguments.Tools
		},
		hasEdits: true,
	},
	{
		name: "normalize", title: "Rewrite tools for a target",
		description: "Rewrite tool declarations so that a target accepts them, and print them in its wire form. Each change is reported with what it loses. " +
			"Use the target portable for tools that many clients send to many providers.",
		parameters: `{"type":"object","properties":{` + toolsText + `,` +
			`"target":{"type":"string","description":"What the tools are sent to, such as portable, gemini, openai-strict or anthropic. ` +
			`Another word makes the answer list all targets."}},"required":["tools","target"]}`,
		words: func(arguments call) ([]string, string) {
			return []string{"normalize", "--target=" + arguments.Target, "-"}, arguments.Tools
		},
	},
	{
		name: "explain", title: "Explain a rule",
		description: "Explain a rule, with its evidence: why a provider refuses a schema, or what a rewrite changes. " +
			"It also explains a dialect, with what is known of each keyword.",
		parameters: `{"type":"object","properties":{` +
			`"rule":{"type":"string","description":"The name of a rewrite such as const_to_enum, of a rule such as gemini/parameters/unknown_name, ` +
			`or of a dialect such as openai/chat-strict."}},"required":["rule"]}`,
		words: func(arguments call) ([]string, string) {
			return []string{"explain", "--", arguments.Rule}, ""
		},
	},
	{
		name: "explain_error", title: "Locate the error of a provider",
		description: "Find the line of a tool that the error of a provider means, and what to write instead. The error may be the whole body of the answer, or its message.",
		parameters: `{"type":"object","properties":{` +
			`"error":{"type":"string","description":"The answer of the provider: the JSON body, or the message alone."},` + toolsText + `},"required":["error","tools"]}`,
		words: func(arguments call) ([]string, string) {
			return []string{"check", "--no-config", "--error", errorFile, "-"}, arguments.Tools
		},
	},
	{
		name: "minimize", title: "Shrink a refused tool",
		description: "Shrink a tool to the part that a provider refuses, by its model. Use it to write a report, or to see what a long schema is refused for.",
		parameters: `{"type":"object","properties":{` + toolsText + `,` +
			`"target":{"type":"string","description":"What refuses the tool: a target such as gemini, or a dialect such as openai/chat-strict."}},"required":["tools","target"]}`,
		words: func(arguments call) ([]string, string) {
			return []string{"minimize", "--target=" + arguments.Target, "-"}, arguments.Tools
		},
	},
}

// errorFile stands for a file with the error of a call.
const errorFile = "the error"

// inFile writes the text to a file whose name replaces errorFile in the words. It returns a function
// that removes the file.
func inFile(words []string, text string) (remove func(), err error) {
	at := slices.Index(words, errorFile)
	if at < 0 {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "toolproof")
	if err != nil {
		return nil, fmt.Errorf("keeping the error: %w", err)
	}
	words[at] = filepath.Join(folder, "error")
	if err := os.WriteFile(words[at], []byte(text), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("keeping the error: %w", err), os.RemoveAll(folder))
	}
	return func() { _ = os.RemoveAll(folder) }, nil
}

// serveMCP serves until standard input ends.
func (s *session) serveMCP(ctx context.Context) error {
	options := &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}} // the tools stay, and nothing is logged
	server := mcp.NewServer(&mcp.Implementation{Name: "toolproof", Version: cli.Version()}, options)
	server.AddReceivingMiddleware(ofKnownRevision)
	for _, tool := range servedTools {
		server.AddTool(tool.declaration(), tool.handler())
	}
	const longest = 32 << 20 // bytes of a message
	err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(s.In), Writer: flushed{s}, MaxLineLength: longest})
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	case err != nil && !errors.Is(err, io.EOF):
		return cli.Broken(fmt.Errorf("serving: %w", err))
	default:
		return nil
	}
}

// ofKnownRevision refuses a request whose _meta names a revision of the protocol that the SDK does not speak. The SDK
// answers it as one of an older revision.
func ofKnownRevision(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		revision, known := "", mcp.SupportedProtocolVersions()
		if versioned, ok := request.(interface{ ProtocolVersion() string }); ok {
			revision = versioned.ProtocolVersion()
		}
		session, _ := request.GetSession().(*mcp.ServerSession)
		isOfHandshake := session != nil && session.InitializeParams() != nil && session.InitializeParams().ProtocolVersion == revision // which has settled on a known one
		if revision == "" || isOfHandshake || slices.Contains(known, revision) {
			return next(ctx, method, request)
		}
		data, err := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: known, Requested: revision})
		if err != nil {
			return nil, err //nolint:wrapcheck // it cannot fail
		}
		return nil, &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "Unsupported protocol version", Data: data}
	}
}

// flushed writes each message without delay.
type flushed struct{ *session }

func (f flushed) Write(text []byte) (int, error) {
	count, err := f.Out.Write(text)
	return count, errors.Join(err, f.Out.Flush())
}

func (f flushed) Close() error { return f.Out.Flush() } //nolint:wrapcheck // as the writer does

// declaration returns the tool as the server lists it.
func (tool servedTool) declaration() *mcp.Tool {
	isClosed, isDestructive := false, false
	return &mcp.Tool{
		Name: tool.name, Title: tool.title, Description: tool.description, InputSchema: json.RawMessage(tool.parameters),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &isDestructive, OpenWorldHint: &isClosed},
	}
}

// handler returns the handler that runs the command of a call. The output of the command is the
// result, even if the tools do not conform; a call fails only if the command could not be run.
func (tool servedTool) handler() mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var arguments call
		decoder := json.NewDecoder(bytes.NewReader(request.Params.Arguments))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&arguments); err != nil {
			return failed("the arguments of %s: %v", tool.name, err), nil
		}
		words, input := tool.words(arguments)
		remove, err := inFile(words, arguments.Error)
		if err != nil {
			return failed("%v", err), nil
		}
		defer remove()
		var out, errs bytes.Buffer
		code := run(ctx, words, strings.NewReader(input), &out, &errs)
		content := []mcp.Content{&mcp.TextContent{Text: fitted(out.String() + errs.String())}}
		if tool.hasEdits && code == cli.CodeFails {
			if edits := editsOf(ctx, words, input); edits != "" {
				content = append(content, &mcp.TextContent{Text: edits})
			}
		}
		return &mcp.CallToolResult{Content: content, IsError: code == cli.CodeBroken}, nil
	}
}

// edit is an edit of a tool for a coding agent.
type edit struct {
	Tool string `json:"tool"`
	// Pointer leads into the declaration of the tool, to the value of which Before is replaced by After: to
	// members of an object, or to the value itself.
	Pointer schema.Pointer `json:"pointer"`
	Before  rewrite.Part   `json:"before,omitzero"`
	After   rewrite.Part   `json:"after,omitzero"`
	// Loses says what is lost; empty if nothing is.
	Loses string `json:"loses,omitempty"`
	// Generator says what to write in the program that makes the declaration; empty if that is not known.
	Generator string `json:"generator,omitempty"`
}

// editsOf returns the edits that a command proposes, as JSON; empty if there are none.
func editsOf(ctx context.Context, words []string, input string) string {
	const most, longest = 100, 30_000 // bytes
	var out bytes.Buffer
	run(ctx, slices.Insert(slices.Clone(words), 1, "--json"), strings.NewReader(input), &out, io.Discard)
	edits, size, seen := [][]byte{}, 0, map[string]bool{}
	for line := range bytes.Lines(out.Bytes()) {
		var result verdict.Result
		if json.Unmarshal(line, &result) != nil || result.Sides().Raw == nil {
			continue
		}
		for _, finding := range result.Sides().Raw.Findings {
			for _, answer := range finding.Answers {
				text, err := json.Marshal(edit{result.Tool, answer.From, answer.Before, answer.After, answer.Loses, answer.Generator})
				if err != nil || seen[string(text)] || answer.Then || len(edits) == most || size+len(text) > longest {
					continue
				}
				seen[string(text)] = true
				edits, size = append(edits, text), size+len(text)
			}
		}
	}
	if len(edits) == 0 {
		return ""
	}
	return `{"edits":[` + string(bytes.Join(edits, []byte(","))) + `]}`
}

// failed returns the result of a call that could not be made.
func failed(format string, arguments ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, arguments...)}}, IsError: true}
}

// fitted shortens a text that would fill the context of a model.
func fitted(text string) string {
	const longest = 60_000 // bytes, about 15,000 tokens
	if len(text) <= longest {
		return text
	}
	begin := text[:longest]
	for !utf8.ValidString(begin) {
		begin = begin[:len(begin)-1]
	}
	return fmt.Sprintf("%s\n... and %d bytes more: ask for fewer tools or targets", begin, len(text)-len(begin))
}
