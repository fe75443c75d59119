package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/harness/live"
	"toolproof/harness/recording"
	"toolproof/recordings"
)

// recordHere is the folder for recordings where none is named.
const recordHere = "recordings"

// liveFlags are the choices of verify live.
type liveFlags struct {
	providers   []string
	targets     []string
	fixture     string
	model       string
	baseURL     string
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
}

func newLive(s *session) *cobra.Command {
	var flags liveFlags
	command := &cobra.Command{
		Use:   "live --provider NAME [FILE...]",
		Short: "Ask the providers themselves",
		Long: `live sends declarations to a provider with its official client and expects that it
accepts them: the tools of the files, in the forms that verify check reads, normalized
for the provider; without a file those of the fixtures. --raw sends them as they are.

It asks nobody without --provider and a key, which it takes from the environment:
GOOGLE_API_KEY or GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY; for vertex also
GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION with the default credentials. What is
sent, and what it costs at most, is told before; --dry-run ends there.

Up to 128 declarations go into a request, so that many that are accepted cost little.
Those that a refusal names, or that are found by halving, are told. Around each batch
a declaration is sent that must be accepted and one that must be refused: where either
fares otherwise, nothing was learnt. What says nothing about a declaration, such as too
many requests, is tried again, and is inconclusive in the end.

The provider openai-compatible is any server that speaks the API of OpenAI, such as
vLLM, Ollama or a gateway; it needs --base-url and --model, and no key. It is sent
OPENAI_API_KEY where that is set.

With --record the answers are kept as recordings, in the folder recordings or
--record=FOLDER; what was recorded today, or within --max-age, is not asked again.

It exits 1 when a tool is refused, 2 when a tool could not be read, a flag is wrong or
a recording could not be written, and 3 when nothing was learnt of some tool.`,
		Example: `  verify live --provider gemini --dry-run
  verify live --provider gemini --provider openai --max-cost 0.50 --record
  verify live --provider openai --target openai-strict tools.json
  verify live --provider openai-compatible --base-url http://127.0.0.1:11434 --model qwen3 tools.json`,
		RunE: func(command *cobra.Command, files []string) error {
			return s.live(command.Context(), flags, files)
		},
	}
	set := command.Flags()
	set.StringArrayVar(&flags.providers, "provider", nil, "ask this provider; repeat it: "+strings.Join(providerNames(), ", "))
	set.StringArrayVar(&flags.targets, "target", []string{"all"}, "ask for this target; repeat it, or all that the provider serves")
	set.StringVar(&flags.fixture, "fixture", "*", "without a file: send the fixtures of this id, or of ids like this pattern")
	set.StringVar(&flags.model, "model", "", "ask this model (default: a cheap one that takes strict tools)")
	set.StringVar(&flags.baseURL, "base-url", "", "the root of the host, to which the client adds the version of the API")
	set.BoolVar(&flags.raw, "raw", false, "send the tools as they are")
	set.BoolVar(&flags.single, "single", false, "send one declaration in a request")
	set.BoolVar(&flags.dryRun, "dry-run", false, "say what would be sent and send nothing")
	set.BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per tool and target and a summary")
	set.IntVar(&flags.maxRequests, "max-requests", 0, "send at most this many requests, repeated ones counted (default: no limit)")
	set.Float64Var(&flags.maxCost, "max-cost", 0, "spend at most this many dollars (default: no limit)")
	set.IntVar(&flags.perMinute, "rpm", 0, "send at most this many requests in a minute (default: no limit)")
	set.IntVar(&flags.concurrency, "concurrency", 2, "ask about this many batches at a time")
	set.DurationVar(&flags.timeout, "timeout", time.Minute, "wait for an answer this long")
	set.DurationVar(&flags.retryWait, "retry-wait", time.Second, "wait this long before the first repetition; each next wait is twice as long")
	set.StringVar(&flags.record, "record", "", "keep the answers in this folder; write it as --record=FOLDER")
	set.Lookup("record").NoOptDefVal = recordHere
	set.StringVar(&flags.maxAge, "max-age", "", "take recordings that are no older for answers, such as 30d")
	set.StringVar(&flags.shard, "shard", "", "ask about the part i of n of the tools, as i/n")
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
		return exitError{exitBroken, hint(errors.New("nobody is asked without --provider"), "--provider is one of "+strings.Join(providerNames(), ", "))}
	}
	run := &liveRun{session: s, flags: flags, budget: &live.Budget{Requests: flags.maxRequests, Dollars: flags.maxCost}, clients: &clients{errs: s.errs}}
	defer run.clients.close()
	var err error
	if flags.maxAge != "" {
		if run.days, err = parseAge(flags.maxAge); err != nil {
			return err
		}
	}
	if run.store, err = run.loadStore(); err != nil {
		return exitError{exitBroken, err}
	}
	if run.accounts, err = run.connect(); err != nil {
		return err
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
	run.progress = newProgress(s, len(run.inquiries))
	for _, surface := range run.surfaces {
		if err := run.ask(ctx, surface); err != nil {
			run.progress.clear()
			return exitError{exitBroken, err}
		}
	}
	run.progress.clear()
	outcome := run.finish() // of what was learnt, too, when the run is interrupted
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return outcome
}

// loadStore reads the recordings that answers are compared with: those of the folder
// that is recorded to, or else those inside the program.
func (r *liveRun) loadStore() (*recording.Store, error) {
	if r.flags.record == "" {
		return recording.Load(recordings.Files)
	}
	if _, err := os.Stat(r.flags.record); errors.Is(err, fs.ErrNotExist) {
		return &recording.Store{}, nil
	}
	return recording.LoadAny(os.DirFS(r.flags.record))
}
