package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"toolproof/internal/bounded"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Found is what the manifests of a folder say of it.
type Found struct {
	// Server starts the MCP server of the folder, as Manifest says; empty where it is none.
	Server   []string
	Manifest string
	// Targets are those of the clients of providers among the dependencies, with what says
	// so in Because.
	Targets []string
	Because []string
	// Problems are the manifests that could not be read.
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
		if len(found.Server) == 0 && len(command) > 0 && slices.ContainsFunc(dependencies, func(name string) bool { return slices.Contains(ofServers, name) }) {
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

// ofServers are the packages that MCP servers are made with.
var ofServers = []string{"@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "mcp-framework", "fastmcp", "mcp"}

// targetsOf are the targets that the clients of providers send tools to.
var targetsOf = map[string][]string{
	"@google/genai": {"gemini"}, "@google/generative-ai": {"gemini"}, "google-genai": {"gemini"}, "google-generativeai": {"gemini"},
	"@google-cloud/vertexai": {"vertex"}, "google-cloud-aiplatform": {"vertex"},
	"openai":            {"openai", "openai-responses"},
	"@anthropic-ai/sdk": {"anthropic"}, "anthropic": {"anthropic"},
}

// readPackage reads the manifest of an npm package: its program is that of bin, or else
// its script start.
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

// requirement is the name that a requirement of Python begins with.
var requirement = lazy.Compile(`^[A-Za-z0-9][A-Za-z0-9._-]*`)

// readPyproject reads the manifest of a Python project: its program is the script of the
// name of the project, or else the first.
func readPyproject(files fs.FS, text []byte) (dependencies, command []string, err error) {
	type manifest struct {
		Name         string
		Dependencies any // a list of requirements, or Poetry's names with versions
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
	for _, of := range []manifest{root.Project, root.Tool.Poetry} {
		switch listed := of.Dependencies.(type) {
		case []any:
			for _, one := range listed {
				text, _ := one.(string)
				dependencies = append(dependencies, strings.ToLower(requirement.FindString(text)))
			}
		case map[string]any:
			for one := range listed {
				dependencies = append(dependencies, strings.ToLower(one))
			}
		}
		for script := range of.Scripts {
			scripts[script] = true
		}
	}
	slices.Sort(dependencies)
	var names []string
	for script := range scripts {
		names = append(names, script)
	}
	slices.Sort(names)
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
