// Package site makes the website: plain files, with no address of their own, that any
// server of files publishes below any path. Text is in the pages, so that they are read
// without JavaScript; a script only finds and filters.
//
// A page is added so: a file of this package has a function from Data to pages, and
// stands in the list makers; the template that a page names is templates/NAME.html and
// defines "main". A page that belongs in the navigation has a row in sections. What it
// loads besides style.css, which package style has, is in static, or is put into the folder of the site by others,
// and is named in Scripts and Policy. All of it must come from the site itself.
package site

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/harness/fixture"
	"toolproof/harness/recording"
	"toolproof/internal/style"
	"toolproof/schema"
)

// Data is what the pages are made of, besides what the program knows.
type Data struct {
	Store    *recording.Store
	Fixtures []*fixture.Fixture
	// Docs is the folder of the documentation, which has what was measured. What it lacks
	// is not shown.
	Docs fs.FS
	// Present is the folder that the site is written to: a page whose files others make is
	// there once these files are.
	Present fs.FS

	// files are those besides the pages that the makers add.
	files map[string][]byte
	// pages are those that were made so far.
	pages []Page
	known *known
}

// Page is one page.
type Page struct {
	// Path is where the page is, below the root of the site: surfaces/openai-chat.html.
	Path string
	// Section is the row of the navigation that the page belongs to; empty for none.
	Section string
	Title   string
	// Summary says in a sentence what the page has, for those who find it.
	Summary string
	// Template names the file that defines main, without .html.
	Template string
	// Data is what main is made of.
	Data any
	// Scripts are modules that the page loads, below the root of the site.
	Scripts []string
	// Styles are style sheets that the page loads besides style.css, below the root of the
	// site.
	Styles []string
	// Policy are directives of the Content-Security-Policy that the page has instead of
	// those of Policy, by their names.
	Policy map[string]string
}

// section is a row of the navigation.
type section struct{ Name, Path string }

// playground is the section of a page that is there when its files are.
const playground = "Playground"

// sections are the navigation.
var sections = []section{
	{playground, "playground/index.html"},
	{"Surfaces", "surfaces.html"},
	{"Rules", "rules.html"},
	{"Errors", "errors.html"},
	{"State of tools", "tools.html"},
	{"Peers", "peers.html"},
}

// makers make the pages, in their order.
var makers = []func(context.Context, *Data) ([]Page, error){
	surfaces,
	timeline,
	rules,
	errorsPages,
	stateOfTools,
	peersPage,
	playgroundPage,
	home,
}

// policy is the Content-Security-Policy of a page: what it loads is of the site, and what
// is inside it is no script and no style.
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

// Files makes the site: the text of each file by its path.
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
		made, err := maker(ctx, data)
		if err != nil {
			return nil, err
		}
		data.pages = append(data.pages, made...)
	}
	render := renderer{pages: data.pages, parsed: map[string]*template.Template{}}
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

// renderer writes pages.
type renderer struct {
	pages  []Page
	parsed map[string]*template.Template
}

// shown is a page as the templates see it.
type shown struct {
	Page

	// Root leads from the page to the root of the site: empty, or ../ for each folder.
	Root     string
	Sections []section
	CSP      string
}

// page returns the text of a page.
func (r *renderer) page(page Page) ([]byte, error) {
	parsed := r.parsed[page.Template]
	if parsed == nil {
		var err error
		if parsed, err = template.New("page.html").Funcs(functions).ParseFS(templates, "templates/page.html", "templates/plot.html", "templates/"+page.Template+".html"); err != nil {
			return nil, fmt.Errorf("reading the template of %s: %w", page.Path, err)
		}
		r.parsed[page.Template] = parsed
	}
	view := shown{Page: page, Root: strings.Repeat("../", strings.Count(page.Path, "/")), CSP: page.policy()}
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
	for _, one := range policy {
		sources := one.sources
		if own := p.Policy[one.directive]; own != "" {
			sources = own
		}
		directives = append(directives, one.directive+" "+sources)
	}
	return strings.Join(directives, "; ")
}

// functions are what templates call.
var functions = template.FuncMap{
	"anchor":   anchor,
	"linkOf":   linkOf,
	"sentence": sentence,
	"grouped":  grouped,
}

// grouped returns a number with a comma after each thousand.
func grouped(number int) string {
	text := strconv.Itoa(number)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// sentence returns a text that begins with a capital and ends with a full stop. A name at the
// beginning stays as it is.
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

// anchor returns a name as the id of a place in a page, and as the name of a file: letters
// and digits stay, and anything else becomes a hyphen.
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
