package site

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/facts"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/packages/data"
	"toolproof/recordings"
)

// every returns the interval of the fixtures in the site of the tests: short tests have one in
// eight, and make whole has all.
func every() int {
	if testing.Short() {
		return 8
	}
	return 1
}

// made is the site of this checkout with its data.
var made = sync.OnceValues(func() (*Data, error) {
	store, storeErr := recording.Load(recordings.Files)
	all, fixturesErr := fixture.Load(fixtures.Files)
	for i := range len(all) / every() {
		all[i] = all[i*every()]
	}
	all = all[:len(all)/every()]
	if err := errors.Join(storeErr, fixturesErr); err != nil {
		return nil, err
	}
	data := &Data{Store: store, Fixtures: all, Docs: os.DirFS("../../docs"), Source: "https://example.com/toolproof", Present: fstest.MapFS{}}
	_, err := Files(context.Background(), data)
	return data, err
})

// files returns the files of the site by path.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	data, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return data.files
}

var (
	hrefs   = regexp.MustCompile(`href="([^"]*)"`) // an expression that begins with a literal is fast
	sources = regexp.MustCompile(`src="([^"]*)"`)
	anchors = regexp.MustCompile(` id="([^"]*)"`)
)

// TestLinks follows every link inside the site, and its anchor.
func TestLinks(t *testing.T) {
	t.Parallel()
	all := files(t)
	places := map[string][]string{}
	for name, text := range all {
		for _, found := range anchors.FindAllSubmatch(text, -1) {
			if slices.Contains(places[name], string(found[1])) {
				t.Errorf("%s has the place %s twice", name, found[1])
			}
			places[name] = append(places[name], string(found[1]))
		}
	}
	pages := 0
	for name, text := range all {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		for _, found := range slices.Concat(hrefs.FindAllSubmatch(text, -1), sources.FindAllSubmatch(text, -1)) {
			link := strings.ReplaceAll(string(found[1]), "%24", "$")
			if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
				continue
			}
			to, place, _ := strings.Cut(link, "#")
			if to == "" {
				to = name
			} else {
				to = path.Join(path.Dir(name), to)
			}
			if all[to] == nil {
				t.Errorf("%s leads to %s, which is not there", name, to)
			} else if place != "" && !slices.Contains(places[to], place) {
				t.Errorf("%s leads to #%s of %s, which is not there", name, place, to)
			}
		}
	}
	if pages < 100 {
		t.Errorf("there are %d pages", pages)
	}
}

// TestEveryPageLeads checks that every page leads to the source, the installation and the
// documentation, and has a title and a description of its own for those who share a link to it. Two
// rules about requests have the same words, which are the title of both pages.
func TestEveryPageLeads(t *testing.T) {
	t.Parallel()
	shared := map[string]string{} // page by what is shared of it
	for name, page := range files(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		root := strings.Repeat("../", strings.Count(name, "/"))
		for _, link := range []string{"https://example.com/toolproof", root + installation, root + "docs.html"} {
			if !bytes.Contains(page, []byte(`href="`+link+`"`)) {
				t.Errorf("%s does not lead to %s", name, link)
			}
		}
		for _, property := range []string{"og:title", "og:description"} {
			_, content, _ := bytes.Cut(page, []byte(`<meta property="`+property+`" content="`))
			content, _, _ = bytes.Cut(content, []byte(`">`))
			if len(content) == 0 {
				t.Errorf("%s has no %s", name, property)
			}
			if other := shared[string(content)]; property == "og:description" && other != "" {
				t.Errorf("%s has %q, and so has %s", name, content, other)
			}
			shared[string(content)] = name
		}
	}
}

// TestStatesAreThoseOfEvidence checks that the first table has few unknown cells, because a check
// accepts or refuses nearly every sample, and that each keyword has a page that lists every surface that reads schemas.
func TestStatesAreThoseOfEvidence(t *testing.T) {
	t.Parallel()
	all := files(t)
	table := string(all["surfaces.html"])
	cells, unknown := strings.Count(table, "<td class="), strings.Count(table, `<td class="unknown">`)
	if predicted := strings.Count(table, `<td class="predicted">`); cells < 800 || unknown > cells/50 || predicted < cells/4 {
		t.Errorf("of %d cells %d are unknown and %d predicted", cells, unknown, predicted)
	}
	reading := slices.DeleteFunc(slices.Clone(harness.Dialects), func(dialect *provider.Dialect) bool { return dialect.Subject == provider.Annotations })
	for _, construct := range facts.Constructs() {
		page := string(all[keywordFile(construct.Name)])
		if rows := strings.Count(page, `<tr><th scope="row"><a href="../surfaces/`); rows != len(reading) {
			t.Errorf("the page of %s has %d surfaces", construct.Name, rows)
		}
	}
	if published, err := data.Parse(all["data.json"]); err != nil || len(published.Surfaces) != len(harness.Dialects) {
		t.Errorf("the data of the site: %v", err)
	}
	if page := string(all["keywords/const.html"]); !strings.Contains(page, `&#34;enum&#34;:[&#34;b&#34;]`) {
		t.Error("the page of const does not say what to write")
	}
}

