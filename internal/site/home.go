package site

import (
	"context"

	"toolproof/harness"
)

// homeData is what the first page says of the program.
type homeData struct {
	Surfaces, Recordings, Fixtures int
}

// home makes the first page.
func home(_ context.Context, data *Data) ([]Page, error) {
	return []Page{{
		Path: "index.html", Title: "Toolproof", Template: "home",
		Summary: "Proves, before a user finds out, that an LLM provider accepts a tool declaration, and that the tool keeps its meaning.",
		Data:    homeData{len(harness.Dialects), len(data.Store.All), len(data.Fixtures)},
	}}, nil
}
