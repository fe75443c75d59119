package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// ErrLate means that a server took longer than it was allowed.
var ErrLate = errors.New("the time is over")

// watch ends a context when the time of a server is over. The time to answer begins with the
// first message of the server, so that it does not include an installation. A watch is safe
// for concurrent use.
type watch struct {
	start, answers time.Duration
	cancel         context.CancelCauseFunc

	mutex   sync.Mutex
	timer   *time.Timer // nil if there is no limit
	isHeard bool        // a message has come
	post    int         // the status of the last answer to a POST
}

// watch returns a context that ends when the time of the server is over.
func (s *Server) watch(ctx context.Context) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{start: s.Start, answers: s.Answers, cancel: cancel}
	switch {
	case s.Start > 0:
		w.timer = time.AfterFunc(s.Start, w.late)
	case s.Answers > 0:
		w.timer = time.AfterFunc(s.Answers, w.late)
	}
	return ctx, w
}

// late ends the context with an ErrLate.
func (w *watch) late() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.start > 0 && !w.isHeard {
		w.cancel(fmt.Errorf("%w: no message came within %v", ErrLate, w.start))
		return
	}
	w.cancel(fmt.Errorf("%w: the tools did not come within %v", ErrLate, w.answers))
}

// heard notes a message. The first one begins the time to answer.
func (w *watch) heard() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.isHeard || w.timer == nil {
		return
	}
	w.isHeard = true
	switch {
	case w.start == 0: // the time to answer has begun with the start
	case w.answers > 0:
		w.timer.Reset(w.answers)
	default:
		w.timer.Stop()
	}
}

// rest ends the limit of time, because the tools have come. The caller limits what follows.
func (w *watch) rest() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.isHeard = true
	}
}

// posted notes the status of an answer to a POST.
func (w *watch) posted(status int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.post = status
}

// refusedPost reports whether the last POST was answered as by a server that does not speak
// streamable HTTP. A client then has to try SSE, by the protocol.
func (w *watch) refusedPost() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.post == http.StatusBadRequest || w.post == http.StatusNotFound || w.post == http.StatusMethodNotAllowed
}

// stop ends the watch and the context.
func (w *watch) stop() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}
