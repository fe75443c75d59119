package server

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"toolproof/internal/group"
)

// program is a running program, with all processes that it has started.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	ended   chan struct{}
	how     error // the error that the program ended with; set before ended is closed
}

// start starts a program, which ends with the context at the latest.
func (s *Server) start(ctx context.Context, name string, arguments ...string) (*program, error) {
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // the user names the program
	command.Stderr = &s.complaint
	command.Dir = s.Dir
	command.Env = append(command.Environ(), s.Env...)
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	// A process that the program leaves behind may hold its standard error open: Wait gives up
	// on it after this time.
	command.WaitDelay = time.Second
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err //nolint:wrapcheck // the error of os/exec says what failed
	}
	// Wait would close a pipe of the command while it is still being read. It does not close
	// this one.
	out, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	command.Stdout = write
	err = command.Start()
	_ = write.Close() // the program has a copy
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	started := &program{command: command, in: in, out: out, ended: make(chan struct{})}
	go func() {
		started.how = command.Wait()
		close(started.ended)
	}()
	return started, nil
}

// patience is how long a program may take to end after its input was closed.
const patience = 2 * time.Second

// end closes the input of the program, which the protocol has as the way to end a server,
// and then kills what is left of the program and of the processes that it has started. It
// returns the error of a program that ended by itself.
func (p *program) end() error {
	_ = p.in.Close() // the connection may have closed it
	var how error
	select {
	case <-p.ended:
		how = p.how
	case <-time.After(patience):
	}
	_ = group.Kill(p.command) // an error says that no process is left
	<-p.ended
	_ = p.out.Close() // the connection may have closed it
	return how
}
