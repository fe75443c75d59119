package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/live"
	"toolproof/harness/minimize"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/normalizers"
	"toolproof/schema"
)

// minimizeFlags are the flags of minimize.
type minimizeFlags struct {
	target    string
	errorFile string
	tool      string
	when      cli.When
	maxAsks   int
	asJSON    bool
	isLive    bool
	baseURL   string
	insecure  bool
	maxCost   dollars
	retryWait time.Duration
}

// NewMinimize returns the command minimize.
func NewMinimize(shared *cli.Session) *cobra.Command {
	s := &session{shared}
	var flags minimizeFlags
	command := &cobra.Command{
		Use:   "minimize FILE",
		Short: "Shrink a tool to the part that a provider refuses",
		Long: `minimize shrinks a tool to the part that a provider refuses: it removes each member and
element that the refusal does not need, until nothing more can go, and prints the rest.
Standard error names the rule that explains the refusal.

Recordings answer first, then the model of the provider. With --error, the refusal must
be the one of that message, whose words also name the dialect if --target does not.
With --live the provider itself answers, at most --max-asks times, with a key from the
environment as for verify live; minimize first prints the highest cost.

Exit codes:
  0  the tool was shrunk
  1  the tool is accepted, or refused with other words than those of --error
  2  something cannot be read
  3  no verdict, or minimize stopped before the tool was minimal`,
		Example: `  verify-lab minimize --target gemini tool.json
  verify-lab minimize --error answer.json tools.json
  verify-lab minimize --live --target gemini tool.json
  verify-lab minimize --target openai-strict --tool get_weather tools.json | verify check -`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 1 {
				return nil
			}
			return cli.Broken(cli.Hint(errors.New("one file is required"), "name it, or - for standard input"))
		},
		RunE: func(command *cobra.Command, files []string) error {
			return s.minimize(command.Context(), flags, files[0])
		},
	}
	command.Flags().StringVarP(&flags.target, "target", "t", "", "target or dialect that refuses the tool, such as gemini or openai/chat-strict")
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(false))
	command.Flags().StringVar(&flags.errorFile, "error", "", "file with the answer of the provider, body or message; - is standard input")
	command.Flags().StringVar(&flags.tool, "tool", "", "name of the tool, if the file has several")
	flags.when.Add(command)
	command.Flags().IntVar(&flags.maxAsks, "max-asks", 0, "ask at most this many times (default 5000, with --live 200)")
	command.Flags().BoolVar(&flags.isLive, "live", false, "ask the provider itself")
	command.Flags().StringVar(&flags.baseURL, "base-url", "", "with --live: send requests to this host; the client appends the version of the API, such as /v1")
	command.Flags().BoolVar(&flags.insecure, "insecure", false, "with --live: allow the key to be sent unencrypted, to a remote http:// address")
	command.Flags().Var(&flags.maxCost, "max-cost", "with --live: spend at most this many US dollars (default: no limit)")
	command.Flags().DurationVar(&flags.retryWait, "retry-wait", time.Second, "with --live: wait this long before repeating a request; each further wait is twice as long")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write one JSON object, with the rule and the message")
	return command
}

func (s *session) minimize(ctx context.Context, flags minimizeFlags, file string) error {
	day, err := flags.when.Day()
	if err != nil {
		return err
	}
	message := ""
	if flags.errorFile != "" {
		text, err := s.ReadError(ctx, flags.errorFile, []string{file})
		if err != nil {
			return err
		}
		message = provider.ParsePasted(text).Message
	}
	tools, err := s.ToolsIn(ctx, file)
	if err != nil {
		return err
	}
	dialect, err := surfaceOf(ctx, flags.target, message, tools)
	if err != nil {
		return err
	}
	store, err := cli.RecordingsAsked()
	if err != nil {
		return cli.Broken(err)
	}
	tool, err := toolMeant(ctx, flags.tool, message, dialect, tools)
	if err != nil {
		return err
	}
	parameters, err := flags.when.Parameters()
	if err != nil {
		return err
	}
	var oracle provider.Provider = judge.Offline{Dialect: dialect, Store: store, AsOf: day, ModelName: flags.when.Model, Parameters: parameters}
	if flags.isLive {
		official := clients{errs: s.Errs}
		defer official.close()
		if oracle, err = s.connect(ctx, &flags, &official, dialect, tool.Tool); err != nil {
			return err
		}
	}
	result, err := minimize.Tool(ctx, oracle, dialect, tool.Tool, message, minimize.Options{MaxAsks: flags.maxAsks})
	switch {
	case errors.Is(err, minimize.ErrAccepted), errors.Is(err, minimize.ErrOtherWords):
		return cli.Fail(cli.CodeFails, fmt.Errorf("%s on %s: %w", tool.Name, dialect.Name, err))
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	case err != nil && result.Asks == 0:
		return cli.Fail(cli.CodeInconclusive, err)
	case err != nil:
		s.Warnf("%v", err) // the tool so far is still refused
	}
	return s.writeMinimized(flags, dialect, tool, result)
}

// maxLiveAsks is the default of --max-asks with --live.
const maxLiveAsks = 200

