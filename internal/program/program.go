// Package program is for programs that others wrote and that run in a home of their own.
package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Environment is all that a program gets of one, as NAME=value: path is the variable PATH.
func Environment(home, path string) []string {
	return []string{
		"PATH=" + path, "HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + filepath.Join(home, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}

// Setup is how a program is started.
type Setup struct {
	// Files are written below the home directory, by their paths with slashes.
	Files map[string]string
	// Env is added to the environment, as NAME=value.
	Env []string
	// Args are the arguments of the program.
	Args []string
}

// Write makes the home directory of the program with its files, and a folder for temporary
// ones.
func (s Setup) Write(home string) error {
	files := map[string]string{}
	for name, text := range s.Files {
		files[filepath.Join(home, filepath.FromSlash(name))] = text
	}
	return Write([]string{home, filepath.Join(home, "tmp")}, files)
}

// Write makes folders, and files with texts, which the user alone may read.
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

// RemoveAll removes a folder, in which a process that has just been ended may write a last
// time.
func RemoveAll(folder string) {
	for range 10 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Tail keeps the end of what is written.
type Tail struct {
	mutex sync.Mutex
	text  []byte
}

// Write keeps the text. It never fails.
func (t *Tail) Write(text []byte) (int, error) {
	const most = 64 << 10
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(text), nil
}

// String returns the end of what was written.
func (t *Tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
}
