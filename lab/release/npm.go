package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"strings"
)

// launcher starts the program in the package for this platform.
//
//go:embed npm/launcher.js
var launcher []byte

// readme is the page that npm and PyPI show.
//
//go:embed README.md
var readme []byte

// manifest is a package.json.
type manifest struct {
	Name            string            `json:"name"`
	Version         string            `json:"version"`
	Description     string            `json:"description"`
	License         string            `json:"license"`
	Homepage        string            `json:"homepage"`
	Repository      map[string]string `json:"repository"`
	Keywords        []string          `json:"keywords,omitempty"`
	Bin             map[string]string `json:"bin,omitempty"`
	Exports         map[string]export `json:"exports,omitempty"`
	Engines         map[string]string `json:"engines,omitempty"`
	OS              []string          `json:"os,omitempty"`
	CPU             []string          `json:"cpu,omitempty"`
	PreferUnplugged bool              `json:"preferUnplugged,omitempty"`
	Optional        map[string]string `json:"optionalDependencies,omitempty"`
	Peer            map[string]string `json:"peerDependencies,omitempty"`
	PeerMeta        map[string]peer   `json:"peerDependenciesMeta,omitempty"`
}

// peer says about a peer dependency whether a program can do without it.
type peer struct {
	Optional bool `json:"optional"`
}

// npm writes a package with the launcher of each program, the first of which is also the library, and one
// with the program for each platform. The latter are optional dependencies of the former, and npm installs only the
// one whose os and cpu match. No package has an install script.
func (r *release) npm() error {
	for _, what := range programs {
		if err := r.mainPackage(what); err != nil {
			return err
		}
	}
	for _, on := range r.platforms {
		os, cpu, _ := strings.Cut(on.node, "-")
		files, err := r.programs(on)
		if err != nil {
			return err
		}
		for i, what := range programs {
			about := r.manifest(r.packageOf(what, on), what.name+" for "+on.node)
			about.OS, about.CPU, about.PreferUnplugged = []string{os}, []string{cpu}, true
			if err := r.writeNPM(about, files[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mainPackage writes the package with the launcher of a program, and with the library for the first one.
func (r *release) mainPackage(what program) error {
	main := r.manifest(registered(r.address, what), what.about)
	main.Keywords = []string{"llm", "tools", "function-calling", "json-schema", "mcp", "gemini", "openai", "anthropic"}
	main.Bin = map[string]string{what.name: "launcher.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, on := range platforms {
		main.Optional[r.packageOf(what, on)] = r.version.String()
	}
	files := []file{{"launcher.js", executable, launcher}, {"README.md", readable, readme}}
	if what == programs[0] {
		main.Exports = exportsOf(r.modules)
		const langchain = "@langchain/core" // which its adapter imports, so that strict package managers have to know it
		main.Peer, main.PeerMeta = map[string]string{langchain: "^1.0.0"}, map[string]peer{langchain: {Optional: true}}
		files = append(files, r.modules...)
	}
	return r.writeNPM(main, files...)
}

// packageOf returns the name of the package that holds a program for one platform.
func (r *release) packageOf(what program, on platform) string {
	return registered(r.address, what) + "-" + on.node
}

func (r *release) manifest(name, about string) manifest {
	return manifest{
		Name: name, Version: r.version.String(), Description: about, License: license, Homepage: r.homepage(),
		Repository: map[string]string{"type": "git", "url": "git+" + r.homepage() + ".git"},
	}
}

// writeNPM writes a package as npm pack does.
func (r *release) writeNPM(about manifest, files ...file) error {
	described, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	files = append([]file{{"package.json", readable, append(described, '\n')}, {"LICENSE", readable, r.license}}, files...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	packed, err := tarGzip(files)
	if err != nil {
		return err
	}
	return os.WriteFile(r.in("npm", npmFile(about.Name, about.Version)), packed, readable)
}

// npmFile returns the name of the file of a package, as npm pack has it.
func npmFile(name, version string) string {
	return strings.NewReplacer("@", "", "/", "-").Replace(name) + "-" + version + ".tgz"
}
