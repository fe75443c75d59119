package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"
)

// greeting is the first line that Serve writes.
type greeting struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

// Serve answers requests of one line each until the input ends, and then finishes those that are left. It
// first writes a line with the version of the protocol. It works on as many requests at once as there
// are processors, so the answers come in any order; their ids tell them apart. A line that is longer
// than MaxRequest is answered with an error. No answer takes longer than the limit, or much longer,
// because a step of the work is finished first. The error says that reading or writing failed.
func (s *Service) Serve(ctx context.Context, in io.Reader, out io.Writer, limit time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	writing := &writer{out: out, fail: cancel}
	hello, err := encode(greeting{Protocol, s.Version})
	if err != nil {
		return fmt.Errorf("writing the greeting: %w", err)
	}
	writing.line(hello)
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var working sync.WaitGroup
	defer working.Wait()
	reader := bufio.NewReader(in)
	for ctx.Err() == nil {
		request, err := readLine(reader)
		if len(request) > 0 {
			free <- struct{}{}
			working.Go(func() {
				defer func() { <-free }()
				bounded, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the request took longer than %v", limit))
				defer stop()
				writing.line(s.Answer(bounded, request))
			})
		}
		if errors.Is(err, io.EOF) {
			working.Wait()
			break
		}
		if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
	}
	return context.Cause(ctx) //nolint:wrapcheck // it says what failed
}

// writer writes lines, one at a time.
type writer struct {
	guard sync.Mutex
	out   io.Writer
	fail  context.CancelCauseFunc
}

func (w *writer) line(text []byte) {
	w.guard.Lock()
	defer w.guard.Unlock()
	if _, err := w.out.Write(append(text, '\n')); err != nil {
		w.fail(fmt.Errorf("writing an answer: %w", err))
	}
}

// readLine returns the next line without white space around it, and io.EOF with the last one. Of a line
// that is too long it returns one byte more than MaxRequest, so that Answer refuses it.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part[:min(len(part), MaxRequest+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}
