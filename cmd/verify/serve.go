package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
)

// serving holds the flags of verify serve.
type serving struct {
	address, faults, certificate string
	quirks                       []string
	engine                       string
	without, call                []string
	tools, reply, log, script    string
	parallel                     int
	when                         cli.When
	seed                         uint64
	strictAuth, isJSON           bool
}

func newServe(s *session) *cobra.Command {
	var flags serving
	command := &cobra.Command{
		Use:   "serve",
		Short: "Answer as the providers' APIs do, to test tool calling offline",
		Long: `serve answers as the APIs of Gemini, Vertex AI, OpenAI, Anthropic and Ollama do, so that
you can test tool calling offline: set the base URL of any client to the address that
serve prints when it is ready. Any key is accepted, and nothing leaves this machine.
Each answer has the header X-Toolproof-Emulator: it is a prediction, not evidence.

A declaration that the provider refuses is refused with its status and words, as the
model of the provider predicts. An accepted one is answered with a call of the function,
with valid arguments, and the result of that call with a text. The same request always
gets the same answer; --seed selects another.

  Gemini     /v1beta/models/MODEL:generateContent, :streamGenerateContent, :countTokens
             the same below /v1/models/, /v1beta/openai/chat/completions
  Vertex AI  /v1/projects/P/locations/L/publishers/google/models/MODEL:..., /v1beta1/...
  OpenAI     /v1/chat/completions, /v1/responses
  Azure      /openai/deployments/NAME/chat/completions, /openai/v1/chat/completions,
             /openai/v1/responses, /openai/responses
  Anthropic  /v1/messages, /v1/messages/count_tokens
  Ollama     /api/chat, /api/tags, /api/show, /api/version
  models     GET /v1beta/models, /v1/models and so on

--as makes it the server of one engine, ollama, llamacpp or vllm, or of one service that
has OpenAI's API at a host of its own:

  ` + strings.Join(emulator.Compatible, ", ") + `

Where llama.cpp or Ollama would crash, the connection is reset.

--fault makes a share of the requests fail, to test how a client copes:

  429      the provider's error, with Retry-After
  500      the provider's error
  529      the provider is overloaded: 529 on Anthropic's API and 503 elsewhere
  timeout  no answer
  garbage  status 200, and a body that is not JSON
  slow     the right answer, two seconds late
  reset    the connection is reset

--quirk NAME[,NAME] writes the answers in shapes that some services and engines send and
that clients trip over, such as a call without an index; verify list quirks has them all.

An agent acts on the calls that it gets. If a request declares a tool that runs
commands, serve therefore calls only tools of MCP servers, or tools that no known agent
has built in. --tools and --call restrict the calls further, and --reply text calls
nothing.

The pages / and /_/ show the last requests with their answers, GET /_/requests returns
them as JSON, and --log writes each to a file. If a request has something that the
emulator does not know, the header X-Toolproof-Warning of the answer names it. --as-of
uses the rules of another day, --without leaves rules out. docs/emulator.md says more.
An interrupt ends serve.`,
		Example: `  verify serve
  verify serve --addr 127.0.0.1:8080 --fault 429=0.2,500=0.05,timeout=0.02
  verify serve --quirk no-index,parallel
  verify serve --as ollama --addr 127.0.0.1:11434
  OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=any python agent.py`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return s.serve(command.Context(), flags) },
	}
	set := command.Flags()
	set.StringVar(&flags.address, "addr", "127.0.0.1:0", "listen on this loopback `address`; port 0 chooses a free port")
	set.Uint64Var(&flags.seed, "seed", 0, "select other arguments, identifiers and faults by this `number`")
	set.StringVar(&flags.engine, "as", "", "answer only as this `engine` or service, such as ollama or mistral")
	set.StringVar(&flags.faults, "fault", "", "make a share of the requests fail, as `kind=share`, such as 429=0.2,slow=0.1")
	set.StringSliceVar(&flags.quirks, "quirk", nil, "answer in this odd `shape`, such as no-index; verify list quirks lists them (repeatable)")
	set.StringArrayVar(&flags.call, "call", nil, "call only tools whose names match this `pattern`, such as mcp__mine__* (repeatable)")
	set.StringVar(&flags.tools, "tools", "", "call only the tools of this `file`, even if a client has renamed them")
	set.IntVar(&flags.parallel, "parallel", 1, "call up to this `number` of tools in one answer")
	set.StringVar(&flags.reply, "reply", "", "answer with this `text` and never call a tool")
	set.StringVar(&flags.script, "script", "", "give the answers in this `file`, which docs/emulator.md describes")
	set.BoolVar(&flags.strictAuth, "strict-auth", false, "refuse a request without a key, as the providers do")
	set.StringVar(&flags.log, "log", "", "write each request and its answer to this `folder`, without credentials")
	set.StringVar(&flags.when.AsOf, "as-of", "", "answer as the providers did on this day, month or year, such as 2025-03")
	set.StringArrayVar(&flags.without, "without", nil, "leave out this `rule`, RULE or DIALECT/RULE (repeatable)")
	set.StringVar(&flags.certificate, "tls-cert", "", "serve HTTPS with a new certificate, which is written to this `file`")
	set.BoolVar(&flags.isJSON, "json", false, "print the address as a JSON object")
	return command
}

