package wrap

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Server is a running server that reads and writes messages, one in each line.
type Server interface {
	io.ReadWriter
	// CloseInput says that no message follows.
	CloseInput() error
	// End ends the server. It returns an error that says how the server ended if it did so by itself.
	End() error
}

// patience is how long a server may go on answering when its client has said its last.
const patience = 10 * time.Second

// Serve passes the messages of a client, one in each line, to the server, and back. It returns when
// one of the two or the context ends, and ends the server. An error says that the server ended before
// its client did, that a message was too long, or that the server takes none.
func (s *Session) Serve(ctx context.Context, in io.Reader, out io.Writer, server Server) error {
	client, waiting := &locked{out: out}, newQueue()
	asked, answered := make(chan error, 1), make(chan error, 1)
	go func() {
		asked <- eachLine(in, func(line []byte) error {
			toServer, answers := s.FromClient(ctx, line)
			for _, answer := range answers {
				if _, err := client.Write(answer); err != nil {
					return err
				}
			}
			return waiting.put(toServer)
		})
		waiting.close()
	}()
	go func() {
		for line := range waiting.lines {
			if _, err := server.Write(line); err != nil {
				waiting.close()
			}
		}
		_ = server.CloseInput() // it may have ended
	}()
	go func() {
		answered <- eachLine(server, func(line []byte) error {
			_, err := client.Write(s.FromServer(ctx, line))
			return err
		})
	}()
	var err error
	isByItself := false
	select {
	case <-ctx.Done():
	case err = <-answered:
		isByItself = len(asked) == 0
	case err = <-asked:
		isByItself = errors.Is(err, errClosed) // it reads no more
		select {
		case <-ctx.Done():
		case <-answered: //nolint:errcheck // there is nobody to tell
		case <-time.After(patience):
		}
	}
	ended := server.End()
	waiting.close()
	switch {
	case errors.Is(err, errTooLong), errors.Is(err, errTooMuch):
		return err
	case isByItself && ended != nil:
		return fmt.Errorf("the server ended before its client did: %w", ended)
	default:
		return nil
	}
}

// queue holds the messages that the server has not taken, so that the end of a client is seen while its
// server reads nothing.
type queue struct {
	mutex    sync.Mutex
	changed  sync.Cond
	messages [][]byte
	size     int
	isClosed bool
}

var (
	errClosed  = errors.New("the server takes no further message")
	errTooMuch = fmt.Errorf("the server reads nothing: more than %d MB wait for it", maxBytes>>20)
)

func newQueue() *queue {
	empty := &queue{}
	empty.changed.L = &empty.mutex
	return empty
}

// put adds a message, unless it is empty.
func (q *queue) put(message []byte) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	switch {
	case q.isClosed:
		return errClosed
	case q.size > 0 && q.size+len(message) > maxBytes:
		return errTooMuch
	case len(message) > 0:
		q.messages, q.size = append(q.messages, bytes.Clone(message)), q.size+len(message)
		q.changed.Signal()
	}
	return nil
}

// close says that no message follows.
func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.isClosed = true
	q.changed.Signal()
}

// lines yields the messages until there are no more.
func (q *queue) lines(yield func([]byte) bool) {
	for {
		q.mutex.Lock()
		for len(q.messages) == 0 && !q.isClosed {
			q.changed.Wait()
		}
		if len(q.messages) == 0 {
			q.mutex.Unlock()
			return
		}
		message := q.messages[0]
		q.messages, q.size = q.messages[1:], q.size-len(message)
		q.mutex.Unlock()
		if !yield(message) {
			return
		}
	}
}

// locked writes whole messages.
type locked struct {
	mutex sync.Mutex
	out   io.Writer
}

// Write writes a message.
func (l *locked) Write(message []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.out.Write(message) //nolint:wrapcheck // the error of the pipe, as io.Writer has it
}

var errTooLong = fmt.Errorf("a message is longer than %d MB", maxBytes>>20)

// eachLine calls a function with each line of a reader, with its end, until there are no more or the
// function returns an error. The line is valid until the function returns.
func eachLine(in io.Reader, take func(line []byte) error) error {
	const usual = 64 << 10
	reader := bufio.NewReaderSize(in, usual)
	var long []byte
	for {
		line, err := reader.ReadSlice('\n')
		if len(long)+len(line) > maxBytes {
			return errTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			line, long = append(long, line...), nil
		}
		if len(line) > 0 {
			if taken := take(line); taken != nil {
				return taken
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err //nolint:wrapcheck // the error of the pipe says what failed
		}
	}
}
