// Package scaffold writes the files that begin a new rule, surface, agent or format, and adds the
// new thing to the list of its kind. What a person has to supply is marked with FillIn.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"go/format"
	"go/token"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"text/template"
)

// FillIn marks what a person has to supply in a new file.
const FillIn = "FILL IN"

// Plan is what a new thing adds to a checkout. Paths have slashes and begin at the root of the
// checkout.
type Plan struct {
	New     map[string][]byte // files that do not exist yet
	Changed map[string][]byte // files that do, with their whole new text
	// ByHand are the lines to add where the plan cannot change a list, each with its place.
	ByHand []string
	// Tests are those that fail until a person has supplied what they want.
	Tests []Test
}

// Test is a test that fails on a new thing at first.
type Test struct {
	Name    string // such as TestRows
	Package string // such as ./harness/agent/client
	Wants   string // what makes it pass
}

// marks is the test that finds FillIn.
var marks = Test{"TestNothingIsLeftToFillIn", "./lab/scaffold", "what is marked " + FillIn}

// Agent returns the plan for a client of the Model Context Protocol that can be run.
func Agent(checkout fs.FS, name string) (*Plan, error) {
	if !isKebab.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a client: use lower-case words with - between them, such as gemini-cli", name)
	}
	const folder = "harness/agent/client"
	d := draft{checkout: checkout, Name: name, Variable: camel(name), file: path.Join(folder, strings.ReplaceAll(name, "-", "_")+".go")}
	d.write("agent.go.tmpl")
	d.register(folder, "Rows", d.Variable, "")
	d.register(folder, "Agents", d.Variable, "")
	return d.plan(
		Test{"TestRows", "./" + folder, "the title, the package, the version and the day of the measurement"},
		Test{"TestSetups", "./harness/agent", "a golden of the configuration: run it with UPDATE=1"},
		Test{"TestTreatments", "./harness/agent", "lines of docs/clients.json and docs/clients-portable.json: add the package to lab/clients/agents and run UPDATE=1 make agents"},
		marks,
	)
}

// Format returns the plan for a form in which the results of a run are written.
func Format(checkout fs.FS, name string) (*Plan, error) {
	if !isWord.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a format: use one lower-case word, such as junit", name)
	}
	const folder = "harness/report"
	d := draft{checkout: checkout, Name: name, Variable: name, file: path.Join(folder, name+".go")}
	d.write("format.go.tmpl")
	d.register(folder, "Formats", fmt.Sprintf("{%q, func(options Options) Sink { return &%s{options: options} }}", name, name), "")
	return d.plan(
		Test{"TestFormats", "./cmd/verify", "a reader of the format in the test"},
		Test{"TestTables", "./cmd/verify", "a row of docs/commands.md"},
		marks,
	)
}

// Rule returns the plan for a rewrite rule in the pipelines of the given targets.
func Rule(checkout fs.FS, name string, targets []string) (*Plan, error) {
	if !isSnake.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a rule: use lower-case words with _ between them, such as const_to_enum", name)
	}
	const folder = "normalizers/internal/rules"
	d := draft{checkout: checkout, Name: name, Variable: capital(camel(name)), file: path.Join(folder, name+".go")}
	d.write("rule.go.tmpl")
	d.add("fixture.json.tmpl", path.Join("fixtures", "own", d.ID()+".json"))
	for _, target := range targets {
		d.register("normalizers", strings.ReplaceAll(target, "-", ""), "rules."+d.Variable, "rules")
	}
	if len(targets) == 0 {
		d.byHand("rules."+d.Variable, "a pipeline of normalizers/pipelines.go, whose rules run in the order of the list")
	}
	return d.plan(
		Test{"TestEveryRuleIsUsed", "./normalizers", "the rule in a pipeline"},
		Test{"TestBeforeGivesAfter", "./normalizers", "a Before of which the rule makes After"},
		Test{"TestEveryRewriteRuleIsNeeded", "./harness", "a fixture that breaks where a pipeline lacks the rule"},
		marks,
	)
}

