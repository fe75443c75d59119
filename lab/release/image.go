package main

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user of the image, by its number, because there is no list of users.
const nobody = "65532:65532"

// image makes the image for every architecture of Linux, as an OCI layout in a tar.
func (r *release) image() error {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, on := range r.platforms() {
		if on.os != "linux" {
			continue
		}
		image, err := r.imageFor(on)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: on.os, Architecture: on.arch}},
		})
	}
	folder, err := os.MkdirTemp("", "image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	var files []file
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files = append(files, file{filepath.ToSlash(name), readable, content})
		return err
	})
	if err != nil {
		return err
	}
	out, err := os.Create(r.in(product + "-" + r.version.String() + "-image.tar"))
	if err != nil {
		return err
	}
	if err := writeTar(out, files); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

// imageFor makes the image of one architecture: the programs, and the certificates by
// which live and mcp --url know a server. It has no shell and no user but nobody.
func (r *release) imageFor(on platform) (v1.Image, error) {
	files := []file{
		{"etc/", executable, nil},
		{"etc/ssl/", executable, nil},
		{"etc/ssl/certs/", executable, nil},
		{"etc/ssl/certs/ca-certificates.crt", readable, certificates()},
		{"tmp/", 0o1777, nil},
		{"work/", executable, nil},
		{"LICENSE", readable, r.license},
	}
	for _, one := range r.on()[on] {
		program, err := one.file(one.program.name)
		if err != nil {
			return nil, err
		}
		files = append(files, program)
	}
	var packed bytes.Buffer
	if err := writeTar(&packed, files); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil }, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1), mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: product},
	})
	if err != nil {
		return nil, err
	}
	about, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	about = about.DeepCopy()
	about.OS, about.Architecture, about.Created = on.os, on.arch, v1.Time{Time: created}
	about.Config = v1.Config{
		User: nobody, WorkingDir: "/work", Entrypoint: []string{"/" + product}, Env: []string{"PATH=/"},
		Labels: map[string]string{
			"org.opencontainers.image.title": product, "org.opencontainers.image.description": summary, "org.opencontainers.image.licenses": license,
			"org.opencontainers.image.version": r.version.String(), "org.opencontainers.image.source": r.homepage(),
		},
	}
	return mutate.ConfigFile(image, about)
}

// certificates returns the authorities that Mozilla trusts, as Go ships them. Those that
// Mozilla trusts for some certificates alone cannot be told so in a file, and are left out.
func certificates() []byte {
	var all strings.Builder
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a Builder takes all
		}
	}
	return []byte(all.String())
}
