package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"text/template"
)

//go:embed formula.rb.tmpl
var formula string

// manifests writes the formula of Homebrew and the manifest of Scoop, which name the
// archives of the release and their digests.
func (r *release) manifests() error {
	type archive struct {
		URL  string `json:"url"`
		Hash string `json:"hash"`
	}
	archives := map[string]archive{}
	for _, on := range r.platforms {
		name := r.archive(on)
		digest, err := digestOf(r.in(name))
		if err != nil {
			return err
		}
		archives[on.node] = archive{r.homepage() + "/releases/download/v" + r.version.String() + "/" + name, digest}
	}
	var text bytes.Buffer
	about := map[string]any{"Summary": summary, "Home": r.homepage(), "Version": r.version, "License": license, "Archives": archives}
	if err := template.Must(template.New("formula").Parse(formula)).Execute(&text, about); err != nil {
		return err
	}
	if err := os.WriteFile(r.in(product+".rb"), text.Bytes(), readable); err != nil {
		return err
	}
	bin := []string{}
	for _, one := range programs {
		bin = append(bin, one.name+".exe")
	}
	scoop, err := json.MarshalIndent(map[string]any{
		"version": r.version.String(), "description": summary, "homepage": r.homepage(), "license": license, "bin": bin,
		"architecture": map[string]any{"64bit": archives["win32-x64"], "arm64": archives["win32-arm64"]},
	}, "", "    ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.in(product+".json"), append(scoop, '\n'), readable)
}
