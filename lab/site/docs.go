package site

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// installation is the page that tells how to install the program.
const installation = "docs/install.html"

// firstDocs are the pages of the documentation that come first in its list, without .md.
var firstDocs = []string{"install", "commands", "config", "servers", "live", "library"}

// doc is a page of the documentation.
type doc struct {
	Path, Title string
	// Lead is its first sentence, and HTML is all of it, title included.
	Lead string
	HTML template.HTML
}

// markdown reads the documentation, which may have HTML inside.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(html.WithUnsafe()),
)

// documentation makes a page of each Markdown file in the folder of the documentation, and a list of
// them.
func documentation(_ context.Context, data *Data) ([]Page, error) {
	names, err := fs.Glob(data.Docs, "*.md")
	if err != nil || len(names) == 0 {
		return nil, err
	}
	slices.SortStableFunc(names, func(a, b string) int { return rankOfDoc(a) - rankOfDoc(b) })
	var pages []Page
	var docs []doc
	for _, name := range names {
		source, err := fs.ReadFile(data.Docs, name)
		if err != nil {
			return nil, fmt.Errorf("reading the documentation: %w", err)
		}
		shown, err := data.doc(name, source)
		if err != nil {
			return nil, err
		}
		docs = append(docs, shown)
		pages = append(pages, Page{Path: shown.Path, Section: "Docs", Title: shown.Title, Template: "doc", Summary: shown.Lead, Data: shown})
	}
	return append([]Page{{
		Path: "docs.html", Section: "Docs", Title: "Documentation", Template: "docs",
		Summary: "How to install and use Toolproof: its commands, configuration, library and formats.", Data: docs,
	}}, pages...), nil
}

// rankOfDoc returns the place of a file in the list.
func rankOfDoc(name string) int {
	if at := slices.Index(firstDocs, strings.TrimSuffix(name, ".md")); at >= 0 {
		return at
	}
	return len(firstDocs)
}

// doc turns a file of the documentation into a page. Links to other such files lead to their pages, and
// those to other files of the repository into its source.
func (d *Data) doc(name string, source []byte) (doc, error) {
	shown := doc{Path: "docs/" + strings.TrimSuffix(name, ".md") + ".html"}
	root := markdown.Parser().Parse(text.NewReader(source))
	err := ast.Walk(root, func(node ast.Node, isEntering bool) (ast.WalkStatus, error) {
		if !isEntering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			if shown.Title == "" {
				shown.Title = textOf(node, source)
			}
		case *ast.Paragraph:
			if shown.Lead == "" {
				shown.Lead = firstSentence(textOf(node, source))
			}
		case *ast.Link:
			node.Destination = []byte(d.linkFrom("docs", string(node.Destination)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return shown, fmt.Errorf("reading %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, root); err != nil {
		return shown, fmt.Errorf("writing %s: %w", name, err)
	}
	wrapped := strings.NewReplacer(
		"<table>", `<div class="box" tabindex="0" role="group" aria-label="Table"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`,
	).Replace(out.String())
	shown.HTML = template.HTML(wrapped) //nolint:gosec // made of the documentation of the project
	return shown, nil
}

// linkFrom returns where a link in a file of a folder of the repository leads on the site.
func (d *Data) linkFrom(folder, link string) string {
	file, place, hasPlace := strings.Cut(link, "#")
	if file == "" || strings.Contains(file, "://") {
		return link
	}
	if hasPlace {
		place = "#" + place
	}
	if page, isDoc := strings.CutSuffix(file, ".md"); isDoc && !strings.Contains(page, "/") {
		return page + ".html" + place
	}
	return d.Source + "/blob/HEAD/" + path.Join(folder, file) + place
}

// textOf returns the text of a node without its marks.
func textOf(node ast.Node, source []byte) string {
	var words strings.Builder
	_ = ast.Walk(node, func(node ast.Node, isEntering bool) (ast.WalkStatus, error) {
		if leaf, isText := node.(*ast.Text); isText && isEntering {
			words.Write(leaf.Segment.Value(source))
			if leaf.SoftLineBreak() {
				words.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return words.String()
}

// firstSentence returns a text up to the end of its first sentence.
func firstSentence(text string) string {
	if at := strings.Index(text, ". "); at >= 0 {
		return text[:at+1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, ":"), ".") + "."
}
