// Command release builds the programs of a release and packs them in every form in which
// the release is published. It publishes nothing itself. One commit always gives the same
// bytes.
//
//	release -version v1.2.3 -source ../.. -folder dist [-platform linux/amd64] [-library | -wheel]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tag := flag.String("version", "v0.0.0", "the `tag` of the release")
	source := flag.String("source", ".", "the `folder` of the main module")
	folder := flag.String("folder", "dist", "the `folder` to write, which must not exist")
	only := flag.String("platform", "", "build for this `platform` alone, such as linux/arm64")
	alone := flag.Bool("library", false, "build only the npm package with the library for JavaScript")
	wheel := flag.Bool("wheel", false, "build only the wheels of toolproof")
	flag.Parse()
	work := run
	switch {
	case *alone:
		work = runLibrary
	case *wheel:
		work = runWheels
	}
	if err := work(ctx, *tag, *source, *folder, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}

// A release has every program for each of its platforms.
type release struct {
	version   version
	address   string // of the repository, without a scheme
	folder    string // to which the packages are written
	license   []byte // the text
	platforms []platform
	built     string // the folder that holds the programs
	modules   []file // the files of the library for JavaScript
	python    []file // the files of the library for Python
}

// run builds the release for one platform or, if only is empty, for all.
func run(ctx context.Context, tag, source, folder, only string) error {
	r, err := prepare(ctx, tag, source, folder, only)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.built)
	if err := r.build(ctx, source, programs); err != nil {
		return err
	}
	if r.modules, err = r.library(ctx, source); err != nil {
		return fmt.Errorf("building the library for JavaScript: %w", err)
	}
	if err := r.pack(); err != nil {
		return err
	}
	if err := r.data(ctx, source); err != nil {
		return fmt.Errorf("making the package of data: %w", err)
	}
	return nil
}

// runLibrary builds only the npm package with the library for JavaScript.
func runLibrary(ctx context.Context, tag, source, folder, only string) error {
	r, err := prepare(ctx, tag, source, folder, only)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.built)
	if r.modules, err = r.library(ctx, source); err != nil {
		return fmt.Errorf("building the library for JavaScript: %w", err)
	}
	if err := os.MkdirAll(r.in("npm"), 0o755); err != nil {
		return err
	}
	return r.mainPackage(programs[0])
}

// runWheels builds only the wheels of the first program, with the library for Python.
func runWheels(ctx context.Context, tag, source, folder, only string) error {
	r, err := prepare(ctx, tag, source, folder, only)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.built)
	wanted := programs[:1]
	if err := r.build(ctx, source, wanted); err != nil {
		return err
	}
	return r.wheelsOf(wanted)
}

// build compiles programs for each platform.
func (r *release) build(ctx context.Context, source string, wanted []program) error {
	for _, on := range r.platforms {
		for _, what := range wanted {
			if err := r.compile(ctx, what, on, source); err != nil {
				return fmt.Errorf("building %s for %s: %w", what.name, on, err)
			}
		}
	}
	return nil
}

// prepare returns a release of which nothing is built yet. The caller removes the folder built.
func prepare(ctx context.Context, tag, source, folder, only string) (*release, error) {
	number, err := parseVersion(tag)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(only)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder); err == nil {
		return nil, fmt.Errorf("%s exists already\nhint: remove it, so that no file of an earlier build is released", folder)
	}
	address, err := addressOf(ctx, source)
	if err != nil {
		return nil, err
	}
	license, err := os.ReadFile(filepath.Join(source, "LICENSE"))
	if err != nil {
		return nil, err
	}
	python, err := pythonIn(source)
	if err != nil {
		return nil, err
	}
	built, err := os.MkdirTemp("", "release-")
	if err != nil {
		return nil, err
	}
	return &release{version: number, address: address, folder: folder, license: license, platforms: chosen, built: built, python: python}, nil
}

// path returns the file of a program that is built for a platform.
func (r *release) path(what program, on platform) string {
	return filepath.Join(r.built, on.node, on.file(what))
}

// choose returns the platform with a name, and all platforms if the name is empty.
func choose(name string) ([]platform, error) {
	if name == "" {
		return platforms, nil
	}
	at := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
	if at < 0 {
		return nil, fmt.Errorf("nothing is released for %q\nhint: the platforms are %v", name, platforms)
	}
	return platforms[at : at+1], nil
}

// addressOf returns the address of the repository, without a scheme, as the path of the
// module in source implies it.
func addressOf(ctx context.Context, source string) (string, error) {
	command := exec.CommandContext(ctx, "sh", "lab/module/module.sh")
	command.Dir, command.Stderr = source, os.Stderr
	address, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("reading the address of the repository: %w", err)
	}
	return strings.TrimSpace(string(address)), nil
}

// stamped is the variable in which a program holds the version of its release; the engine of the library
// has it in main.version.
const stamped = "toolproof/cmd/internal/cli.releasedAs"

// compile builds a program for a platform.
func (r *release) compile(ctx context.Context, what program, on platform, source string) error {
	fmt.Fprintf(os.Stderr, "building %s for %s\n", what.name, on)
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X "+stamped+"=v"+r.version.String()+" -X main.version=v"+r.version.String(), "-o", r.path(what, on), what.source)
	command.Dir, command.Stdout, command.Stderr = source, os.Stderr, os.Stderr
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+on.os, "GOARCH="+on.arch)
	return command.Run()
}

// pack writes the packages of every form.
func (r *release) pack() error {
	for _, folder := range []string{r.folder, r.in("npm")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	for _, form := range []struct {
		what string
		pack func() error
	}{
		{"archives", r.archives},
		{"npm packages", r.npm},
		{"wheels", r.wheels},
		{"Linux packages", r.linux},
		{"image", r.image},
		{"bills of materials", r.materials},
		{"formula and manifest", r.manifests},
		{"checksums", r.checksums},
	} {
		if err := form.pack(); err != nil {
			return fmt.Errorf("making the %s: %w", form.what, err)
		}
	}
	return nil
}

// in returns the path of a file of the release.
func (r *release) in(name ...string) string {
	return filepath.Join(append([]string{r.folder}, name...)...)
}

// homepage returns the address of the repository for a browser.
func (r *release) homepage() string { return "https://" + r.address }
