package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// data writes the package of data: the folder data, which is a Go module, and the same as a package of npm. Its version
// is not that of the release but has the day of the commit.
func (r *release) data(ctx context.Context, source string) error {
	folder, err := filepath.Abs(r.in("data"))
	if err != nil {
		return err
	}
	day := exec.CommandContext(ctx, "git", "log", "-1", "--format=%cs")
	day.Dir, day.Stderr = source, os.Stderr
	committed, err := day.Output()
	if err != nil {
		return fmt.Errorf("reading the day of the commit: %w", err)
	}
	command := exec.CommandContext(ctx, "go", "run", "./cmd/verify-lab", "data", "--address", r.address, "--day", strings.TrimSpace(string(committed)), folder)
	command.Dir, command.Stdout, command.Stderr = source, os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return err
	}
	described, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return err
	}
	var about struct {
		Name    string   `json:"name"`
		Version string   `json:"version"`
		Files   []string `json:"files"`
	}
	if err := json.Unmarshal(described, &about); err != nil {
		return err
	}
	var packed []file
	for _, pattern := range slices.Concat([]string{"package.json", "LICENSE", "README.md"}, about.Files) {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			packed = append(packed, file{"package/" + filepath.Base(path), readable, content})
		}
	}
	archive, err := tarGzip(packed)
	if err != nil {
		return err
	}
	return os.WriteFile(r.in("npm", npmFile(about.Name, about.Version)), archive, readable)
}
