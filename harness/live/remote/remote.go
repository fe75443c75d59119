// Package remote reaches official clients that another program holds. The two speak
// JSON Lines over the other program's standard input and output, several calls at a
// time. Keys do not travel: the other program has the same environment.
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

// call is a line to the other program. It opens an account, posts a body for one that
// is open, or cancels an earlier call.
type call struct {
	ID     int           `json:"id"` // of a cancelled call, that call's
	Open   *live.Account `json:"open,omitempty"`
	Client int           `json:"client,omitempty"` // the ID of the call that opened it
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
	writing sync.Mutex // of lines: a pipe may be full while results come
	in      io.WriteCloser
	mutex   sync.Mutex // of what follows
	next    int
	waiting map[int]chan result
	ended   error // why no result comes any more; nil while the program runs
	done    chan struct{}
}

// Start starts the program that holds the clients. What it complains of goes to errs.
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

// Reach returns the clients at the other end of two pipes. wait is called once the
// results have ended.
func Reach(in io.WriteCloser, out io.Reader, wait func() error) *Clients {
	clients := &Clients{in: in, wait: wait, waiting: map[int]chan result{}, done: make(chan struct{})}
	go clients.receive(out)
	return clients
}

// Close ends the other program and waits for its end.
func (c *Clients) Close() error {
	err := c.in.Close()
	<-c.done
	return err //nolint:wrapcheck // the pipe's
}

// receive hands results to those who wait for them, until there are no more.
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
			waiting <- got // there is room for it
		}
	}
}

// send makes a call and returns its result.
func (c *Clients) send(ctx context.Context, made call) (result, error) {
	waiting := make(chan result, 1)
	c.mutex.Lock()
	if c.ended != nil {
		defer c.mutex.Unlock()
		return result{}, c.ended
	}
	c.next++
	made.ID = c.next
	c.waiting[made.ID] = waiting
	c.mutex.Unlock()
	if c.write(made) != nil {
		<-c.done // the program reads no more because it has ended
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
		delete(c.waiting, made.ID)
		c.mutex.Unlock()
		_ = c.write(call{ID: made.ID, Cancel: true}) // a program that has ended has cancelled all
		return result{}, ctx.Err()
	}
}

// write writes a line.
func (c *Clients) write(made call) error {
	line, err := json.Marshal(made)
	if err == nil {
		c.writing.Lock()
		defer c.writing.Unlock()
		_, err = c.in.Write(append(line, '\n'))
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
