package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent/config"
	"toolproof/harness/live"
	"toolproof/harness/report"
	"toolproof/internal/escape"
	"toolproof/lab/scan"
)

// scanFlags are the flags of verify-lab scan.
type scanFlags struct {
	results  string
	since    string
	packages string
	retry    bool
	scan     scan.Scan
	megabyte int
	memory   int
	shard    cli.Shard
}

func newScan(s *session) *cobra.Command {
	var flags scanFlags
	command := &cobra.Command{
		Use:   "scan --results FILE LIST...",
		Short: "Ask many MCP servers for their tools, and go on where a scan ended",
		Long: `scan asks servers for tools/list and appends a line for each to a file, as soon as it
has answered. A LIST is one of these:

  an export of a registry     server.json, pages of /v0/servers, or JSON Lines of either
  a configuration             of an MCP client, such as .mcp.json
  lines                       with an address or npm:NAME@VERSION each

A scan that was interrupted or killed goes on with the same command: servers whose line the
file has are not asked again, and a line that was not written to its end is cut off. Lines have
no times, so two scans of the same servers write the same, but in another order. --retry asks
the servers once more that failed.
verify check reads the file as a list of tools.

Servers of one host are asked one after the other. Programs are installed without their
scripts and run without a network, in namespaces of their own; where the system does not allow
that, scan says so first. Only the tools are listed, and none is called.

Exit codes:
  0  each server has a line, whatever it says
  2  a list or the file cannot be read
  3  the scan was interrupted`,
		Example: `  verify-lab scan --results scan.jsonl registry.json
  verify-lab scan --results scan.jsonl --since 2026-11-01 registry.json
  verify check --json scan.jsonl >verdicts.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.scan(command.Context(), flags, arguments)
		},
	}
	set := command.Flags()
	const start, answers, install, megabytes, memory = 10 * time.Second, 10 * time.Second, 3 * time.Minute, 4, 1024
	set.StringVar(&flags.results, "results", "", "append the results to this file")
	set.StringVar(&flags.since, "since", "", "ask only entries of a registry that changed on this `day` or later, and those without a day")
	set.BoolVar(&flags.retry, "retry", false, "ask the servers once more that failed; their old lines are removed")
	set.StringVar(&flags.packages, "packages", "", "install packages in this folder (default: one below the user's cache)")
	set.DurationVar(&flags.scan.Start, "start", start, "how long a server may take until its first message")
	set.DurationVar(&flags.scan.Answers, "timeout", answers, "how long a server may take from there until its tools")
	set.DurationVar(&flags.scan.Install, "install-timeout", install, "how long npm may take to install a package")
	set.DurationVar(&flags.scan.Gap, "gap", time.Second, "how long to wait between two servers of one host")
	set.IntVar(&flags.megabyte, "bytes", megabytes, "how many MB to read of a server")
	set.IntVar(&flags.memory, "memory", memory, "how many MB the servers may take that are asked at the same time; a program counts as 200")
	flags.shard.Add(set, "servers")
	_ = command.MarkFlagRequired("results")
	return command
}

func (s *session) scan(ctx context.Context, flags scanFlags, lists []string) error {
	if flags.megabyte < 1 || flags.memory < 1 {
		return cli.Usage("--bytes and --memory are at least 1")
	}
	if err := flags.shard.Choose(s.Warnf); err != nil {
		return err
	}
	servers, err := s.serversOf(lists)
	if err != nil {
		return err
	}
	servers = slices.DeleteFunc(servers, func(server scan.Server) bool {
		return !flags.shard.Has(server.Key) || server.Updated != "" && server.Updated < flags.since
	})
	if flags.packages == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return cli.Broken(err)
		}
		flags.packages = filepath.Join(cache, "toolproof-scan")
	}
	if flags.scan.Folder, err = filepath.Abs(flags.packages); err != nil {
		return cli.Broken(err)
	}
	self, err := os.Executable()
	if err != nil {
		return cli.Broken(err)
	}
	flags.scan.Self, flags.scan.Path = []string{self}, os.Getenv("PATH")
	flags.scan.Bytes, flags.scan.Memory = flags.megabyte<<20, int64(flags.memory)<<20
	isProgram := func(server scan.Server) bool { return server.Address == "" && server.Why == "" }
	if slices.ContainsFunc(servers, isProgram) {
		if why := scan.Isolation(ctx, flags.scan.Self); why != "" {
			s.Warnf("programs are not isolated: %s", escape.Line(why))
		}
	}
	if flags.retry {
		if err := scan.Forget(flags.results); err != nil {
			return cli.Broken(fmt.Errorf("%s: %w", escape.Line(flags.results), cli.WithoutPath(err)))
		}
	}
	results, err := scan.Open(flags.results)
	if err != nil {
		return cli.Broken(fmt.Errorf("%s: %w", escape.Line(flags.results), cli.WithoutPath(err)))
	}
	known := len(results.Done)
	counts := map[scan.Outcome]int{}
	flags.scan.Tell = func(result scan.Result) { counts[result.Outcome]++ }
	err = errors.Join(flags.scan.Run(ctx, servers, results), results.Close())
	s.Warnf("%s: %d listed, %d failed, %d left out; %d were known before",
		report.Count(len(servers), "server"), counts[scan.Listed], counts[scan.Failed], counts[scan.LeftOut], known)
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	case err != nil:
		return cli.Broken(err)
	default:
		return nil
	}
}

// serversOf reads lists of servers.
func (s *session) serversOf(lists []string) ([]scan.Server, error) {
	var servers []scan.Server
	for _, name := range lists {
		text, err := s.Content(name)
		if err != nil {
			return nil, cli.Broken(fmt.Errorf("%s: %w", escape.Line(name), err))
		}
		found, isConfiguration, err := configuredIn(name, text)
		if err == nil && !isConfiguration {
			found, err = scan.ReadList(text)
		}
		if err != nil {
			return nil, cli.Broken(fmt.Errorf("%s: %w", escape.Line(name), err))
		}
		if len(found) == 0 {
			return nil, cli.Broken(fmt.Errorf("%s names no server", escape.Line(name)))
		}
		servers = append(servers, found...)
	}
	return servers, nil
}

// configuredIn returns the servers of a configuration of a client, if the text is one.
func configuredIn(name string, text []byte) (servers []scan.Server, isConfiguration bool, err error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, false, err
	}
	environment := config.Environment{Lookup: os.LookupEnv, OS: runtime.GOOS, Dir: folder}
	read, err := config.Of(name, environment).Read(text, environment)
	if err != nil {
		return nil, false, nil //nolint:nilerr // ReadList says what it is
	}
	for _, entry := range read {
		server := scan.Server{Key: filepath.Base(name) + ": " + entry.Name, Address: entry.Address, IsSSE: entry.IsSSE, Command: entry.Command, Env: entry.Env, Headers: entry.Headers}
		var pairs []string
		for secret, shown := range entry.Secrets {
			pairs = append(pairs, secret, shown)
		}
		server.Secrets = strings.NewReplacer(pairs...)
		if len(entry.Command) > 1 && entry.Command[0] == "npx" { // npx itself needs a network
			words := slices.DeleteFunc(slices.Clone(entry.Command[1:]), func(word string) bool { return word == "-y" || word == "--yes" })
			if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
				server.Command, server.Package, server.Arguments = nil, words[0], words[1:]
			}
		}
		switch {
		case entry.IsDisabled:
			server.Why = "it is disabled"
		case entry.Err != nil:
			server.Why = server.Secrets.Replace(entry.Err.Error())
		case entry.Address != "":
			if address, err := url.Parse(entry.Address); err != nil || live.Private(address, entry.Headers, false) != nil {
				server.Why = "others could read a key that is sent to this address"
			}
		}
		servers = append(servers, server)
	}
	return servers, true, nil
}
