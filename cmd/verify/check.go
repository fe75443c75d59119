package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/project"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers"
	"toolproof/schema"
)

// checkFlags are the choices of verify check.
type checkFlags struct {
	targets       []string
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
	watch         bool
	advice        adviceFlags

	// project is the toolproof.json that the run goes by; nil means none. given are the
	// flags of the command line alone, and isWhole is set where these change nothing that is
	// checked.
	project *project.File
	given   *checkFlags
	isWhole bool
}

func newCheck(s *session) *cobra.Command {
	var flags checkFlags
	var configured projectFlags
	command := &cobra.Command{
		Use:   "check [FILE...] [-- COMMAND [ARGUMENT...]]",
		Short: "Check your own tools",
		Long: `check shows which dialects refuse your tools as they are, where, and what to write
instead. Without --target it checks the dialects that clients pass tools on to as they
are. With --normalized it checks what the normalizer of each target makes of the tools,
and what that loses.

It reads the result of MCP tools/list, and the tools of OpenAI, Gemini and Anthropic. It
also reads JSON Lines of {id, name, description, schema}, and a bare schema. All may be
YAML. Files may be compressed with gzip; - reads standard input. A folder, and a pattern
with **, are searched: files without tools are skipped and counted. After -- comes a
command that prints tools; docs/export.md has such commands.

Without a file and a command it checks all sources of toolproof.json, which verify init
writes. That file is looked for in the working folder, and above it in the repository. Its
targets, ignores and baseline hold for files on the command line, too; flags override them.
docs/config.md describes it. The configuration of an MCP client is another file: verify mcp
--config reads it.

The tools of a list are also judged in one request, as a client sends them. That checks
equal names, their number and their limits. JSON Lines, and tools with ids, are a
collection: each tool is a request of its own.

A prediction counts the constructs of the tools, and those that accepted recordings of the
dialect show. A construct is a keyword, the type of the values and the position. --verbose
names the others; --require seen makes such a tool inconclusive.

With --error it reads the answer of a provider, message or body. It shows the lines of
the tools that the answer means, and the rewrite that answers it. The words of the
message identify the provider. Exit code 2: the message names no place of the tools.

Some surfaces accept a part of a tool and ignore it. The model does not see the part then,
or nothing enforces it. Where that is known it is listed as ignored, and with --lossless
it is a failure.

With --advice it also says what no dialect refuses and models still get wrong: verify
advise --help describes it. It changes the exit code with --fail-on advice alone.

Exit code 1: a tool is refused; with --normalized: a normalized tool is refused; with
--lossless: a part is ignored. 2: a tool could not be read, a flag is wrong, or nothing
was checked. 3: nothing was learnt.`,
		Example: `  verify check
  verify check tools.json
  verify check --target gemini,openai-strict tools.json
  verify check --normalized --target 'gemini*' tools.json
  verify check --target gemini --as-of 2025-03 --model gemini-2.0-flash tools.json
  verify check --target openai --write-baseline baseline.jsonl tools.json
  verify check --target openai --baseline baseline.jsonl tools.json
  verify check --error answer.json tools.json
  verify check 'schemas/**/*.json'
  verify check --target gemini -- npx tsx print-tools.ts
  verify check --watch --target gemini tools.json
  some-server --list-tools | verify check --target gemini --json -`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.runCheck(command, flags, configured, arguments)
		},
	}
	flags.add(command)
	configured.add(command)
	command.Flags().BoolVar(&flags.watch, "watch", false, "check again when a file changes, until interrupted")
	command.MarkFlagsMutuallyExclusive("watch", "write-baseline")
	command.Flags().StringVar(&flags.errorFile, "error", "", "locate the error of a provider, from this file; - is standard input")
	command.MarkFlagsMutuallyExclusive("config", "error")
	return command
}

// usualPlaces is how many places of a rule are shown where nobody says it.
const usualPlaces = 2

