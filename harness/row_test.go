package harness_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// missing names the fields that the row of a surface lacks, and those that contradict
// how it declares a tool.
func missing(d *provider.Dialect) []string {
	var names []string
	need := func(name string, isThere bool) {
		if !isThere {
			names = append(names, name)
		}
	}
	need("Name", d.Name != "")
	need("Doc", d.Doc != "")
	need("API", d.API != "")
	need("Path", d.Path != "")
	need("Path that ends in its API", strings.HasSuffix(d.Path, string(d.API)) || d.API == provider.ToolsList)
	need("Subject", d.Subject == provider.Arguments || d.Subject == provider.Answer || d.Subject == provider.Annotations)
	hasTarget := slices.ContainsFunc(harness.Targets, func(target judge.Target) bool { return target.Dialect.Name == d.Name })
	need("either a target, a Relative or AsGiven", count(hasTarget, d.Relative != "", d.AsGiven != "") == 1)
	need("Relative that is a target", d.Relative == "" || harness.Serving(d).Normalizer != nil)
	need("lengths of functions with a Relative alone", d.NameLength+d.DescriptionLength == 0 || d.Relative != "" && d.Subject == provider.Arguments)
	need("MostTools of 1", d.Subject != provider.Answer || d.MostTools == 1)
	need("Control, where it has an Account", (d.Account != "") == (d.Control != ""))
	need("Account among those of live runs", d.Account == "" || slices.ContainsFunc(live.Providers, func(p live.Provider) bool { return p.Serves(d) }))
	need("Traffic.Hosts", len(d.Traffic.Hosts) > 0 || isOfClients(d.API))
	need("Declare", d.Declare != nil)
	need("Envelope", d.Envelope != nil)
	need("Render", d.Render != nil)
	need("Classify", d.Classify != nil)
	need("Locate", d.Locate != nil || d.API == provider.ToolsList)
	if d.Declare == nil {
		return names
	}
	parameters := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	declaration := d.Declare(schema.Tool{Name: "f", Parameters: parameters})
	need("Schema, where Declare puts it", schema.Equal(d.SchemaOf(declaration), parameters))
	function := declaration
	if inner := declaration.First("function", "toolSpec"); inner != nil {
		function = inner
	}
	if len(names) == 0 && d.Rules != nil { // what is made of the row as a whole
		asked := wire.Read(d.API, []*provider.Dialect{d}, d.Envelope([]*schema.Node{declaration}))
		need("Envelope that wire reads", !isRead(d.API) || len(asked) == 1 && asked[0].Dialect == d.Name && schema.Equal(asked[0].Declarations[0], declaration))
		need("Control that is refused, in words that Classify reads", d.Account == "" || isRefused(d))
	}
	need("Portable for open functions alone", !d.Portable || d.Subject == provider.Arguments && !d.Strict && d.API != provider.ToolsList)
	need("Strict, as Declare says it", d.Strict == (d.Subject == provider.Arguments && function.Get("strict").IsTrue()))
	return names
}

// isOfClients reports whether an API is between a client and a server of the Model Context Protocol, not a service's.
func isOfClients(api provider.API) bool {
	return api == provider.ToolsList || api == provider.ElicitationCreate || api == provider.SamplingCreateMessage
}

// count returns how many of the conditions hold.
func count(conditions ...bool) int {
	held := 0
	for _, holds := range conditions {
		if holds {
			held++
		}
	}
	return held
}

// isRead reports whether package wire reads requests of an API.
func isRead(api provider.API) bool {
	switch api {
	case provider.GenerateContent, provider.ChatCompletions, provider.Responses, provider.Messages, provider.OllamaChat,
		provider.ElicitationCreate, provider.SamplingCreateMessage:
		return true
	default:
		return false
	}
}

// isRefused reports whether the model refuses the control of a surface, and Classify reads
// what Render makes of that.
func isRefused(d *provider.Dialect) bool {
	parameters, err := schema.Parse([]byte(d.Control))
	if err != nil {
		return false
	}
	request := d.Encode([]schema.Tool{{Name: "f", Parameters: parameters}})
	predicted, err := (&provider.Model{Dialect: d}).Send(context.Background(), request)
	if err != nil || predicted.Verdict != provider.Rejected {
		return false
	}
	read, err := d.Classify(predicted.Status, d.Render(predicted))
	return err == nil && read.Verdict == provider.Rejected && read.Message == predicted.Message
}

