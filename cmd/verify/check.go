package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/project"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// checkFlags are the flags of verify check.
type checkFlags struct {
	targets       []string
	as            cli.As
	only          cli.Only
	shard         cli.Shard
	options       cli.Options
	when          cli.When
	format        format
	requests      bool
	require       requirement
	raw           bool
	normalized    bool
	diff          bool
	verbose       bool
	places        int
	quiet         bool
	lossless      bool
	minTools      int
	baseline      string
	writeBaseline string
	errorFile     string
	recordings    string
	watch         bool
	fixes         fixFlags
	advice        adviceFlags

	// project is the toolproof.json of the run, or nil. given holds the flags before those of the
	// file were merged in, and isWhole is set if the command line does not change what the file
	// checks.
	project *project.File
	given   *checkFlags
	isWhole bool
}

const checkHelp = `check shows which providers refuse your tools as they stand, at which line, and what to
write instead. It works offline, from models of the providers and their recorded
answers.

Tools come from files, from standard input (-), or from a command behind -- that prints
them; docs/export.md has such commands for many frameworks. A file is JSON or YAML,
compressed with gzip or not, in one of these forms:

  * the answer of an MCP server to tools/list
  * a request to OpenAI, Gemini, Anthropic or Ollama, which is also judged as a whole:
    its messages, results, thinking and parameters
  * what an MCP server asks of a client: elicitation/create, sampling/createMessage
  * a HAR, a cassette of VCR, httprr, Polly or nock, or a log, with such requests
  * JSON Lines of {id, name, description, schema}
  * a bare schema
  * a server.json, which is judged as the registry of MCP does when it is published

Folders and patterns with ** are searched; files without tools are skipped and counted.
Without files, check reads the sources that toolproof.json names: verify init writes
that file, docs/config.md describes it. Its targets, ignores and baseline also apply to
files on the command line, where flags override them.

--target chooses what the tools are checked for, by the name of a target (gemini) or of
a dialect (gemini/parameters), by a pattern, or all. A pattern without a slash, such as
gemini*, matches targets or, if it matches none, the dialects of a service, such as
azure*. One with a slash, such as '*/response_format', matches dialects. Without
--target, check asks the surfaces to which MCP clients pass tools on unchanged. The
command verify list targets lists everything.

With --normalized, each tool is first rewritten by the normalizer of the target, and
check reports what the tool loses by that. A dialect without a normalizer of its own
uses that of a similar target, or is judged as given; the result says which.

The tools of one list are also judged together, as a client sends them in one request:
equal names, their number and their size. Tools with ids and tools of JSON Lines are
requests of their own.

The verdict comes first, then the findings, each with a place and what to write there.
Providers answer in stages: "then also" lists what they are predicted to refuse once the
other findings are mended. --verbose shows each finding with the rule behind it, which
verify explain explains and toolproof.json can ignore.

A verdict that no recorded answer supports is a prediction. With --verbose it says how
many constructs of the tool (a keyword, the type of its values and its position) some
recording shows accepted, and lists the others; with --require seen, those leave the tool
without a verdict. --recordings adds the recordings of verify record. A part that a
surface accepts but does not pass on to the model, or does not enforce, is reported as
ignored; with --lossless that is a failure.

--error takes a provider's error, its message or the whole body of the answer, and shows
the lines of the tools that it means and the rewrite that avoids it. Without tools it
names the rules that refuse in these words. --advice adds what no surface refuses and
models still get wrong, as verify advise does.

--fix writes the edits that check proposes into the files, if they lose nothing, and
checks again. It keeps every other byte, and leaves a file alone if an edit would make a
target refuse what it takes. --unsafe-fixes also writes edits that lose something, and
names what. With --diff the edits are shown as a patch and not written (exit code 1 if
there are some), with --dry-run as a list. Standard input becomes standard output.

Exit codes:
  0  every tool and every request is accepted
  1  a tool is refused, with --normalized after it was rewritten, or a request is; with
     --lossless, a part is ignored
  2  a tool could not be read, a flag is wrong, the message of --error fits no place, or
     nothing was checked
  3  no verdict, such as when --require asks for better evidence`