// runCheck checks what a command line asks for, once or whenever it changes.
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
		name = "" // a message is of any target, and its tools are named
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

// add gives a command the flags, but for the one that reads an error.
func (flags *checkFlags) add(command *cobra.Command) {
	command.Flags().StringSliceVar(&flags.targets, "target", nil, "check for these targets: names, patterns such as openai*, or all (default: where tools go as they are)")
	flags.options.Add(command)
	flags.when.Add(command)
	flags.format.add(command, "one object per tool and target and a summary")
	command.Flags().BoolVar(&flags.requests, "requests", false, "add the requests that were judged; requires --json")
	flags.require.add(command)
	command.Flags().BoolVar(&flags.normalized, "normalized", false, "check the normalized tools, of all targets by default")
	command.Flags().BoolVar(&flags.raw, "raw", false, "")
	_ = command.Flags().MarkHidden("raw") // a synonym of what is the default now, for a release
	command.MarkFlagsMutuallyExclusive("raw", "normalized")
	command.Flags().BoolVar(&flags.diff, "diff", false, "show each tool as given and normalized")
	command.Flags().BoolVar(&flags.verbose, "verbose", false, "show every finding and every tool")
	command.Flags().IntVar(&flags.places, "limit", usualPlaces, "show this many places of each rule")
	command.Flags().BoolVar(&flags.quiet, "quiet", false, "show failures and the summary only")
	command.Flags().BoolVar(&flags.lossless, "lossless", false, "fail also where a surface ignores a part of a tool")
	command.Flags().IntVar(&flags.minTools, "min-tools", 1, "fail when fewer tools were judged")
	command.Flags().StringVar(&flags.baseline, "baseline", "", "fail only for findings that this file does not have")
	command.Flags().StringVar(&flags.writeBaseline, "write-baseline", "", "write the findings to this file, for --baseline")
	command.Flags().BoolVar(&flags.advice.wanted, "advice", false, "say also what no dialect refuses and models still get wrong, as verify advise does")
	flags.advice.add(command)
	_ = command.RegisterFlagCompletionFunc("target", completeTargets(true))
}

// check checks the tools of the files, and those that an exporter prints; without either
// those of the project. The words are flags of the command line.
func (s *session) check(ctx context.Context, flags checkFlags, files, exporter, words []string) error {
	run, err := s.newCheckRun(ctx, flags)
	if err != nil {
		return err
	}
	words = append([]string{flags.command()}, words...)
	if len(files)+len(exporter) == 0 {
		if flags.project == nil {
			return cli.Broken(cli.Hint(errors.New("a file is required"), "name one, or - for standard input; "+cli.ProgramName+" init writes toolproof.json, which names them"))
		}
		return run.checkProject(ctx, flags.project, words)
	}
	reads := toolfile.ReadFolded
	if flags.errorFile != "" {
		reads = toolfile.Read
	}
	documents, err := s.ReadAll(ctx, files, exporter, reads)
	if err != nil {
		return err
	}
	if flags.errorFile != "" {
		return run.pasted(ctx, documents, files)
	}
	words = append(words, files...)
	if len(exporter) > 0 {
		words = append(append(words, "--"), exporter...)
	}
	return run.all(ctx, documents, words)
}

// errRequestsAlone says what --requests needs.
var errRequestsAlone = cli.Usage("--requests requires --json")

