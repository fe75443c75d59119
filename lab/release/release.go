package main

import (
	"fmt"
	"regexp"
	"strings"
)

// What every form of package says about the product.
const (
	product = "toolproof"
	summary = "Proves that LLM providers accept your tools, before a user finds out"
	license = "Apache-2.0"
	authors = "The authors of Toolproof"
)

// A program is a command of the release.
type program struct {
	name   string // of the installed file
	source string // the Go package in the main module
	about  string // a description of one line
}

var programs = []program{
	{product, "./cmd/verify", summary},
	// A separate program, because the clients double the size and few users ask a provider.
	{product + "-live", "./cmd/verify-live", "The providers' official clients, for toolproof live"},
}

// A platform is an operating system and an architecture, as each registry calls them.
type platform struct {
	os, arch string // GOOS and GOARCH
	node     string // process.platform and process.arch of Node, joined
	wheel    string // the platform tags of a wheel, separated by dots
}

// Go links the programs statically, so one Linux program runs with glibc and with musl.
// Programs built by Go 1.26 need macOS 12.
var platforms = []platform{
	{"linux", "amd64", "linux-x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "linux-arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "darwin-x64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "darwin-arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win32-x64", "win_amd64"},
	{"windows", "arm64", "win32-arm64", "win_arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// file returns the file name of a program on the platform.
func (p platform) file(one program) string {
	if p.os == "windows" {
		return one.name + ".exe"
	}
	return one.name
}

// A version has three numbers, and a release candidate has one more.
type version struct{ numbers, candidate string }

var versionPattern = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-rc\.(\d+))?$`)

// parseVersion reads a tag, such as v1.2.3 or v1.2.3-rc.1.
func parseVersion(tag string) (version, error) {
	found := versionPattern.FindStringSubmatch(tag)
	if found == nil {
		return version{}, fmt.Errorf("%q is not the tag of a release\nhint: write a tag such as v1.2.3 or v1.2.3-rc.1", tag)
	}
	return version{found[1], found[2]}, nil
}

// String returns the version as npm, Debian and the archives write it.
func (v version) String() string {
	if v.candidate == "" {
		return v.numbers
	}
	return v.numbers + "-rc." + v.candidate
}

// wheel returns the version as Python writes it.
func (v version) wheel() string {
	if v.candidate == "" {
		return v.numbers
	}
	return v.numbers + "rc" + v.candidate
}

// registered returns the npm package of a program. Its scope is the owner of the
// repository, because the name without a scope belongs to another project.
func registered(address string, one program) string {
	return "@" + owner(address) + "/" + one.name
}

// owner returns the owner of the repository at an address, in lower case.
func owner(address string) string {
	words := strings.Split(strings.ToLower(address), "/")
	return words[min(1, len(words)-1)]
}
