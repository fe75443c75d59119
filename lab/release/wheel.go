package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// wheels writes a wheel for each program and platform. An installer copies the program to
// the scripts of the environment; no Python code runs.
func (r *release) wheels() error {
	for _, on := range r.platforms {
		files, err := r.programs(on)
		if err != nil {
			return err
		}
		for i, what := range programs {
			if err := r.wheel(what, on, files[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) wheel(what program, on platform, program file) error {
	name := strings.ReplaceAll(r.distribution(what), "-", "_") + "-" + r.version.wheel()
	info := name + ".dist-info/"
	tags := "Tag: py3-none-" + strings.ReplaceAll(on.wheel, ".", "\nTag: py3-none-") + "\n"
	files := []file{
		{name + ".data/scripts/" + program.name, executable, program.content},
		{info + "licenses/LICENSE", readable, r.license},
		{info + "METADATA", readable, r.metadata(what)},
		{info + "WHEEL", readable, []byte("Wheel-Version: 1.0\nGenerator: " + product + "\nRoot-Is-Purelib: false\n" + tags)},
	}
	packed, err := zipped(append(files, file{info + "RECORD", readable, record(files, info+"RECORD")}))
	if err != nil {
		return err
	}
	return os.WriteFile(r.in("pypi", name+"-py3-none-"+on.wheel+".whl"), packed, readable)
}

// distribution returns the name of a program on PyPI, which has no scopes.
func (r *release) distribution(what program) string {
	return owner(r.address) + "-" + what.name
}

// metadata returns the file METADATA of a program's wheel.
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

// record returns the file RECORD, which lists the files of a wheel with their digests and
// itself without one.
func record(files []file, self string) []byte {
	var lines bytes.Buffer
	for _, one := range files {
		sum := sha256.Sum256(one.content)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", one.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(one.content))
	}
	fmt.Fprintf(&lines, "%s,,\n", self)
	return lines.Bytes()
}