// drain is how long requests may take to end after an interrupt.
const drain = 5 * time.Second

func (s *session) serve(ctx context.Context, flags serving) error {
	options, err := flags.options()
	if err != nil {
		return err
	}
	if flags.log != "" {
		if options.Log, err = s.logTo(flags.log); err != nil {
			return cli.Broken(err)
		}
	}
	listener, err := listenOnLoopback(ctx, "--addr", flags.address)
	if err != nil {
		return cli.Broken(err)
	}
	requests, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler:           emulator.New(options),
		ErrorLog:          log.New(s.Errs, cli.ShortName()+": ", 0), //nolint:forbidigo // what the server has to say
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 16,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	announced := struct {
		URL         string `json:"url"`
		Certificate string `json:"certificate,omitempty"`
	}{URL: "http://" + listener.Addr().String()}
	if flags.certificate != "" {
		certificate, text, err := emulator.NewCertificate()
		if err == nil {
			err = os.WriteFile(flags.certificate, text, 0o644) //nolint:gosec // it is no secret, and the user names the file
		}
		if err != nil {
			return cli.Broken(errors.Join(fmt.Errorf("--tls-cert: %w", err), listener.Close()))
		}
		// Without HTTP/2, in which a connection cannot be reset for one request.
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
		announced.URL, announced.Certificate = "https://"+listener.Addr().String(), flags.certificate
	}
	if flags.isJSON {
		err = json.NewEncoder(s.Out).Encode(announced)
	} else if fmt.Fprintln(s.Out, announced.URL); announced.Certificate != "" {
		s.Warnf("clients have to trust %s", announced.Certificate)
	}
	if err := errors.Join(err, s.Out.Flush()); err != nil {
		return fmt.Errorf("writing the address: %w", err)
	}
	return serveUntil(ctx, server, listener, end, drain)
}

// serveUntil serves until the context ends, and then lets requests end for so long as drain.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener, end context.CancelFunc, drain time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return cli.Broken(fmt.Errorf("serving: %w", err))
	case <-ctx.Done():
	}
	end() // ends the requests that a fault keeps waiting
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	err := server.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // of clients that have not sent their requests
	}
	if err != nil {
		return cli.Broken(fmt.Errorf("ending the server: %w", err))
	}
	return nil
}

