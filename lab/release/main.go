// Command release builds all that a release has, from the description in release.go: the
// programs, and the packages that hold them. It publishes nothing. The same commit gives
// the same bytes.
//
//	release -version v1.2.3 -source ../.. -folder dist [-platform linux/amd64]...
package main

import (
	"cmp"
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
	var only []string
	tag := flag.String("version", "v0.0.0", "the version, as its tag is called")
	source := flag.String("source", ".", "the folder of the main module")
	folder := flag.String("folder", "dist", "the folder to write, which must not be there")
	flag.Func("platform", "build for this platform alone, such as linux/arm64; may be repeated", func(name string) error {
		only = append(only, name)
		return nil
	})
	flag.Parse()
	if err := run(ctx, *tag, *source, *folder, only); err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}

// A release is what the packages are made of.
type release struct {
	version version
	address string // of the repository, without a scheme
	folder  string // where the packages go
	license []byte
	builds  []build
}

// A build is one program for one platform.
type build struct {
	program  program
	platform platform
	path     string
}

func run(ctx context.Context, tag, source, folder string, only []string) error {
	number, err := parseVersion(tag)
	if err != nil {
		return err
	}
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if _, err := os.Stat(folder); err == nil {
		return fmt.Errorf("%s is there already\nhint: remove it, so that nothing old is released", folder)
	}
	address, err := addressOf(ctx, source)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(source, "LICENSE"))
	if err != nil {
		return err
	}
	built, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	r := &release{version: number, address: address, folder: folder, license: license}
	for _, on := range chosen {
		for _, what := range programs {
			one := build{what, on, filepath.Join(built, on.node, on.file(what))}
			if err := one.compile(ctx, source, tag); err != nil {
				return err
			}
			r.builds = append(r.builds, one)
		}
	}
	return r.pack()
}

// choose returns the platforms of the names; all where there is none.
func choose(names []string) ([]platform, error) {
	if len(names) == 0 {
		return platforms, nil
	}
	var chosen []platform
	for _, name := range names {
		at := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if at < 0 {
			return nil, fmt.Errorf("nothing is released for %q\nhint: the platforms are %v", name, platforms)
		}
		chosen = append(chosen, platforms[at])
	}
	return chosen, nil
}

// addressOf returns where the repository is, without a scheme, which the first line of
// its go.mod decides.
func addressOf(ctx context.Context, source string) (string, error) {
	command := exec.CommandContext(ctx, "sh", "lab/module/module.sh")
	command.Dir, command.Stderr = source, os.Stderr
	address, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("asking for the address of the repository: %w", err)
	}
	return strings.TrimSpace(string(address)), nil
}

// compile builds the program.
func (b build) compile(ctx context.Context, source, tag string) error {
	into, err := filepath.Abs(b.path)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "building %s for %s\n", b.program.name, b.platform)
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.releasedAs="+tag, "-o", into, b.program.source)
	command.Dir, command.Stdout, command.Stderr = source, os.Stderr, os.Stderr
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+b.platform.os, "GOARCH="+b.platform.arch)
	if err := command.Run(); err != nil {
		return fmt.Errorf("building %s for %s: %w", b.program.name, b.platform, err)
	}
	return nil
}

// pack makes every package.
func (r *release) pack() error {
	for _, folder := range []string{r.folder, r.in("npm"), r.in("pypi")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	for _, make := range []struct {
		what string
		pack func() error
	}{
		{"archives", r.archives},
		{"packages of npm", r.npm},
		{"wheels", r.wheels},
		{"packages of Linux", r.linux},
		{"image", r.image},
		{"bills of materials", r.materials},
		{"formula and manifest", r.manifests},
		{"checksums", r.checksums},
	} {
		if err := make.pack(); err != nil {
			return fmt.Errorf("making the %s: %w", make.what, err)
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

// on returns the builds by their platforms, in the order of the description.
func (r *release) on() map[platform][]build {
	all := map[platform][]build{}
	for _, one := range r.builds {
		all[one.platform] = append(all[one.platform], one)
	}
	return all
}

// platforms returns the platforms that are built for.
func (r *release) platforms() []platform {
	var all []platform
	for _, one := range r.builds {
		all = append(all, one.platform)
	}
	slices.SortFunc(all, func(a, b platform) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(all)
}

// file returns the program as a file of a package.
func (b build) file(name string) (file, error) {
	content, err := os.ReadFile(b.path)
	return file{name, executable, content}, err
}
