package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"toolproof/normalizers/group"
)

// isolated runs a job in a process that has namespaces of its own: a network that is the
// loopback alone, and process numbers, so that nothing outlives it. An error that is no
// *runError says why that is not possible.
func isolated(ctx context.Context, job Job) (Outcome, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return Outcome{}, fmt.Errorf("writing the job: %w", err)
	}
	command := exec.CommandContext(ctx, job.Self[0], append(append([]string{}, job.Self[1:]...), RunCommand)...) //nolint:gosec // it is this program
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
		return Outcome{}, fmt.Errorf("no namespaces: %w %s", err, strings.TrimSpace(errs.String()))
	}
	var said inside
	switch err := json.Unmarshal(out.Bytes(), &said); {
	case err != nil:
		return Outcome{}, fmt.Errorf("no namespaces: %w", err)
	case said.Around != "":
		return Outcome{}, errors.New(said.Around)
	case said.Error != "":
		return Outcome{}, &runError{said.Error}
	default:
		return said.Outcome, nil
	}
}

// openLoopback brings the loopback of a new network up.
func openLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("no loopback: %w", err)
	}
	defer unix.Close(socket) //nolint:errcheck // nothing is sent
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

// endLeft ends the processes that have left the group of a client: those with its home.
func endLeft(home string) {
	if os.Getpid() == 1 {
		return // the namespace ends with this process
	}
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, name := range found {
		text, err := os.ReadFile(name) //nolint:gosec // of the processes of the user
		if err != nil || !bytes.Contains(text, []byte("HOME="+home+"\x00")) {
			continue
		}
		if number, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && number != os.Getpid() {
			_ = syscall.Kill(number, syscall.SIGKILL) // it may have ended
		}
	}
}
