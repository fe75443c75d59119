package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"toolproof/internal/group"
)

// stage is the variable that tells a process that isolated or beside starts what to do first. Its value
// is outer, with the number of the process that starts it behind a colon, for one that is to isolate
// itself, inner once that is done, and open for one that is not isolated.
const stage = "TOOLPROOF_STAGE"

// memory is the folder in which an isolated process keeps all that it writes.
const memory = "/dev/shm"

const canStart = true

// isolated runs the command self in namespaces of its own. It passes text to the standard input of the
// command, and decodes its standard output as JSON into answer. The error says why the system does not
// allow that.
func isolated(ctx context.Context, self []string, text []byte, answer any) error {
	command := prepared(ctx, self, "outer:"+strconv.Itoa(os.Getpid()), memory)
	attributes := command.SysProcAttr
	attributes.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attributes.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP} // for enclose, which drops them
	command.Cancel = func() error { return group.Kill(command) }                                 // and the kernel ends the namespaces
	switch err := exchanged(command, text, answer); {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("no namespaces: user.max_user_namespaces allows no more of them")
	case err != nil:
		return fmt.Errorf("no namespaces: %w", err)
	}
	return nil
}

// beside runs the command self like isolated, but without namespaces. It hides the environment of this
// process from the others of the user.
func beside(ctx context.Context, self []string, text []byte, answer any) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hiding the environment: %w", err)
	}
	command := prepared(ctx, self, "open", os.TempDir())
	command.SysProcAttr.Pdeathsig = syscall.SIGTERM // it ends what it has started, and removes its folders
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	return exchanged(command, text, answer)
}

// prepared returns the command self with an environment that has nothing of the user's.
func prepared(ctx context.Context, self []string, value, temporary string) *exec.Cmd {
	command := exec.CommandContext(ctx, self[0], self[1:]...)                                                       //nolint:gosec // the command is this program
	command.Env = []string{stage + "=" + value, "TMPDIR=" + temporary, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"} //nolint:forbidigo // to find programs
	group.Prepare(command)
	command.WaitDelay = 3 * time.Second
	return command
}

// exchanged runs a command that reads text and writes JSON.
func exchanged(command *exec.Cmd, text []byte, answer any) error {
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(text), &out, &errs
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w %s", err, strings.TrimSpace(errs.String()))
	}
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		return fmt.Errorf("reading the outcome: %w", err)
	}
	return nil
}

// enclose makes this process what Apart promises. If the process is to isolate itself, enclose does so
// and starts the program anew in its place; it returns only if that fails.
func enclose() error {
	switch value, parent, _ := strings.Cut(os.Getenv(stage), ":"); value { //nolint:forbidigo // this program has set it
	case "outer":
		runtime.LockOSThread() // capabilities are a thread's, and exec keeps those of this one
		defer runtime.UnlockOSThread()
		err := errors.Join(openLoopback(), closeFiles(parent))
		if err == nil {
			err = dropCapabilities()
		}
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err := errors.Join(err, os.Setenv(stage, "inner")); err != nil {
			return fmt.Errorf("no namespaces: %w", err)
		}
		return fmt.Errorf("no namespaces: %w", syscall.Exec(self, os.Args, os.Environ())) //nolint:gosec,forbidigo // this program, and what prepared has set
	case "inner":
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
			return fmt.Errorf("ending with the parent: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hiding the memory: %w", err)
	}
	return group.Adopt()
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

// closeFiles makes every file read-only in the process's mount namespace, hides the sockets that
// processes listen on and the processes of others, and mounts memory to write to. What is written to
// /tmp is kept there, too, where the kernel can lay it over.
func closeFiles(parent string) error {
	sockets := socketsOf(parent) // before /proc is another one
	closed := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, closed); err != nil {
		return fmt.Errorf("no read-only files: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("no list of processes of its own: %w", err)
	}
	for _, socket := range sockets {
		if err := unix.Mount("/dev/null", socket, "", unix.MS_BIND, ""); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EACCES) {
			return fmt.Errorf("hiding the socket %s: %w", socket, err)
		}
	}
	if err := unix.Mount("tmpfs", memory, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700"); err != nil {
		return fmt.Errorf("no folder in memory: %w", err)
	}
	upper, work := filepath.Join(memory, "tmp"), filepath.Join(memory, "work")
	if err := Write([]string{upper, work}, nil); err != nil {
		return err
	}
	_ = unix.Mount("overlay", "/tmp", "overlay", unix.MS_NOSUID|unix.MS_NODEV, "userxattr,lowerdir=/tmp,upperdir="+upper+",workdir="+work) // otherwise /tmp is read-only
	return nil
}

// socketsOf returns the absolute paths of the sockets that the network namespace of a process has. One
// that was bound by a relative path is not found.
func socketsOf(process string) []string {
	text, err := os.ReadFile(filepath.Join("/proc", process, "net", "unix")) //nolint:gosec // of the kernel
	if err != nil {
		return nil
	}
	var paths []string
	for line := range strings.Lines(string(text)) {
		if at := strings.Index(line, " /"); at >= 0 {
			paths = append(paths, strings.TrimSuffix(line[at+1:], "\n"))
		}
	}
	return paths
}

// dropCapabilities leaves this thread, and the program that it executes, without any capability, now
// and later.
func dropCapabilities() error {
	for capability := range uintptr(unix.CAP_LAST_CAP + 1) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) { // of a newer kernel
			return fmt.Errorf("dropping capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	var none [2]unix.CapUserData // two words of 32 capabilities each
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}
