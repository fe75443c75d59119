package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/record"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/internal/escape"
)

func newRecord(s *session) *cobra.Command {
	var folder string
	command := &cobra.Command{
		Use:   "record [--to FOLDER] -- COMMAND [ARGUMENT...]",
		Short: "Record what providers accept while a command runs",
		Long: `record runs a command, such as a test run, whose clients call providers, and records
what the providers answer to the tools that it declares. It listens on the loopback,
passes each request on to the provider and the answer back to the client, both
unchanged: streams, errors and cancellations too.

A declaration is recorded by what decides about it: its keywords, their positions, types
and sizes. Names and texts are replaced by neutral ones. The provider's verdict, the day,
the model and the host are recorded with it. Keys, headers, queries, prompts and answers
are not stored, but for the words of a refusal.

record sets the base URLs that clients read from the environment:

  OPENAI_BASE_URL, OPENAI_API_BASE, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL,
  GOOGLE_VERTEX_BASE_URL, GROQ_BASE_URL, CEREBRAS_BASE_URL, TOGETHER_BASE_URL,
  and AZURE_OPENAI_ENDPOINT if it is set

If the environment already names a base URL, requests go there. Answers of a host that
is not known to be a provider's are stored under its name and are not evidence.

verify check --recordings FOLDER counts what the recordings show of a tool.

The exit code is that of the command, or 2 if it could not be started.`,
		Example: `  verify record -- npm test
  verify record --to recordings -- python -m pytest tests/live
  verify check --recordings recordings tools.json`,
		Args: func(command *cobra.Command, arguments []string) error {
			if len(arguments) == 0 || command.ArgsLenAtDash() > 0 {
				return cli.Broken(cli.Hint(errors.New("a command is required"), "write it after --, such as verify record -- npm test"))
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.record(command.Context(), folder, arguments)
		},
	}
	command.Flags().StringVar(&folder, "to", "recordings", "`folder` to add the recordings to")
	return command
}

func (s *session) record(ctx context.Context, folder string, arguments []string) error {
	bases, err := record.Bases(os.Environ())
	if err != nil {
		return cli.Broken(cli.Hint(err, "set it to an address that begins with https://"))
	}
	appender := recording.NewAppender(folder, secretsOf(os.Environ()))
	recorder := &record.Recorder{Dialects: harness.Dialects, Keep: appender.Add}
	addresses, end, err := serveBases(ctx, recorder, bases)
	if err != nil {
		return cli.Broken(err)
	}
	out, errs := s.Streams()
	child := exec.CommandContext(context.WithoutCancel(ctx), arguments[0], arguments[1:]...) //nolint:gosec // the user names it
	child.Stdin, child.Stdout, child.Stderr, child.Env = s.In, out, errs, record.Environment(os.Environ(), addresses)
	failed := runForwarding(child)
	end()
	summary := recorder.End()
	files, err := appender.Close()
	s.recorded(summary, folder, files)
	exit := (*exec.ExitError)(nil)
	switch {
	case failed != nil && !errors.As(failed, &exit):
		return cli.Broken(fmt.Errorf("running %s: %w", escape.Line(arguments[0]), cli.WithoutPath(failed)))
	case err != nil:
		s.Warnf("%v", err)
	}
	if exit != nil {
		return cli.Exit(exitCodeOf(exit))
	}
	return nil
}

// exitCodeOf returns the exit code of a program as shells tell it.
func exitCodeOf(exit *exec.ExitError) int {
	const signalled = 128
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return exit.ExitCode()
}

// secretsOf returns the values of an environment that may be keys.
func secretsOf(environment []string) []string {
	var secrets []string
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		const shortest = 16 // what is shorter occurs in other words
		if len(value) >= shortest && (strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN") || strings.Contains(name, "SECRET") || strings.Contains(name, "PASSWORD")) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// serveBases serves each base URL at an address of its own, with the path that it has, and
// returns the addresses by variable. What end is called with, requests that are still running
// have a moment to end.
func serveBases(ctx context.Context, recorder *record.Recorder, bases []record.Base) (addresses map[string]string, end func(), err error) {
	addresses = map[string]string{}
	hosts := map[string]string{} // addresses by what they stand for
	var servers []*http.Server
	end = func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		for _, server := range servers {
			if server.Shutdown(last) != nil {
				_ = server.Close()
			}
		}
	}
	for _, base := range bases {
		origin := base.Service + " " + base.URL.Scheme + "://" + base.URL.Host
		if hosts[origin] == "" {
			listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
			if err != nil {
				end()
				return nil, nil, fmt.Errorf("listening on the loopback: %w", err)
			}
			server := &http.Server{Handler: recorder.Proxy(base), ReadHeaderTimeout: time.Minute} //nolint:contextcheck // what has passed is recorded, whoever has gone
			servers, hosts[origin] = append(servers, server), listener.Addr().String()
			go func() { _ = server.Serve(listener) }() // until it is shut down
		}
		address := *base.URL
		address.Scheme, address.Host = "http", hosts[origin]
		addresses[base.Variable] = address.String()
	}
	return addresses, end, nil
}

// runForwarding runs a program, and passes signals on to it. A terminal sends an interrupt to
// both.
func runForwarding(child *exec.Cmd) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := child.Start(); err != nil {
		return err //nolint:wrapcheck // the caller names the program
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case sent := <-signals:
			if sent != os.Interrupt || !cli.IsTerminal(child.Stdin) {
				_ = child.Process.Signal(sent) // it may just have ended
			}
		}
	}
}

// recorded says what was stored, and what was not.
func (s *session) recorded(summary record.Summary, folder string, files []string) {
	s.Warnf("%s answered: %s accepted, %s refused, %d new", report.Count(summary.Requests, "request"),
		report.Count(summary.Accepted, "declaration"), report.Count(summary.Refused, "request"), summary.New)
	for _, name := range files {
		s.Warnf("  %s", escape.Line(filepath.ToSlash(filepath.Join(folder, name))))
	}
	if summary.Silent > 0 {
		s.Warnf("%s declared nothing", report.Count(summary.Silent, "request"))
	}
	for _, reason := range slices.Sorted(maps.Keys(summary.Passed)) {
		s.Warnf("%s not recorded: %s", report.Count(summary.Passed[reason], "request"), escape.Line(reason))
	}
	if summary.Emulated {
		s.Warnf("the emulator answered: this is no evidence of what a provider does")
	}
	for _, host := range summary.Elsewhere {
		s.Warnf("%s is not known to be a provider's host: what it answers is no evidence", escape.Line(host))
	}
}
