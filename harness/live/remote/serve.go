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

// Serve makes the calls that it reads until they end, with the given clients. It looks
// up keys in the environment. An error means that the lines could not be read or
// written.
func Serve(ctx context.Context, in io.Reader, out io.Writer, clients live.Clients) error {
	ctx, cancel := context.WithCancel(ctx)
	server := &server{clients: clients, results: json.NewEncoder(out), opened: map[int]live.Caller{}, running: map[int]context.CancelFunc{}}
	decoder := json.NewDecoder(in)
	for {
		var made call
		err := decoder.Decode(&made)
		if err == nil {
			server.take(ctx, made)
			continue
		}
		cancel() // nobody waits for what is under way
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
	writing sync.Mutex // of results: the pipe may be full while calls come
	results *json.Encoder
	failed  error
	mutex   sync.Mutex // of what follows
	opened  map[int]live.Caller
	running map[int]context.CancelFunc
}

// take starts a call, or cancels one.
func (s *server) take(ctx context.Context, made call) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if made.Cancel {
		if cancel := s.running[made.ID]; cancel != nil {
			cancel()
		}
		return
	}
	ctx, s.running[made.ID] = context.WithCancel(ctx)
	s.group.Go(func() {
		got, opened := s.make(ctx, made)
		s.mutex.Lock()
		s.running[made.ID]()
		delete(s.running, made.ID)
		if opened != nil {
			s.opened[made.ID] = opened
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
func (s *server) make(ctx context.Context, made call) (result, live.Caller) {
	if made.Open != nil {
		account := *made.Open
		if account.KeyName != "" {
			account.Key = os.Getenv(account.KeyName)
		}
		opened, err := s.clients.Open(ctx, account)
		if err != nil {
			return result{ID: made.ID, Error: err.Error()}, nil
		}
		return result{ID: made.ID}, opened
	}
	s.mutex.Lock()
	opened := s.opened[made.Client]
	s.mutex.Unlock()
	if opened == nil {
		return result{ID: made.ID, Error: fmt.Sprintf("no client %d is open", made.Client)}, nil
	}
	reply, err := opened.Post(ctx, made.Body)
	if err != nil {
		return result{ID: made.ID, Error: err.Error()}, nil
	}
	return result{ID: made.ID, Reply: &reply}, nil
}
