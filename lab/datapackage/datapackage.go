// Package datapackage makes the package of data for other programs: one folder that is an npm package and
// a Go module.
package datapackage

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"toolproof/packages/data"
)

// embedding is the file of the Go module that reads the data.
//
//go:embed embed.go.txt
var embedding []byte

// own are the files of the project that the package has.
var own = []string{
	"packages/data/data.go", "packages/data/index.mjs", "packages/data/index.d.mts", "packages/data/data.d.mts", "packages/data/README.md",
	"docs/schema/data.schema.json", "LICENSE",
}

// goVersion is the oldest version of Go that compiles the module.
const goVersion = "1.23"

// manifest is package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Keywords    []string          `json:"keywords"`
	Type        string            `json:"type"`
	Exports     map[string]any    `json:"exports"`
	Files       []string          `json:"files"`
	Engines     map[string]string `json:"engines"`
}

// Files returns the files of the package by name. The checkout is the folder of the project, and address that of its
// repository as host/owner/name.
func Files(facts *data.Data, checkout fs.FS, address string) (map[string][]byte, error) {
	module := address + "/data"
	files := map[string][]byte{
		"embed.go": embedding,
		"go.mod":   []byte("module " + module + "\n\ngo " + goVersion + "\n"),
	}
	_, slug, _ := strings.Cut(address, "/")
	owner, name, _ := strings.Cut(slug, "/")
	for _, file := range own {
		text, err := fs.ReadFile(checkout, file)
		if err != nil {
			return nil, fmt.Errorf("reading the package: %w", err)
		}
		files[path.Base(file)] = text
	}
	described := manifest{
		Name: "@" + strings.ToLower(owner) + "/" + name + "-data", Version: facts.Version,
		Description: "Which construct of JSON Schema each LLM provider takes in a tool, since when, by which evidence, and in which words it refuses",
		License:     "Apache-2.0", Homepage: "https://" + address, Repository: map[string]string{"type": "git", "url": "git+https://" + address + ".git"},
		Keywords: []string{"llm", "tools", "function-calling", "json-schema", "mcp", "compatibility", "data"}, Type: "module",
		Exports: map[string]any{
			".":           map[string]string{"types": "./index.d.mts", "default": "./index.mjs"},
			"./data.json": "./data.json", "./data.schema.json": "./data.schema.json", "./package.json": "./package.json",
		},
		Files:   []string{"data.json", "data.schema.json", "*.mjs", "*.d.mts"},
		Engines: map[string]string{"node": ">=18"},
	}
	for file, value := range map[string]any{"data.json": facts, "package.json": described} {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(value); err != nil {
			return nil, fmt.Errorf("writing %s: %w", file, err)
		}
		files[file] = text.Bytes()
	}
	return files, nil
}
