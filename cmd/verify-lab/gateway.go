package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/live"
	"toolproof/harness/report"
	"toolproof/internal/escape"
	"toolproof/lab/gateway"
	"toolproof/schema"
)

// gatewayFlags are the flags of verify-lab gateway.
type gatewayFlags struct {
	command  string
	address  string
	listen   string
	ways     []string
	in       string
	path     string
	model    string
	headers  []string
	insecure bool
	env      []string
	when     cli.When
	start    time.Duration
	answer   time.Duration
	asJSON   bool
	asPage   bool
	verbose  bool
	stream   bool
}

func newGateway(s *session) *cobra.Command {
	var flags gatewayFlags
	command := &cobra.Command{
		Use:   "gateway NAME FILE... | gateway --command CMD --in API --model MODEL FILE...",
		Short: "Send tools through a gateway and see what arrives at the provider",
		Long: `gateway sends tools through a gateway, such as Portkey or LiteLLM, to an emulated
provider, each tool alone and then all in one request, and compares what arrives with
what was sent:

  missing   the gateway asks the provider without the tool, or not at all
  refused   the provider refuses what arrives
  loses     what arrives means something else, as instances of the schema show
  answer    a refusal is hidden or loses its words, or a call is changed

NAME is a gateway that this project knows; it is started with a home of its own.
--command starts any other one, in your environment, and --url uses one that is already
running and is configured with the address of --listen as its provider. In the command,
--env and --header, {upstream} stands for the address of the emulated provider, {port}
for the port that the gateway is to listen on, and {home} for an empty folder.

On Linux a gateway that was started has no network but loopback and no capabilities, sees
no other process, writes to memory only, and no process outlives it. If the system does
not allow that, gateway says so before it starts one, and in the result. Use --url for a
gateway that needs another server.

Exit codes:
  0  every tool arrives as it was sent, and every answer comes back
  1  a tool or an answer does not
  2  the gateway is unknown or not installed, or a file cannot be read
  3  no verdict, because the gateway did not start or did not answer`,
		Example: `  verify-lab gateway portkey tools.json
  verify-lab gateway claude-code-router --way messages-to-gemini tools.json
  verify-lab gateway --command 'litellm --port {port} --config config.yaml' --in chat --model gemini tools.json
  verify-lab gateway --url http://127.0.0.1:4000 --listen 127.0.0.1:8080 --in chat --model gemini tools.json`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.gateway(command.Context(), flags, arguments)
		},
	}
	command.Flags().StringVar(&flags.command, "command", "", "start this gateway; its arguments may have no spaces")
	command.Flags().StringVar(&flags.address, "url", "", "use the gateway that is running at this address")
	command.Flags().StringVar(&flags.listen, "listen", "", "with --url: loopback `address` at which the gateway finds the emulated provider")
	command.Flags().StringSliceVar(&flags.ways, "way", nil, "measure only these ways through a known gateway, such as chat-to-gemini")
	command.Flags().StringVar(&flags.in, "in", "chat", "API in which the gateway is asked: chat, responses or messages")
	command.Flags().StringVar(&flags.path, "path", "", "send requests to this path (default: that of the API, such as /v1/chat/completions)")
	command.Flags().StringVar(&flags.model, "model", "", "model that requests name")
	command.Flags().StringArrayVar(&flags.headers, "header", nil, "send this header, 'Name: value' (repeatable)")
	command.Flags().BoolVar(&flags.insecure, "insecure", false, "allow keys to be sent unencrypted, to a remote http:// address")
	command.Flags().StringArrayVar(&flags.env, "env", nil, "start the gateway with this variable, NAME=value (repeatable)")
	command.Flags().StringVar(&flags.when.AsOf, "as-of", "", "use the provider models as of this day, month or year, such as 2025-03")
	command.Flags().DurationVar(&flags.start, "start-timeout", 30*time.Second, "wait this long for the gateway to listen")
	command.Flags().DurationVar(&flags.answer, "timeout", 20*time.Second, "wait this long for each answer")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per way through the gateway")
	command.Flags().BoolVar(&flags.asPage, "markdown", false, "write Markdown: a table, with what is wrong folded below")
	command.Flags().BoolVar(&flags.stream, "stream", false, "ask for the answers as streams")
	command.Flags().BoolVar(&flags.verbose, "verbose", false, "print every tool")
	command.MarkFlagsMutuallyExclusive("json", "markdown")
	command.MarkFlagsMutuallyExclusive("command", "url")
	return command
}

