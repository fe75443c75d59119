// Package program runs programs that others wrote in a home of their own, and where the
// system allows it without a network.
package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Environment returns the environment of such a program, as NAME=value, with the home
// directory and the variable PATH.
func Environment(home, path string) []string {
	return []string{
		"PATH=" + path, "HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + filepath.Join(home, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}

// Setup is how a program is started.
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

// Write makes folders, and files with the texts given by their paths. Only the user may read
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

// RemoveAll removes a folder. It tries again for a while, because a process that was just
// ended may still write there.
func RemoveAll(folder string) {
	for range 10 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Tail keeps the last 64 KiB of what is written to it. It is safe for concurrent use.
type Tail struct {
	mutex sync.Mutex
	text  []byte
}

// Write keeps the end of the text. It never fails.
func (t *Tail) Write(text []byte) (int, error) {
	const most = 64 << 10
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(text), nil
}

// String returns the end of what was written, without space around it.
func (t *Tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
}
