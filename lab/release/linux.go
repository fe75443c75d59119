package main

import (
	"fmt"
	"os"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // a form of package
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // another
)

// linux makes a deb and an rpm for each architecture of Linux, with all programs.
func (r *release) linux() error {
	for on, builds := range r.on() {
		if on.os != "linux" {
			continue
		}
		for _, form := range []string{"deb", "rpm"} {
			if err := r.linuxPackage(on, builds, form); err != nil {
				return fmt.Errorf("%s for %s: %w", form, on, err)
			}
		}
	}
	return nil
}

func (r *release) linuxPackage(on platform, builds []build, form string) error {
	text, err := os.CreateTemp("", "license-")
	if err != nil {
		return err
	}
	defer os.Remove(text.Name())
	if _, err := text.Write(r.license); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	contents := files.Contents{{Source: text.Name(), Destination: "/usr/share/doc/" + product + "/copyright", FileInfo: &files.ContentFileInfo{Mode: readable, MTime: created}}}
	for _, one := range builds {
		contents = append(contents, &files.Content{Source: one.path, Destination: "/usr/bin/" + one.program.name, FileInfo: &files.ContentFileInfo{Mode: executable, MTime: created}})
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: product, Arch: on.arch, Platform: "linux", Version: r.version.String(), Section: "devel", Priority: "optional",
		Maintainer: authors, Description: summary, Homepage: r.homepage(), License: license, MTime: created,
		Overridables: nfpm.Overridables{
			Contents:   contents,
			Recommends: []string{"ca-certificates"},
			RPM:        nfpm.RPM{BuildHost: product},
		},
	})
	if err := nfpm.PrepareForPackager(info, form); err != nil {
		return err
	}
	packager, err := nfpm.Get(form)
	if err != nil {
		return err
	}
	out, err := os.Create(r.in(packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	if err := packager.Package(info, out); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