// gatewayJobs returns the jobs, the name of the gateway for messages, and the files of tools.
func gatewayJobs(flags gatewayFlags, arguments []string) (jobs []gateway.Job, name string, files []string, err error) {
	day, err := flags.when.Day()
	if err != nil {
		return nil, "", nil, err
	}
	if flags.start <= 0 || flags.answer <= 0 {
		return nil, "", nil, cli.Usage("--start-timeout and --timeout must be positive")
	}
	self, err := cli.SelfPath()
	if err != nil {
		return nil, "", nil, cli.Broken(err)
	}
	job := gateway.Job{
		Self: []string{self}, Stream: flags.stream, AsOf: day, Start: flags.start, Answer: flags.answer,
		Env: append(os.Environ(), flags.env...), Path: os.Getenv("PATH"),
	}
	if flags.command == "" && flags.address == "" {
		jobs, err = knownGateway(flags, job, arguments)
		if err != nil {
			return nil, "", nil, err
		}
		return jobs, arguments[0], arguments[1:], nil
	}
	if job.Way, err = ownWay(flags); err != nil {
		return nil, "", nil, err
	}
	if flags.address == "" {
		job.Command = strings.Fields(flags.command)
		if _, err := exec.LookPath(job.Command[0]); err != nil {
			return nil, "", nil, cli.Broken(cli.Hint(err, "name a program with --command"))
		}
		return []gateway.Job{job}, job.Command[0], arguments, nil
	}
	root, err := url.Parse(flags.address)
	if err != nil {
		return nil, "", nil, cli.Usage("--url is not an address")
	}
	if err := live.Private(root, job.Way.Headers, flags.insecure); err != nil {
		return nil, "", nil, cli.Broken(cli.Hint(fmt.Errorf("--url: %w", err), "use https://, or --insecure where the network is trusted"))
	}
	host, _, err := net.SplitHostPort(flags.listen)
	if address := net.ParseIP(host); err != nil || address == nil || !address.IsLoopback() {
		err := errors.New("--url requires --listen with an address of loopback")
		return nil, "", nil, cli.Broken(cli.Hint(err, "--listen 127.0.0.1:8080, and configure the gateway to ask it"))
	}
	job.URL, job.Listen = flags.address, flags.listen
	return []gateway.Job{job}, root.Redacted(), arguments, nil
}

// ownWay returns the route through a gateway that has no row.
func ownWay(flags gatewayFlags) (gateway.Way, error) {
	switch {
	case !gateway.IsAPI(flags.in):
		return gateway.Way{}, cli.Usage("--in is chat, responses or messages, not %q", flags.in)
	case flags.model == "":
		return gateway.Way{}, cli.Broken(cli.Hint(errors.New("--model is required"), "name the model as the gateway knows it"))
	case len(flags.ways) > 0:
		return gateway.Way{}, cli.Usage("--way is for a known gateway; use --in here")
	}
	route := gateway.Way{Name: flags.in, In: flags.in, Path: flags.path, Model: flags.model, Headers: map[string]string{}}
	for _, header := range flags.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return gateway.Way{}, cli.Usage("--header takes 'Name: value'")
		}
		route.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return route, nil
}

