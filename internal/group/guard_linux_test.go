package group_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"toolproof/internal/group"
)

// TestMain makes the test binary a guard, and a program that runs a command below one.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != group.GuardCommand && os.Args[1] != "parent" {
		os.Exit(m.Run())
	}
	var code int
	var err error
	if os.Args[1] == group.GuardCommand {
		code, err = group.Guard(context.Background(), os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
	} else {
		err = enclosed(os.Args[2:]...).Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// enclosed returns a command that is ready to start below a guard.
func enclosed(words ...string) *exec.Cmd {
	command := exec.Command(words[0], words[1:]...) //nolint:noctx // the guard ends it
	group.Enclose(command, []string{os.Args[0]})
	group.Prepare(command)
	return command
}

// leaves starts a process in a session of its own, without its environment, whose parent has ended.
// Each writes to the pipe that it is named.
const leaves = `exec 3>"$1"; env -i "$2" -f tail -f /dev/null; echo begun >&3; `

// TestGuard checks that nothing is left of a command when it ends, when it is killed by Kill, and when
// the process that has started it is killed. A pipe tells: it has an end when nobody can write to it.
func TestGuard(t *testing.T) {
	t.Parallel()
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip(err)
	}
	for name, test := range map[string]struct {
		then string // what the command does at last
		end  func(*exec.Cmd) error
		code int
	}{
		"ends":          {"exit 7", func(*exec.Cmd) error { return nil }, 7},
		"is killed":     {"exec tail -f /dev/null", group.Kill, 128 + 9},
		"parent killed": {"exec tail -f /dev/null", func(command *exec.Cmd) error { return command.Process.Kill() }, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			words := []string{"sh", "-c", leaves + test.then, "sh", pipe, setsid}
			command := enclosed(words...)
			if test.code < 0 {
				command = exec.Command(os.Args[0], append([]string{"parent"}, words...)...) //nolint:noctx // it is killed
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(pipe)
			if err != nil {
				t.Fatal(err)
			}
			reader := bufio.NewReader(file)
			if line, err := reader.ReadString('\n'); err != nil || line != "begun\n" {
				t.Fatalf("it writes %q, %v", line, err)
			}
			if err := test.end(command); err != nil {
				t.Error(err)
			}
			_ = command.Wait() // the code says how it ended
			if got := command.ProcessState.ExitCode(); got != test.code {
				t.Errorf("the exit code is %d, want %d", got, test.code)
			}
			if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
				t.Errorf("it writes %q, %v", rest, err)
			}
		})
	}
}
