package site

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"html/template"
	"strings"
	"testing"
	"testing/fstest"
)

// TestHistoryPages makes the pages of two versions of which one is not measured at one place, and reads the feeds.
func TestHistoryPages(t *testing.T) {
	t.Parallel()
	const lines = `{"version":1,"kind":"sdk","subject":"@a/b","subject_version":"1.2.0","published":"2026-01-02","date":"2026-11-28","environment":"node 20","place":"openai/chat","facts":{"bounds":"kept","pattern":"kept; +<x>"}}
{"version":1,"kind":"sdk","subject":"@a/b","subject_version":"1.10.0","date":"2026-11-28","environment":"node 20","place":"openai/chat","like":"1.2.0","facts":{"bounds":"lost in silence; -minimum"}}
{"version":1,"kind":"sdk","subject":"@a/b","subject_version":"1.10.0","date":"2026-11-28","environment":"node 20","place":"gemini/parameters","unmeasured":"every tool fails"}
`
	data := &Data{Docs: fstest.MapFS{"history/sdk.jsonl": {Data: []byte(lines)}}, files: map[string][]byte{}}
	pages, err := historyPages(context.Background(), data)
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	render := renderer{pages: pages, parsed: map[string]*template.Template{}}
	text, err := render.page(pages[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 change since 1.2.0", "The first that was measured on <b>openai/chat</b>.", "lost in silence; -minimum", "Not measured on gemini/parameters: every tool fails", "kept; &#43;&lt;x&gt;",
		"<td>1.10.0; 1.2.0 differs</td>", "<td>1.2.0 or before</td>", `href="../../history/sdk/a-b.atom"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	var atom struct {
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Summary string `xml:"summary"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(data.files["history/sdk/a-b.atom"], &atom); err != nil {
		t.Fatal(err)
	}
	var plain jsonFeed
	if err := json.Unmarshal(data.files["history/sdk/a-b.json"], &plain); err != nil {
		t.Fatal(err)
	}
	if len(atom.Entries) != 2 || len(plain.Items) != 2 || atom.Entries[0].ID == atom.Entries[1].ID || atom.Entries[0].ID != plain.Items[0].ID {
		t.Fatalf("the feeds have the entries %v and %v", atom.Entries, plain.Items)
	}
	const changed = "bounds on openai/chat: kept -> lost in silence; -minimum\nnot measured: every tool fails"
	if newest := atom.Entries[0]; newest.Title != "@a/b 1.10.0: one change since 1.2.0" || newest.Summary != changed {
		t.Errorf("the newest entry is %v", newest)
	}
}

// TestHistoryOfAll: each program of the history has a page and both feeds.
func TestHistoryOfAll(t *testing.T) {
	t.Parallel()
	all := files(t)
	pages := 0
	for name := range all {
		if page, isPage := strings.CutSuffix(name, ".html"); isPage && strings.HasPrefix(name, "history/") {
			pages++
			if all[page+".atom"] == nil || all[page+".json"] == nil || !strings.Contains(string(all["history.html"]), `href="`+name+`"`) {
				t.Errorf("%s has no feed, or is not listed", name)
			}
		}
	}
	if pages < 15 {
		t.Errorf("%d programs have a page", pages)
	}
}
