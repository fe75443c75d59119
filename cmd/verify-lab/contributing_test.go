package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/cmd/internal/clitest"
)

// block matches a code block in Markdown with its language.
var block = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```")

// TestContributing follows CONTRIBUTING.md in a copy of the project, as a first-time
// contributor does: the files, the commands and their output. In pull requests, where CI is
// set, it builds the program anew after each command and replays all fixtures; elsewhere it
// uses this program, which reads the data of the copy, and replays the fixtures of one
// provider.
func TestContributing(t *testing.T) {
	t.Parallel()
	anew := os.Getenv("CI") != ""
	if _, err := exec.LookPath("make"); err != nil {
		t.Skipf("the path is for a machine that has make: %v", err)
	}
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## A tool that broke for you\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found {
		t.Fatal("CONTRIBUTING.md has no section for a tool that broke")
	}
	folder, programs := t.TempDir(), clitest.Build(t, "../verify")
	if err := os.WriteFile(filepath.Join(folder, "path.txtar"), []byte(pathOf(t, section, anew)), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			if err := clitest.BuildEnvironment(env); err != nil {
				return err
			}
			env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
			if anew {
				return copyProject("../..", filepath.Join(env.WorkDir, "checkout"))
			}
			for _, name := range []string{"fixtures", "recordings"} {
				if err := copyProject("../../"+name, filepath.Join(env.WorkDir, "checkout", name)); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shows": shows},
	})
}

// commandOf returns the script's line for a command in CONTRIBUTING.md.
func commandOf(command string, anew bool) string {
	// make test would run this very test; verify without flags checks the contribution.
	command = strings.Replace(command, "make test", "make fixtures", 1)
	if anew {
		return "exec " + command
	}
	const program, lab = "go run ./cmd/verify ", "go run ./cmd/verify-lab "
	switch {
	case command == "make fixtures":
		return "exec verify --data . --fixture gemini-*"
	case command == "make docs":
		return "exec verify-lab docs ./docs"
	case strings.HasPrefix(command, program+"--"):
		return "exec verify --data . " + strings.TrimPrefix(command, program)
	case strings.HasPrefix(command, lab):
		return "exec verify-lab " + strings.TrimPrefix(command, lab)
	default:
		return "exec verify " + strings.TrimPrefix(command, program)
	}
}

// pathOf makes a script of the code blocks: JSON becomes the files tool.json and answer.json,
// and the others are commands.
func pathOf(t *testing.T, section string, anew bool) string {
	t.Helper()
	var script, files strings.Builder
	script.WriteString("cd checkout\n")
	names, commands := []string{"tool.json", "answer.json"}, 0
	for _, match := range block.FindAllStringSubmatch(section, -1) {
		switch language, code := match[1], match[2]; language {
		case "json":
			if len(names) == 0 {
				t.Fatalf("there is a file too many: %s", code)
			}
			files.WriteString("-- checkout/" + names[0] + " --\n" + code)
			names = names[1:]
		case "console":
			command, output, _ := strings.Cut(strings.TrimPrefix(code, "$ "), "\n")
			commands++
			script.WriteString(commandOf(command, anew) + "\nshows ../" + strings.Repeat("i", commands) + ".txt\n")
			files.WriteString("-- " + strings.Repeat("i", commands) + ".txt --\n" + output)
		case "sh":
			for line := range strings.Lines(code) {
				commands++
				script.WriteString(commandOf(strings.TrimSuffix(line, "\n"), anew) + "\n")
			}
		default:
			t.Fatalf("a block of %s is no part of the path", language)
		}
	}
	if len(names) > 0 || commands < 4 {
		t.Fatalf("the path has %d commands, and lacks %v", commands, names)
	}
	return script.String() + files.String()
}

// shows compares standard output with a file in which a line of dots stands for any lines.
func shows(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 1 {
		script.Fatalf("usage: shows FILE")
	}
	pattern := regexp.QuoteMeta(script.ReadFile(arguments[0]))
	pattern = strings.ReplaceAll(pattern, "\n"+regexp.QuoteMeta("...")+"\n", "\n(?s:.*)\n")
	if got := script.ReadFile("stdout"); !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
		script.Fatalf("it printed\n%s", got)
	}
}

// copyProject copies the files of the project without its history.
func copyProject(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case slices.Contains([]string{".git", "node_modules", "scratch"}, entry.Name()):
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}