// TestRowsAreComplete asks the row of every surface for all that the consumers read.
func TestRowsAreComplete(t *testing.T) {
	t.Parallel()
	for _, dialect := range harness.Dialects {
		if names := missing(dialect); len(names) > 0 {
			t.Errorf("the row of %s lacks %q", dialect.Name, names)
		}
	}
}

// TestSurfacesAreNamedInTheirRows: what reads rows compares with no surface's name, so that
// the code has each name once.
func TestSurfacesAreNamedInTheirRows(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for _, folder := range []string{".", "../cmd", "../normalizers", "../internal", "../lab", "../schema"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if path == "../lab/adapters" || path == "../lab/referees" { // programs beside the module's, which know no rows
				return filepath.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !slices.ContainsFunc(harness.Dialects, func(d *provider.Dialect) bool { return bytes.Contains(text, []byte(d.Name)) }) {
				return err // most files name none
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(node ast.Node) bool {
				if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if text, err := strconv.Unquote(literal.Value); err == nil {
						found[text] = append(found[text], path)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dialect := range harness.Dialects {
		if files := found[dialect.Name]; len(files) > 1 {
			t.Errorf("%s is named outside of its row, in one of %q", dialect.Name, files)
		}
	}
	if len(found[harness.Dialects[0].Name]) != 1 {
		t.Errorf("%s is named in %q", harness.Dialects[0].Name, found[harness.Dialects[0].Name])
	}
}

// TestNamesInEvidenceAreOfOneSurface: no two rows have the same name or alias.
func TestNamesInEvidenceAreOfOneSurface(t *testing.T) {
	t.Parallel()
	owners := map[string]string{}
	for _, dialect := range harness.Dialects {
		for _, name := range append([]string{strings.Replace(dialect.Name, "/", ".", 1)}, dialect.Aliases...) {
			if owner, ok := owners[name]; ok {
				t.Errorf("%q is a name of %s and of %s", name, owner, dialect.Name)
			}
			owners[name] = dialect.Name
		}
	}
}

// TestIncompleteRowIsNamed knocks each field out of a row that has it.
func TestIncompleteRowIsNamed(t *testing.T) {
	t.Parallel()
	whole, err := harness.DialectNamed("anthropic/tools-strict")
	if err != nil {
		t.Fatal(err)
	}
	for name, knock := range map[string]func(*provider.Dialect){
		"Name":                                   func(d *provider.Dialect) { d.Name = "" },
		"Doc":                                    func(d *provider.Dialect) { d.Doc = "" },
		"API":                                    func(d *provider.Dialect) { d.API = "" },
		"Path":                                   func(d *provider.Dialect) { d.Path = "" },
		"Subject":                                func(d *provider.Dialect) { d.Subject = "" },
		"Declare":                                func(d *provider.Dialect) { d.Declare = nil },
		"Relative that is a target":              func(d *provider.Dialect) { d.Relative = "nobody" },
		"either a target, a Relative or AsGiven": func(d *provider.Dialect) { d.AsGiven = "it has none" },
		"lengths of functions with a Relative alone": func(d *provider.Dialect) { d.NameLength = 64 },
		"Control, where it has an Account":           func(d *provider.Dialect) { d.Control = "" },
		"Account among those of live runs":           func(d *provider.Dialect) { d.Account = "nobody" },
		"MostTools of 1":                             func(d *provider.Dialect) { d.Subject, d.MostTools = provider.Answer, 0 },
		"Traffic.Hosts":                              func(d *provider.Dialect) { d.Traffic.Hosts = nil },
		"Envelope":                                   func(d *provider.Dialect) { d.Envelope = nil },
		"Render":                                     func(d *provider.Dialect) { d.Render = nil },
		"Classify":                                   func(d *provider.Dialect) { d.Classify = nil },
		"Schema, where Declare puts it":              func(d *provider.Dialect) { d.Schema = "/parameters" },
		"Strict, as Declare says it":                 func(d *provider.Dialect) { d.Strict = false },
		"Portable for open functions alone":          func(d *provider.Dialect) { d.Portable = true },
		"Locate":                                     func(d *provider.Dialect) { d.Locate = nil },
		"Path that ends in its API":                  func(d *provider.Dialect) { d.Path = "/v1/complete" },
		"Envelope that wire reads":                   func(d *provider.Dialect) { d.Envelope = openai.Chat.Envelope },
		"Control that is refused, in words that Classify reads": func(d *provider.Dialect) {
			d.Control = `{"type":"object","properties":{},"additionalProperties":false}`
		},
	} {
		row := *whole
		knock(&row)
		if names := missing(&row); !slices.Contains(names, name) {
			t.Errorf("a row without %s lacks %q", name, names)
		}
	}
}
