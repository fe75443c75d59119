// Package program runs foreign programs, each with a home directory of its own and, where the
// system allows it, without a network.
package program

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Environment returns the environment of a foreign program, as NAME=value. path is the value of
// the variable PATH.
func Environment(home, path string) []string {
	return []string{
		"PATH=" + path, "HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + filepath.Join(home, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}

// Setup says how to start a program.
type Setup struct {
	// Files are the texts of files by their paths below the home directory, with slashes.
	Files map[string]string
	// Env is added to the environment, as NAME=value.
	Env []string
	// Args are the arguments of the program.
	Args []string
}

// Write makes the home directory of the program, with its files and a folder for temporary
// files.
func (s Setup) Write(home string) error {
	files := map[string]string{}
	for name, text := range s.Files {
		files[filepath.Join(home, filepath.FromSlash(name))] = text
	}
	return Write([]string{home, filepath.Join(home, "tmp")}, files)
}

// Write makes folders, and files with the given texts by their paths. Only the user may read
// them.
func Write(folders []string, files map[string]string) error {
	const private, ownFolder = 0o600, 0o700
	for name := range files {
		folders = append(folders, filepath.Dir(name))
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, ownFolder); err != nil {
			return fmt.Errorf("making a folder: %w", err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), private); err != nil {
			return fmt.Errorf("writing a file: %w", err)
		}
	}
	return nil
}

// RemoveAll removes a folder. It tries for half a second, because a process that was just killed
// may still write there.
func RemoveAll(folder string) {
	for range 10 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
