package ask

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/live"
	"toolproof/harness/recording"
)

// recordHere is the folder of --record without a value.
const recordHere = "recordings"

// Flags are the flags of a run that asks providers.
type Flags struct {
	providers   []string
	Targets     []string
	as          cli.As
	fixture     string
	model       string
	BaseURL     string
	insecure    bool
	Raw         bool
	single      bool
	DryRun      bool
	AsJSON      bool
	maxRequests int
	maxCost     dollars
	perMinute   int
	Concurrency int
	timeout     time.Duration
	retryWait   time.Duration
	Record      string
	MaxAge      string
	shard       cli.Shard
	// Explore is set if the run explores a surface, and does not expect acceptance.
	Explore bool
}

// NewLive returns the command live, with --record if it may record.
func NewLive(shared *cli.Session, records bool) *cobra.Command {
	s := &session{shared}
	var flags Flags
	command := &cobra.Command{
		Use:   "live --provider NAME [FILE...]",
		Short: "Send tools to the providers themselves, through their official clients",
		Long: `live sends tools to a provider through its official client and expects it to accept
them: the tools of the files, in any form that verify check reads, normalized for the
provider; without files, the fixtures. --raw sends them as they are.

--provider names the provider, whose key is read from the environment:

  gemini             GOOGLE_API_KEY or GEMINI_API_KEY
  vertex             GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION and the default credentials
  openai             OPENAI_API_KEY
  anthropic          ANTHROPIC_API_KEY
  openai-compatible  any server with OpenAI's API, such as a gateway; requires --base-url and
                     --model, OPENAI_API_KEY is optional
  ollama, llamacpp,  a server of your own at --base-url (default: 127.0.0.1, port 11434, 8080 or
  vllm               8000); OLLAMA_API_KEY, LLAMA_API_KEY and VLLM_API_KEY are optional

Before it sends anything, live prints what it will send and the highest cost; with
--dry-run it stops there.

One request carries up to 128 declarations, so that accepted tools cost little. The
refused ones are found by the provider's message, or by halving the batch. Each batch
has two controls, a tool that must be accepted and one that must be refused; if a
control fails, there is no verdict on the batch. After an answer about something else,
such as too many requests, the request is repeated; in the end there is no verdict.

live asks a server of your own for its release and, without --model, for its first
model. It does not send a tool that would crash that release of the engine. An
openai-compatible server that turns out to be one of these engines is asked as such,
unless --target names targets.

With --max-age, a recording of at most that age answers in place of the provider.` + recordHelp(records) + `
Exit codes:
  0  every tool is accepted
  1  a tool is refused
  2  a tool could not be read, a flag is wrong, or a recording could not be written
  3  no verdict on some tool, such as when a key is missing`,
		Example: `  verify live --provider gemini --dry-run
  verify live --provider gemini --provider openai --max-cost 0.50
  verify live --provider openai --target openai-strict tools.json
  verify live --provider ollama tools.json
  verify live --provider openai-compatible --base-url https://gateway.example --model qwen3 tools.json`,
		RunE: func(command *cobra.Command, files []string) error {
			return s.live(command.Context(), flags, files)
		},
	}
	flags.Add(command)
	flags.addTools(command)
	if records {
		flags.AddRecord(command)
		command.Example += "\n  verify-lab live --provider gemini --record"
	}
	return command
}

// recordHelp returns the paragraph about --record, or an empty line without that flag.
func recordHelp(records bool) string {
	if !records {
		return "\n"
	}
	return `
--record keeps the answers as recordings in the folder recordings, or in FOLDER with
--record=FOLDER. A tool that was recorded today, or within --max-age, is not sent again.
An answer of another host than the provider's is marked as relayed, and is no evidence.
`
}

