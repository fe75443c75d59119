package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// created is the date of every packed file, so that the bytes do not depend on the day. It
// is the earliest date that a ZIP file can hold.
var created = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// The modes of packed files.
const (
	readable   = 0o644
	executable = 0o755
)

// A file belongs to a package.
type file struct {
	name    string // ends with a slash if it is a folder
	mode    int64
	content []byte
}

// writeTar writes files as a tar.
func writeTar(out io.Writer, files []file) error {
	writer := tar.NewWriter(out)
	for _, one := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: one.name, Mode: one.mode, Size: int64(len(one.content)), ModTime: created, Format: tar.FormatUSTAR}
		if strings.HasSuffix(one.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := writer.WriteHeader(header); err != nil {
			return err
		}
		if _, err := writer.Write(one.content); err != nil {
			return err
		}
	}
	return writer.Close()
}

// tarGzip returns files as a tar that is compressed by gzip.
func tarGzip(files []file) ([]byte, error) {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := writeTar(compressed, files); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// zipped returns files as a ZIP file.
func zipped(files []file) ([]byte, error) {
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	for _, one := range files {
		header := &zip.FileHeader{Name: one.name, Method: zip.Deflate, Modified: created}
		header.SetMode(os.FileMode(one.mode))
		into, err := writer.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := into.Write(one.content); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// archives writes an archive for each platform, which holds all programs.
func (r *release) archives() error {
	for _, on := range r.platforms {
		programs, err := r.programs(on)
		if err != nil {
			return err
		}
		form := tarGzip
		if on.os == "windows" {
			form = zipped
		}
		packed, err := form(append([]file{{"LICENSE", readable, r.license}}, programs...))
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.in(r.archive(on)), packed, readable); err != nil {
			return err
		}
	}
	return nil
}

// programs returns the programs for a platform, in the order of the variable programs.
func (r *release) programs(on platform) ([]file, error) {
	var files []file
	for _, what := range programs {
		content, err := os.ReadFile(r.path(what, on))
		if err != nil {
			return nil, err
		}
		files = append(files, file{on.file(what), executable, content})
	}
	return files, nil
}

// archive returns the name of the archive for a platform.
func (r *release) archive(on platform) string {
	ending := ".tar.gz"
	if on.os == "windows" {
		ending = ".zip"
	}
	return fmt.Sprintf("%s-%s-%s-%s%s", product, r.version, on.os, on.arch, ending)
}

// checksums writes the digests of all files of the release but those for npm and PyPI.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		digest, err := digestOf(r.in(entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", digest, entry.Name())
	}
	return os.WriteFile(r.in("checksums.txt"), []byte(lines.String()), readable)
}

// digestOf returns the SHA-256 of a file as hexadecimal digits.
func digestOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), err
}
