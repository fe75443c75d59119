package site

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/lab/tally"
)

// homeData is the data of the first page.
type homeData struct {
	Surfaces, Recordings, Fixtures, Messages int
	// Tools is the number of public tools that were counted, and Headlines shows what becomes
	// of them; empty if none were counted.
	Tools      int
	Headlines  plot
	Playground bool
	// History is the number of programs with a history.
	History int
}

// home makes the first page and llms.txt. It must be the last maker, because it lists the pages
// of the others.
func home(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	shown := homeData{Surfaces: len(harness.Dialects), Recordings: len(data.Store.All), Fixtures: len(data.Fixtures), Messages: len(k.errors) + len(conversation.Rules)}
	shown.Tools, shown.Headlines = k.newest.Tools, headlinesOf(k.newest)
	for _, page := range data.pages {
		shown.Playground = shown.Playground || page.Section == playground
		if page.Feed != "" {
			shown.History++
		}
	}
	data.files["llms.txt"] = []byte(llms(data.pages))
	return []Page{{
		Path: "index.html", Title: "Toolproof", Template: "home",
		Summary: "Tells you, before a user finds out, which LLM providers refuse a tool declaration, and whether a rewritten tool keeps its meaning.",
		Data:    shown,
	}}, nil
}

// headlinesOf shows, for each service that has a normalizer, the surface that refuses or
// ignores most.
func headlinesOf(counted tally.Tally) plot {
	const most = 5
	headlines := plot{Heads: asGivenHeads}
	var services []string
	for _, row := range plotOf("", counted).Bars {
		dialect, err := harness.DialectNamed(row.Name)
		if err != nil || harness.Serving(dialect).Dialect != dialect || slices.Contains(services, dialect.Service()) || len(headlines.Bars) == most {
			continue
		}
		services = append(services, dialect.Service())
		headlines.Bars = append(headlines.Bars, row)
	}
	return headlines
}

// llms returns llms.txt, which describes the site for programs that read text.
func llms(pages []Page) string {
	var text strings.Builder
	text.WriteString(`# Toolproof

> Toolproof proves that an LLM provider accepts a tool declaration, and that the tool keeps its meaning. It does so offline, without a key. Each rule names dated evidence.

Check tools (the answer of MCP tools/list, OpenAI tools, Gemini declarations, or a bare schema):

    toolproof check tools.json

Check a running MCP server:

    toolproof mcp -- node server.js

Find the line of a tool that an error message means:

    toolproof check --error answer.json tools.json

Write the tools as one provider takes them:

    toolproof normalize --target gemini tools.json

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