// newCheckRun reads what a run needs besides the tools.
func (s *session) newCheckRun(ctx context.Context, flags checkFlags) (*checkRun, error) {
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
	names := flags.targets
	switch {
	case len(names) > 0 || flags.advice.alone:
	case flags.normalized || flags.errorFile != "": // a message can be of any
		names = []string{"all"}
	default:
		for _, target := range harness.Direct {
			names = append(names, target.Name())
		}
	}
	targets, err := targetsNamed(names, flags.options.Of(day))
	if err != nil {
		return nil, err
	}
	if model := flags.when.Model; model != "" {
		if instead := cli.TargetOfModel(model); instead != "" && !slices.ContainsFunc(targets, func(target judge.Target) bool { return !cli.IsOfAnother(target.Name(), instead) }) {
			return nil, cli.Broken(cli.Hint(fmt.Errorf("no target has the model %q", model), "did you mean --target "+instead+"?"))
		}
	}
	baseline, err := cli.AwaitBaseline(ctx, flags.baseline, ":", report.ReadBaseline)
	if err != nil {
		return nil, err
	}
	store, err := cli.RecordingsAsked()
	if err != nil {
		return nil, cli.Broken(err)
	}
	run := report.Run{AsGiven: !flags.normalized, Located: flags.errorFile != "", Baseline: baseline}
	form, err := s.renderer(flags.format, run)
	if err != nil {
		return nil, err
	}
	judging := judge.Judge{
		Store: store, Coverage: &judge.Coverage{}, Raw: !flags.normalized, Lossless: flags.lossless, Requests: flags.requests,
		AsOf: day, ModelName: flags.when.Model,
	}
	if err := flags.require.of(&judging); err != nil {
		return nil, err
	}
	if baseline != nil {
		baseline.Named = inProject(flags.project)
	}
	adviser, err := flags.adviser()
	if err != nil {
		return nil, err
	}
	return &checkRun{
		session: s, flags: flags, targets: targets, baseline: baseline, summary: report.NewSummary(),
		judge:    judging,
		adviser:  adviser,
		groups:   &report.Groups{Run: run, Places: flags.places},
		terminal: &report.Terminal{Out: s.Out, Color: s.Color, Diff: flags.diff, Quiet: flags.quiet, Unseen: flags.verbose, Baseline: baseline},
		form:     form,
	}, nil
}

// all checks the documents. The words are those of the command that would do so again,
// first its name.
func (r *checkRun) all(ctx context.Context, documents []cli.Document, words []string) error {
	if err := r.documents(ctx, documents); err != nil {
		return err
	}
	return r.finish(words)
}

// documents checks the tools of documents.
func (r *checkRun) documents(ctx context.Context, documents []cli.Document) error {
	tools := 0
	for _, document := range documents {
		tools += len(document.Tools)
	}
	r.progress = cli.NewProgress(r.Session, tools*r.judgements())
	for i, document := range documents {
		documents[i].Tools = nil // what is judged is let go
		if err := r.document(ctx, document); err != nil {
			return err
		}
	}
	r.progress.Clear()
	return nil
}

// targetsNamed returns the targets of the given names, as the options want them.
func targetsNamed(names []string, options normalizers.Options) ([]judge.Target, error) {
	var targets []judge.Target
	for _, name := range names {
		if name == "all" {
			targets = append(targets, harness.Targets...)
			continue
		}
		if family := familyOf(name); len(family) > 0 {
			targets = append(targets, family...)
			continue
		}
		target, err := harness.TargetNamed(name)
		if err != nil {
			var names []string
			for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
				names = append(names, target.Name())
			}
			if cli.Likely(name, names) != "" { // which says enough
				err = fmt.Errorf("unknown target %q", name)
			}
			return nil, cli.Broken(cli.Suggest(err, name, names, cli.ProgramName+" list targets describes them"))
		}
		targets = append(targets, target)
	}
	seen := map[string]bool{}
	var once []judge.Target
	for _, target := range targets {
		if seen[target.Name()] {
			continue
		}
		seen[target.Name()] = true
		if pipeline, ok := target.Normalizer.(*normalizers.Pipeline); ok {
			target.Normalizer = pipeline.With(options)
		}
		once = append(once, target)
	}
	return once, nil
}

// familyOf returns the targets whose names match a pattern; none where the name is no
// pattern.
func familyOf(pattern string) []judge.Target {
	if !strings.ContainsAny(pattern, "*?[") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(harness.Targets), func(target judge.Target) bool {
		matched, err := path.Match(pattern, target.Name())
		return err != nil || !matched
	})
}

