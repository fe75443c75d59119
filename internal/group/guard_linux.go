package group

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const hasGuard = true

// dieTogether makes the kernel end a program when this process ends, however that happens. A guard
// is asked to end.
func dieTogether(command *exec.Cmd) {
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if isGuard(command) {
		command.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
}

// Guard runs a command with files as its standard input, output and error. When the command has
// ended, or the context ends, it kills the command and all processes that the command has started,
// directly or not. It returns the exit code of the command, as a shell does.
func Guard(ctx context.Context, words []string, in, out, errs *os.File) (int, error) {
	if _, err := exec.LookPath(words[0]); err != nil {
		return 0, err //nolint:wrapcheck // the error of os/exec says what failed
	}
	if err := Adopt(); err != nil {
		return 0, err
	}
	// The kernel may tell more than once that the parent has ended.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	command := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user names the program
	command.Stdin, command.Stdout, command.Stderr = in, out, errs
	Prepare(command)
	command.Cancel = func() error { return Kill(command) }
	if err := command.Start(); err != nil {
		return 0, err //nolint:wrapcheck // the error of os/exec says what failed
	}
	_ = command.Wait() // the exit code says how it ended
	EndLeft()
	const signalled = 128
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal()), nil
	}
	return command.ProcessState.ExitCode(), nil
}

// Adopt makes the kernel hand over to this process, rather than to the first one of the system, the
// processes that its descendants leave behind, so that EndLeft finds them.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting processes: %w", err)
	}
	return nil
}

// EndLeft kills all descendants of this process. The process must wait for no other child
// meanwhile.
func EndLeft() {
	const most, pause = 200, 5 * time.Millisecond // a process that cannot be killed is left after a second
	for range most {
		left := descendants(os.Getpid())
		if len(left) == 0 {
			return
		}
		for _, number := range left {
			_ = syscall.Kill(number, syscall.SIGKILL) // an error says that it has ended
		}
		time.Sleep(pause)
		for number := 1; number > 0; {
			number, _ = unix.Wait4(-1, nil, unix.WNOHANG, nil) // one that has ended is no descendant any more
		}
	}
}

// descendants returns the children of a process, their children and so on.
func descendants(of int) []int {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, file := range files {
		number, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		text, _ := os.ReadFile(file)                                    //nolint:gosec // of the kernel; a process may have ended
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // behind the name, which may be anything
		if len(fields) > 1 {
			parent, _ := strconv.Atoi(string(fields[1]))
			children[parent] = append(children[parent], number)
		}
	}
	found := children[of]
	for at := 0; at < len(found); at++ {
		found = append(found, children[found[at]]...)
	}
	return found
}
