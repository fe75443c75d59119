// Package corpus reads real tools, and the answers of engines to them. Neither is in the
// repository: TOOLPROOF_CORPUS names the folder of the tools, and the folder evidence is next
// to it.
package corpus

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// variable is the environment variable that names the folder.
const variable = "TOOLPROOF_CORPUS"

// Test is the part of testing.TB that this package uses.
type Test interface {
	Helper()
	Fatal(arguments ...any)
	Fatalf(format string, arguments ...any)
	Skipf(format string, arguments ...any)
}

// Folder returns the folder of the tools: the one that the environment names, or shared/corpus
// next to the project.
func Folder() string {
	if folder := os.Getenv(variable); folder != "" {
		return folder
	}
	above := "."
	for range 8 { // tests run in their packages' folders
		if _, err := os.Stat(filepath.Join(above, "go.mod")); err == nil {
			break
		}
		above = filepath.Join(above, "..")
	}
	return filepath.Join(above, "..", "shared", "corpus")
}

// Missing ends a test that cannot read a file. The test fails if the environment names the
// folder, and is skipped if not.
func Missing(t Test, err error) {
	t.Helper()
	if os.Getenv(variable) != "" {
		t.Fatalf("reading the corpus: %v\nset %s to its folder, or to nothing", err, variable)
	}
	t.Skipf("no corpus: set %s to its folder: %v", variable, err)
}

// Read returns the lines of a gzip-compressed JSON Lines file, named relative to the folder. If
// there is no such file, the error is that of os.Open.
func Read(name string) ([]*schema.Node, error) { return Every(1, name) }

// Every is like Read but returns only one line in each interval, starting with the first.
func Every(interval int, name string) ([]*schema.Node, error) {
	return In(filepath.Join(Folder(), name), interval)
}

// In is like Every for a file of the same form elsewhere.
func In(name string, interval int) ([]*schema.Node, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	var nodes []*schema.Node
	lines := bufio.NewScanner(unpacked)
	const longest = 1 << 24
	lines.Buffer(nil, longest)
	for number := 0; lines.Scan(); number++ {
		if number%interval != 0 {
			continue
		}
		node, err := schema.Parse(bytes.Clone(lines.Bytes()))
		if err != nil {
			return nil, fmt.Errorf("reading line %d of %s: %w", number+1, name, err)
		}
		nodes = append(nodes, node)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return nodes, nil
}

// Lines is like Read for a test, which ends if the file is missing or empty.
func Lines(t Test, name string) []*schema.Node {
	t.Helper()
	return Sample(t, 1, name)
}

// Sample is like Lines but returns only one line in each interval.
func Sample(t Test, interval int, name string) []*schema.Node {
	t.Helper()
	nodes, err := Every(interval, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		Missing(t, err)
	case err != nil:
		t.Fatal(err)
	case len(nodes) == 0:
		t.Fatalf("%s is empty", name)
	}
	return nodes
}

// Tools returns one tool in each interval, starting with the first. If there is no corpus, the
// error is that of os.Open.
func Tools(interval int) ([]schema.Tool, error) {
	nodes, err := Every(interval, "tools.jsonl.gz")
	tools := make([]schema.Tool, len(nodes))
	for i, node := range nodes {
		tools[i] = schema.Tool{Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("schema")}
	}
	return tools, err
}

// Rare reports for each tool whether it has a form of schema, or a property named like a
// keyword, that no earlier tool has.
func Rare(tools []schema.Tool) []bool {
	seen := map[string]bool{}
	isRare := make([]bool, len(tools))
	for i, tool := range tools {
		if tool.Parameters == nil {
			continue
		}
		for _, form := range formsBelow("", tool.Parameters) {
			isRare[i] = isRare[i] || !seen[form]
			seen[form] = true
		}
	}
	return isRare
}

// formsBelow returns the forms of a schema and of its subschemas: the keyword that holds it,
// its keywords, its types and formats, and the kinds of its other values.
func formsBelow(keyword string, node *schema.Node) []string {
	form := []string{keyword, strconv.Itoa(int(node.Kind))}
	for _, member := range node.Members {
		value := strconv.Itoa(int(member.Value.Kind))
		if member.Key == "type" || member.Key == "format" {
			value = member.Value.String()
		}
		form = append(form, member.Key+"="+value)
	}
	slices.Sort(form[1:])
	forms := []string{strings.Join(form, " ")}
	for place := range node.Subschemas() {
		if schema.ClassOf(place.Name) != schema.Unknown || schema.TypeOf(place.Name) != "" {
			forms = append(forms, place.Keyword+"/"+place.Name)
		}
		forms = append(forms, formsBelow(place.Keyword, place.Node())...)
	}
	return forms
}

// Answer is an engine's answer to a schema.
type Answer struct {
	Set     string // "tools" for the corpus, or "suite" for JSON Schema's test suite
	ID      string // id of the schema in its set
	Schema  *schema.Node
	Verdict string
	Message string
}

// Answers returns an engine's answers to one in each interval of the tools and of the test
// suite. The test fails if an answer is to an unknown schema or a schema has no answer.
func Answers(t Test, interval int, engine string) []Answer {
	t.Helper()
	schemas := map[[2]string]*schema.Node{}
	for set, name := range map[string]string{"tools": "tools.jsonl.gz", "suite": "json_schema_test_suite.jsonl.gz"} {
		for _, line := range Sample(t, interval, name) {
			schemas[[2]string{set, line.GetString("id")}] = line.Get("schema")
		}
	}
	var answers []Answer
	for _, line := range Lines(t, "../evidence/engines/"+engine+".jsonl.gz") {
		answer := Answer{Set: line.GetString("set"), ID: line.GetString("id"), Verdict: line.GetString("verdict"), Message: line.GetString("message")}
		answer.Schema = schemas[[2]string{answer.Set, answer.ID}]
		if answer.Schema == nil && interval > 1 {
			continue
		}
		if answer.Schema == nil {
			t.Fatalf("%s answered to %s %q, which has no schema", engine, answer.Set, answer.ID)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(schemas) {
		t.Fatalf("%s has %d answers to %d schemas", engine, len(answers), len(schemas))
	}
	return answers
}