func newCheck(s *session) *cobra.Command {
	var flags checkFlags
	var configured projectFlags
	command := &cobra.Command{
		Use:   "check [FILE...] [-- COMMAND [ARGUMENT...]]",
		Short: "Show which providers refuse your tools, where, and what to write instead",
		Long:  checkHelp,
		Example: `  verify check
  verify check tools.json
  verify check --target gemini,openai-strict tools.json
  verify check --normalized --target 'gemini*' tools.json
  verify check --target openai --write-baseline baseline.jsonl tools.json
  verify check --target openai --baseline baseline.jsonl tools.json
  verify check --error answer.json tools.json
  verify check 'schemas/**/*.json'
  verify check --target gemini -- npx tsx print-tools.ts
  verify check --as response --target '*/response_format' schema.json
  verify check --watch --target gemini tools.json
  verify check --fix --diff --target gemini tools.json
  some-server --list-tools | verify check --target gemini --json -`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.runCheck(command, flags, configured, arguments)
		},
	}
	flags.add(command)
	configured.add(command)
	command.Flags().BoolVar(&flags.watch, "watch", false, "check again whenever a file changes, until interrupted")
	command.MarkFlagsMutuallyExclusive("watch", "write-baseline")
	command.Flags().StringVar(&flags.errorFile, "error", "", "find the lines that a provider's error in this file means; - is standard input")
	command.MarkFlagsMutuallyExclusive("config", "error")
	flags.fixes.add(command)
	for _, other := range []string{"fix", "unsafe-fixes", "error", "watch", "write-baseline"} {
		command.MarkFlagsMutuallyExclusive("shard", other)
	}
	return command
}

// usualPlaces is the default of --limit.
const usualPlaces = 1

// usualTools is the default of --min-tools.
const usualTools = 1

// runCheck runs check or advise once or, with --watch, after every change.
func (s *session) runCheck(command *cobra.Command, flags checkFlags, configured projectFlags, files []string) error {
	if err := onlyError(command); err != nil {
		return err
	}
	var exporter []string
	if dash := command.ArgsLenAtDash(); dash >= 0 {
		files, exporter = files[:dash], files[dash:]
	}
	name, err := configured.find()
	if err != nil {
		return err
	}
	if flags.errorFile != "" {
		name = "" // the message decides the target, and the command line names the tools
	}
	hasSources := len(files)+len(exporter) > 0
	work := func() error {
		flags := flags
		if name != "" {
			file, err := s.readProject(command.Context(), name)
			if err != nil {
				return err
			}
			flags = flags.with(file, command.Flags().Changed, hasSources)
		}
		return s.check(command.Context(), flags, files, exporter, configured.words())
	}
	if !flags.watch {
		return work()
	}
	watched := func() []string {
		switch {
		case name == "":
			return files
		case hasSources:
			return append([]string{name}, files...)
		default:
			return s.sourcesToWatch(command.Context(), name)
		}
	}
	return s.watch(command.Context(), watched, exporter, work)
}

// add adds the flags that check and mcp share, which are all but --error, --watch and those of the
// project.
func (flags *checkFlags) add(command *cobra.Command) {
	command.Flags().StringSliceVarP(&flags.targets, "target", "t", nil,
		"check for these targets: names, patterns such as openai*, or all (default: those to which clients pass tools on unchanged)")
	flags.as.Add(command)
	flags.only.Add(command)
	flags.shard.Add(command.Flags(), "tools")
	flags.options.Add(command)
	flags.when.Add(command)
	flags.format.add(command, "one object per tool and target and a summary")
	command.Flags().BoolVar(&flags.requests, "requests", false, "add the judged requests to the lines; requires --json")
	flags.require.add(command)
	command.Flags().BoolVar(&flags.normalized, "normalized", false, "rewrite each tool for its target first, and check the result (default targets: all)")
	command.Flags().BoolVar(&flags.raw, "raw", false, "")
	_ = command.Flags().MarkHidden("raw") // the former name of the default, accepted for one more release
	command.MarkFlagsMutuallyExclusive("raw", "normalized")
	command.Flags().BoolVar(&flags.diff, "diff", false, "show each tool as given and as rewritten, side by side; with --fix, what would be written")
	command.Flags().BoolVar(&flags.verbose, "verbose", false, "show every finding, with its rule, and every tool")
	command.Flags().IntVar(&flags.places, "limit", usualPlaces, "show this many places of each finding")
	command.Flags().BoolVar(&flags.quiet, "quiet", false, "show only failures and the summary")
	command.Flags().BoolVar(&flags.lossless, "lossless", false, "fail also if a surface ignores a part of a tool")
	command.Flags().IntVar(&flags.minTools, "min-tools", usualTools, "fail if fewer tools were judged")
	command.Flags().StringVar(&flags.recordings, "recordings", "", "count also what the recordings in this `folder` show, such as those of verify record")
	command.Flags().StringVar(&flags.baseline, "baseline", "", "fail only for findings that are not in this file")
	command.Flags().StringVar(&flags.writeBaseline, "write-baseline", "", "write the findings to this file, for a later --baseline")
	command.Flags().BoolVar(&flags.advice.wanted, "advice", false, "also report what no surface refuses and models still get wrong, as the command advise does")
	flags.advice.add(command)
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(true))
}