// options reads the flags that say how to answer.
func (f serving) options() (emulator.Options, error) {
	options := emulator.Options{Seed: f.seed, Engine: f.engine}
	if f.engine != "" && !slices.Contains(servers, f.engine) {
		return options, cli.Usage("--as: unknown engine or service %q: use one of %s", f.engine, strings.Join(servers, ", "))
	}
	if options.Reply = emulator.Reply(f.reply); options.Reply != emulator.ReplyCall && options.Reply != emulator.ReplyText {
		return options, cli.Usage("--reply: unknown reply %q: use text", f.reply)
	}
	options.Call, options.Parallel, options.Keep, options.StrictAuth = f.call, f.parallel, mostRequests, f.strictAuth
	for _, pattern := range f.call {
		if _, err := path.Match(pattern, ""); err != nil {
			return options, cli.Usage("--call: %q is no pattern: use *, ? and [a-z]", pattern)
		}
	}
	var err error
	if len(f.quirks) > 0 {
		if options.Quirks, err = emulator.ParseQuirks(strings.Join(f.quirks, ",")); err != nil {
			return options, cli.Usage("--quirk: %v", err)
		}
	}
	if options.Own, err = namesIn(f.tools); err != nil {
		return options, err
	}
	if f.script != "" {
		text, err := os.ReadFile(f.script)
		if err == nil {
			options.Script, err = emulator.ParseScript(text)
		}
		if err != nil {
			return options, cli.Broken(fmt.Errorf("--script: %w", err))
		}
	}
	if options.AsOf, err = f.when.Day(); err != nil {
		return options, err
	}
	if options.Change, err = withoutRules(f.without); err != nil || f.faults == "" {
		return options, err
	}
	if options.Faults, err = emulator.ParseFaults(f.faults); err != nil {
		return options, cli.Broken(fmt.Errorf("--fault: %w", err))
	}
	return options, nil
}

// servers are the values of --as.
var servers = slices.Concat(emulator.Engines, emulator.Compatible)

// mostRequests is how many requests are kept in memory.
const mostRequests = 1000

// namesIn returns the names of the tools in a file, or none if its name is "".
func namesIn(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err != nil {
		return nil, cli.Broken(fmt.Errorf("--tools: %w", err))
	}
	tools, err := toolfile.Read(bytes.NewReader(data))
	if err == nil && len(tools) == 0 {
		err = errors.New("the file has no tool")
	}
	if err != nil {
		return nil, cli.Broken(fmt.Errorf("--tools %s: %w", file, err))
	}
	var names []string
	for _, tool := range tools {
		if tool.Err == nil {
			names = append(names, tool.Name)
		}
	}
	return names, nil
}

// logTo returns a function that writes each request to a file of its own in a folder.
func (s *session) logTo(directory string) (func(*emulator.Entry), error) {
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	var warning sync.Mutex
	return func(entry *emulator.Entry) {
		text, err := json.MarshalIndent(entry, "", "  ")
		if err == nil {
			err = os.WriteFile(filepath.Join(directory, fmt.Sprintf("%06d.json", entry.Number)), append(text, '\n'), 0o600)
		}
		if err != nil {
			warning.Lock()
			defer warning.Unlock()
			s.Warnf("--log: %v", err)
		}
	}, nil
}

// withoutRules returns a function that removes rules, named RULE or DIALECT/RULE, from dialects. It
// returns nil if there are no names.
func withoutRules(names []string) (func(*provider.Dialect) *provider.Dialect, error) {
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // no change is one
	}
	left := map[string][]string{} // rules by dialect
	for _, name := range names {
		isKnown := false
		for _, dialect := range harness.Dialects {
			if rule := strings.TrimPrefix(name, dialect.Name+"/"); dialect.Rule(rule) != nil {
				left[dialect.Name], isKnown = append(left[dialect.Name], rule), true
			}
		}
		if !isKnown {
			return nil, cli.Broken(cli.Suggest(fmt.Errorf("--without: no dialect has the rule %q", name), name, ruleNames(), "verify list rules lists them"))
		}
	}
	return func(dialect *provider.Dialect) *provider.Dialect {
		for _, rule := range left[dialect.Name] {
			dialect = dialect.Without(rule)
		}
		return dialect
	}, nil
}

// listenOnLoopback listens on an address that only this machine can reach, which a flag names.
func listenOnLoopback(ctx context.Context, flag, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, cli.Hint(fmt.Errorf("%s: %w", flag, err), "name an address and a port, such as 127.0.0.1:8080")
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, cli.Hint(fmt.Errorf("%s: %q is no address of the loopback", flag, host), "use 127.0.0.1, ::1 or localhost")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%s: %q is no address of the loopback here", flag, host), listener.Close())
	}
	return listener, nil
}
