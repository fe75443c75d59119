package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
)

var (
	// cited matches a document of the project in a text, with an optional heading.
	cited = regexp.MustCompile(`\bdocs/[A-Za-z0-9_./-]+\.(?:md|jsonl|json)(?:#[a-z0-9_-]+)?|(?:[A-Za-z0-9_-]+/)*\b[A-Z_]{4,}\.md\b`)
	// linked matches the target of a Markdown link within the project.
	linked = regexp.MustCompile(`\]\(([^)\s:]+)\)`)
	// unpublished matches a seed document without the page that has its content.
	unpublished = regexp.MustCompile(`\bseed\s+00[0-4]`)
	// notInHeading matches what the anchor of a heading leaves out.
	notInHeading = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// TestCitations checks that every document and heading that the project cites exists: in the
// Docs and Sources of rules and targets, in comments, and in docs.
func TestCitations(t *testing.T) {
	t.Parallel()
	const root = "../.."
	pages, seen := headings{root: root}, 0
	made, err := docsFiles(t.Context(), filepath.Join(root, "docs"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == generated: // TestDocs checks these
			return fs.SkipDir
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2 || slices.Contains([]string{"node_modules", "testdata"}, entry.Name())):
			return fs.SkipDir
		case !slices.Contains([]string{".go", ".md"}, filepath.Ext(name)), entry.Name() == "citations_test.go":
			return nil
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := strings.NewReplacer(`\#`, "#", `\_`, "_").Replace(string(content))
		folder := path.Dir(filepath.ToSlash(relative))
		for line := range strings.Lines(text) {
			if strings.Contains(line, "docs/") || strings.Contains(line, ".md") { // faster than the expression
				for _, match := range cited.FindAllStringIndex(line, -1) {
					if citation := line[match[0]:match[1]]; !strings.HasSuffix(line[:match[0]], "/") { // not part of a URL
						seen++
						if _, isMade := made[strings.TrimPrefix(citation, "docs/")]; !isMade && !pages.has(citation) && !pages.has(path.Join(folder, citation)) {
							t.Errorf("%s cites %s, which does not exist", relative, citation)
						}
					}
				}
			}
		}
		if filepath.Ext(name) == ".md" {
			for _, match := range linked.FindAllStringSubmatch(text, -1) {
				seen++
				destination := path.Join(folder, match[1])
				if strings.HasPrefix(match[1], "#") {
					destination = filepath.ToSlash(relative) + match[1]
				}
				if !pages.has(destination) {
					t.Errorf("%s links to %s, which does not exist", relative, match[1])
				}
			}
		}
		if !strings.Contains(text, "seed") {
			return nil
		}
		if found := unpublished.FindString(text); found != "" {
			t.Errorf("%s cites %q without docs/seeds.md", relative, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no citation was found")
	}
}

// TestSourcesOfFixtures checks that the documents that fixtures name as their source are in
// docs.
func TestSourcesOfFixtures(t *testing.T) {
	t.Parallel()
	all, err := cli.EveryFixture()
	if err != nil {
		t.Fatal(err)
	}
	pages := headings{root: "../.."}
	for _, one := range all {
		section := one.Source.Section
		for _, citation := range cited.FindAllString(section, -1) {
			if !pages.has(citation) {
				t.Errorf("%s cites %s, which does not exist", one.ID, citation)
			}
		}
		if one.Source.Kind != "seed" {
			continue
		}
		number, _, _ := strings.Cut(section, " ")
		parts := []string{""}
		switch number {
		case "002":
			parts = regexp.MustCompile(`LOG-[0-9]{3}`).FindAllString(section, -1)
		case "004":
			parts = regexp.MustCompile(`§[0-9.]*[0-9]`).FindAllString(section, -1)
		}
		if len(parts) == 0 {
			t.Errorf("%s: the source %q names no section", one.ID, section)
		}
		for _, part := range parts {
			if heading := "docs/seeds.md#" + address(strings.TrimSpace("Seed "+number+" "+part)); !pages.has(heading) {
				t.Errorf("%s: the source %q is not in %s", one.ID, section, heading)
			}
		}
	}
}

// headings caches the anchors of the headings of documents below a folder.
type headings struct {
	root string
	of   map[string][]string
}

// has reports whether a file exists and has the heading named after a #.
func (h *headings) has(citation string) bool {
	name, heading, ok := strings.Cut(citation, "#")
	if h.of == nil {
		h.of = map[string][]string{}
	}
	found, known := h.of[name]
	if !known {
		content, err := os.ReadFile(filepath.Join(h.root, filepath.FromSlash(name)))
		if _, failed := os.Stat(filepath.Join(h.root, filepath.FromSlash(name))); failed != nil {
			return false
		}
		if err == nil {
			for line := range strings.Lines(string(content)) {
				if strings.HasPrefix(line, "#") {
					found = append(found, address(strings.TrimSpace(strings.TrimLeft(line, "#"))))
				}
			}
		}
		h.of[name] = found
	}
	return !ok || slices.Contains(found, heading)
}

// address returns GitHub's anchor for a heading.
func address(heading string) string {
	return strings.ReplaceAll(notInHeading.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