var (
	isSnake   = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	isKebab   = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	isWord    = regexp.MustCompile(`^[a-z]+$`)
	isSurface = regexp.MustCompile(`^[a-z][a-z0-9-]*/[a-zA-Z][a-zA-Z0-9_-]*$`)
)

// camel returns the words of a name as one Go identifier that is not exported.
func camel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-/.", r) })
	for i, word := range words {
		if i > 0 {
			words[i] = capital(word)
		}
	}
	return strings.Join(words, "")
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

//go:embed templates
var texts embed.FS

var templates = template.Must(template.ParseFS(texts, "templates/*.tmpl"))

// draft is a plan in the making. The templates read its exported fields and methods. After the
// first error its methods do nothing.
type draft struct {
	checkout fs.FS
	file     string // the Go file of the new thing
	made     Plan
	err      error

	Name, Variable string
	// Package, Stage, Relative and Surface are for rules and surfaces of providers.
	Package, Relative, Surface string
	Stages                     []string // the surface's, in the order of its rules
}

// FillIn returns the mark, with what has to be supplied.
func (d *draft) FillIn(what string) string { return FillIn + ": " + what }

// ID returns the name with a - between its words.
func (d *draft) ID() string { return strings.ReplaceAll(d.Name, "_", "-") }

// IsFormat reports whether the name is one of a surface for answers.
func (d *draft) IsFormat() bool { return strings.Contains(d.Name, "format") }

// write begins the plan with the Go file of the new thing.
func (d *draft) write(name string) {
	d.made = Plan{New: map[string][]byte{}, Changed: map[string][]byte{}}
	if token.IsKeyword(d.Variable) {
		d.err = fmt.Errorf("%q is a keyword of Go: use another name", d.Variable)
	}
	if d.err == nil && !isBuiltEverywhere(d.file) {
		d.err = fmt.Errorf("go build would not compile %s on every machine because of the end of its name: use another name", d.file)
	}
	if _, err := fs.Stat(d.checkout, d.file); err != nil && d.err == nil { // add names a file that exists
		d.err = unusedIn(d.checkout, path.Dir(d.file), d.Variable)
	}
	d.add(name, d.file)
}

// add adds a new file made by a template.
func (d *draft) add(name, file string) {
	if d.err != nil {
		return
	}
	if _, err := fs.Stat(d.checkout, file); err == nil {
		d.err = fmt.Errorf("%s exists already", file)
		return
	}
	var text bytes.Buffer
	if d.err = templates.ExecuteTemplate(&text, name, d); d.err != nil {
		return
	}
	source := text.Bytes()
	if path.Ext(file) == ".go" {
		if source, d.err = format.Source(source); d.err != nil {
			d.err = fmt.Errorf("formatting %s: %w", file, d.err)
			return
		}
	}
	d.made.New[file] = source
}

// register adds an element to a list: the value of a variable of a folder, or the field of it.
func (d *draft) register(folder, variable, element, field string) {
	if d.err != nil {
		return
	}
	file, text, err := appended(d.checkout, d.made.Changed, folder, variable, element, field)
	switch {
	case errors.Is(err, errNoList):
		d.byHand(element, strings.TrimPrefix(err.Error(), errNoList.Error()+": "))
	case err != nil:
		d.err = err
	default:
		d.made.Changed[file] = text
	}
}

func (d *draft) byHand(element, place string) {
	d.made.ByHand = append(d.made.ByHand, "add "+element+" to "+place)
}

func (d *draft) plan(tests ...Test) (*Plan, error) {
	if d.err != nil {
		return nil, d.err
	}
	d.made.Tests = tests
	return &d.made, nil
}

// isBuiltEverywhere reports whether go build compiles a file of that name for every system: it
// does not if the name ends in _test, _windows or the like.
func isBuiltEverywhere(file string) bool {
	nowhere := build.Default
	nowhere.GOOS, nowhere.GOARCH = "none", "none"
	nowhere.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }
	matches, err := nowhere.MatchFile(path.Dir(file), path.Base(file))
	return err == nil && matches && !strings.HasSuffix(file, "_test.go")
}
