package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"toolproof/harness/live"
	"toolproof/harness/live/remote"
	"toolproof/harness/provider"
)

// reach serves clients in this process, through pipes as to another program.
func reach(t *testing.T, clients live.Clients) *remote.Clients {
	t.Helper()
	calls, in := io.Pipe()
	out, results := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := remote.Serve(context.Background(), calls, results, clients)
		_ = results.Close()
		served <- err
	}()
	reached := remote.Reach(in, out, func() error { return nil })
	t.Cleanup(func() {
		if err := reached.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return reached
}

const keyName = "TOOLPROOF_TEST_KEY"

// plain is a client that uses net/http only. The scripts of cmd/verify test the official
// clients behind pipes.
type plain struct{ account live.Account }

func (plain) Open(_ context.Context, account live.Account) (live.Caller, error) {
	return plain{account}, nil
}

func (p plain) Post(ctx context.Context, body []byte) (live.Reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.account.BaseURL+p.account.Path, bytes.NewReader(body))
	if err != nil {
		return live.Reply{}, err
	}
	request.Header.Set("Authorization", "Bearer "+p.account.Key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return live.Reply{}, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	reply := live.Reply{Status: answer.StatusCode, Header: answer.Header, Body: text, Read: live.ReadSuccess}
	if answer.StatusCode != http.StatusOK {
		reply.Read = live.ReadRefusal
	}
	return reply, err
}

// TestPost asks a server through pipes, many times at once. The key is that of the other
// program's environment, and each answer belongs to its question.
func TestPost(t *testing.T) {
	t.Setenv(keyName, "the key")
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if got := request.Header.Get("Authorization"); got != "Bearer the key" || request.URL.Path != "/v1/" {
			t.Errorf("the key is %q, the path %s", got, request.URL.Path)
		}
		asked, _ := io.ReadAll(request.Body)
		writer.Header().Set("Asked", string(asked))
		if bytes.Contains(asked, []byte("bad")) {
			writer.WriteHeader(http.StatusBadRequest)
		}
		_, _ = writer.Write(asked)
	}))
	t.Cleanup(server.Close)
	opened, err := reach(t, plain{}).Open(t.Context(), live.Account{
		Provider: "openai", API: provider.ChatCompletions, Path: "/v1/", Key: "not this one", KeyName: keyName, BaseURL: server.URL, Connections: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			body, status, read := fmt.Sprintf("good %d", i), http.StatusOK, live.ReadSuccess
			if i%2 > 0 {
				body, status, read = fmt.Sprintf("bad %d", i), http.StatusBadRequest, live.ReadRefusal
			}
			reply, err := opened.Post(t.Context(), []byte(body))
			if err != nil || reply.Status != status || reply.Read != read || string(reply.Body) != body || reply.Header.Get("Asked") != body {
				t.Errorf("%s: %d, read as %s, %s: %v", body, reply.Status, reply.Read, reply.Body, err)
			}
		})
	}
	group.Wait()
}

// fake is a client whose calls end only when cancelled.
type fake struct{ called, cancelled chan struct{} }

func (f fake) Open(_ context.Context, account live.Account) (live.Caller, error) {
	if account.API == "" {
		return nil, errors.New("no API")
	}
	return f, nil
}

func (f fake) Post(ctx context.Context, _ []byte) (live.Reply, error) {
	f.called <- struct{}{}
	<-ctx.Done()
	close(f.cancelled)
	return live.Reply{}, ctx.Err()
}

// TestCancel: a call that is cancelled ends here and in the other program.
func TestCancel(t *testing.T) {
	t.Parallel()
	asked := fake{make(chan struct{}, 1), make(chan struct{})}
	reached := reach(t, asked)
	if _, err := reached.Open(t.Context(), live.Account{}); err == nil || err.Error() != "no API" {
		t.Errorf("opened without an API: %v", err)
	}
	opened, err := reached.Open(t.Context(), live.Account{API: provider.Messages})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked.called
		cancel()
	}()
	if _, err := opened.Post(ctx, []byte("{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	<-asked.cancelled
}

// TestEnded: after a program has exited no call succeeds, neither one under way nor a
// later one.
func TestEnded(t *testing.T) {
	t.Parallel()
	calls, in := io.Pipe()
	out, results := io.Pipe()
	go func() {
		buffer := make([]byte, 1)
		_, _ = calls.Read(buffer) // the call has begun
		_ = results.Close()
		_ = calls.Close()
	}()
	reached := remote.Reach(in, out, func() error { return errors.New("exit status 7") })
	for range 2 {
		if _, err := reached.Open(t.Context(), live.Account{}); err == nil {
			t.Error("opened in a program that has ended")
		}
	}
	if _, err := reached.Open(t.Context(), live.Account{}); err == nil || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("the error does not say how the program ended: %v", err)
	}
}
