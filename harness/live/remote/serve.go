package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"toolproof/harness/live"
)

// Serve makes the calls that it reads with the clients until there are no more. It looks
// up keys in the environment. An error means that lines could not be read or written.
func Serve(ctx context.Context, in io.Reader, out io.Writer, clients live.Clients) error {
	ctx, cancel := context.WithCancel(ctx)
	server := &server{clients: clients, results: json.NewEncoder(out), opened: map[int]live.Caller{}, running: map[int]context.CancelFunc{}}
	decoder := json.NewDecoder(in)
	for {
		var line call
		err := decoder.Decode(&line)
		if err == nil {
			server.take(ctx, line)
			continue
		}
		cancel() // nobody waits for calls under way
		server.group.Wait()
		if errors.Is(err, io.EOF) {
			return server.failed
		}
		return fmt.Errorf("reading calls: %w", err)
	}
}

type server struct {
	clients live.Clients
	group   sync.WaitGroup
	writing sync.Mutex // results: the pipe may be full while calls arrive
	results *json.Encoder
	failed  error
	mutex   sync.Mutex // the fields below
	opened  map[int]live.Caller
	running map[int]context.CancelFunc
}

// take starts a call, or cancels one.
func (s *server) take(ctx context.Context, line call) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if line.Cancel {
		if cancel := s.running[line.ID]; cancel != nil {
			cancel()
		}
		return
	}
	ctx, s.running[line.ID] = context.WithCancel(ctx)
	s.group.Go(func() {
		got, opened := s.make(ctx, line)
		s.mutex.Lock()
		s.running[line.ID]()
		delete(s.running, line.ID)
		if opened != nil {
			s.opened[line.ID] = opened
		}
		s.mutex.Unlock()
		s.writing.Lock()
		defer s.writing.Unlock()
		if err := s.results.Encode(got); err != nil && s.failed == nil {
			s.failed = fmt.Errorf("writing results: %w", err)
		}
	})
}

// make makes a call.
func (s *server) make(ctx context.Context, line call) (result, live.Caller) {
	if line.Open != nil {
		account := *line.Open
		if account.KeyName != "" {
			account.Key = os.Getenv(account.KeyName)
		}
		opened, err := s.clients.Open(ctx, account)
		if err != nil {
			return result{ID: line.ID, Error: err.Error()}, nil
		}
		return result{ID: line.ID}, opened
	}
	s.mutex.Lock()
	opened := s.opened[line.Client]
	s.mutex.Unlock()
	if opened == nil {
		return result{ID: line.ID, Error: fmt.Sprintf("no client %d is open", line.Client)}, nil
	}
	reply, err := opened.Post(ctx, line.Body)
	if err != nil {
		return result{ID: line.ID, Error: err.Error()}, nil
	}
	return result{ID: line.ID, Reply: &reply}, nil
}
