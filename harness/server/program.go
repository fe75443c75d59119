package toolserver

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"toolproof/internal/group"
)

// program is a program that runs, with all that it has started.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	ended   chan struct{}
	how     error // it ended, once ended is closed
}

// start starts a program, which is ended with the context at the latest.
func (s *Server) start(ctx context.Context, name string, arguments ...string) (*program, error) {
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // the user names the program
	command.Stderr = &s.complaint
	command.Dir = s.Dir
	command.Env = append(command.Environ(), s.Env...)
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	// What is left of it may hold its standard error open, which is waited for no longer.
	command.WaitDelay = time.Second
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what was wrong
	}
	// A pipe of our own is not closed while it is read, as that of the command is.
	out, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	command.Stdout = write
	err = command.Start()
	_ = write.Close() // the program has its own
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

// patience is how long a program may take to end once its input is closed.
const patience = 2 * time.Second

// end closes the input of the program, as the protocol has it, and then ends what is
// still there of it and of what it has started. The error is that of a program which had
// failed by itself.
func (p *program) end() error {
	_ = p.in.Close() // it may have been closed before
	var how error
	select {
	case <-p.ended:
		how = p.how
	case <-time.After(patience):
	}
	_ = group.Kill(p.command) // there may be nobody left
	<-p.ended
	_ = p.out.Close() // it may have been closed before
	return how
}