// checkRun is one run of verify check.
type checkRun struct {
	*session
	flags    checkFlags
	targets  []judge.Target
	judge    judge.Judge
	adviser  *adviser // nil where nobody wants advice
	baseline *report.Baseline
	summary  *report.Summary
	terminal *report.Terminal
	groups   *report.Groups
	form     report.Renderer // that is used for all formats but text
	progress *cli.Progress
	entries  []report.Entry
}

// document checks the tools of one document and says what in it could not be read.
func (r *checkRun) document(ctx context.Context, document cli.Document) error {
	requests := document.Requests()
	document.Tools = nil
	if len(r.targets) > 0 {
		if err := r.judgeAll(ctx, requests, document.Source); err != nil {
			return err
		}
	}
	if r.adviser != nil {
		if err := r.advise(ctx, requests, document.Source); err != nil {
			return err
		}
	}
	for _, problem := range document.Problems() {
		r.progress.Clear()
		r.Warnf("%s", document.Say(problem))
		if err := r.problem(document.Source, problem); err != nil {
			return err
		}
	}
	return nil
}

// judgeAll judges the tools of the requests of a document, and each request.
func (r *checkRun) judgeAll(ctx context.Context, requests [][]toolfile.Tool, source string) error {
	var all []asked
	var several [][]judge.Together
	for i, request := range requests {
		tools, err := r.request(ctx, request, source)
		if err != nil {
			return err
		}
		all = append(all, tools...)
		if len(tools) > 1 {
			several = append(several, tools[0].together)
		}
		if r.adviser == nil {
			requests[i] = nil // what is judged is let go
		}
	}
	if err := r.tools(ctx, all); err != nil {
		return err
	}
	for _, together := range several {
		if err := r.wholeRequest(together, source); err != nil {
			return err
		}
	}
	return nil
}

// asked is a tool to check, which is sent together with others.
type asked struct {
	toolfile.Tool

	source   string
	index    int              // in the request
	together []judge.Together // by target; nil for a tool that is sent alone
	memory   *judge.Memory
	isLarge  bool
}

// large is the size of a tool, in values, from which on no other is judged beside it.
const large = 20_000

// request returns the tools that are sent together, with what is said to all in one
// request.
func (r *checkRun) request(ctx context.Context, tools []toolfile.Tool, source string) ([]asked, error) {
	type answer struct {
		together judge.Together
		err      error
	}
	size := 0
	for _, tool := range tools {
		size += tool.Size()
	}
	of := r.judge
	if size <= large { // what is made of a large request is large, too
		of.Memory = &judge.Memory{}
	}
	var together []judge.Together
	if len(tools) > 1 {
		together = make([]judge.Together, len(r.targets))
		never := func(int) bool { return false }
		for i, got := range inOrder(ctx, len(r.targets), never, func(i int) answer {
			together, err := of.Request(ctx, tools, r.targets[i])
			return answer{together, err}
		}) {
			if got.err != nil {
				return nil, got.err
			}
			together[i] = got.together
		}
	}
	all := make([]asked, len(tools))
	for i, tool := range tools {
		all[i] = asked{Tool: tool, source: source, index: i, together: together, memory: of.Memory, isLarge: tool.Size() > large}
		if of.Memory == nil && !all[i].isLarge {
			all[i].memory = &judge.Memory{} // of its own, which ends with it
		}
	}
	return all, nil
}

