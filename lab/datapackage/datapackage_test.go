package datapackage_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/harness/facts"
	"toolproof/harness/recording"
	"toolproof/lab/datapackage"
	"toolproof/packages/data"
	"toolproof/recordings"
)

// address is that of the repository, which the documentation names.
var address = sync.OnceValues(func() (string, error) {
	command := exec.CommandContext(context.Background(), "sh", "lab/module/module.sh")
	command.Dir = "../.."
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
})

// made are the facts, and the files of the package.
var made = sync.OnceValues(func() (map[string][]byte, error) {
	store, err := recording.Load(recordings.Files)
	if err != nil {
		return nil, err
	}
	all, err := facts.All(context.Background(), store)
	if err != nil {
		return nil, err
	}
	of, err := address()
	if err != nil {
		return nil, err
	}
	return datapackage.Files(all, os.DirFS("../.."), of)
})

// files returns the files of the package.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	found, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSchema checks that the data is what its schema says, and that the types of Go and the schema have the same members.
func TestSchema(t *testing.T) {
	t.Parallel()
	published := files(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(published["data.schema.json"]))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("data.schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("data.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(published["data.json"]))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(instance); err != nil {
		t.Fatal(err)
	}
	instance.(map[string]any)["surprise"] = true //nolint:forcetypeassert // it is valid
	if compiled.Validate(instance) == nil {
		t.Error("the schema takes a member that it does not name")
	}
	var read data.Data
	decoder := json.NewDecoder(bytes.NewReader(published["data.json"]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		t.Error(err)
	}
	if _, err := data.Parse([]byte(`{"version":"2.0.20270101"}`)); err == nil {
		t.Error("data of another major version is read")
	}
}

// TestShape checks that the version grows with the schema: to change the schema, change facts.Shape, the pattern
// of the version, and this test.
func TestShape(t *testing.T) {
	t.Parallel()
	shapes := map[string]string{"1.0": "e8b01a4212729fbd"}
	var document map[string]any
	if err := json.Unmarshal(files(t)["data.schema.json"], &document); err != nil {
		t.Fatal(err)
	}
	var shape []string
	shapeOf(document, "", &shape)
	slices.Sort(shape)
	sum := sha256.Sum256([]byte(strings.Join(shape, "\n")))
	if digest := hex.EncodeToString(sum[:8]); shapes[facts.Shape] != digest {
		t.Errorf("the schema of %s has the digest %s", facts.Shape, digest)
	}
}

// shapeOf adds the names of the members, and which are required, to a shape. Descriptions are not part of it.
func shapeOf(value any, at string, shape *[]string) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name != "description" || at != "" && strings.HasSuffix(at, "/properties") {
				shapeOf(member, at+"/"+name, shape)
			}
		}
	case []any:
		for _, element := range value {
			shapeOf(element, at, shape)
		}
	default:
		*shape = append(*shape, fmt.Sprintf("%s %#v", at, value))
	}
}

// TestNames checks that no name that users ask for goes away without a new MAJOR. The golden file has the names
// of the first data of this MAJOR; further names need not be added.
func TestNames(t *testing.T) {
	t.Parallel()
	all, err := data.Parse(files(t)["data.json"])
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, construct := range all.Constructs {
		names = append(names, "construct "+construct.Name)
	}
	for _, surface := range all.Surfaces {
		names = append(names, "surface "+surface.Name)
		for _, limit := range surface.Limits {
			names = append(names, "limit "+limit.Of)
		}
	}
	for _, client := range all.Clients {
		names = append(names, "client "+client.Name)
	}
	for _, rewrite := range all.Rewrites {
		names = append(names, "rewrite "+rewrite.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	const golden = "testdata/names.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(text)) {
		if name = strings.TrimSpace(name); !slices.Contains(names, name) {
			t.Errorf("%s went away: that needs a new MAJOR", name)
		}
	}
}

// install writes the package into a folder, and returns the folder of an empty project beside it.
func install(t *testing.T) (pack, project string) {
	t.Helper()
	root := t.TempDir()
	pack, project = filepath.Join(root, "data"), filepath.Join(root, "project")
	for _, folder := range []string{pack, project} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files(t) {
		write(t, filepath.Join(pack, name), text)
	}
	return pack, project
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a program in a folder and returns what it prints.
func run(t *testing.T, folder, name string, arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	var errs bytes.Buffer
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.Stderr = folder, &errs
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "npm_config_offline=true", "npm_config_audit=false", "npm_config_fund=false")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, errs.String())
	}
	return string(out)
}

// example returns the program in a language that docs/data.md shows.
func example(t *testing.T, language string) []byte {
	t.Helper()
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(page)
	if found == nil {
		t.Fatalf("docs/data.md has no program in %s", language)
	}
	return found[1]
}

