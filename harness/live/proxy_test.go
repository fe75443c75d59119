package live_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolproof/harness/live"
	"toolproof/harness/live/sdk"
	"toolproof/harness/provider"
)

// asking is set in the environment of the process that asks: a process reads the address
// of its proxy only once.
const asking = "TOOLPROOF_TEST_ASKING"

// theKey is what nobody on the way may read.
const theKey = "sk-nobody-may-read-this"

func TestMain(m *testing.M) {
	if os.Getenv(asking) != "" {
		ask()
		return
	}
	os.Exit(m.Run())
}

// ask asks the base URL in the environment, and prints the result.
func ask() {
	account := live.Account{
		API: provider.ChatCompletions, Provider: "openai", Path: "/v1", Key: theKey, Connections: 1,
		BaseURL: os.Getenv(asking), Insecure: os.Getenv("INSECURE") != "",
	}
	caller, err := sdk.Clients{}.Open(context.Background(), account)
	if err == nil {
		var reply live.Reply
		if reply, err = caller.Post(context.Background(), []byte(`{"model":"m"}`)); err == nil {
			fmt.Println("status", reply.Status)
			return
		}
	}
	fmt.Println("error", err)
}

// proxy is an HTTP proxy that records everything that passes through it.
type proxy struct {
	to string // the server that every host name leads to

	mutex sync.Mutex
	seen  bytes.Buffer
}

func (p *proxy) Write(data []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.seen.Write(data)
}

// text returns what has passed through.
func (p *proxy) text() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.seen.String()
}

// ServeHTTP makes a tunnel for CONNECT, and answers another request itself.
func (p *proxy) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	_ = request.Write(p)
	if request.Method != http.MethodConnect {
		_, _ = io.WriteString(writer, "{}")
		return
	}
	server, err := new(net.Dialer).DialContext(request.Context(), "tcp", p.to)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close() //nolint:errcheck // at the end of the test
	client, buffered, err := http.NewResponseController(writer).Hijack()
	if err != nil {
		return
	}
	defer client.Close() //nolint:errcheck // at the end of the test
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(client, server) }()
	_, _ = io.Copy(server, io.TeeReader(bufio.NewReader(buffered), p))
}

// TestProxyReadsNoKey asks through a proxy from the environment. Encrypted requests go
// through a tunnel; a request that the proxy could read is not sent without --insecure.
func TestProxyReadsNoKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, base, insecure string
		said                 string // by the client
		method               string // of the request to the proxy; empty if there was none
		isRead               bool   // whether the proxy saw the key
	}{
		{"https goes through the tunnel", "https://example.com", "", "status 200", "CONNECT", false},
		{"http is refused", "http://example.com", "", "error", "", false},
		{"http with insecure is read", "http://example.com", "yes", "status 200", "POST", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewTLSServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				if !strings.Contains(request.Header.Get("Authorization"), theKey) {
					t.Error("the key did not arrive")
				}
				writer.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(writer, "{}")
			}))
			t.Cleanup(server.Close)
			passed := &proxy{to: server.Listener.Addr().String()}
			between := httptest.NewServer(passed)
			t.Cleanup(between.Close)
			roots := filepath.Join(t.TempDir(), "roots.pem")
			certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}) // for example.com
			if err := os.WriteFile(roots, certificate, 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), os.Args[0])
			command.Env = append(os.Environ(), asking+"="+test.base, "INSECURE="+test.insecure, "SSL_CERT_FILE="+roots,
				"HTTP_PROXY="+between.URL, "HTTPS_PROXY="+between.URL, "http_proxy=", "https_proxy=", "NO_PROXY=", "no_proxy=")
			said, err := command.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(said), test.said) {
				t.Errorf("the client says %q, %v; want %s", said, err, test.said)
			}
			if test.method == "" && !strings.Contains(string(said), live.ErrReadable.Error()) {
				t.Errorf("the client says %q, and not why it does not ask", said)
			}
			text := passed.text()
			if method, _, _ := strings.Cut(text, " "); method != test.method {
				t.Errorf("the proxy was asked with %q, want %q", method, test.method)
			}
			if isRead := strings.Contains(text, theKey); isRead != test.isRead {
				t.Errorf("the proxy has read the key: %t, want %t", isRead, test.isRead)
			}
		})
	}
}