// check checks the tools of the files and those that the exporter prints or, without either, those
// of the project. The words are the flags that choose the project.
func (s *session) check(ctx context.Context, flags checkFlags, files, exporter, words []string) error {
	words = append(append([]string{flags.command()}, words...), files...)
	if err := flags.fixes.misused(exporter); err != nil {
		return err
	}
	if !flags.fixes.isWanted() && flags.errorFile == "" && flags.writeBaseline == "" {
		if err := flags.shard.Choose(s.Warnf); err != nil {
			return err
		}
	}
	if len(exporter) > 0 {
		words = append(append(words, "--"), exporter...)
	}
	run, err := s.newCheckRun(ctx, flags, words)
	if err != nil {
		return err
	}
	if flags.fixes.isWanted() {
		if err := flags.only.Alone("with --fix"); err != nil {
			return err
		}
	}
	if flags.fixes.isWanted() && (len(files) > 0 || flags.project != nil) {
		return run.fix(ctx, files)
	}
	if len(files)+len(exporter) == 0 {
		if flags.errorFile != "" {
			return run.explainError(ctx)
		}
		if flags.project == nil {
			return cli.Broken(cli.Hint(errors.New("a file is required"), "name one, or - for standard input; verify init writes toolproof.json, which names them"))
		}
		return run.checkProject(ctx, flags.project)
	}
	documents, err := s.ReadAll(ctx, files, exporter, flags.as.Reader(flags.errorFile == ""))
	if err != nil {
		return err
	}
	if err := flags.only.Keep(documents); err != nil {
		return err
	}
	if flags.errorFile != "" {
		return run.pasted(ctx, documents, files)
	}
	run.converse(documents)
	run.divide(documents)
	run.keepShard(documents)
	return run.all(ctx, documents)
}

// mostServers is the number of servers up to which lines of JSON say what to write.
const mostServers = 50

// keepShard leaves out of documents what is in other parts of the run.
func (r *checkRun) keepShard(documents []engine.Document) {
	tools := 0
	for _, document := range documents {
		tools += len(document.Tools)
	}
	r.isLarge = tools > report.MostAnswered
	r.flags.shard.Keep(documents)
	if r.flags.shard.IsPart() && !slices.ContainsFunc(documents, func(document engine.Document) bool { return len(document.Tools) > 0 }) {
		r.Warnf("none of the tools is in part %s", &r.flags.shard)
	}
}

// errRequestsAlone is the error of --requests without --json.
var errRequestsAlone = cli.Usage("--requests requires --json")

// checkRun is one run of verify check, verify advise or verify mcp.
type checkRun struct {
	engine.Run
	*session

	flags    checkFlags
	words    []string // command line that runs the same again, beginning with the command's name
	baseline *report.Baseline
	entries  []report.Entry // of the baseline to write
	// responses are the targets for response schemas.
	responses []judge.Target
	isLarge   bool // more tools are judged than lines say what to write for
}

