package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"toolproof/cmd/internal/cli"
)

// TestReplace: a file is replaced as a whole or left alone, and nothing remains beside it.
func TestReplace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode    os.FileMode
		content string // when the file is replaced
		problem string
	}{
		"as it was read": {0o640, "before", ""},
		"changed":        {0o640, "else", "it was changed in the meantime: try again"},
		"read-only":      {0o440, "before", "it is read-only"},
		"a folder":       {os.ModeDir, "", "it is no regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			file := filepath.Join(folder, "tools.json")
			err := os.WriteFile(file, []byte(test.content), test.mode)
			if test.mode.IsDir() {
				err = errors.Join(os.Remove(file), os.Mkdir(file, 0o700))
			}
			if err != nil {
				t.Fatal(err)
			}
			err = cli.Replace(file, []byte("before"), []byte("after"))
			if (err == nil) != (test.problem == "") || err != nil && err.Error() != test.problem {
				t.Errorf("the problem is %v, not %q", err, test.problem)
			}
			entries, err := os.ReadDir(folder)
			if err != nil || len(entries) > 1 {
				t.Errorf("%v remain: %v", entries, err)
			}
			if test.mode.IsDir() {
				return
			}
			want := test.content
			if test.problem == "" {
				want = "after"
			}
			content, err := os.ReadFile(file)
			info, failed := os.Stat(file)
			if err != nil || failed != nil || string(content) != want {
				t.Fatalf("the file is %q: %v, %v", content, err, failed)
			}
			if mode := info.Mode().Perm(); mode != test.mode && runtime.GOOS != "windows" {
				t.Errorf("its mode is %v", mode)
			}
		})
	}
}
