package site

import (
	"context"
	"fmt"
	"strings"

	"toolproof/harness"
	"toolproof/harness/provider/conversation"
	"toolproof/internal/tally"
)

// homeData is what the first page says of the program.
type homeData struct {
	Surfaces, Recordings, Fixtures, Messages int
	// Tools is how many public tools were counted, and Headlines what became of them; none
	// where nothing was counted.
	Tools      int
	Headlines  plot
	Playground bool
}

// headlines are the surfaces that the first page shows.
var headlines = []string{"gemini/parameters", "openai/chat-strict", "anthropic/tools-strict", "ollama/chat", "openai/chat"}

// home makes the first page, and llms.txt. It is the last maker, because it names the pages
// of the others.
func home(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	shown := homeData{Surfaces: len(harness.Dialects), Recordings: len(data.Store.All), Fixtures: len(data.Fixtures), Messages: len(k.errors) + len(conversation.Rules)}
	if in, err := data.Docs.Open(statsFile); err == nil {
		defer in.Close() //nolint:errcheck // it was read
		tallies, err := tally.Read(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", statsFile, err)
		}
		for _, one := range tallies {
			if one.Label == mainSet { // the last is of the newest day
				shown.Tools, shown.Headlines = one.Tools, headlinesOf(one)
			}
		}
	}
	for _, page := range data.pages {
		shown.Playground = shown.Playground || page.Section == playground
	}
	data.files["llms.txt"] = []byte(llms(data.pages))
	return []Page{{
		Path: "index.html", Title: "Toolproof", Template: "home",
		Summary: "Proves, before a user finds out, that an LLM provider accepts a tool declaration, and that the tool keeps its meaning.",
		Data:    shown,
	}}, nil
}

// headlinesOf shows what some surfaces do.
func headlinesOf(counted tally.Tally) plot {
	made := plot{Heads: asGivenHeads}
	for _, name := range headlines {
		for _, one := range counted.Surfaces {
			if one.Name == name {
				made.Bars = append(made.Bars, barOf(one.Name, "surfaces/"+anchor(one.Name)+".html", asGiven, one.Refused, one.Ignored, one.Whole))
			}
		}
	}
	return made
}

// llms is llms.txt: what the site has, for programs that read text.
func llms(pages []Page) string {
	var text strings.Builder
	text.WriteString(`# Toolproof

> Toolproof proves that an LLM provider accepts a tool declaration, and that the tool keeps its meaning. It does so offline, without a key. Each rule names dated evidence.

Check tools (the answer of MCP tools/list, OpenAI tools, Gemini declarations, or a bare schema):

    npx toolproof check tools.json

Check a running MCP server:

    npx toolproof mcp -- node server.js

Find the line of a tool that an error message means:

    npx toolproof check --error answer.json tools.json

Write the tools as one provider takes them:

    npx toolproof normalize --target gemini tools.json

`)
	section := ""
	for _, page := range pages {
		if page.Section == "" {
			continue
		}
		if page.Section != section {
			section = page.Section
			fmt.Fprintf(&text, "\n## %s\n\n", section)
		}
		fmt.Fprintf(&text, "- [%s](%s): %s\n", strings.NewReplacer("[", "(", "]", ")").Replace(page.Title), page.Path, page.Summary)
	}
	return text.String()
}
