package server

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"toolproof/internal/group"
)

// program is a running program, with all processes that it has started.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *os.File
	ended   chan struct{}
	// hasEnded is set if the program has closed its input or output before this process did.
	hasEnded atomic.Bool
	isKilled bool // set by end
}

// start starts a program, which ends with the context at the latest.
func (s *Server) start(ctx context.Context, name string, arguments ...string) (*program, error) {
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // the user names the program
	command.Stderr = &s.complaint
	if s.Errors != nil {
		command.Stderr = s.Errors
	}
	command.Dir = s.Dir
	command.Env = append(command.Environ(), s.Env...)
	group.Enclose(command, s.Guard)
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
		_ = command.Wait() // end says how the program ended
		// A process that it leaves behind may hold its output open: Read gives up on that.
		_ = out.SetReadDeadline(time.Now().Add(patience))
		close(started.ended)
	}()
	return started, nil
}

// Running is a program that Launch has started.
type Running struct{ program *program }

// Launch starts a program, as the server of Program does, for a caller that writes its messages and
// reads those of the program. The caller ends it with End.
func (s *Server) Launch(ctx context.Context, name string, arguments ...string) (*Running, error) {
	started, err := s.start(ctx, name, arguments...)
	if err != nil {
		return nil, err
	}
	return &Running{started}, nil
}

// Read reads from the standard output of the program.
func (r *Running) Read(buffer []byte) (int, error) {
	size, err := r.program.out.Read(buffer)
	if err != nil {
		r.program.hasEnded.Store(true)
	}
	return size, err
}

// Write writes to the standard input of the program.
func (r *Running) Write(text []byte) (int, error) {
	return r.program.in.Write(text) //nolint:wrapcheck // the error of the pipe, as io.Writer has it
}

// CloseInput closes the standard input of the program, which the protocol has as the way to end a
// server.
func (r *Running) CloseInput() error {
	return r.program.in.Close() //nolint:wrapcheck // the error of the pipe, as io.Closer has it
}

// Process starts the program of Program for a caller that writes its messages and reads those of the program. The caller
// ends it with End.
func (s *Server) Process(ctx context.Context) (*Running, error) {
	if len(s.words) == 0 {
		return nil, errors.New("the server has an address, and no program")
	}
	return s.Launch(ctx, s.words[0], s.words[1:]...)
}

// IsKilled reports whether End had to kill the program, because it went on after its input was closed.
func (r *Running) IsKilled() bool { return r.program.isKilled }

// End ends the program with all processes that it has started. It returns an error that says how the
// program ended if its output ended before that.
func (r *Running) End() error { return r.program.end() }

// patience is how long a program may take to end after its input was closed.
const patience = 2 * time.Second

// end closes the input of the program, which the protocol has as the way to end a server,
// and then kills what is left of the program and of the processes that it has started. It
// returns an error that says how the program ended if it did so by itself.
func (p *program) end() error {
	isByItself := p.hasEnded.Load()
	_ = p.in.Close() // the connection may have closed it
	var how error
	select {
	case <-p.ended:
		if isByItself {
			how = errors.New(p.command.ProcessState.String())
		}
	case <-time.After(patience):
		p.isKilled = true
	}
	_ = group.Kill(p.command) // an error says that no process is left
	<-p.ended
	_ = p.out.Close() // the connection may have closed it
	return how
}
