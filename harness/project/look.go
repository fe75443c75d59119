package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"toolproof/internal/bounded"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Found is what the manifests of a folder say about it.
type Found struct {
	// Server is the command that starts the folder's MCP server, according to Manifest; nil if
	// there is none.
	Server   []string
	Manifest string
	// Targets are the targets of the provider clients among the dependencies. Because lists these
	// dependencies.
	Targets []string
	Because []string
	// Problems are the errors of manifests that could not be read.
	Problems []error
}

// Look reads the manifests of a folder: package.json and pyproject.toml.
func Look(files fs.FS) Found {
	var found Found
	for _, manifest := range []struct {
		name string
		read func(files fs.FS, text []byte) (dependencies, command []string, err error)
	}{{"package.json", readPackage}, {"pyproject.toml", readPyproject}} {
		text, err := bounded.File(files, manifest.name, maxSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var dependencies, command []string
		if err == nil {
			dependencies, command, err = manifest.read(files, text)
		}
		if err != nil {
			found.Problems = append(found.Problems, fmt.Errorf("%s: %w", manifest.name, err))
			continue
		}
		if len(found.Server) == 0 && len(command) > 0 && slices.ContainsFunc(dependencies, func(name string) bool { return slices.Contains(serverPackages, name) }) {
			found.Server, found.Manifest = command, manifest.name
		}
		for _, name := range dependencies {
			for _, target := range targetsOf[name] {
				if !slices.Contains(found.Targets, target) {
					found.Targets = append(found.Targets, target)
				}
			}
			if because := name + " in " + manifest.name; len(targetsOf[name]) > 0 {
				found.Because = append(found.Because, because)
			}
		}
	}
	return found
}

// serverPackages are the packages that MCP servers are built with.
var serverPackages = []string{"@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "mcp-framework", "fastmcp", "mcp"}

// targetsOf maps provider clients to the targets that they send tools to.
var targetsOf = map[string][]string{
	"@google/genai": {"gemini"}, "@google/generative-ai": {"gemini"}, "google-genai": {"gemini"}, "google-generativeai": {"gemini"},
	"@google-cloud/vertexai": {"vertex"}, "google-cloud-aiplatform": {"vertex"},
	"openai":            {"openai", "openai-responses"},
	"@anthropic-ai/sdk": {"anthropic"}, "anthropic": {"anthropic"},
}

// readPackage reads the manifest of an npm package. The command runs its first program in bin,
// or else its start script.
func readPackage(_ fs.FS, text []byte) (dependencies, command []string, err error) {
	root, err := schema.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range []string{"dependencies", "devDependencies", "peerDependencies"} {
		if list := root.Get(kind); list != nil {
			dependencies = append(dependencies, list.Keys()...)
		}
	}
	program := root.GetString("bin")
	if bin := root.Get("bin"); bin != nil && bin.Kind == schema.Object && len(bin.Members) > 0 {
		program = bin.Members[0].Value.Text
	}
	switch {
	case program != "":
		command = []string{"node", program}
	case root.Get("scripts").GetString("start") != "":
		command = []string{"npm", "run", "--silent", "start"}
	}
	return dependencies, command, nil
}

// requirement matches the name with which a Python requirement begins.
var requirement = lazy.Compile(`^[A-Za-z0-9][A-Za-z0-9._-]*`)

// readPyproject reads the manifest of a Python project. The command runs the script named like
// the project, or else the first script by name.
func readPyproject(files fs.FS, text []byte) (dependencies, command []string, err error) {
	type manifest struct {
		Name         string
		Dependencies any // list of requirements, or Poetry's map of names to versions
		Scripts      map[string]any
	}
	var root struct {
		Project manifest
		Tool    struct{ Poetry manifest }
	}
	if err := toml.Unmarshal(text, &root); err != nil {
		return nil, nil, fmt.Errorf("not TOML: %w", err)
	}
	scripts := map[string]bool{}
	name := root.Project.Name
	for _, section := range []manifest{root.Project, root.Tool.Poetry} {
		switch listed := section.Dependencies.(type) {
		case []any:
			for _, entry := range listed {
				text, _ := entry.(string)
				dependencies = append(dependencies, strings.ToLower(requirement.FindString(text)))
			}
		case map[string]any:
			for name := range listed {
				dependencies = append(dependencies, strings.ToLower(name))
			}
		}
		for script := range section.Scripts {
			scripts[script] = true
		}
	}
	slices.Sort(dependencies)
	names := slices.Sorted(maps.Keys(scripts))
	if len(names) == 0 {
		return dependencies, nil, nil
	}
	if !scripts[name] {
		name = names[0]
	}
	if _, err := fs.Stat(files, "uv.lock"); err == nil {
		return dependencies, []string{"uv", "run", name}, nil
	}
	return dependencies, []string{name}, nil
}