// TestNPM installs the package into an empty project and runs the program of docs/data.md there.
func TestNPM(t *testing.T) {
	t.Parallel()
	pack, project := install(t)
	packed := strings.TrimSpace(run(t, pack, "npm", "pack", "--silent"))
	write(t, filepath.Join(project, "package.json"), []byte(`{"name":"empty","private":true,"type":"module"}`))
	run(t, project, "npm", "install", "--silent", filepath.Join(pack, packed))
	write(t, filepath.Join(project, "ask.js"), example(t, "js"))
	says(t, run(t, project, "node", "ask.js"),
		`^take oneOf: [1-9]\d+$`, `^refuse oneOf: .*gemini/parameters.*openai/chat-strict`, `^title on gemini/parameters: accepted, recorded, since: 2025-01-01$`,
		`^gemini/parameters refuses additionalProperties: Invalid JSON payload received. Unknown name "additionalProperties" at `,
		`^openai/chat takes 128 tools; \d+ rules$`, `^gemini/parameters takes an unknown number of tools`)
	if entries, _ := filepath.Glob(filepath.Join(project, "node_modules/*/*/*.go")); len(entries) > 0 {
		t.Errorf("the npm package has files of Go: %q", entries)
	}
}

// TestGo requires the module in an empty project and runs the program of docs/data.md there.
func TestGo(t *testing.T) {
	t.Parallel()
	pack, project := install(t)
	declared, _, _ := strings.Cut(string(files(t)["go.mod"]), "\n")
	module := strings.TrimPrefix(declared, "module ")
	write(t, filepath.Join(project, "go.mod"), []byte("module example.com/empty\n\ngo 1.23\n\nrequire "+module+" v1.0.0\n\nreplace "+module+" => "+pack+"\n"))
	write(t, filepath.Join(project, "main.go"), example(t, "go"))
	says(t, run(t, project, "go", "run", "."),
		`^refuse oneOf: \[.*gemini/parameters .*openai/chat-strict`, `^title on gemini/parameters: accepted since 2025-01-01 recorded$`,
		`^gemini/parameters refuses additionalProperties: Invalid JSON payload received. Unknown name "additionalProperties" at `,
		`^tools that openai/chat takes: 128$`)
}

// says checks that an output has a line for each pattern.
func says(t *testing.T, out string, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(out) {
			t.Errorf("nothing matches %s in\n%s", pattern, out)
		}
	}
}

// TestFiles checks what the package is named after, and that all its files are there.
func TestFiles(t *testing.T) {
	t.Parallel()
	var about struct {
		Name    string   `json:"name"`
		Version string   `json:"version"`
		Files   []string `json:"files"`
	}
	if err := json.Unmarshal(files(t)["package.json"], &about); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^@[a-z0-9-]+/[a-z0-9._-]+-data$`).MatchString(about.Name) || !strings.HasPrefix(about.Version, facts.Shape+".") {
		t.Errorf("the package is %s %s", about.Name, about.Version)
	}
	for _, pattern := range about.Files {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(files(t))), func(name string) bool { matched, _ := filepath.Match(pattern, name); return matched }) {
			t.Errorf("no file is %s", pattern)
		}
	}
	if _, err := datapackage.Files(&data.Data{}, os.DirFS(t.TempDir()), "host/owner/name"); err == nil {
		t.Error("a folder without the project gives a package")
	}
}

// TestTag checks that a release pushes a tag whose commit has the module in the folder data, once, and that no branch
// gets it.
func TestTag(t *testing.T) {
	t.Parallel()
	pack, project := install(t)
	script, err := filepath.Abs("../../.github/scripts/data-tag.sh")
	if err != nil {
		t.Fatal(err)
	}
	origin := t.TempDir()
	run(t, origin, "git", "init", "--quiet", "--bare")
	run(t, project, "git", "init", "--quiet", "--initial-branch", "main")
	run(t, project, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--allow-empty", "--message", "first")
	run(t, project, "git", "remote", "add", "origin", origin)
	run(t, project, "git", "push", "--quiet", "origin", "main")
	run(t, project, "git", "checkout", "--quiet", "--detach")
	run(t, project, script, pack)
	all, err := data.Parse(files(t)["data.json"])
	if err != nil {
		t.Fatal(err)
	}
	tag := "data/v" + all.Version
	if tags := strings.TrimSpace(run(t, origin, "git", "tag")); tags != tag {
		t.Errorf("the tags are %q, want %q", tags, tag)
	}
	published := run(t, origin, "git", "ls-tree", "--name-only", tag, "data/")
	for _, name := range []string{"data/go.mod", "data/data.go", "data/embed.go", "data/data.json", "data/LICENSE"} {
		if !strings.Contains(published, name+"\n") {
			t.Errorf("the tag lacks %s", name)
		}
	}
	if onMain := run(t, origin, "git", "ls-tree", "--name-only", "main"); onMain != "" {
		t.Errorf("the branch has %q", onMain)
	}
	if said := run(t, project, script, pack); said != tag+" is published\n" {
		t.Errorf("the second run says %q", said)
	}
}
