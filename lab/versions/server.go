package versions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/openai"
	"toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// serverSurfaces are the surfaces that are asked about the tools of servers: those to which clients pass tools on
// unchanged.
var serverSurfaces = []*provider.Dialect{google.GeminiParameters, openai.Chat, openai.ChatStrict, anthropic.Tools}

// server measures an MCP server: what each tool that it lists says and takes, and which surfaces refuse it. The facts of
// a tool have its name, and behind a full stop that of an argument.
func (r *Run) server(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	if err := subject.install(ctx, folder); err != nil {
		return nil, err
	}
	const answers = time.Minute
	asked := server.Program(ctx, "npx", append([]string{"--no", subject.Package}, subject.Arguments...)...)
	asked.Start, asked.Answers, asked.Dir = answers, answers, folder
	asked.Env = slices.Clone(r.Environ)
	for _, variable := range sortedNames(subject.Env) {
		asked.Env = append(asked.Env, variable+"="+subject.Env[variable])
	}
	text, err := asked.List(ctx)
	if errors.Is(err, server.ErrLate) {
		return nil, errSlow
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%.200s", err, asked.Complaint())
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the list: %w", err)
	}
	facts := map[string]string{}
	for _, tool := range tools {
		facts[tool.Name] = inBrief(tool.Description)
		if tool.Parameters != nil {
			facts[tool.Name+" schema"] = digestOf(tool.Parameters)
		}
		for _, member := range membersOf(tool.Further) {
			facts[tool.Name+" "+member.Key] = inBrief(member.Value)
		}
		for _, argument := range membersOf(tool.Parameters.Get("properties")) {
			facts[tool.Name+"."+argument.Key] = typeOf(argument.Value, isRequired(tool.Parameters, argument.Key))
		}
		refused, err := refusing(ctx, tool.Tool)
		if err != nil {
			return nil, err
		}
		facts[tool.Name+" refused by"] = refused
	}
	return []measured{{facts: facts}}, nil
}

func isRequired(parameters *schema.Node, name string) bool {
	required := parameters.Get("required")
	return required != nil && slices.ContainsFunc(required.Elements, func(other *schema.Node) bool { return other.Is(name) })
}

// typeOf describes an argument in a few words: its types, the keywords that narrow them, and whether it is required.
func typeOf(node *schema.Node, required bool) string {
	said := "any"
	if names := node.Get("type"); names != nil {
		said = strings.Trim(strings.ReplaceAll(names.String(), `"`, ""), "[]")
	}
	var others []string
	for _, member := range membersOf(node) {
		if !slices.Contains([]string{"type", "description", "title", "properties", "default", "examples"}, member.Key) {
			others = append(others, member.Key)
		}
	}
	if slices.Sort(others); others != nil {
		said += " (" + strings.Join(others, " ") + ")"
	}
	if required {
		said += ", required"
	}
	return said
}

// inBrief returns a text or the JSON of another value, or of a long one the beginning and a digest.
func inBrief(node *schema.Node) string {
	const longest = 120
	if node == nil {
		return "says nothing"
	}
	text := node.String()
	if node.Kind == schema.String {
		text = node.Text
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "… (" + digestOf(node) + ")"
	}
	return text
}

// digestOf identifies a value.
func digestOf(node *schema.Node) string {
	return fmt.Sprintf("sha256 %.4x", sha256.Sum256([]byte(node.String())))
}

// refusing returns the surfaces that refuse a tool alone, each with the rules that do.
func refusing(ctx context.Context, tool schema.Tool) (string, error) {
	var refused []string
	for _, dialect := range serverSurfaces {
		answer, err := (&provider.Model{Dialect: dialect}).Send(ctx, dialect.Encode([]schema.Tool{tool}))
		if err != nil {
			return "", fmt.Errorf("judging %s: %w", tool.Name, err)
		}
		if answer.Verdict != provider.Rejected {
			continue
		}
		refused = append(refused, dialect.Name+" ("+rulesOf(answer)+")")
	}
	if refused == nil {
		return "none", nil
	}
	return strings.Join(refused, ", "), nil
}
