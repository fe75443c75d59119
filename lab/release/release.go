package main

import (
	"fmt"
	"regexp"
	"strings"
)

// What a release is: everything that is packed is described here once.
const (
	product = "toolproof"
	summary = "Proves that LLM providers accept your tools, before a user finds out"
	license = "Apache-2.0"
	authors = "The authors of Toolproof"
)

// A program is a command of the release.
type program struct {
	name   string // as it is installed
	source string // its package in the main module
	about  string
}

var programs = []program{
	{product, "./cmd/verify", summary},
	// A program of its own because it is twice as large, and few ask a provider.
	{product + "-live", "./cmd/verify-live", "The providers' official clients, for toolproof live"},
}

// A platform is what a program is built for, and how each registry calls it.
type platform struct {
	os, arch string // as Go calls them
	node     string // process.platform and process.arch of Node
	wheel    string // the tag of a wheel
}

// Go links the programs statically, so that one serves every C library of Linux. Go 1.26
// needs macOS 12.
var platforms = []platform{
	{"linux", "amd64", "linux-x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "linux-arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "darwin-x64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "darwin-arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win32-x64", "win_amd64"},
	{"windows", "arm64", "win32-arm64", "win_arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// file returns the name of a program on the platform.
func (p platform) file(one program) string {
	if p.os == "windows" {
		return one.name + ".exe"
	}
	return one.name
}

// A version is that of a release: three numbers, and of a candidate one more.
type version struct{ numbers, candidate string }

var versionPattern = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-rc\.(\d+))?$`)

// parseVersion reads a tag, such as v1.2.3 or v1.2.3-rc.1.
func parseVersion(tag string) (version, error) {
	found := versionPattern.FindStringSubmatch(tag)
	if found == nil {
		return version{}, fmt.Errorf("%q is no version of a release\nhint: write one as v1.2.3 or v1.2.3-rc.1", tag)
	}
	return version{found[1], found[2]}, nil
}

// String returns the version as npm, Debian and the archives have it.
func (v version) String() string {
	if v.candidate == "" {
		return v.numbers
	}
	return v.numbers + "-rc." + v.candidate
}

// wheel returns the version as Python has it.
func (v version) wheel() string {
	if v.candidate == "" {
		return v.numbers
	}
	return v.numbers + "rc" + v.candidate
}

// registered returns what a program is called on npm, where the name without a scope is
// another project's. The scope is the owner of the repository.
func registered(address string, one program) string {
	return "@" + owner(address) + "/" + one.name
}

// owner returns who has the repository at an address.
func owner(address string) string {
	words := strings.Split(strings.ToLower(address), "/")
	return words[min(1, len(words)-1)]
}