// TestLimitsPage checks that the page of limits has every limit, and begins with what most surfaces limit.
func TestLimitsPage(t *testing.T) {
	t.Parallel()
	page := string(files(t)["limits.html"])
	limits, err := facts.AllLimits(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Count(page, `#limits">`)
	if rows != len(limits) || rows < 70 {
		t.Errorf("the page has %d limits of %d", rows, len(limits))
	}
	if !strings.Contains(page, `<b>128</b> <span class="small muted">by `) {
		t.Error("the table does not say how many surfaces take 128 tools")
	}
}

// TestUnknownNamePage checks that the page of Gemini's most frequent message begins with what people
// ask about, and names the member that takes it.
func TestUnknownNamePage(t *testing.T) {
	t.Parallel()
	page := string(files(t)["errors/invalid-json-payload-received-unknown-name-at-cannot-find.html"])
	at := 0
	for _, keyword := range []string{"const", "$schema", "$ref", "exclusiveMinimum"} {
		next := strings.Index(page, `id="`+keyword+`"`)
		if next <= at {
			t.Errorf("the anchor %s is at %d, and the one before at %d", keyword, next, at)
		}
		at = next
	}
	if !regexp.MustCompile(`<code>parametersJsonSchema</code> in place of <code>parameters</code> takes (all )?\d+ `).MatchString(page) {
		t.Error("it does not say what parametersJsonSchema takes")
	}
}

// TestPagesAreShort checks that no page about rules is so long that nobody reads it: rules.html once
// had 366 kB.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	for name, page := range files(t) {
		if most := 100_000; len(page) > most && (strings.HasPrefix(name, "rules") || strings.HasPrefix(name, "rewrites/") || strings.HasPrefix(name, "keywords/")) {
			t.Errorf("%s has %d bytes", name, len(page))
		}
	}
}

// TestPolicy checks that no page contains a script or a style or loads one from elsewhere.
func TestPolicy(t *testing.T) {
	t.Parallel()
	var inside []*regexp.Regexp // patterns for a page in lower case with single spaces
	for _, pattern := range []string{`<style`, `<script>`, `<script (?:[^>]* )?>[^<]`, ` style=`, ` on[a-z]+="`, `javascript:`} {
		inside = append(inside, regexp.MustCompile(pattern))
	}
	loads := regexp.MustCompile(`<(?:script|link|img|iframe|object|embed|source)[^>]*(?:src|href)="(?:https?:)?//`)
	for name, text := range files(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		if !strings.Contains(string(text), `http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; `) {
			t.Errorf("%s has no policy", name)
		}
		plain := bytes.Join(bytes.Fields(bytes.ToLower(text)), []byte(" "))
		for _, pattern := range inside {
			if found := pattern.Find(plain); found != nil {
				t.Errorf("%s has %q inside", name, found)
			}
		}
		if found := loads.Find(text); found != nil {
			t.Errorf("%s loads %q", name, found)
		}
	}
}

// TestFeed parses the feed and checks that every entry has an id of its own and a day.
func TestFeed(t *testing.T) {
	t.Parallel()
	var feed struct {
		Updated string `xml:"updated"`
		Entries []struct {
			ID      string `xml:"id"`
			Updated string `xml:"updated"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(files(t)["timeline.atom"], &feed); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, entry := range feed.Entries {
		if seen[entry.ID] || !strings.HasSuffix(entry.Updated, "T00:00:00Z") || entry.Updated > feed.Updated {
			t.Errorf("the entry %s of %s is wrong", entry.ID, entry.Updated)
		}
		seen[entry.ID] = true
	}
	if len(seen) < 20 {
		t.Errorf("the feed has %d entries", len(seen))
	}
}

// TestEachMessageHasAPage checks that the search index and the pages agree.
func TestEachMessageHasAPage(t *testing.T) {
	t.Parallel()
	all := files(t)
	var index []indexed
	if err := json.Unmarshal(all["errors.json"], &index); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	pages := 0
	for name := range all {
		if strings.HasPrefix(name, "errors/") {
			pages++
		}
	}
	if pages != len(index) || pages < 150 {
		t.Errorf("%d pages, and %d messages in the index", pages, len(index))
	}
	for _, one := range index {
		if all[one.Page] == nil || one.Shape == "" || len(one.Words) == 0 {
			t.Errorf("%q has no page or no words", one.Shape)
		}
	}
}
