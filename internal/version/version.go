// Package version compares versions of programs, and finds the version of one that npm has installed.
package version

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Compare compares the names of versions: their numbers as numbers, and what is between them as text. A version with
// more parts is the later one, unless the further part begins with a hyphen, as that of a release candidate does.
func Compare(a, b string) int {
	for a != "" && b != "" {
		x, y := part(a), part(b)
		a, b = a[len(x):], b[len(y):]
		if isDigit(x[0]) && isDigit(y[0]) {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if order := cmp.Compare(len(x), len(y)); order != 0 {
				return order
			}
		}
		if order := strings.Compare(x, y); order != 0 {
			return order
		}
	}
	switch {
	case strings.HasPrefix(a, "-"):
		return -1
	case strings.HasPrefix(b, "-"):
		return 1
	default:
		return cmp.Compare(len(a), len(b))
	}
}

// part returns the longest beginning of a text that is a number, or that has no digit.
func part(text string) string {
	end := 1
	for end < len(text) && isDigit(text[end]) == isDigit(text[0]) {
		end++
	}
	return text[:end]
}

func isDigit(char byte) bool { return '0' <= char && char <= '9' }

// Installed returns the version of the npm package that a program belongs to, from the package.json in a folder above the
// program; empty if none has the name of the package.
func Installed(program, name string) string {
	file, err := filepath.EvalSymlinks(program)
	for folder := filepath.Dir(file); err == nil && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		text, failed := os.ReadFile(filepath.Join(folder, "package.json")) //nolint:gosec // beside a program of the user
		var found struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		}
		if failed == nil && json.Unmarshal(text, &found) == nil && found.Name == name {
			return found.Version
		}
	}
	return ""
}