// tools checks each tool for each target.
func (r *checkRun) tools(ctx context.Context, tools []asked) error {
	works := r.works(tools)
	judged := func(i int) []verdict.Result { return r.judged(ctx, tools[works[i].tool], works[i]) }
	isLarge := func(i int) bool { return tools[works[i].tool].isLarge }
	var seen judgement
	count := 0
	for i, results := range inOrder(ctx, len(works), isLarge, judged) {
		if ctx.Err() != nil {
			break
		}
		work := works[i]
		if work.from == 0 {
			seen = judgement{judged: true}
		}
		for len(results) > 0 {
			for _, result := range results {
				if r.adviser != nil {
					r.adviser.note(work.tool, tools[work.tool].Tool, result)
				}
				if err := r.result(result, &seen); err != nil {
					return err
				}
			}
			work.from += len(results)
			results = r.judged(ctx, tools[work.tool], work)
			if ctx.Err() != nil {
				return cli.Interrupted(ctx)
			}
		}
		if work.to == len(r.targets) {
			if err := r.ended(tools[work.tool], seen); err != nil {
				return err
			}
			tools[work.tool] = asked{} // it is not held until the last one is judged
		}
		count = i + 1
	}
	if count < len(works) {
		return cli.Interrupted(ctx)
	}
	return nil
}

// work is a tool that is judged for the targets from one index to another.
type work struct{ tool, from, to int }

// small is the size of a tool, in values, up to which its results for all targets are held
// together.
const small = toolfile.MostFolded

// works returns what is judged in one go. Each takes one core: to hand over and to order
// the results of single targets costs as much as some of them.
func (r *checkRun) works(tools []asked) []work {
	var works []work
	for i, tool := range tools {
		if tool.Size() <= small {
			works = append(works, work{i, 0, len(r.targets)})
			continue
		}
		for target := range r.targets {
			works = append(works, work{i, target, target + 1})
		}
	}
	return works
}

// judged returns the results of a tool for the targets of a work: those that are held
// together, and none where the work is done. A small tool can make large ones.
func (r *checkRun) judged(ctx context.Context, tool asked, work work) []verdict.Result {
	of := r.judge
	of.Memory, tool.Tool = tool.memory, tool.Unfolded()
	results := make([]verdict.Result, 0, work.to-work.from)
	size := 0
	for target := work.from; target < work.to && size <= large; target++ {
		var together judge.Together
		if tool.together != nil {
			together = tool.together[target]
		}
		subject := subjectOf(tool.Tool, tool.source, together.Shared[tool.index])
		result := of.Tool(ctx, subject, r.targets[target])
		together.Amend(&result, tool.index, !r.flags.normalized)
		if tool.Line == 0 {
			withoutLines(&result)
		}
		results = append(results, result)
		if made := result.Sides().Normalized; made != nil {
			size += made.Tool.Size() + len(made.Changes)
		}
	}
	return results
}

// withoutLines takes the lines out of the findings about a tool that is in no file.
func withoutLines(result *verdict.Result) {
	var answers []*verdict.Answer
	sides := result.Sides()
	if sides.Raw != nil {
		answers = append(answers, sides.Raw)
	}
	if sides.Normalized != nil {
		answers = append(answers, &sides.Normalized.Answer)
	}
	for _, answer := range answers {
		for _, findings := range [][]verdict.Finding{answer.Findings, answer.Ignored} {
			for i := range findings {
				findings[i].Line, findings[i].Column = 0, 0
			}
		}
	}
}

// wholeRequest counts and writes what each target says to a request of several tools that
// is about none of them.
func (r *checkRun) wholeRequest(together []judge.Together, source string) error {
	for i, target := range r.targets {
		result, isRefused := together[i].Result(source, target, !r.flags.normalized)
		if !isRefused {
			continue
		}
		if err := r.result(result, &judgement{}); err != nil {
			return err
		}
	}
	return nil
}

// subjectOf returns a tool of a document as it is judged, as what it becomes in its request.
func subjectOf(tool toolfile.Tool, source string, shared judge.Shared) judge.Subject {
	return judge.Subject{Tool: tool, Source: source, Shared: shared}
}

