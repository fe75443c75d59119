package record

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// The most bytes that are kept of a request, of an answer, and of all of them together until
// they are read. What is larger passes, and nothing is recorded of it.
const (
	mostRequest = 16 << 20
	mostAnswer  = 1 << 20
	mostHeld    = 128 << 20
)

// Recorder passes requests on to providers, and records what they declare and whether that is
// accepted.
type Recorder struct {
	Dialects []*provider.Dialect
	// Keep stores a recording, and reports whether it is new.
	Keep func(*recording.Recording) (bool, error)
	// Transport sends the requests; nil means one that leaves bodies as they are.
	Transport http.RoundTripper

	held    atomic.Int64 // bytes of bodies that are kept
	pending sync.WaitGroup
	mutex   sync.Mutex
	summary Summary
}

// Summary says what a Recorder has done.
type Summary struct {
	Requests int // that were answered
	Silent   int // those of them that declared nothing, or were of no known API
	Accepted int // declarations
	Refused  int // requests
	New      int // recordings that were not known before
	// Elsewhere are the hosts that are not known to be a provider's, and Emulated says that an
	// emulator answered: what they say is no evidence.
	Elsewhere []string
	Emulated  bool
	// Passed counts requests of which nothing was recorded, by the reason.
	Passed map[string]int
}

// Proxy returns a handler that passes requests on to the host of a base URL, with everything
// that they have. Bodies, codings, streams, errors and cancellations pass unchanged, as do the
// answers.
func (r *Recorder) Proxy(base Base) http.Handler {
	transport := r.Transport
	if transport == nil {
		transport = newTransport()
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(request *httputil.ProxyRequest) { forward(request, base.URL) },
		Transport:     transport,
		FlushInterval: -1, // a stream arrives as it is sent
		BufferPool:    buffers{},
		ModifyResponse: func(response *http.Response) error {
			r.watch(response)
			return nil
		},
		ErrorHandler: func(writer http.ResponseWriter, request *http.Request, err error) {
			if request.Context().Err() == nil {
				r.pass("the provider could not be reached")
				http.Error(writer, "verify record: "+base.URL.Hostname()+" could not be reached: "+withoutAddress(err), http.StatusBadGateway)
			}
		},
		ErrorLog: discard,
	}
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if host, _, err := net.SplitHostPort(request.Host); err != nil || host != "127.0.0.1" && host != "localhost" {
			http.Error(writer, "verify record: only the loopback is served", http.StatusMisdirectedRequest) // a page of a browser, by a name of its own
			return
		}
		if watched := r.begin(request, base); watched != nil {
			request = request.WithContext(watched.context(request.Context()))
			request.Body = watched.request.wrap(request.Body, nil)
		}
		proxy.ServeHTTP(writer, request)
	})
}

// newTransport returns a transport that leaves bodies and their codings as they are.
func newTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert,forbidigo // of the standard library; a Recorder may have another
	transport.DisableCompression = true
	const connections = 64
	transport.MaxIdleConnsPerHost = connections
	return transport
}

// forward sends a request to another host and leaves the rest as it is: ReverseProxy removes
// what proxies add, and what of a query it cannot read.
func forward(request *httputil.ProxyRequest, base *url.URL) {
	request.Out.URL.Scheme, request.Out.URL.Host, request.Out.Host = base.Scheme, base.Host, base.Host
	request.Out.URL.RawQuery = request.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := request.In.Header[name]; ok {
			request.Out.Header[name] = values
		}
	}
}

// withoutAddress returns the text of an error without the URL, whose query may hold a key.
func withoutAddress(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Op + ": " + failed.Err.Error()
	}
	return strings.ToValidUTF8(recording.Redacted(err.Error()), "")
}

// buffers are those that answers are copied with.
type buffers struct{}

var pool = sync.Pool{New: func() any { return new([32 << 10]byte) }}

func (buffers) Get() []byte { return pool.Get().(*[32 << 10]byte)[:] } //nolint:forcetypeassert // the pool holds nothing else

func (buffers) Put(buffer []byte) { pool.Put((*[32 << 10]byte)(buffer)) }

// tee keeps what is read of a body. The transport may still read a request when its answer has
// passed.
type tee struct {
	io.ReadCloser

	held  *atomic.Int64
	most  int
	done  func() // is called once, when the body is closed; nil for none
	once  sync.Once
	mutex sync.Mutex
	kept  bytes.Buffer
	// ended is set when nothing more is kept, because there is more than may be, or because
	// what there is was taken.
	ended, missed bool
}

// take returns what was kept, and whether that is all that was read.
func (t *tee) take() (kept []byte, isWhole bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.ended = true
	return t.kept.Bytes(), !t.missed
}

// wrap makes the tee read a body.
func (t *tee) wrap(body io.ReadCloser, done func()) io.ReadCloser {
	if body == nil || body == http.NoBody {
		return body
	}
	t.ReadCloser, t.done = body, done
	return t
}

func (t *tee) Read(buffer []byte) (int, error) {
	count, err := t.ReadCloser.Read(buffer)
	t.keep(buffer[:count])
	return count, err //nolint:wrapcheck // the body's own error
}

func (t *tee) keep(read []byte) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.ended || len(read) == 0 {
		return
	}
	if fits := t.most - t.kept.Len(); len(read) > fits {
		read, t.ended, t.missed = read[:fits], true, true
	}
	if t.held.Add(int64(len(read))) > mostHeld {
		t.held.Add(int64(-len(read)))
		t.ended, t.missed = true, true
		return
	}
	t.kept.Write(read)
}

func (t *tee) Close() error {
	err := t.ReadCloser.Close()
	if t.done != nil {
		t.once.Do(t.done)
	}
	return err //nolint:wrapcheck // the body's own error
}

// count counts one request.
func (r *Recorder) count(add func(*Summary)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	add(&r.summary)
}

// pass counts a request of which nothing is recorded.
func (r *Recorder) pass(reason string) {
	r.count(func(summary *Summary) {
		if summary.Passed == nil {
			summary.Passed = map[string]int{}
		}
		summary.Passed[reason]++
	})
}

// End waits until everything that was answered is recorded, and returns the summary.
func (r *Recorder) End() Summary {
	r.pending.Wait()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	slices.Sort(r.summary.Elsewhere)
	return r.summary
}
