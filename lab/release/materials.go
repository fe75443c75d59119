package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime/debug"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// materials writes for each program what it is made of: the modules that Go has built
// into it, in the format CycloneDX.
func (r *release) materials() error {
	for _, one := range r.builds {
		info, err := buildinfo.ReadFile(one.path)
		if err != nil {
			return fmt.Errorf("%s for %s: %w", one.program.name, one.platform, err)
		}
		bill := r.bill(one, info)
		name := fmt.Sprintf("%s-%s-%s-%s.cdx.json", one.program.name, r.version, one.platform.os, one.platform.arch)
		out, err := os.Create(r.in(name))
		if err != nil {
			return err
		}
		if err := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill); err != nil {
			_ = out.Close()
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
	}
	return nil
}

// bill describes the modules of a program, and the standard library.
func (r *release) bill(one build, info *debug.BuildInfo) *cyclonedx.BOM {
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
	root.Properties = &[]cyclonedx.Property{{Name: "program", Value: one.program.name}, {Name: "platform", Value: one.platform.String()}}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Component: &root}
	bill.Components = &parts
	return bill
}
