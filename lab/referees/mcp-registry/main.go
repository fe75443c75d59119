// Command mcp-registry is an independent referee of package listing: the official registry of the Model Context Protocol
// itself. It builds the registry's API and its client mcp-publisher from their module, publishes to it the examples of the
// registry's documentation, and those with random faults, and compares who refuses what, and in which words. Nothing is
// stored, and no package is looked up. It also compares the schemas that the package embeds:
//
//	go run ./lab/referees/mcp-registry
//
// It exits 1 on a disagreement and 2 if it could not judge.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/harness/listing"
	"toolproof/schema"
)

// The registry, and the sum by which the Go command knows its module.
const (
	module = "github.com/modelcontextprotocol/registry@v1.8.9"
	sum    = "h1:2pYB31q/uSezVbXu+D+Hr3HMimGFspgS1RTMljm1bVI="
	// framework is the version of the framework of its API that is built: that of the module, v2.40.0, is not on
	// every proxy.
	framework = "github.com/danielgtaylor/huma/v2@v2.39.0"
)

func main() {
	root := flag.String("root", ".", "the folder of the project")
	seed := flag.Uint64("seed", 1, "the seed of the faults")
	number := flag.Int("number", 600, "how many files are made with the seed")
	flag.Parse()
	differ, err := compareAll(context.Background(), *root, *seed, *number)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mcp-registry:", err)
		os.Exit(2)
	case differ > 0:
		os.Exit(1)
	}
}

func compareAll(ctx context.Context, root string, seed uint64, number int) (differ int, err error) {
	folder, err := os.MkdirTemp("", "mcp-registry")
	if err != nil {
		return 0, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a folder for temporary files
	if err := build(ctx, root, folder); err != nil {
		return 0, err
	}
	differ, err = compareSchemas(ctx, root, folder)
	if err != nil {
		return 0, err
	}
	examples, err := examplesIn(filepath.Join(folder, "registry"))
	if err != nil {
		return 0, err
	}
	for _, part := range []struct {
		name string
		made []*schema.Node
	}{{"written", written(examples)}, {fmt.Sprintf("of seed %d", seed), spoilt(examples, seed, number)}} {
		found, err := compareServers(ctx, folder, part.name, part.made)
		if err != nil {
			return 0, err
		}
		differ += found
	}
	return differ, nil
}

// build makes the program referee in a copy of the module.
func build(ctx context.Context, root, folder string) error {
	const writable = 0o755
	described, err := command(ctx, root, nil, "go", "mod", "download", "-json", module)
	if err != nil {
		return err
	}
	var found struct {
		Dir string `json:"Dir"` //nolint:tagliatelle // the Go command writes it so
		Sum string `json:"Sum"` //nolint:tagliatelle // the Go command writes it so
	}
	if err := json.Unmarshal(described, &found); err != nil || found.Sum != sum {
		return errors.Join(fmt.Errorf("the sum of %s is %s and not %s", module, found.Sum, sum), err)
	}
	copied := filepath.Join(folder, "registry")
	if err := os.CopyFS(copied, os.DirFS(found.Dir)); err != nil {
		return fmt.Errorf("copying the module: %w", err)
	}
	for name, place := range map[string]string{"main.go": "cmd/referee/main.go", "publisher.go": "cmd/publisher/commands/referee.go"} {
		text, err := os.ReadFile(filepath.Join(root, "lab/referees/mcp-registry/testdata", name)) //nolint:gosec // a file of the project
		place = filepath.Join(copied, place)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(place), writable), os.Chmod(filepath.Dir(place), writable)); err != nil {
			return fmt.Errorf("adding the referee: %w", err)
		}
		if err := os.WriteFile(place, text, 0o600); err != nil { //nolint:gosec // a folder of this run
			return fmt.Errorf("adding the referee: %w", err)
		}
	}
	for _, name := range []string{"", "go.mod", "go.sum"} { // the files of a module cannot be written to
		if err := os.Chmod(filepath.Join(copied, name), writable); err != nil {
			return fmt.Errorf("adding the referee: %w", err)
		}
	}
	if _, err := command(ctx, copied, nil, "go", "mod", "edit", "-require="+framework); err != nil {
		return err
	}
	_, err = command(ctx, copied, nil, "go", "build", "-mod=mod", "-o", filepath.Join(folder, "referee"), "./cmd/referee")
	return err
}