// divide lets response schemas be judged for the targets of answers and tools for the others. If the
// documents have no response schema, tools are judged for all targets. The targets that requests mean count
// unless others are named.
func (r *checkRun) divide(documents []engine.Document) {
	if len(r.flags.targets) > 0 || r.flags.normalized {
		for i := range documents {
			documents[i].Meant = nil
		}
	}
	documents = slices.DeleteFunc(slices.Clone(documents), func(document engine.Document) bool { return document.Meant != nil })
	if form := toolfile.FormOf(toolsOf(documents)...); form != "" && len(r.flags.targets) == 0 && !r.flags.normalized && !r.flags.advice.alone {
		r.Targets = cli.WithOptions(harness.DirectFor(form), r.flags.options.Of(r.Judge.AsOf))
		if len(r.Targets) < len(harness.Direct) {
			var names []string
			for _, target := range r.Targets {
				names = append(names, target.Name())
			}
			r.Warnf("judged for %s, whose form the tools have: --target names others, such as all", strings.Join(names, " and "))
		}
	}
	if !cli.HaveResponses(documents) {
		return
	}
	r.Targets, _ = judge.Divide(r.Targets)
	if r.Responses = r.responses; len(r.Responses) > 0 || r.flags.advice.alone {
		return
	}
	for _, document := range documents {
		for _, tool := range document.Tools {
			if tool.IsResponse {
				r.Warnf("%s:%d: %s is a response schema, which none of the targets takes: name one such as gemini-response or '*/response_format'",
					escape.Line(document.Source), tool.Line, escape.Line(tool.Name))
			}
		}
	}
}

// toolsOf returns the tools of each document.
func toolsOf(documents []engine.Document) [][]toolfile.Tool {
	lists := make([][]toolfile.Tool, len(documents))
	for i, document := range documents {
		lists[i] = document.Tools
	}
	return lists
}

// targetsOf returns the targets that the flags name or, if they name none, those that the question
// is about. An error says which target has the model that is asked for.
func (flags *checkFlags) targetsOf(day provider.Date) ([]judge.Target, error) {
	names := flags.targets
	switch {
	case len(names) > 0 || flags.advice.alone:
	case flags.normalized || flags.errorFile != "": // a message can come from any target
		names = []string{"all"}
	default:
		for _, target := range harness.Direct {
			names = append(names, target.Name())
		}
	}
	targets, err := cli.TargetsNamed(names, flags.options.Of(day))
	if err != nil || flags.when.Model == "" {
		return targets, err
	}
	instead := cli.TargetOfModel(flags.when.Model)
	if instead != "" && !slices.ContainsFunc(targets, func(target judge.Target) bool { return !cli.IsOfAnother(target.Name(), instead) }) {
		return nil, cli.Broken(cli.Hint(fmt.Errorf("no target has the model %q", flags.when.Model), "did you mean --target "+instead+"?"))
	}
	return targets, nil
}

// newCheckRun prepares a run: its targets, baseline, recordings and output. The words are the command
// line that runs the same again, beginning with the name of the command.
func (s *session) newCheckRun(ctx context.Context, flags checkFlags, words []string) (*checkRun, error) {
	if flags.requests && !flags.format.isJSON() {
		return nil, errRequestsAlone
	}
	if flags.raw {
		s.Warnf("--raw can be left out: tools are checked as given, unless --normalized is set")
	}
	day, err := flags.when.Day()
	if err != nil {
		return nil, err
	}
	parameters, err := flags.when.Parameters()
	if err != nil {
		return nil, err
	}
	targets, err := flags.targetsOf(day)
	if err != nil {
		return nil, err
	}
	baseline, err := cli.AwaitBaseline(ctx, flags.baseline, ":", report.ReadBaseline)
	if err != nil {
		return nil, err
	}
	store, err := cli.RecordingsAsked()
	if err != nil {
		return nil, cli.Broken(err)
	}
	if flags.recordings != "" {
		more, err := cli.LoadRecordings(flags.recordings)
		if err != nil {
			return nil, err
		}
		store = store.Also(more)
	}
	progress := cli.NewProgress(s.Session, 0)
	run := &checkRun{
		Run: engine.Run{
			Targets: targets, Progress: progress,
			Warn: func(document engine.Document, problem error) { s.Warnf("%s", document.Say(problem)) },
		},
		session: s, flags: flags, words: words, baseline: baseline,
	}
	if _, run.responses = judge.Divide(targets); len(flags.targets) == 0 && !flags.advice.alone {
		run.responses = cli.WithOptions(harness.DirectResponses, flags.options.Of(day))
	}
	options := report.Options{
		AsGiven: !flags.normalized, Located: flags.errorFile != "", Baseline: baseline, Verbose: flags.verbose,
		Replaced: (&fileText{reader: flags.as.Reader(false)}).replaced,
		IsLarge:  func() bool { return run.isLarge },
	}
	run.Summary().Shard = flags.shard.String()
	if run.Sink, err = s.sink(flags.format, options, progress, run.text); err != nil {
		return nil, err
	}
	run.Judge = judge.Judge{
		Store: store, Coverage: &judge.Coverage{}, Raw: !flags.normalized, Lossless: flags.lossless, Requests: flags.requests,
		AsOf: day, ModelName: flags.when.Model, Parameters: parameters,
	}
	if err := flags.require.of(&run.Judge); err != nil {
		return nil, err
	}
	if baseline != nil {
		baseline.Named = inProject(flags.project)
	}
	if run.Advice, err = flags.adviceOf(); err != nil {
		return nil, err
	}
	run.Steps = run.steps()
	return run, nil
}

