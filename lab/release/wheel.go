package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// wheels makes a wheel for each program and platform. An installer puts the program
// where the scripts of the environment are; no Python runs.
func (r *release) wheels() error {
	for _, one := range r.builds {
		name := strings.ReplaceAll(r.distribution(one.program), "-", "_") + "-" + r.version.wheel()
		program, err := one.file(name + ".data/scripts/" + one.platform.file(one.program))
		if err != nil {
			return err
		}
		var tags strings.Builder
		for _, tag := range strings.Split(one.platform.wheel, ".") {
			fmt.Fprintf(&tags, "Tag: py3-none-%s\n", tag)
		}
		info := name + ".dist-info/"
		files := []file{
			program,
			{info + "licenses/LICENSE", readable, r.license},
			{info + "METADATA", readable, r.metadata(one.program)},
			{info + "WHEEL", readable, []byte("Wheel-Version: 1.0\nGenerator: " + product + "\nRoot-Is-Purelib: false\n" + tags.String())},
		}
		files = append(files, file{info + "RECORD", readable, record(files, info+"RECORD")})
		packed, err := zipped(files)
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.in("pypi", name+"-py3-none-"+one.platform.wheel+".whl"), packed, readable); err != nil {
			return err
		}
	}
	return nil
}

// distribution returns what a program is called on PyPI, which has no scopes.
func (r *release) distribution(what program) string {
	return owner(r.address) + "-" + what.name
}

// metadata describes a program to Python.
func (r *release) metadata(what program) []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: %s
Version: %s
Summary: %s
License-Expression: %s
License-File: LICENSE
Project-URL: Source, %s
Description-Content-Type: text/markdown

%s`, r.distribution(what), r.version.wheel(), what.about, license, r.homepage(), readme)
}

// record lists the files of a wheel with their digests, and itself without.
func record(files []file, self string) []byte {
	var lines bytes.Buffer
	for _, one := range files {
		sum := sha256.Sum256(one.content)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", one.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(one.content))
	}
	fmt.Fprintf(&lines, "%s,,\n", self)
	return lines.Bytes()
}