// command runs a program and returns what it prints.
func command(ctx context.Context, folder string, in []byte, words ...string) ([]byte, error) {
	run := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the words are those of this file
	run.Dir, run.Stdin, run.Stderr = folder, bytes.NewReader(in), os.Stderr
	run.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off")
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", strings.Join(words, " "), err)
	}
	return out, nil
}

// said is what the publisher and the registry say to a server.json.
type said struct {
	Publish  string `json:"publish"`
	Validate struct {
		Valid  bool `json:"valid"`
		Issues []struct {
			Type      string `json:"type"`
			Message   string `json:"message"`
			Severity  string `json:"severity"`
			Reference string `json:"reference"`
		} `json:"issues"`
	} `json:"validate"`
}

// compareServers asks both sides about servers and prints where they differ.
func compareServers(ctx context.Context, folder, name string, made []*schema.Node) (differ int, err error) {
	var in bytes.Buffer
	for _, server := range made {
		line, err := json.Marshal(server.String())
		if err != nil {
			return 0, fmt.Errorf("writing a question: %w", err)
		}
		in.Write(append(line, '\n'))
	}
	out, err := command(ctx, folder, in.Bytes(), filepath.Join(folder, "referee"))
	if err != nil {
		return 0, err
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	refused, apart := 0, 0
	for _, server := range made {
		var answer said
		if err := answers.Decode(&answer); err != nil {
			return 0, fmt.Errorf("reading an answer: %w", err)
		}
		found := listing.Judge(server, listing.Rules)
		difference := compare(found, answer)
		switch {
		case answer.Publish != "":
			refused++
		case !answer.Validate.Valid:
			apart++
		}
		if difference != "" {
			differ++
			fmt.Printf("%s\n  %s\n", server, difference)
		}
	}
	fmt.Printf("%d servers %s: %d refused, %d published although validate refuses them, %d differences\n", len(made), name, refused, apart, differ)
	return differ, nil
}

// compare says how the findings and the registry's answer differ; empty if they agree.
func compare(found []listing.Finding, answer said) string {
	var ours []string
	remarked := false
	for _, finding := range found {
		switch {
		case finding.Rule.Stage < listing.Remark && !finding.IsBehind:
			ours = append(ours, finding.Message)
		case finding.Rule.Name == "schema_refuses":
			remarked = true
		}
	}
	theirs, isFirstAlone := wordsOf(answer)
	switch {
	case (len(ours) > 0) != (answer.Publish != ""):
		return fmt.Sprintf("the registry says %.600q, predicted %q", answer.Publish, ours)
	case answer.Publish == "":
		isOld := slices.ContainsFunc(found, func(finding listing.Finding) bool { return finding.Rule.Name == "schema_old" })
		if !isOld && !remarked && !answer.Validate.Valid { // it does not see what mcp-publisher does not send
			return fmt.Sprintf("validate says %+v, predicted none of it", answer.Validate)
		}
		return ""
	case isFirstAlone && strings.HasPrefix(theirs[0], "json: "):
		return compareTypes(theirs[0], ours)
	case isFirstAlone:
		ours = ours[:1]
	}
	for _, message := range ours {
		if !slices.Contains(theirs, message) {
			return fmt.Sprintf("the registry says %q, predicted %q", theirs, message)
		}
	}
	if len(theirs) > len(ours) && !isOfTheSame(theirs, ours) {
		return fmt.Sprintf("the registry says %q, predicted %q alone", theirs, ours)
	}
	return ""
}

// compareTypes compares the words about a value of another type, which name one of them. Those about an argument name types
// that the registry does not export, and are not compared, nor is the type that is wanted.
func compareTypes(theirs string, ours []string) string {
	theirs, _, _ = strings.Cut(theirs, " of type ")
	isSame := func(message string) bool {
		return strings.HasPrefix(message, "invalid server.json: "+theirs+" of type ")
	}
	if strings.Contains(theirs, "Arguments") || slices.ContainsFunc(ours, isSame) {
		return ""
	}
	return fmt.Sprintf("the registry says %q, predicted %q", theirs, ours)
}

// doubled are the registry's second words about a place, of which listing has the first.
var doubled = []string{"websiteUrl must use https", "websiteUrl contains an invalid", "icon src must use https", "invalid remote URL: "}

// isOfTheSame reports whether those words that are not predicted are second words.
func isOfTheSame(theirs, ours []string) bool {
	return !slices.ContainsFunc(theirs, func(message string) bool {
		return !slices.Contains(ours, message) && !slices.ContainsFunc(doubled, func(begin string) bool { return strings.HasPrefix(message, begin) })
	})
}

// wordsOf returns the words of the first step that refuses, and whether that step names the first reason alone.
func wordsOf(answer said) (words []string, isFirstAlone bool) {
	_, text, isStatus := strings.Cut(answer.Publish, "server returned status ")
	if !isStatus {
		return []string{answer.Publish}, true
	}
	_, text, _ = strings.Cut(text, ": ")
	var body struct {
		Errors []struct {
			Message  string `json:"message"`
			Location string `json:"location"`
		} `json:"errors"`
	}
	_ = json.Unmarshal([]byte(text), &body) // without errors it has none
	for _, one := range body.Errors {
		if one.Location == "" {
			return []string{one.Message}, true
		}
		// The framework's places are wrong where there is a _meta, whose member has dots.
		words = append(words, strings.Replace(one.Location, "body._meta.io.", "body.", 1)+": "+one.Message)
	}
	if words == nil {
		for _, issue := range answer.Validate.Issues {
			if issue.Severity == "error" && (issue.Type == "semantic" || strings.HasPrefix(issue.Reference, "schema-version")) {
				words = append(words, issue.Message)
			}
		}
	}
	return words, false
}

// compareSchemas compares the schemas that the package embeds with those of the registry.
func compareSchemas(ctx context.Context, root, folder string) (differ int, err error) {
	ours, err := os.ReadFile(filepath.Join(root, "harness/listing/server.schema.json")) //nolint:gosec // a file of the project
	if err != nil {
		return 0, fmt.Errorf("reading the schema: %w", err)
	}
	theirs, err := os.ReadFile(filepath.Join(folder, "registry/internal/validators/schemas/2025-12-11.json")) //nolint:gosec // a file of this run
	if err != nil {
		return 0, fmt.Errorf("reading the schema: %w", err)
	}
	if !bytes.Equal(ours, theirs) {
		differ++
		fmt.Println("harness/listing/server.schema.json is not that of the registry")
	}
	out, err := command(ctx, folder, nil, filepath.Join(folder, "referee"), "schemas")
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(root, "harness/listing/api.json")) //nolint:gosec // a file of the project
	if err != nil {
		return 0, fmt.Errorf("reading the schemas of the API: %w", err)
	}
	forms, err := schema.Parse(text)
	all, failed := schema.Parse(out)
	if err := errors.Join(err, failed); err != nil {
		return 0, fmt.Errorf("reading the schemas of the API: %w", err)
	}
	for _, form := range forms.Members {
		if theirs := plain(all.Get(form.Key)); !schema.Equal(theirs, form.Value) {
			differ++
			fmt.Printf("harness/listing/api.json: %s is %s in the registry\n", form.Key, theirs)
		}
	}
	return differ, nil
}

// plain returns a form without texts.
func plain(form *schema.Node) *schema.Node {
	if form == nil || form.Kind != schema.Object {
		return form
	}
	kept := schema.NewObject()
	for _, member := range form.Members {
		switch member.Key {
		case "description", "examples", "title", "default":
		case "properties":
			properties := schema.NewObject()
			for _, property := range member.Value.Members {
				properties.Set(property.Key, plain(property.Value))
			}
			kept.Set(member.Key, properties)
		default:
			kept.Set(member.Key, plain(member.Value))
		}
	}
	return kept
}