// text returns the sink of the format text.
func (r *checkRun) text(options report.Options) report.Sink { //nolint:ireturn // a sink like those of the formats
	if options.Located {
		return report.NewLocated(options)
	}
	names := make([]string, len(r.Targets))
	for i, target := range r.Targets {
		names[i] = target.Name()
	}
	next := r.next
	if r.flags.verbose || r.flags.diff || slices.Contains(r.words, "--call") {
		next = nil
	}
	return report.Check{
		Options: options, Targets: names, Diff: r.flags.diff, Quiet: r.flags.quiet, Places: r.flags.places, Next: next,
		Judgements: func(of *verdict.Tool) int {
			if of.IsResponse {
				return len(r.Responses)
			}
			return len(r.Targets)
		},
	}.Sink()
}

// steps returns the functions that are applied to each result before it is counted: the project
// excuses findings, the baseline to write records the others, and the baseline that was read excuses
// those that it lists.
func (r *checkRun) steps() []func(*verdict.Result) {
	asGiven := !r.flags.normalized
	var steps []func(*verdict.Result)
	if file := r.flags.project; file != nil {
		steps = append(steps, func(result *verdict.Result) { file.Apply(result, asGiven, provider.Today()) })
	}
	if r.flags.writeBaseline != "" {
		named := inProject(r.flags.project)
		steps = append(steps, func(result *verdict.Result) {
			for _, entry := range report.Entries(*result, asGiven) {
				if named != nil {
					entry.Source = named(entry.Source)
				}
				r.entries = append(r.entries, entry)
			}
		})
	}
	if r.baseline != nil {
		steps = append(steps, func(result *verdict.Result) { r.baseline.Excuse(result, asGiven) })
	}
	return steps
}

// all checks the tools of documents.
func (r *checkRun) all(ctx context.Context, documents []engine.Document) error {
	if err := r.Documents(ctx, documents); err != nil {
		return orInterrupted(ctx, err)
	}
	return r.finish()
}

// orInterrupted returns err, or the error of an interrupted run if the context has ended.
func orInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.Interrupted(ctx)
	}
	return err
}

// finish ends the output and writes the baseline. It returns the error that ends the program.
func (r *checkRun) finish() error {
	outcome, summary := r.outcome(), r.Summary()
	if outcome != nil {
		summary.Conforms = false
	}
	summary.Ignores = r.ignoresToMend()
	if r.Advice != nil && summary.Advice != nil {
		summary.Advice.Forms = r.Advice.Forms()
	}
	for _, ignore := range summary.Ignores {
		if ignore.Problem == report.Unused && r.flags.shard.IsPart() {
			continue // another part may use it
		}
		r.Warnf("%s:%d: %v", escape.Line(ignore.File), ignore.Line, ignore)
	}
	if file := r.flags.project; file != nil {
		summary.Requirements = file.Requirements
	}
	if file := r.flags.project; file != nil && len(file.Newer()) > 0 {
		r.Warnf("%s: rules that are newer than the requirements of %s warn and do not fail: %s", escape.Line(file.Name), file.Requirements, strings.Join(file.Newer(), ", "))
	}
	if err := r.End(); err != nil {
		return err
	}
	if err := r.endBaseline(); err != nil {
		return err
	}
	return outcome
}

