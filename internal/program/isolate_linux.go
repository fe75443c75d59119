package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"toolproof/internal/group"
)

// isolated runs the command self in namespaces of its own: one for the network, which has only a
// loopback, and one for processes, so that no process that it starts outlives it. It passes text
// to the standard input of the command, and decodes its standard output as JSON into answer. The
// error says why the system does not allow that.
func isolated(ctx context.Context, self []string, text []byte, answer any) error {
	command := exec.CommandContext(ctx, self[0], self[1:]...) //nolint:gosec // the command is this program
	group.Prepare(command)
	attributes := command.SysProcAttr
	attributes.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID
	attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attributes.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // to bring the loopback up
	command.Cancel = func() error { return group.Kill(command) }
	command.WaitDelay = time.Second
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(text), &out, &errs
	if err := command.Run(); err != nil {
		return fmt.Errorf("no namespaces: %w %s", err, strings.TrimSpace(errs.String()))
	}
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		return fmt.Errorf("no namespaces: %w", err)
	}
	return nil
}

// openLoopback brings up the loopback of the process's network namespace.
func openLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("no loopback: %w", err)
	}
	defer unix.Close(socket) //nolint:errcheck // nothing was sent
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("no loopback: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("no loopback: %w", err)
	}
	return nil
}

// EndLeft kills the processes that have left the group of a program. It finds them by the home
// directory of the program in their environment.
func EndLeft(home string) {
	if os.Getpid() == 1 {
		return // the kernel ends the namespace with this process
	}
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, name := range found {
		text, err := os.ReadFile(name) //nolint:gosec // the environments of the user's processes
		if err != nil || !bytes.Contains(text, []byte("HOME="+home+"\x00")) {
			continue
		}
		if number, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && number != os.Getpid() {
			_ = syscall.Kill(number, syscall.SIGKILL) // an error says that it has ended
		}
	}
}
