package emulator_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolproof/harness/emulator"
)

// large is a request that is almost as large as one may be.
func large() io.Reader {
	return strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"` + strings.Repeat("x", emulator.MaxBody-1_000) + `"}]}`)
}

const chatPath = "http://localhost/v1/chat/completions"

// TestLogIsNotCopied: a reader of the kept requests costs no copy of them.
func TestLogIsNotCopied(t *testing.T) { //nolint:paralleltest // it measures allocations
	handler := emulator.New(emulator.Options{Keep: 10})
	for range 5 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, chatPath, large()))
	}
	var before, after runtime.MemStats
	reader := discarding{http.Header{}, new(int)}
	runtime.ReadMemStats(&before)
	handler.ServeHTTP(reader, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+emulator.LogPath, nil))
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; *reader.size < 5*(emulator.MaxBody-1_000) || taken > 1<<20 {
		t.Errorf("reading %d bytes takes %d", *reader.size, taken)
	}
}

// discarding counts the bytes of an answer.
type discarding struct {
	header http.Header
	size   *int
}

func (d discarding) Header() http.Header { return d.header }
func (d discarding) WriteHeader(int)     {}
func (d discarding) Write(text []byte) (int, error) {
	*d.size += len(text)
	return len(text), nil
}

// TestHeadersCount: headers are among what is kept of a request.
func TestHeadersCount(t *testing.T) {
	t.Parallel()
	const requests, size, most = 100, 1 << 20, 64 << 20
	handler := emulator.New(emulator.Options{Keep: requests})
	long := strings.Repeat("x", size)
	for range requests {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/models", nil)
		request.Header.Set("X-Long", long)
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	if kept := len(handler.Requests()); kept == 0 || kept*size > most {
		t.Errorf("%d requests with headers of %d bytes are kept", kept, size)
	}
}

// TestUnderWay: no more than two of the largest requests are judged at a time, however many there are,
// and all are answered.
func TestUnderWay(t *testing.T) {
	t.Parallel()
	const requests, together = 6, 2
	var now, most atomic.Int64
	entered, leave := make(chan bool), make(chan bool)
	handler := emulator.New(emulator.Options{Log: func(*emulator.Entry) {
		if count := now.Add(1); count > most.Load() {
			most.Store(count)
		}
		entered <- true
		<-leave
		now.Add(-1)
	}})
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, chatPath, large()))
			if answer.Code != http.StatusOK {
				t.Errorf("status %d", answer.Code)
			}
		})
	}
	for range requests / together {
		for range together {
			<-entered
		}
		time.Sleep(50 * time.Millisecond) // in which a third one would come
		for range together {
			leave <- true
		}
	}
	all.Wait()
	if most.Load() != together {
		t.Errorf("%d requests are judged at a time", most.Load())
	}
}

// TestLargerBody sends bodies that are larger than MaxBody, as a client does that reads no answer before it has
// written everything: it gets an answer in the provider's form, and not the end of the connection.
func TestLargerBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(emulator.New(emulator.Options{}))
	defer server.Close()
	body := `{"model":"` + strings.Repeat("x", 11<<20) + `"}`
	for path, want := range map[string]string{
		"/v1/chat/completions": `{"error":{"code":null,"message":"the request is larger than`,
		"/v1/messages":         `"type":"request_too_large"`,
		"/v1beta/models/gemini-2.5-flash:generateContent": `"status":"INVALID_ARGUMENT"`,
	} {
		dialer := net.Dialer{}
		connection, err := dialer.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		data, err := io.ReadAll(answer.Body)
		_, _ = answer.Body.Close(), connection.Close()
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(data), want) {
			t.Errorf("%s: status %d, %v: %s", path, answer.StatusCode, err, data)
		}
	}
}