// Add adds the flags that every run has.
func (f *Flags) Add(command *cobra.Command) {
	set := command.Flags()
	set.StringSliceVar(&f.providers, "provider", nil, "ask these providers: "+strings.Join(providerNames(), ", "))
	set.StringSliceVarP(&f.Targets, "target", "t", []string{"all"}, "ask about these targets only: names, patterns such as openai*, or all")
	set.StringVar(&f.model, "model", "", "ask this model (default: a cheap one that has strict tools; on a server of your own, its first)")
	set.StringVar(&f.BaseURL, "base-url", "", "send requests to this host; the client appends the version of the API, such as /v1")
	set.BoolVar(&f.insecure, "insecure", false, "allow the key to be sent unencrypted, to a remote http:// address")
	set.BoolVar(&f.Raw, "raw", false, "send the tools as they are, not normalized")
	set.BoolVar(&f.DryRun, "dry-run", false, "show what would be sent, but send nothing")
	set.BoolVar(&f.AsJSON, "json", false, "write JSON Lines, one object per tool and target and a summary")
	set.IntVar(&f.maxRequests, "max-requests", 0, "send at most this many requests, including repeated ones (default: no limit)")
	set.Var(&f.maxCost, "max-cost", "spend at most this many US dollars (default: no limit)")
	set.IntVar(&f.perMinute, "rpm", 0, "send at most this many requests per minute (default: no limit)")
	set.IntVar(&f.Concurrency, "concurrency", 2, "send this many batches at the same time")
	set.DurationVar(&f.timeout, "timeout", time.Minute, "wait this long for each answer")
	set.DurationVar(&f.retryWait, "retry-wait", time.Second, "wait this long before repeating a request; each further wait is twice as long")
	set.StringVar(&f.MaxAge, "max-age", "", "answer from recordings that are at most this old, such as 30d")
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(true))
	_ = command.RegisterFlagCompletionFunc("provider", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return providerNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// addTools adds the flags about the tools to send.
func (f *Flags) addTools(command *cobra.Command) {
	set := command.Flags()
	f.as.Add(command)
	set.StringVar(&f.fixture, "fixture", "*", "without files, send the fixtures whose id matches this pattern")
	set.BoolVar(&f.single, "single", false, "send each declaration in a request of its own")
	f.shard.Add(set, "tools")
}

// AddRecord adds --record.
func (f *Flags) AddRecord(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&f.Record, "record", "", "keep the answers in a folder, written --record=FOLDER")
	set.Lookup("record").NoOptDefVal = recordHere
}

func providerNames() []string {
	names := make([]string, len(live.Providers))
	for i, known := range live.Providers {
		names[i] = known.Name
	}
	return names
}

// Begin opens the accounts of a run. The caller must Close it.
func Begin(ctx context.Context, shared *cli.Session, flags Flags) (*Run, error) {
	s := &session{shared}
	if len(flags.providers) == 0 {
		return nil, cli.Broken(cli.Hint(errors.New("--provider is required"), "--provider is one of "+strings.Join(providerNames(), ", ")))
	}
	run := &Run{session: s, Flags: flags, Budget: &live.Budget{Requests: flags.maxRequests, Dollars: flags.maxCost.most}, clients: &clients{errs: s.Errs}}
	var err error
	if flags.MaxAge != "" {
		if run.Days, err = cli.ParseAge(flags.MaxAge); err != nil {
			return nil, err
		}
	}
	if run.Store, err = run.loadStore(); err != nil {
		return nil, cli.Broken(err)
	}
	if run.Accounts, err = run.connect(ctx); err != nil {
		return nil, err
	}
	canAsk := func(account *Account) bool { return account.Missing == nil }
	if !flags.DryRun && slices.ContainsFunc(run.Accounts, canAsk) { // before anything is planned
		if _, err := findLive(); err != nil {
			return nil, cli.Broken(err)
		}
	}
	return run, nil
}

// Close ends the official clients.
func (r *Run) Close() { r.clients.close() }

func (s *session) live(ctx context.Context, flags Flags, arguments []string) error {
	run, err := Begin(ctx, s.Session, flags)
	if err != nil {
		return err
	}
	defer run.Close()
	subjects, err := run.subjects(ctx, arguments)
	if err != nil {
		return err
	}
	if err := run.prepare(ctx, subjects); err != nil {
		return err
	}
	if err := run.plan(); err != nil || flags.DryRun {
		return err
	}
	if flags.Record != "" && len(run.surfaces) > 0 { // before anything is paid for
		if err := (recording.Folder{Path: flags.Record}).Try(); err != nil {
			return cli.Broken(cli.Hint(fmt.Errorf("recording to %s: %w", flags.Record, err), "name a writable folder with --record; no request was sent"))
		}
	}
	run.progress = cli.NewProgress(s.Session, len(run.inquiries))
	var unrecorded error
	for _, surface := range run.surfaces {
		if unrecorded = run.ask(ctx, surface); unrecorded != nil {
			break
		}
	}
	run.progress.Clear()
	outcome := run.finish() // even after an interrupt, for the answers so far
	switch {
	case unrecorded != nil:
		return cli.Broken(unrecorded)
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	default:
		return outcome
	}
}

// loadStore reads the recordings with which answers are compared: those of the folder to record to, or
// else those inside the program.
func (r *Run) loadStore() (*recording.Store, error) {
	if r.Flags.Record == "" {
		return cli.EveryRecording()
	}
	if _, err := os.Stat(r.Flags.Record); errors.Is(err, fs.ErrNotExist) {
		return &recording.Store{}, nil
	}
	return recording.LoadAny(os.DirFS(r.Flags.Record))
}
