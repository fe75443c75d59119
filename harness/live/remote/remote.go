// Package remote reaches official clients in another program. The two exchange JSON Lines
// over the other program's standard input and output, with several calls under way at a
// time. Keys are not sent: the other program has the same environment.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"toolproof/harness/live"
)

// call is a line to the other program. It opens an account, posts a body with an open
// account, or cancels an earlier call.
type call struct {
	ID     int           `json:"id"` // to cancel a call, the ID of that call
	Open   *live.Account `json:"open,omitempty"`
	Client int           `json:"client,omitempty"` // the ID of the call that opened the account
	Body   []byte        `json:"body,omitempty"`
	Cancel bool          `json:"cancel,omitempty"`
}

// result is a line from the other program.
type result struct {
	ID    int         `json:"id"`
	Reply *live.Reply `json:"reply,omitempty"`
	Error string      `json:"error,omitempty"`
}

// Clients are official clients in another program. They are safe for concurrent use.
type Clients struct {
	wait    func() error
	writing sync.Mutex // lines: a pipe may be full while results arrive
	in      io.WriteCloser
	mutex   sync.Mutex // the fields below
	next    int
	waiting map[int]chan result
	ended   error // why no more results arrive; nil while the program runs
	done    chan struct{}
}

// Start starts the program that has the clients. Its standard error goes to errs.
func Start(errs io.Writer, name string, arguments ...string) (*Clients, error) {
	command := exec.Command(name, arguments...) //nolint:gosec,noctx // Close ends it, by the end of its input
	command.Stderr = errs
	in, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return Reach(in, out, command.Wait), nil
}

// Reach returns the clients at the other end of two pipes. It calls wait once the results
// have ended.
func Reach(in io.WriteCloser, out io.Reader, wait func() error) *Clients {
	clients := &Clients{in: in, wait: wait, waiting: map[int]chan result{}, done: make(chan struct{})}
	go clients.receive(out)
	return clients
}

// Close ends the other program and waits until it has exited.
func (c *Clients) Close() error {
	err := c.in.Close()
	<-c.done
	return err //nolint:wrapcheck // the pipe's
}

// receive passes results to the calls that wait for them until there are no more.
func (c *Clients) receive(out io.Reader) {
	defer close(c.done)
	decoder := json.NewDecoder(out)
	for {
		var got result
		err := decoder.Decode(&got)
		c.mutex.Lock()
		if err != nil {
			c.ended = errors.Join(errors.New("the program with the official clients has ended"), c.wait())
			for _, waiting := range c.waiting {
				close(waiting)
			}
			c.mutex.Unlock()
			return
		}
		waiting := c.waiting[got.ID]
		delete(c.waiting, got.ID)
		c.mutex.Unlock()
		if waiting != nil {
			waiting <- got // the channel has room for it
		}
	}
}

// send makes a call and returns its result.
func (c *Clients) send(ctx context.Context, line call) (result, error) {
	waiting := make(chan result, 1)
	c.mutex.Lock()
	if c.ended != nil {
		defer c.mutex.Unlock()
		return result{}, c.ended
	}
	c.next++
	line.ID = c.next
	c.waiting[line.ID] = waiting
	c.mutex.Unlock()
	if c.write(line) != nil {
		<-c.done // the program no longer reads, because it has exited
		return result{}, c.ended
	}
	select {
	case got, ok := <-waiting:
		if !ok {
			return result{}, c.ended
		}
		return got, nil
	case <-ctx.Done():
		c.mutex.Lock()
		delete(c.waiting, line.ID)
		c.mutex.Unlock()
		_ = c.write(call{ID: line.ID, Cancel: true}) // a program that has exited has cancelled everything
		return result{}, ctx.Err()
	}
}

// write writes a line.
func (c *Clients) write(line call) error {
	text, err := json.Marshal(line)
	if err == nil {
		c.writing.Lock()
		defer c.writing.Unlock()
		_, err = c.in.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("calling the official clients: %w", err)
	}
	return nil
}

// Open opens an account in the other program.
func (c *Clients) Open(ctx context.Context, account live.Account) (live.Caller, error) {
	got, err := c.send(ctx, call{Open: &account})
	if err != nil {
		return nil, err
	}
	if got.Error != "" {
		return nil, errors.New(got.Error)
	}
	return caller{c, got.ID}, nil
}

type caller struct {
	clients *Clients
	id      int
}

// Post posts a body in the other program.
func (c caller) Post(ctx context.Context, body []byte) (live.Reply, error) {
	got, err := c.clients.send(ctx, call{Client: c.id, Body: body})
	switch {
	case err != nil:
		return live.Reply{}, err
	case got.Reply == nil:
		return live.Reply{}, errors.New(got.Error)
	default:
		return *got.Reply, nil
	}
}
