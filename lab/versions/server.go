package versions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// serverSurfaces are the surfaces that are asked about the tools of servers: those to which clients pass tools on
// unchanged.
var serverSurfaces = []string{"gemini/parameters", "openai/chat", "openai/chat-strict", "anthropic/tools"}

// server measures an MCP server: the arguments and the text of each tool that it lists, and which surfaces refuse it.
func (r *Run) server(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	const install, answers = 4 * time.Minute, time.Minute
	asked := server.Program(ctx, "npx", append([]string{"-y", subject.Package + "@" + subject.version}, subject.Arguments...)...)
	asked.Start, asked.Answers, asked.Dir = install, answers, folder
	asked.Env = append(slices.Clone(r.Environ), "npm_config_ignore_scripts=true")
	for _, variable := range sortedNames(subject.Env) {
		asked.Env = append(asked.Env, variable+"="+subject.Env[variable])
	}
	text, err := asked.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w\n%.200s", err, asked.Complaint())
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the list: %w", err)
	}
	facts := map[string]string{}
	for _, tool := range tools {
		facts[tool.Name] = "takes " + arguments(tool.Parameters)
		facts[tool.Name+" text"] = digestOf(tool.Tool)
		refused, err := refusing(ctx, tool.Tool)
		if err != nil {
			return nil, err
		}
		facts[tool.Name+" refused by"] = refused
	}
	return []measured{{facts: facts}}, nil
}

// arguments lists the names and types of a schema's properties, with a question mark behind the optional ones.
func arguments(parameters *schema.Node) string {
	required := parameters.Get("required")
	var words []string
	for _, member := range membersOf(parameters.Get("properties")) {
		word := member.Key
		if required == nil || !slices.ContainsFunc(required.Elements, func(name *schema.Node) bool { return name.Is(member.Key) }) {
			word += "?"
		}
		words = append(words, word+" "+typeOf(member.Value))
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// typeOf describes a schema in a few words: its types and the keywords that narrow them.
func typeOf(node *schema.Node) string {
	if node.Kind != schema.Object {
		return node.String()
	}
	said := "any"
	if names := node.Get("type"); names != nil {
		said = strings.Trim(strings.NewReplacer(`"`, "", " ", "").Replace(names.String()), "[]")
	}
	var others []string
	for _, member := range node.Members {
		if !slices.Contains([]string{"type", "description", "title", "properties", "default", "examples"}, member.Key) {
			others = append(others, member.Key)
		}
	}
	if others == nil {
		return said
	}
	slices.Sort(others)
	return said + " (" + strings.Join(others, " ") + ")"
}

// digestOf identifies all texts and schemas of a tool.
func digestOf(tool schema.Tool) string {
	return fmt.Sprintf("sha256 %.12x", sha256.Sum256(tool.Whole().JSON()))
}

// refusing returns the surfaces that refuse a tool alone, each with the rules that do.
func refusing(ctx context.Context, tool schema.Tool) (string, error) {
	var refused []string
	for _, name := range serverSurfaces {
		dialect, err := harness.DialectNamed(name)
		if err != nil {
			return "", err
		}
		answer, err := (&provider.Model{Dialect: dialect}).Send(ctx, dialect.Encode([]schema.Tool{tool}))
		if err != nil {
			return "", fmt.Errorf("judging %s: %w", tool.Name, err)
		}
		if answer.Verdict != provider.Rejected {
			continue
		}
		refused = append(refused, name+" ("+rulesOf(answer)+")")
	}
	if refused == nil {
		return "none", nil
	}
	return strings.Join(refused, ", "), nil
}
