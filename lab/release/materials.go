package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime/debug"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// materials writes a bill of materials in the format CycloneDX for each program. It lists
// the modules that Go linked into the program.
func (r *release) materials() error {
	for _, on := range r.platforms {
		for _, what := range programs {
			info, err := buildinfo.ReadFile(r.path(what, on))
			if err != nil {
				return fmt.Errorf("%s for %s: %w", what.name, on, err)
			}
			var text bytes.Buffer
			if err := cyclonedx.NewBOMEncoder(&text, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(r.bill(what, on, info)); err != nil {
				return err
			}
			if err := os.WriteFile(r.in(fmt.Sprintf("%s-%s-%s-%s.cdx.json", what.name, r.version, on.os, on.arch)), text.Bytes(), readable); err != nil {
				return err
			}
		}
	}
	return nil
}

// bill returns the modules of a program, the standard library among them.
func (r *release) bill(what program, on platform, info *debug.BuildInfo) *cyclonedx.BOM {
	library := func(path, version string) cyclonedx.Component {
		url := "pkg:golang/" + path + "@" + version
		return cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
	}
	parts := []cyclonedx.Component{library("stdlib", info.GoVersion)}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, library(module.Path, module.Version))
	}
	root := library(info.Main.Path, "v"+r.version.String())
	root.Type = cyclonedx.ComponentTypeApplication
	root.Properties = &[]cyclonedx.Property{{Name: "program", Value: what.name}, {Name: "platform", Value: on.String()}}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Component: &root}
	bill.Components = &parts
	return bill
}