// connect returns the client of the provider that has the surface, and prints the highest cost.
func (s *session) connect(ctx context.Context, flags *minimizeFlags, official *clients, dialect *provider.Dialect, tool schema.Tool) (provider.Provider, error) {
	if flags.when.AsOf != "" {
		return nil, cli.Usage("--as-of does not work with --live")
	}
	at := slices.IndexFunc(live.Providers, func(known live.Provider) bool { return !known.Loose && known.Serves(dialect) })
	if at < 0 {
		return nil, cli.Broken(cli.Hint(fmt.Errorf("no provider answers about %s", dialect.Name), "verify live --help lists the providers"))
	}
	if flags.maxAsks <= 0 {
		flags.maxAsks = maxLiveAsks
	}
	known := Account{Provider: live.Providers[at], Model: cmp.Or(flags.when.Model, live.Providers[at].Model)}
	options := live.Options{
		Provider: known.Name, Model: flags.when.Model, BaseURL: flags.baseURL, Insecure: flags.insecure, Budget: &live.Budget{Dollars: flags.maxCost.most},
		Clients: official,
		Retry: live.Retry{First: flags.retryWait, Waiting: func(attempt int, wait time.Duration, failure error) {
			s.Warnf("attempt %d failed, the next one is in %s: %v", attempt, wait.Round(time.Millisecond), failure)
		}},
	}
	known.authorize(&options)
	if known.Engine != nil {
		known.meet(ctx, &options)
	}
	if known.Missing != nil {
		return nil, cli.Fail(cli.CodeInconclusive, known.Missing)
	}
	service, err := live.Connect(options)
	if err != nil {
		return nil, cli.Broken(err)
	}
	client, err := service.Client(dialect)
	if err != nil {
		return nil, cli.Fail(cli.CodeInconclusive, err)
	}
	plan := client.Plan([]live.Question{{Declarations: dialect.Encode([]schema.Tool{tool}).Declarations}})
	cost := "at a price that is not known"
	if _, ok := live.PriceOf(known.Model); ok {
		cost = "for at most " + live.Money(plan.Dollars*float64(flags.maxAsks))
	} else if flags.maxCost.most != nil {
		return nil, cli.Usage("--max-cost does not work with %s, whose price is unknown", known.Model)
	}
	s.Warnf("%s, %s: at most %s %s", dialect.Name, known.Model, report.Count(flags.maxAsks, "ask"), cost)
	return client, nil
}

// surfaceOf returns the surface with the given name, or else the one whose words the message has.
func surfaceOf(ctx context.Context, name, message string, tools []toolfile.Tool) (*provider.Dialect, error) {
	switch {
	case name != "":
		target, err := cli.OneTarget(name, normalizers.Options{})
		return target.Dialect, err
	case message == "":
		return nil, cli.Broken(cli.Hint(errors.New("--target or --error is required"), "verify list targets lists the targets"))
	}
	dialect, err := refusal.Recognize(ctx, provider.Response{Verdict: provider.Rejected, Message: message}, toolsOf(tools), harness.Dialects)
	if err == nil && dialect == nil {
		err = cli.Broken(cli.Hint(refusal.ErrUnknownWords, "name the surface with --target"))
	}
	return dialect, err
}

// toolsOf returns the tools of a document as a request has them.
func toolsOf(tools []toolfile.Tool) []schema.Tool {
	sent := make([]schema.Tool, len(tools))
	for i, tool := range tools {
		sent[i] = tool.Tool
	}
	return sent
}

// toolMeant returns the tool with the given name, the only tool, or the one that the message names.
func toolMeant(ctx context.Context, name, message string, dialect *provider.Dialect, tools []toolfile.Tool) (toolfile.Tool, error) {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	if name != "" {
		if at := slices.Index(names, name); at >= 0 {
			return tools[at], nil
		}
		return toolfile.Tool{}, cli.Broken(cli.Suggest(fmt.Errorf("there is no tool %q", name), name, names, "the tools are "+strings.Join(names, ", ")))
	}
	if len(tools) == 1 {
		return tools[0], nil
	}
	if message != "" {
		locator := refusal.Locator{Dialects: []*provider.Dialect{dialect}}
		if located, err := locator.Locate(ctx, message, toolsOf(tools)); err == nil {
			return tools[located.Places[0].Declaration], nil
		}
	}
	return toolfile.Tool{}, cli.Broken(cli.Hint(fmt.Errorf("the file has %d tools, and minimize takes one", len(tools)), "name one with --tool"))
}

func (s *session) writeMinimized(flags minimizeFlags, dialect *provider.Dialect, tool toolfile.Tool, result minimize.Result) error {
	rule := dialect.Name
	if name := result.Reason.Name(); name != "" {
		rule += "/" + name
	}
	shown := result.Tool.Whole()
	if tool.Tool.Parameters == tool.Declaration && result.Tool.Parameters != nil {
		shown = result.Tool.Parameters // a bare schema stays one
	}
	if flags.asJSON {
		encoder := json.NewEncoder(s.Out)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(struct {
			Version int          `json:"version"`
			Dialect string       `json:"dialect"`
			Rule    string       `json:"rule"`
			Message string       `json:"message"`
			Asks    int          `json:"asks"`
			Minimal bool         `json:"minimal"`
			Tool    *schema.Node `json:"tool"`
		}{1, dialect.Name, result.Reason.Name(), strings.TrimSpace(result.Answer.Message), result.Asks, result.Minimal, result.Tool.Whole()})
		if err != nil {
			return fmt.Errorf("writing the tool: %w", err)
		}
	} else {
		fmt.Fprintf(s.Out, "%s\n", shown.Indented())
		s.Warnf("%s: %s (%s)", tool.Name, strings.TrimSpace(result.Answer.Message), rule)
		s.Warnf("%s became %d, in %s", report.Count(tool.Whole().Size(), "value"), result.Tool.Whole().Size(), report.Count(result.Asks, "ask"))
	}
	if !result.Minimal {
		return cli.Fail(cli.CodeInconclusive, cli.Hint(errors.New("the tool is perhaps not minimal"), "raise --max-asks; run again when the provider did not answer"))
	}
	return nil
}