// knownGateway returns the jobs for a gateway that has a row.
func knownGateway(flags gatewayFlags, job gateway.Job, arguments []string) ([]gateway.Job, error) {
	names := make([]string, len(gateway.Gateways))
	for i, row := range gateway.Gateways {
		names[i] = row.Name
	}
	if len(arguments) == 0 {
		return nil, cli.Broken(cli.Hint(errors.New("the name of a gateway is required, or --command, or --url"), "known are "+strings.Join(names, ", ")))
	}
	known := gateway.Named(arguments[0])
	if known == nil {
		return nil, cli.Broken(cli.Suggest(fmt.Errorf("unknown gateway %q", arguments[0]), arguments[0], names, "use one of "+strings.Join(names, ", ")))
	}
	program, err := cli.Installed(known.Title, known.Program, known.Package)
	if err != nil {
		return nil, err
	}
	var jobs []gateway.Job
	var ways []string
	for _, route := range known.Ways {
		ways = append(ways, route.Name)
		if len(flags.ways) == 0 || slices.Contains(flags.ways, route.Name) {
			routed := job
			routed.Gateway, routed.Way, routed.Command = known.Name, route, []string{program}
			jobs = append(jobs, routed)
		}
	}
	for _, name := range flags.ways {
		if !slices.Contains(ways, name) {
			return nil, cli.Broken(cli.Suggest(fmt.Errorf("%s has no way %q", known.Title, name), name, ways, "its ways are "+strings.Join(ways, ", ")))
		}
	}
	return jobs, nil
}

// gateway sends tools through a gateway and prints what arrives.
func (s *session) gateway(ctx context.Context, flags gatewayFlags, arguments []string) error {
	jobs, name, files, err := gatewayJobs(flags, arguments)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return cli.Broken(cli.Hint(errors.New("a file of tools is required"), "name it, or - for standard input"))
	}
	read, err := s.ToolsIn(ctx, files...)
	if err != nil {
		return err
	}
	tools := make([]schema.Tool, len(read))
	for i, tool := range read {
		tools[i] = tool.Tool
	}
	if job := jobs[0]; job.URL == "" {
		if why := gateway.Isolation(ctx, job.Self); why != "" && ctx.Err() == nil {
			s.Warnf("the gateway can do what you can, with your files and over the network: %s", escape.Line(why))
		}
	}
	progress := cli.NewProgress(s.Session, len(jobs))
	var reports []gateway.Report
	isLost := false
	for _, job := range jobs {
		report, err := gateway.Measure(ctx, job, tools)
		if ctx.Err() != nil {
			return cli.Interrupted(ctx)
		}
		progress.Clear()
		progress.Step()
		if err != nil {
			s.Warnf("%s, %s: %s", escape.Line(name), job.Way.Name, escape.Lines(err.Error(), "  "))
			isLost = true
			continue
		}
		if report.IsUnanswered() {
			s.Warnf("%s, %s: it answers no request: %s", escape.Line(name), job.Way.Name, escape.Line(report.Together.GivenMessage))
			isLost = true
		}
		report.Gateway = name
		reports = append(reports, report)
	}
	progress.Clear()
	s.writeGateways(flags, reports)
	switch {
	case slices.ContainsFunc(reports, func(report gateway.Report) bool { return !report.Conforms() && !report.IsUnanswered() }):
		return cli.Exit(cli.CodeFails)
	case isLost:
		return cli.Exit(cli.CodeInconclusive)
	default:
		return nil
	}
}

// writeGateways writes the reports in the chosen format.
func (s *session) writeGateways(flags gatewayFlags, reports []gateway.Report) {
	if flags.asPage {
		page := &report.Markdown{}
		gateway.Tables(page, reports)
		fmt.Fprintln(s.Out, strings.TrimSpace(page.String()))
		return
	}
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	for i, report := range reports {
		if flags.asJSON {
			_ = encoder.Encode(report) //nolint:errchkjson // the buffer of the output keeps an error
			continue
		}
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		gateway.WriteText(s.Out, report, flags.verbose)
	}
}
