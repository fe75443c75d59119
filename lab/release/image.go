package main

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io"
	"io/fs"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user of the image, by number, because the image has no /etc/passwd.
const nobody = "65532:65532"

// image writes an image for every architecture of Linux, as a tar of one OCI layout.
func (r *release) image() error {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, on := range r.platforms {
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
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		files = append(files, file{name, readable, content})
		return err
	})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := writeTar(&packed, files); err != nil {
		return err
	}
	return os.WriteFile(r.in(product+"-"+r.version.String()+"-image.tar"), packed.Bytes(), readable)
}

// imageFor returns the image for one architecture. It holds the programs and the
// certificates by which live and mcp --url verify servers, and no shell.
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
	programs, err := r.programs(on)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	if err := writeTar(&packed, append(files, programs...)); err != nil {
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

// certificates returns the authorities that Mozilla trusts, as Go ships them. It omits those
// that Mozilla trusts under constraints, because a file of certificates cannot state these.
func certificates() []byte {
	var all strings.Builder
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a Builder takes all
		}
	}
	return []byte(all.String())
}
