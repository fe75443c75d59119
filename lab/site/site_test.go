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
	"toolproof/harness/fixture"
	"toolproof/harness/recording"
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
	data := &Data{Store: store, Fixtures: all, Docs: os.DirFS("../../docs"), Present: fstest.MapFS{}}
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
