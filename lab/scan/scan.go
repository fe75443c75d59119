package scan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"toolproof/harness/server"
)

// Scan says how servers are asked.
type Scan struct {
	// Self is the command of this program, without RunCommand.
	Self []string
	// Path is the variable PATH of programs.
	Path string
	// Start is how long a server may take until its first message, Answers how long from there until its tools, and
	// Install how long npm may take.
	Start, Answers, Install time.Duration
	// Bytes is how much is read of a server.
	Bytes int
	// Memory is how much the servers that are asked at the same time may take, in bytes.
	Memory int64
	// Gap is the time between two servers of one host, which are asked one after the other.
	Gap time.Duration
	// Folder is where packages are installed.
	Folder string
	// Tell is called with each result, one at a time.
	Tell func(Result)
}

// ofProgram is the memory that a program may take, in bytes, and ofAnswer that of a server's answer as a multiple of
// Bytes: its text, and what is read from it.
const (
	ofProgram = 200 << 20
	ofAnswer  = 2
)

// Run asks the servers that results does not have, each once, and adds what they answer. It returns an error if the
// context ends or a result cannot be written.
func (s *Scan) Run(ctx context.Context, servers []Server, results *Results) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	hosts := map[string][]Server{}
	var order []string
	seen := map[string]bool{}
	for _, server := range servers {
		if results.Done[server.Key] || seen[server.Key] {
			continue
		}
		seen[server.Key] = true
		host := server.host()
		if hosts[host] == nil {
			order = append(order, host)
		}
		hosts[host] = append(hosts[host], server)
	}
	room := semaphore.NewWeighted(s.Memory)
	var writing sync.Mutex
	var running sync.WaitGroup
	for _, host := range order {
		first := hosts[host][0]
		if room.Acquire(ctx, s.weight(first)) != nil {
			break
		}
		running.Go(func() {
			defer room.Release(s.weight(first))
			for i, server := range hosts[host] {
				if i > 0 && !wait(ctx, s.Gap) {
					return
				}
				result := s.ask(ctx, server)
				if ctx.Err() != nil {
					return // what it says is not the server's answer
				}
				writing.Lock()
				err := results.add(result)
				if err == nil && s.Tell != nil {
					s.Tell(result)
				}
				writing.Unlock()
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	running.Wait()
	return context.Cause(ctx) //nolint:wrapcheck // the error of a result, or of the context
}

// weight returns the memory that asking a server may take. It is never more than there is.
func (s *Scan) weight(server Server) int64 {
	if server.Address != "" {
		return min(int64(ofAnswer*s.Bytes), s.Memory)
	}
	return min(ofProgram, s.Memory)
}

// wait waits, and reports whether the context still runs.
func wait(ctx context.Context, long time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(long):
		return true
	}
}

// ask asks a server.
func (s *Scan) ask(ctx context.Context, asked Server) Result {
	result := Result{Server: asked.Key, Name: asked.Name, Version: asked.Version}
	if asked.Why != "" {
		result.Outcome, result.Error = LeftOut, asked.Why
		return result
	}
	var list []byte
	var err error
	if asked.Address != "" {
		list, err = s.atAddress(ctx, asked)
	} else {
		list, err = s.program(ctx, asked)
	}
	var read struct {
		Tools json.RawMessage `json:"tools"`
	}
	if err == nil {
		err = json.Unmarshal(list, &read)
	}
	if err != nil {
		result.Outcome, result.Error = Failed, words(err)
		if asked.Secrets != nil {
			result.Error = asked.Secrets.Replace(result.Error)
		}
		return result
	}
	result.Outcome, result.Tools = Listed, read.Tools
	return result
}

func (s *Scan) atAddress(ctx context.Context, asked Server) ([]byte, error) {
	at := server.At(asked.Address)
	if asked.IsSSE {
		at = server.Events(asked.Address)
	}
	at.Headers, at.Start, at.Answers, at.MostBytes = asked.Headers, s.Start, s.Answers, s.Bytes
	return at.List(ctx)
}

// passing are parts of errors that differ between two runs: ports of this machine.
var passing = regexp.MustCompile(`(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d+->`)

// words returns an error in words that are the same in each run.
func words(err error) string {
	text := passing.ReplaceAllString(err.Error(), "")
	for _, broken := range []string{"connection reset by peer", "broken pipe", "EOF", "server closed idle connection"} {
		if strings.HasSuffix(text, broken) { // which of them it is depends on the moment
			return "the server ended the connection"
		}
	}
	const most = 500
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// errNoProgram means that a package has nothing to start.
var errNoProgram = errors.New("the package has no program")

// late returns the error of a time that is over.
func late(err error, what string, long time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s took longer than %v", what, long)
	}
	return err
}
