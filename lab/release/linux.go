package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers deb
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers rpm
)

// linux writes a deb and an rpm for each architecture of Linux, which hold all programs.
func (r *release) linux() error {
	copyright := filepath.Join(r.built, "copyright")
	if err := os.WriteFile(copyright, r.license, readable); err != nil {
		return err
	}
	for _, on := range r.platforms {
		if on.os != "linux" {
			continue
		}
		contents := files.Contents{content(copyright, "/usr/share/doc/"+product+"/copyright", readable)}
		for _, what := range programs {
			contents = append(contents, content(r.path(what, on), "/usr/bin/"+what.name, executable))
		}
		for _, form := range []string{"deb", "rpm"} {
			if err := r.linuxPackage(on, contents, form); err != nil {
				return fmt.Errorf("%s for %s: %w", form, on, err)
			}
		}
	}
	return nil
}

// content returns an entry of a package with the date of all packed files.
func content(from, to string, mode os.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: created}}
}

func (r *release) linuxPackage(on platform, contents files.Contents, form string) error {
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: product, Arch: on.arch, Platform: "linux", Version: r.version.String(), Section: "devel", Priority: "optional",
		Maintainer: authors, Description: summary, Homepage: r.homepage(), License: license, MTime: created,
		Overridables: nfpm.Overridables{Contents: contents, Recommends: []string{"ca-certificates"}, RPM: nfpm.RPM{BuildHost: product}},
	})
	if err := nfpm.PrepareForPackager(info, form); err != nil {
		return err
	}
	packager, err := nfpm.Get(form)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := packager.Package(info, &packed); err != nil {
		return err
	}
	return os.WriteFile(r.in(packager.ConventionalFileName(info)), packed.Bytes(), readable)
}
