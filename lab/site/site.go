// Package site makes the website: plain files without absolute links that any file server can
// publish below any path. All text is in the pages, so that they can be read without
// JavaScript; scripts only search and filter.
//
// To add a page, write a function from Data to pages in a file of this package and add it to
// makers. The template named by a page is templates/NAME.html and defines "main". A page that
// belongs in the navigation needs a row in sections. What it loads besides style.css, which is
// in package style, is in static or is put into the folder of the site by others, and is listed
// in Scripts and Policy. All of it must come from the site itself.
package site

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/harness/fixture"
	"toolproof/harness/recording"
	"toolproof/internal/style"
	"toolproof/schema"
)

// Data is the input of the pages, besides the program's own registries.
type Data struct {
	Store    *recording.Store
	Fixtures []*fixture.Fixture
	// Docs is the folder of the documentation, which contains the measurements. What it lacks
	// is left out.
	Docs fs.FS
	// Source is the URL of the repository.
	Source string
	// Present is the folder that the site is written to. Pages that need files made by others
	// are made only if it has them.
	Present fs.FS

	// files are the files that makers add besides pages.
	files map[string][]byte
	// pages are the pages made so far.
	pages []Page
	known *known
}

// Page is one page.
type Page struct {
	// Path is the path of the page relative to the root of the site, such as
	// surfaces/openai-chat.html.
	Path string
	// Section is the name of the page's row in the navigation; "" for none.
	Section string
	Title   string
	// Summary describes the page in a sentence, for search engines and links.
	Summary string
	// Template is the name of the template file without .html.
	Template string
	// Data is the data of the template.
	Data any
	// Scripts are modules that the page loads, relative to the root of the site.
	Scripts []string
	// Styles are style sheets that the page loads besides style.css, relative to the root of
	// the site.
	Styles []string
	// Feed is the path of the page's own feed, without .atom and .json; "" if it has none.
	Feed string
	// Policy replaces directives of the Content-Security-Policy, by name.
	Policy map[string]string
}

// section is a row of the navigation.
type section struct{ Name, Path string }

// playground is the section of the playground, which exists only if its files do.
const playground = "Playground"

// sections is the navigation.
var sections = []section{
	{playground, "playground/index.html"},
	{"Who takes what", "keywords.html"},
	{"Surfaces", "surfaces.html"},
	{"Rules", "rules.html"},
	{"Errors", "errors.html"},
	{"State of tools", "tools.html"},
	{"Peers", "peers.html"},
	{"History", "history.html"},
	{"Docs", "docs.html"},
}

// makers make the pages, in this order.
var makers = []func(context.Context, *Data) ([]Page, error){
	surfaces,
	limitsPage,
	timeline,
	rules,
	errorsPages,
	keywords,
	stateOfTools,
	peersPage,
	historyPages,
	documentation,
	playgroundPage,
	home,
}

// policy is the Content-Security-Policy of a page: everything it loads comes from the site, and
// nothing inside it is a script or a style.
var policy = []struct{ directive, sources string }{
	{"default-src", "'none'"},
	{"style-src", "'self'"},
	{"script-src", "'self'"},
	{"img-src", "'self'"},
	{"connect-src", "'self'"},
	{"worker-src", "'none'"},
	{"base-uri", "'none'"},
	{"form-action", "'none'"},
}

//go:embed templates/*.html
var templates embed.FS

//go:embed static
var static embed.FS

// Files returns the files of the site by path.
func Files(ctx context.Context, data *Data) (map[string][]byte, error) {
	files := map[string][]byte{}
	data.files = files
	entries, err := static.ReadDir("static")
	if err != nil {
		return nil, fmt.Errorf("reading the files of the site: %w", err)
	}
	for _, entry := range entries {
		if files[entry.Name()], err = static.ReadFile("static/" + entry.Name()); err != nil {
			return nil, fmt.Errorf("reading the files of the site: %w", err)
		}
	}
	files["style.css"] = []byte(style.Sheet)
	for _, maker := range makers {
		pages, err := maker(ctx, data)
		if err != nil {
			return nil, err
		}
		data.pages = append(data.pages, pages...)
	}
	render := renderer{pages: data.pages, source: data.Source, parsed: map[string]*template.Template{}}
	for _, page := range data.pages {
		if files[page.Path] != nil {
			return nil, fmt.Errorf("two pages are %s", page.Path)
		}
		if files[page.Path], err = render.page(page); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// renderer renders pages.
type renderer struct {
	pages  []Page
	source string
	parsed map[string]*template.Template
}

// shownPage is a page with what its template needs.
type shownPage struct {
	Page

	// Root is the relative path to the root of the site: "", or "../" for each folder.
	Root     string
	Sections []section
	CSP      string
	// Source is the URL of the repository, and Install the path of the page about installation; ""
	// if the site has none.
	Source, Install string
}

// page renders a page.
func (r *renderer) page(page Page) ([]byte, error) {
	parsed := r.parsed[page.Template]
	if parsed == nil {
		var err error
		if parsed, err = template.New("page.html").Funcs(functions).ParseFS(templates, "templates/page.html", "templates/plot.html", "templates/"+page.Template+".html"); err != nil {
			return nil, fmt.Errorf("reading the template of %s: %w", page.Path, err)
		}
		r.parsed[page.Template] = parsed
	}
	view := shownPage{Page: page, Root: strings.Repeat("../", strings.Count(page.Path, "/")), CSP: page.policy(), Source: r.source}
	if slices.ContainsFunc(r.pages, func(other Page) bool { return other.Path == installation }) {
		view.Install = installation
	}
	for _, section := range sections {
		for _, other := range r.pages {
			if other.Path == section.Path {
				view.Sections = append(view.Sections, section)
			}
		}
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, view); err != nil {
		return nil, fmt.Errorf("making %s: %w", page.Path, err)
	}
	return text.Bytes(), nil
}

// policy returns the Content-Security-Policy of a page.
func (p Page) policy() string {
	var directives []string
	for _, rule := range policy {
		sources := rule.sources
		if own := p.Policy[rule.directive]; own != "" {
			sources = own
		}
		directives = append(directives, rule.directive+" "+sources)
	}
	return strings.Join(directives, "; ")
}

// functions are the functions of the templates.
var functions = template.FuncMap{
	"anchor":   anchor,
	"linkOf":   linkOf,
	"sentence": sentence,
	"grouped":  grouped,
	"wordOf":   wordOf,
	"stateOf":  stateOf,
	"page":     keywordFile,
	"rewrite":  rewriteFile,
}

// grouped returns a number with a comma between groups of three digits.
func grouped(number int) string {
	text := strconv.Itoa(number)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// sentence returns a text with a capital at the beginning, unless it begins with a name, and a
// full stop at the end.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if strings.ToLower(first) == first && !strings.ContainsAny(first, "_$/.") && schema.ClassOf(first) == 0 {
		letter, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(letter)) + text[size:]
	}
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") {
		return text
	}
	return text + "."
}

// anchor returns a name as an anchor and file name: every character but ASCII letters, digits,
// underscores, dollar signs and dots becomes a hyphen.
func anchor(name string) string {
	return strings.Map(func(letter rune) rune {
		switch {
		case letter >= 'a' && letter <= 'z', letter >= 'A' && letter <= 'Z', letter >= '0' && letter <= '9', letter == '_', letter == '$', letter == '.':
			return letter
		default:
			return '-'
		}
	}, path.Clean(name))
}
