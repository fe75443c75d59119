package main

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

// recordHere is the folder for recordings where none is named.
const recordHere = "recordings"

// liveFlags are the choices of verify live.
type liveFlags struct {
	providers   []string
	targets     []string
	as          readAs
	fixture     string
	model       string
	baseURL     string
	insecure    bool
	raw         bool
	single      bool
	dryRun      bool
	asJSON      bool
	maxRequests int
	maxCost     float64
	perMinute   int
	concurrency int
	timeout     time.Duration
	retryWait   time.Duration
	record      string
	maxAge      string
	shard       string
	explore     bool
}

func newLive(s *session) *cobra.Command {
	var flags liveFlags
	command := &cobra.Command{
		Use:   "live --provider NAME [FILE...]",
		Short: "Ask the providers",
		Long: `live sends declarations to a provider with its official client, and expects acceptance.
It sends the tools of the files, in any form of verify check, normalized for the
provider. Without a file it sends the fixtures. --raw sends the tools as they are.

--provider is required, and so is a key in the environment: GOOGLE_API_KEY or
GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY. vertex uses GOOGLE_CLOUD_PROJECT,
GOOGLE_CLOUD_LOCATION and the default credentials. The command first prints what it
will send and the highest cost; --dry-run ends there.

A request has up to 128 declarations, so that many accepted tools cost little. The
refused ones are found by the message, or by halving. Each batch comes with two
controls: one must be accepted, one must be refused. When a control fails, the batch
is inconclusive. An answer about something else, such as too many requests, is retried,
and is inconclusive in the end.

ollama, llamacpp and vllm are servers of your own, which need no key. They are asked at
127.0.0.1 and port 11434, 8080 or 8000, or at --base-url. The server says its release,
which is the source of a recording, and its first model is asked. A tool that is predicted
to crash the server is not sent. A key is in OLLAMA_API_KEY, LLAMA_API_KEY, VLLM_API_KEY.

The provider openai-compatible is any server that speaks the API of OpenAI, such as a
gateway. It requires --base-url and --model; the key OPENAI_API_KEY is optional. One of
these engines is asked as such, unless --target names others.

--record keeps the answers as recordings, in the folder recordings; --record=FOLDER
names another. A tool that was recorded today, or within --max-age, is not sent again.

With --explore it finds out what is unknown of the dialects. It asks which constructs they
take, and whether the rules of the models hold. It asks first about what the tools of the
files use, and then about what real tools use. Constructs that are likely accepted share a
request. It prints where the answers differ from the model, and what to write down as a
rule. With --record, a later run goes on where this one ended. Exit code 1: an answer
differs. 3: something is unknown still.

Exit code 1: a tool is refused. 2: a tool could not be read, a flag is wrong, or a
recording could not be written. 3: nothing was learnt about some tool.`,
		Example: `  verify live --provider gemini --dry-run
  verify live --provider gemini --provider openai --max-cost 0.50 --record
  verify live --provider openai --target openai-strict tools.json
  verify live --explore --provider openai --max-requests 60 --record tools.json
  verify live --provider ollama tools.json
  verify live --provider openai-compatible --base-url https://gateway.example --model qwen3 tools.json`,
		RunE: func(command *cobra.Command, files []string) error {
			return s.live(command.Context(), flags, files)
		},
	}
	set := command.Flags()
	set.StringSliceVar(&flags.providers, "provider", nil, "ask these providers: "+strings.Join(providerNames(), ", "))
	set.StringSliceVar(&flags.targets, "target", []string{"all"}, "ask for these targets: names, patterns such as openai*, or all")
	flags.as.add(command)
	set.StringVar(&flags.fixture, "fixture", "*", "send the fixtures of this id or pattern, when no file is given")
	set.StringVar(&flags.model, "model", "", "ask this model (default: a cheap one with strict tools; of an engine the first)")
	set.StringVar(&flags.baseURL, "base-url", "", "send requests to this host; the client adds the version of the API")
	set.BoolVar(&flags.insecure, "insecure", false, "send the key unencrypted, to a remote base URL with http://")
	set.BoolVar(&flags.raw, "raw", false, "send the tools as they are")
	set.BoolVar(&flags.single, "single", false, "send one declaration in a request")
	set.BoolVar(&flags.dryRun, "dry-run", false, "show what would be sent, and send nothing")
	set.BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per tool and target and a summary")
	set.IntVar(&flags.maxRequests, "max-requests", 0, "send at most this many requests, repetitions included (default: no limit)")
	set.Float64Var(&flags.maxCost, "max-cost", 0, "spend at most this many dollars (default: no limit)")
	set.IntVar(&flags.perMinute, "rpm", 0, "send at most this many requests in a minute (default: no limit)")
	set.IntVar(&flags.concurrency, "concurrency", 2, "send this many batches at a time")
	set.DurationVar(&flags.timeout, "timeout", time.Minute, "wait this long for an answer")
	set.DurationVar(&flags.retryWait, "retry-wait", time.Second, "wait this long before the first repetition; double each wait")
	set.StringVar(&flags.record, "record", "", "keep the answers in this folder; write it as --record=FOLDER")
	set.Lookup("record").NoOptDefVal = recordHere
	set.StringVar(&flags.maxAge, "max-age", "", "use recordings up to this age as answers, such as 30d")
	set.BoolVar(&flags.explore, "explore", false, "find out what is unknown of the dialects, and where the models differ")
	set.StringVar(&flags.shard, "shard", "", "ask about part i of n parts of the tools, as i/n")
	command.MarkFlagsMutuallyExclusive("explore", "shard")
	command.MarkFlagsMutuallyExclusive("explore", "fixture")
	_ = command.RegisterFlagCompletionFunc("target", completeTargets(true))
	_ = command.RegisterFlagCompletionFunc("provider", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return providerNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return command
}

func providerNames() []string {
	names := make([]string, len(live.Providers))
	for i, known := range live.Providers {
		names[i] = known.Name
	}
	return names
}

func (s *session) live(ctx context.Context, flags liveFlags, arguments []string) error {
	if len(flags.providers) == 0 {
		return cli.Broken(cli.Hint(errors.New("--provider is required"), "--provider is one of "+strings.Join(providerNames(), ", ")))
	}
	run := &liveRun{session: s, flags: flags, budget: &live.Budget{Requests: flags.maxRequests, Dollars: flags.maxCost}, clients: &clients{errs: s.Errs}}
	defer run.clients.close()
	var err error
	if flags.maxAge != "" {
		if run.days, err = cli.ParseAge(flags.maxAge); err != nil {
			return err
		}
	}
	if run.store, err = run.loadStore(); err != nil {
		return cli.Broken(err)
	}
	if run.accounts, err = run.connect(ctx); err != nil {
		return err
	}
	canAsk := func(account *account) bool { return account.missing == nil }
	if !flags.dryRun && slices.ContainsFunc(run.accounts, canAsk) { // before anything is planned
		if _, err := findLive(); err != nil {
			return cli.Broken(err)
		}
	}
	if flags.explore {
		return run.explore(ctx, arguments)
	}
	subjects, err := run.subjects(ctx, arguments)
	if err != nil {
		return err
	}
	if err := run.prepare(ctx, subjects); err != nil {
		return err
	}
	if err := run.plan(); err != nil || flags.dryRun {
		return err
	}
	if flags.record != "" && len(run.surfaces) > 0 { // before anything is paid for
		if err := (recording.Folder{Path: flags.record}).Try(); err != nil {
			return cli.Broken(cli.Hint(fmt.Errorf("recording to %s: %w", flags.record, err), "name a writable folder with --record; no request was sent"))
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
	outcome := run.finish() // of what was learnt, too, when the run is interrupted
	switch {
	case unrecorded != nil:
		return cli.Broken(unrecorded)
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	default:
		return outcome
	}
}

// loadStore reads the recordings that answers are compared with: those of the folder
// that is recorded to, or else those inside the program.
func (r *liveRun) loadStore() (*recording.Store, error) {
	if r.flags.record == "" {
		return cli.EveryRecording()
	}
	if _, err := os.Stat(r.flags.record); errors.Is(err, fs.ErrNotExist) {
		return &recording.Store{}, nil
	}
	return recording.LoadAny(os.DirFS(r.flags.record))
}
