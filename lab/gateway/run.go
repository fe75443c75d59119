package gateway

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/internal/bounded"
	"toolproof/internal/group"
	"toolproof/internal/program"
	"toolproof/internal/version"
	"toolproof/schema"
)

// mostRequests is how many requests the emulator keeps: more than a gateway makes of one.
const mostRequests = 50

// mostTokens is the max_tokens of each request.
const mostTokens = 1024

// key is the API key in each request: the emulator accepts any.
const key = "toolproof"

// Job is a gateway to ask on one way.
type Job struct {
	// Self is the command of the program that asks gateways, without RunCommand.
	Self []string
	// Gateway is the name of a row; empty if the gateway of Command or URL has none.
	Gateway string
	Way     Way
	// Stream is set if the answers are asked for as streams.
	Stream bool
	// Command starts the gateway; nil if it runs at URL. In its arguments, in Env and in the
	// headers of the way, {upstream} stands for the address of the emulator, {port} for the
	// port that the gateway is to listen on, and {home} for its home directory.
	Command []string
	// Env is the environment of a gateway without a row, as NAME=value; nil means that of this
	// process. A gateway with a row gets the environment of program.Environment with Path as
	// the variable PATH, and the variables of the row.
	Env  []string
	Path string
	// URL is the root of a gateway that already runs, and whose configuration names Listen.
	URL string
	// Listen is the address of loopback that the emulator listens on; empty means a free port.
	Listen string
	// AsOf is the day that the emulator answers for; empty means today.
	AsOf provider.Date
	// Start is how long the gateway may take until it listens, and Answer how long one answer
	// may take.
	Start, Answer time.Duration
}

// version returns the version of the gateway's package; empty if that is not known.
func (j Job) version() string {
	row := Named(j.Gateway)
	if row == nil {
		return ""
	}
	return version.Installed(j.Command[0], row.Package)
}

// gateway is a running gateway.
type gateway struct {
	job      Job
	place    Place
	emulator *emulator.Server
	address  string // the root of the gateway
	output   *group.Tail
	ended    chan struct{} // closed when the program has ended; nil if none was started
	http     *http.Client
}

// run starts the emulator and the gateway, and calls ask with the gateway.
func run(ctx context.Context, job Job, ask func(context.Context, *gateway) error) error {
	folder, err := os.MkdirTemp("", "toolproof-gateway-")
	if err != nil {
		return fmt.Errorf("making a folder for the gateway: %w", err)
	}
	defer program.RemoveAll(folder)
	listen := job.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listening for the gateway: %w", err)
	}
	g := &gateway{
		job: job, emulator: emulator.New(emulator.Options{AsOf: job.AsOf, Keep: mostRequests, Call: []string{"*"}}), output: &group.Tail{},
		http: &http.Client{Timeout: job.Answer, Transport: &http.Transport{}}, // without the proxy of the environment
	}
	server := &http.Server{Handler: g.emulator, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // Close ends it
	defer server.Close()                       //nolint:errcheck // no gateway is left to serve
	defer g.http.CloseIdleConnections()

	g.place = Place{Upstream: "http://" + listener.Addr().String(), Home: filepath.Join(folder, "home")}
	if job.URL != "" {
		g.address = strings.TrimSuffix(job.URL, "/")
		return ask(ctx, g)
	}
	if g.place.Port, err = freePort(ctx); err != nil {
		return err
	}
	g.address = "http://127.0.0.1:" + g.place.Port
	stop, err := g.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := g.listens(ctx); err != nil {
		return err
	}
	return ask(ctx, g)
}

// freePort returns a port of loopback that no program listens on.
func freePort(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a port for the gateway: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}

// filled returns a text with the addresses of the run for {upstream}, {port} and {home}.
func (g *gateway) filled(text string) string {
	return strings.NewReplacer("{upstream}", g.place.Upstream, "{port}", g.place.Port, "{home}", g.place.Home).Replace(text)
}