// problem counts what is wrong with a document, which costs each target a verdict.
func (r *checkRun) problem(source string, problem error) error {
	line := 0
	if syntax, ok := errors.AsType[*schema.SyntaxError](problem); ok {
		line = int(syntax.Position.Line)
	}
	for _, result := range r.without(verdict.Error) {
		result.Source, result.Line, result.Error = source, line, problem.Error()
		r.summary.Add(result)
		if !r.flags.format.isText() {
			if err := r.form.Result(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// without returns the result of nothing yet for each target, or else for the advice.
func (r *checkRun) without(status verdict.Status) []verdict.Result {
	if r.flags.advice.alone {
		return []verdict.Result{{Target: verdict.AdviceTarget, Status: status, Kind: &verdict.Advice{}}}
	}
	results := make([]verdict.Result, len(r.targets))
	for i, target := range r.targets {
		results[i] = verdict.Result{Target: target.Name(), Dialect: target.Dialect.Name, Status: status, Kind: verdict.Source{}}
	}
	return results
}

// judgement is what is known of a tool once it is judged for every target.
type judgement struct {
	judged   bool // for every target so far
	outcomes []report.Outcome
}

// result counts and writes one result.
func (r *checkRun) result(result verdict.Result, seen *judgement) error {
	if r.flags.advice.alone && result.Advice() == nil { // what the surface drops is noted
		r.progress.Step()
		return nil
	}
	if file := r.flags.project; file != nil {
		file.Apply(&result, !r.flags.normalized, provider.Today())
	}
	if r.flags.writeBaseline != "" {
		r.entries = append(r.entries, r.entriesOf(result)...)
	}
	if r.baseline != nil {
		r.baseline.Excuse(&result, !r.flags.normalized)
	}
	seen.judged = seen.judged && result.Sides().Normalized != nil
	r.summary.Add(result)
	if r.isOverview() && result.Advice() == nil {
		seen.outcomes = append(seen.outcomes, report.OutcomeOf(result, !r.flags.normalized))
	}
	if err := r.write(result); err != nil {
		return err
	}
	if result.Request() == nil {
		r.progress.Step()
	}
	return nil
}

// entriesOf returns the lines of a baseline for what a result fails for.
func (r *checkRun) entriesOf(result verdict.Result) []report.Entry {
	entries := report.Entries(result, !r.flags.normalized)
	if named := inProject(r.flags.project); named != nil {
		for i := range entries {
			entries[i].Source = named(entries[i].Source)
		}
	}
	return entries
}

// ended counts a tool that is judged for every target, and shows its outcome.
func (r *checkRun) ended(tool asked, seen judgement) error {
	if r.flags.advice.alone {
		return nil // the advice counts it
	}
	r.summary.Tools++
	if tool.Err == nil {
		r.summary.Read++
	}
	if seen.judged {
		r.summary.Judged++
	}
	if !r.isOverview() {
		return nil
	}
	r.progress.Clear()
	r.terminal.Outcomes(tool.source, tool.Line, tool.Name, seen.outcomes)
	return r.terminal.Err()
}

// isOverview reports whether a line is about several targets.
func (r *checkRun) isOverview() bool {
	return len(r.targets) > 1 && r.flags.verbose && !r.flags.diff && r.flags.format.isText()
}

// isGrouped reports whether findings are shown by rule, and not by tool.
func (r *checkRun) isGrouped() bool {
	return !r.flags.verbose && !r.flags.diff && r.flags.format.isText()
}

// write shows a result. An overview shows those that fail.
func (r *checkRun) write(result verdict.Result) error {
	switch {
	case !r.flags.format.isText():
		return r.form.Result(result)
	case r.isGrouped() && result.Status < verdict.Error && result.Status != verdict.Inconclusive:
		r.groups.Add(result)
		return nil
	case r.isOverview() && result.Status <= verdict.KnownFailure && result.Advice() == nil:
		return nil
	default:
		r.progress.Clear()
		r.terminal.Result(result)
		return r.terminal.Err()
	}
}

func (r *checkRun) finish(command []string) error {
	outcome := r.outcome()
	if outcome != nil {
		r.summary.Conforms = false
	}
	r.summary.Ignores = r.ignoresToMend()
	if r.adviser != nil && r.summary.Advice != nil {
		r.summary.Advice.Forms = r.adviser.forms
	}
	for _, ignore := range r.summary.Ignores {
		r.Warnf("%s:%d: %v", escape.Line(ignore.File), ignore.Line, ignore)
	}
	switch {
	case !r.flags.format.isText():
		if err := r.form.Summary(r.summary); err != nil {
			return err
		}
	case r.summary.Tools > 0:
		if r.isGrouped() {
			r.terminal.Groups(r.groups)
		}
		r.terminal.CheckSummary(r.summary, !r.flags.normalized)
		fmt.Fprintf(r.Out, "again: %s\n", r.again(command))
		if err := r.terminal.Err(); err != nil {
			return err
		}
	}
	if err := r.endBaseline(); err != nil {
		return err
	}
	return outcome
}

// outcome returns the error that ends the run, or nil when the tools conform.
func (r *checkRun) outcome() error {
	worst := r.summary.Worst()
	switch {
	case worst == verdict.Error:
		return cli.Exit(cli.CodeBroken)
	case r.summary.Tools == 0 && worst == verdict.Inconclusive:
		return cli.Exit(cli.CodeInconclusive) // no server answered
	case r.summary.Tools == 0:
		return cli.Broken(cli.Hint(errors.New("nothing was checked: the input has no tool"), cli.ProgramName+" check --help lists the forms of files"))
	case worst == verdict.Inconclusive:
		return cli.Exit(cli.CodeInconclusive)
	case r.summary.Judged < r.flags.minTools:
		return cli.Usage("%s judged, --min-tools requires %d", report.Count(r.summary.Judged, "tool"), r.flags.minTools)
	case worst == verdict.Fail && r.flags.writeBaseline != "":
		return r.outcomeBesideFailures() // what fails now is what the baseline is for
	default:
		return cli.ExitFor(worst)
	}
}

// outcomeBesideFailures is the outcome of a run whose failures are let pass.
func (r *checkRun) outcomeBesideFailures() error {
	for _, target := range r.targets {
		if r.summary.Of(target.Name()).Inconclusive > 0 {
			return cli.Exit(cli.CodeInconclusive)
		}
	}
	return nil
}

// again returns the command that shows more of one target: the one with the worst outcome,
// or the first. Of advice alone it is the same command.
func (r *checkRun) again(command []string) string {
	flags := r.flags
	if flags.given != nil { // the project says the others again
		flags = *flags.given
	}
	words := []string{command[0]}
	if flags.advice.alone {
		for _, name := range flags.targets {
			words = append(words, "--target", name)
		}
	} else {
		target := slices.MaxFunc(r.targets, func(a, b judge.Target) int {
			return cmp.Compare(r.summary.Of(a.Name()).Worst(), r.summary.Of(b.Name()).Worst())
		})
		words = append(words, "--target", target.Name())
	}
	words = append(append(words, "--verbose"), flags.advice.words()...)
	if flags.normalized {
		words = append(words, "--normalized")
	}
	if flags.lossless {
		words = append(words, "--lossless")
	}
	if flags.minTools != 1 {
		words = append(words, "--min-tools", strconv.Itoa(flags.minTools))
	}
	words = append(words, flags.options.Words()...)
	for _, flag := range []struct{ name, value string }{
		{"--as-of", flags.when.AsOf}, {"--model", flags.when.Model}, {"--require", flags.require.value}, {"--baseline", flags.baseline},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	words = append(words, command[1:]...)
	for i, word := range words {
		words[i] = cli.ShellQuote(word)
	}
	return cli.ProgramName + " " + strings.Join(words, " ")
}

// endBaseline writes the baseline, or names what in it is stale.
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
	if r.baseline == nil {
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

// orNone names a finding that no rule explains.
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