// outcome returns the error that ends the run, or nil if the tools conform.
func (r *checkRun) outcome() error {
	summary := r.Summary()
	worst := summary.Worst()
	tooFew := cli.Usage("%s judged, --min-tools requires %d", report.Count(summary.Judged, "tool"), r.flags.minTools)
	switch {
	case worst == verdict.Error:
		return cli.Exit(cli.CodeBroken)
	case r.flags.shard.IsPart() && worst == verdict.NotApplicable: // the other parts have all of it
		return nil
	case r.flags.shard.IsPart():
		return cli.ExitFor(worst)
	case summary.Tools == 0 && summary.Passed != nil && worst == verdict.Fail:
		return cli.Fail(cli.CodeFails, fmt.Errorf("nothing else was checked: %v", summary.Passed))
	case summary.Tools == 0 && summary.Passed != nil && worst == verdict.Inconclusive:
		return cli.Fail(cli.CodeInconclusive, fmt.Errorf("nothing else was checked: %v", summary.Passed))
	case summary.Tools == 0 && summary.Passed != nil:
		return cli.Broken(fmt.Errorf("nothing was checked: %v, and the input has no other", summary.Passed))
	case summary.Tools == 0 && summary.Conversations > 0 && worst == verdict.NotApplicable:
		return cli.Fail(cli.CodeInconclusive, errors.New("nothing was judged: the request has no tools, and no rule is known about the rest of it"))
	case summary.Tools == 0 && summary.Conversations > 0:
		return cli.ExitFor(worst)
	case summary.Tools == 0 && worst == verdict.Inconclusive:
		return cli.Exit(cli.CodeInconclusive) // no server answered
	case summary.Tools == 0:
		return cli.Broken(cli.Hint(errors.New("nothing was checked: the input has no tool"), "verify check --help lists the forms of files"))
	case summary.Judged < r.flags.minTools && r.flags.minTools > usualTools:
		return tooFew
	case worst == verdict.Inconclusive:
		return cli.Exit(cli.CodeInconclusive)
	case summary.Judged < r.flags.minTools:
		return tooFew
	case worst == verdict.Fail && r.flags.writeBaseline != "":
		return r.outcomeBesideFailures() // the baseline excuses the failures from now on
	default:
		return cli.ExitFor(worst)
	}
}

// outcomeBesideFailures is the outcome of a run whose failures do not count.
func (r *checkRun) outcomeBesideFailures() error {
	for _, target := range slices.Concat(r.Targets, r.Responses) {
		if r.Summary().Of(target.Name()).Inconclusive > 0 {
			return cli.Exit(cli.CodeInconclusive)
		}
	}
	return nil
}

// endBaseline writes the baseline, or names the entries of the one that was read that no finding
// matched.
func (r *checkRun) endBaseline() error {
	if name := r.flags.writeBaseline; name != "" {
		count := 0
		err := cli.WriteFile("the baseline", name, func(out io.Writer) error {
			var text strings.Builder
			err := report.WriteBaseline(&text, r.entries)
			count = strings.Count(text.String(), "\n")
			_, wrote := io.WriteString(out, text.String())
			return errors.Join(err, wrote)
		})
		if err != nil {
			return err
		}
		r.Warnf("%s written to %s", report.Count(count, "finding"), name)
	}
	if r.baseline == nil || r.flags.shard.IsPart() { // other parts find the others
		return nil
	}
	stale := r.baseline.Stale()
	for _, entry := range stale {
		r.Warnf("%s: stale, no longer found: %s of %s in %s for %s at %s", r.flags.baseline, orNone(entry.Rule), entry.Tool, entry.Source, entry.Target, orRoot(string(entry.At)))
	}
	if len(stale) > 0 {
		r.Warnf("remove the stale lines from %s, or renew it with --write-baseline", r.flags.baseline)
	}
	return nil
}

// orNone returns a rule, or words for a finding that no rule explains.
func orNone(rule string) string {
	if rule == "" {
		return "a refusal that no rule explains"
	}
	return rule
}

func orRoot(at string) string {
	if at == "" {
		return "the root"
	}
	return at
}
