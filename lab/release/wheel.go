package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// wheels writes a wheel for each program and platform. An installer copies the program to
// the scripts of the environment, where it runs without Python. The wheel of toolproof also has
// the library for Python, which starts the program.
func (r *release) wheels() error { return r.wheelsOf(programs) }

func (r *release) wheelsOf(wanted []program) error {
	if err := os.MkdirAll(r.in("pypi"), executable); err != nil {
		return err
	}
	for _, on := range r.platforms {
		for _, what := range wanted {
			content, err := os.ReadFile(r.path(what, on))
			if err != nil {
				return err
			}
			if err := r.wheel(what, on, file{on.file(what), executable, content}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) wheel(what program, on platform, program file) error {
	name := strings.ReplaceAll(r.distribution(what), "-", "_") + "-" + r.version.wheel()
	info := name + ".dist-info/"
	var library []file
	if what.name == product {
		library = append(library, r.python...)
		library = append(library, file{info + "entry_points.txt", readable, []byte("[pytest11]\ntoolproof = toolproof.pytest_plugin\n")})
	}
	tags := "Tag: py3-none-" + strings.ReplaceAll(on.wheel, ".", "\nTag: py3-none-") + "\n"
	files := append(library, []file{
		{name + ".data/scripts/" + program.name, executable, program.content},
		{info + "licenses/LICENSE", readable, r.license},
		{info + "METADATA", readable, r.metadata(what)},
		{info + "WHEEL", readable, []byte("Wheel-Version: 1.0\nGenerator: " + product + "\nRoot-Is-Purelib: false\n" + tags)},
	}...)
	packed, err := zipped(append(files, file{info + "RECORD", readable, record(files, info+"RECORD")}))
	if err != nil {
		return err
	}
	return os.WriteFile(r.in("pypi", name+"-py3-none-"+on.wheel+".whl"), packed, readable)
}

// pythonIn returns the files of the library for Python.
func pythonIn(source string) ([]file, error) {
	folder := filepath.Join(source, "packages", "python")
	var files []file
	for _, pattern := range []string{"*.py", "py.typed"} {
		paths, err := filepath.Glob(filepath.Join(folder, product, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files = append(files, file{product + "/" + filepath.Base(path), readable, content})
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no library for Python", folder)
	}
	return files, nil
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
Requires-Python: >=3.9
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