// start starts the program of the gateway, and returns a function that ends it.
func (g *gateway) start(ctx context.Context) (stop func(), err error) {
	words, environment := slices.Clone(g.job.Command), slices.Clone(g.job.Env)
	var setup program.Setup
	if row := Named(g.job.Gateway); row != nil {
		setup = row.setup(g.place)
		words = append(words, setup.Args...)
		environment = append(program.Environment(g.place.Home, g.job.Path), setup.Env...)
	}
	if err := setup.Write(g.place.Home); err != nil {
		return nil, fmt.Errorf("configuring the gateway: %w", err)
	}
	for _, texts := range [][]string{words, environment} {
		for i := range texts {
			texts[i] = g.filled(texts[i])
		}
	}
	command := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user names the program
	command.Dir, command.Env = g.place.Home, environment
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	command.WaitDelay = time.Second
	command.Stdout, command.Stderr = g.output, g.output
	if err := command.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the gateway does not start: %w", err)
	}
	g.ended = make(chan struct{})
	go func() {
		_ = command.Wait() // its output says why it ended
		close(g.ended)
	}()
	return func() {
		_ = group.Kill(command) // an error says that it has ended
		<-g.ended
		group.EndLeft()
	}, nil
}

// listens waits until the gateway accepts connections.
func (g *gateway) listens(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, g.job.Start)
	defer cancel()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	ended := g.ended
	for {
		connection, err := (&net.Dialer{}).DialContext(limited, "tcp", "127.0.0.1:"+g.place.Port)
		if err == nil {
			_ = connection.Close() // the gateway listens
			return nil
		}
		select {
		case <-ticks.C:
		case <-ended:
			ended = nil // some start another process that serves, and end: wait on
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("the gateway does not listen at port %s after %s, and writes:\n%s", g.place.Port, g.job.Start, g.output)
		}
	}
}

// answer is the answer of a gateway to its caller.
type answer struct {
	status int
	body   []byte
}

// ask sends a request with the tools to the gateway. It returns the gateway's answer, and the
// requests that reached the emulator. An error means that the gateway gave no answer.
func (g *gateway) ask(ctx context.Context, tools ...schema.Tool) (answer, []*emulator.Entry, error) {
	route, in := g.job.Way, apis[g.job.Way.In]
	body := in.dialect.Encode(tools).Body.Clone()
	body.Set("model", schema.NewString(route.Model))
	if in.dialect.API != provider.Responses {
		body.Set("max_tokens", schema.NewInt(mostTokens)) // Anthropic requires it, and one token is too few for a call
	}
	if g.job.Stream {
		body.Set("stream", schema.NewBool(true))
	}
	before := uint64(0)
	if kept := g.emulator.Requests(); len(kept) > 0 {
		before = kept[len(kept)-1].Number
	}
	target, err := url.JoinPath(g.address, cmp.Or(route.Path, in.path))
	if err != nil {
		return answer{}, nil, fmt.Errorf("the address of the gateway: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body.JSON()))
	if err != nil {
		return answer{}, nil, fmt.Errorf("asking the gateway: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if in.dialect.API == provider.Messages {
		request.Header.Set("X-Api-Key", key)
		request.Header.Set("Anthropic-Version", "2023-06-01")
	} else {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range route.Headers {
		request.Header.Set(name, g.filled(value))
	}
	response, err := g.http.Do(request)
	if err != nil {
		return answer{}, nil, fmt.Errorf("asking the gateway: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // the body was read
	const most = 4 << 20
	text, err := bounded.All(response.Body, most)
	if err != nil && !errors.Is(err, io.EOF) {
		return answer{}, nil, fmt.Errorf("reading the answer of the gateway: %w", err)
	}
	return answer{response.StatusCode, text}, g.since(before), nil
}

// since returns the requests to surfaces after the one with a number.
func (g *gateway) since(number uint64) []*emulator.Entry {
	var entries []*emulator.Entry
	for _, entry := range g.emulator.Requests() {
		if _, isSurface := arrival.Read(entry); entry.Number > number && isSurface {
			entries = append(entries, entry)
		}
	}
	return entries
}
