package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
)

// Run is a run that asks providers. Begin opens its accounts.
type Run struct {
	*session
	Flags     Flags
	Days      int // largest age of a recording that replaces an answer
	Store     *recording.Store
	Budget    *live.Budget
	clients   *clients
	Accounts  []*Account
	surfaces  []*surface
	inquiries []*inquiry // in the order of the results
	tools     int
	Emulated  bool // whether the emulator gave an answer
	progress  *cli.Progress
}

// Account is a provider to ask.
type Account struct {
	live.Provider
	Service *live.Service
	Model   string
	version string // release of an engine's server; "" if unknown
	Targets []judge.Target
	Missing error // why it cannot be asked, or nil
}

// IsFresh reports whether a recording may replace an answer. A recording of the same release of an
// engine always may.
func (a *Account) IsFresh(recorded *recording.Recording, days int) bool {
	if recorded != nil && recorded.Grade == recording.Recorded && a.version != "" && strings.HasSuffix(recorded.Source, a.Source(a.version)) {
		return true
	}
	return judge.IsFresh(recorded, days)
}

// AsOf returns the day whose rules the account's release of a surface follows; "" means today.
func (a *Account) AsOf(dialect *provider.Dialect) provider.Date {
	if a.version == "" {
		return ""
	}
	return live.Released(dialect, a.version)
}

// meet asks the server of an engine for its release and model, and completes the options. If the
// server does not answer, the account is Missing.
func (a *Account) meet(ctx context.Context, options *live.Options) {
	server, err := a.Ask(ctx, *options)
	if err != nil {
		a.Missing, options.Model = err, cmp.Or(options.Model, "none") // not used
		return
	}
	options.Model, options.Version = server.Model, server.Version
	a.Model, a.version = server.Model, server.Version
}

// surface is a surface of a provider with the inquiries about it.
type surface struct {
	account   *Account
	dialect   *provider.Dialect
	client    *live.Client
	inquiries []*inquiry
}

func (s *surface) questions() []live.Question {
	questions := make([]live.Question, len(s.inquiries))
	for i, inquiry := range s.inquiries {
		questions[i].Declarations = inquiry.Request.Declarations
		if inquiry.Recorded != nil {
			questions[i].Known = provider.Rejected
			if inquiry.Recorded.Accepted() {
				questions[i].Known = provider.Accepted
			}
		}
	}
	return questions
}

// inquiry is an inquiry with its result.
type inquiry struct {
	judge.Inquiry
	judge  judge.Judge
	result verdict.Result
	tool   int // counts from 0
}

// connect returns the accounts of the providers that the flags name. An account without a key is
// Missing.
func (r *Run) connect(ctx context.Context) ([]*Account, error) {
	var accounts []*Account
	for _, name := range r.Flags.providers {
		known, err := live.ProviderNamed(name)
		if err != nil {
			return nil, cli.Broken(cli.Suggest(err, name, providerNames(), "verify live --help describes them"))
		}
		if slices.ContainsFunc(accounts, func(other *Account) bool { return other.Name == name }) {
			continue
		}
		known = r.recognized(ctx, known)
		account := &Account{Provider: known, Model: cmp.Or(r.Flags.model, known.Model)}
		if account.Targets, err = r.targetsOf(known); err != nil {
			return nil, err
		}
		options := live.Options{
			Provider: known.Name, Model: r.Flags.model, BaseURL: r.Flags.BaseURL, Insecure: r.Flags.insecure, PerMinute: r.Flags.perMinute, Concurrency: r.Flags.Concurrency,
			Single: r.Flags.single, Timeout: r.Flags.timeout, Retry: live.Retry{First: r.Flags.retryWait}, Budget: r.Budget,
			Clients: r.clients,
		}
		account.authorize(&options)
		if r.Flags.DryRun && account.Missing != nil {
			options.Key, account.Missing = "none", nil // not used
		}
		if known.Engine != nil {
			if r.Flags.DryRun {
				account.Model = cmp.Or(account.Model, "the first model")
				options.Model = account.Model
			} else {
				account.meet(ctx, &options)
			}
		}
		if r.Flags.Record != "" {
			if known.Loose {
				return nil, cli.Usage("--record does not work with %s, which is no provider", name)
			}
			options.Record = func(exchange live.Exchange) error { return r.record(account, exchange) }
		} else if r.Flags.Explore { // a recorded refusal is about one declaration only
			options.Record = func(live.Exchange) error { return nil }
		}
		if account.Service, err = live.Connect(options); err != nil {
			return nil, cli.Broken(err)
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

// recognized returns the engine that runs on the user's own server, or the provider itself if the server
// is none of a known engine. If the flags name targets, the server is not asked.
func (r *Run) recognized(ctx context.Context, known live.Provider) live.Provider {
	if !known.Loose || r.Flags.DryRun || r.Flags.BaseURL == "" || !slices.Contains(r.Flags.Targets, "all") {
		return known
	}
	options := live.Options{BaseURL: r.Flags.BaseURL, Insecure: r.Flags.insecure, Timeout: r.Flags.timeout}
	engine, ok := live.Recognize(ctx, options)
	if !ok {
		return known
	}
	r.Warnf("the server at %s is %s: it is asked as --provider %s", r.Flags.BaseURL, engine.Engine.Title, engine.Name)
	return engine
}

// authorize takes the key from the environment, or sets Missing.
func (a *Account) authorize(options *live.Options) {
	if a.Name == "vertex" {
		options.Project = os.Getenv("GOOGLE_CLOUD_PROJECT")
		options.Location = cmp.Or(os.Getenv("GOOGLE_CLOUD_LOCATION"), os.Getenv("GOOGLE_CLOUD_REGION"), "global")
		if options.Project != "" {
			return
		}
	}
	for _, name := range a.Keys {
		if options.Key = os.Getenv(name); options.Key != "" {
			options.KeyName = name
			return
		}
	}
	if !a.Loose && a.Engine == nil {
		a.Missing = fmt.Errorf("%s was not asked, for lack of a key: set %s", a.Name, strings.Join(a.Keys, " or "))
	}
}

// targetsOf returns the chosen targets that a provider serves.
func (r *Run) targetsOf(known live.Provider) ([]judge.Target, error) {
	targets, err := cli.TargetsNamed(r.Flags.Targets, normalizers.Options{})
	if err != nil {
		return nil, err
	}
	served := slices.DeleteFunc(targets, func(target judge.Target) bool { return !known.Serves(target.Dialect) })
	if known.Loose && slices.Contains(r.Flags.Targets, "all") {
		served = served[:1] // all such servers have Chat Completions
	}
	if len(served) == 0 && slices.Contains(r.Flags.Targets, "all") && (r.Flags.Raw || r.Flags.Explore) { // for runs that need no normalizer
		served = slices.DeleteFunc(slices.Clone(harness.Surfaces), func(target judge.Target) bool {
			return !known.Serves(target.Dialect) || target.Dialect.Subject != provider.Arguments
		})
	}
	if len(served) == 0 {
		return nil, cli.Usage("%s serves none of the targets %s", known.Name, strings.Join(r.Flags.Targets, ", "))
	}
	return served, nil
}

// subject is a tool to inquire about. It reports false if it is not for the target.
type subject func(judge.Judge, judge.Target) (inquiry judge.Inquiry, ok bool)

// subjects returns the tools of the files, or the fixtures if there are none, as far as they belong to
// the shard.
func (r *Run) subjects(ctx context.Context, arguments []string) ([]subject, error) {
	err := r.Flags.shard.Choose(r.Warnf)
	if err != nil {
		return nil, err
	}
	var all []subject
	if len(arguments) == 0 {
		all, err = r.fixtureSubjects(ctx)
	} else {
		all, err = r.toolSubjects(ctx, arguments)
	}
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && !r.Flags.shard.IsPart() {
		return nil, cli.Broken(errors.New("no request is sent: the input has no tool"))
	}
	return all, nil
}

func (r *Run) fixtureSubjects(ctx context.Context) ([]subject, error) {
	data, err := cli.LoadEmbedded()
	if err != nil {
		return nil, cli.Broken(err)
	}
	chosen, err := cli.FixturesLike(data.Fixtures, r.Flags.fixture)
	if err != nil {
		return nil, err
	}
	chosen = slices.DeleteFunc(chosen, func(fixture *fixture.Fixture) bool { return !r.Flags.shard.Has(fixture.ID) })
	subjects := make([]subject, len(chosen))
	for i, fixture := range chosen {
		subjects[i] = func(of judge.Judge, target judge.Target) (judge.Inquiry, bool) {
			return of.InquireFixture(ctx, fixture, target)
		}
	}
	return subjects, nil
}

func (r *Run) toolSubjects(ctx context.Context, arguments []string) ([]subject, error) {
	documents, err := r.ReadWith(ctx, arguments, r.Flags.as.Reader(false))
	if err != nil {
		return nil, err
	}
	hasResponses := cli.HaveResponses(documents)
	var subjects []subject
	for _, document := range documents {
		if problems := document.Problems(); len(problems) > 0 {
			err := errors.New(document.Say(problems[0]))
			if r.Flags.Record == recordHere && len(document.Tools) == 0 {
				err = cli.Hint(err, "write the folder of recordings as --record=FOLDER")
			}
			return nil, cli.Broken(err)
		}
		for _, request := range document.Requests() {
			shared := map[string]map[int]judge.Shared{} // by target
			for i, tool := range request {
				if !r.Flags.shard.Has(document.Source, tool.ID, tool.Name) {
					continue
				}
				subjects = append(subjects, func(of judge.Judge, target judge.Target) (judge.Inquiry, bool) {
					if hasResponses && !target.IsFor(tool) {
						return judge.Inquiry{}, false
					}
					if shared[target.Name()] == nil && target.Normalizer != nil {
						shared[target.Name()] = of.Shared(ctx, request, target)
					}
					return of.Inquire(ctx, judge.Subject{Tool: tool, Source: document.Source, Shared: shared[target.Name()][i]}, target), true
				})
			}
		}
	}
	return subjects, nil
}

// prepare makes the inquiries about all subjects and distributes them over the surfaces.
func (r *Run) prepare(ctx context.Context, subjects []subject) error {
	r.tools = len(subjects)
	for tool, inquire := range subjects {
		for _, account := range r.Accounts {
			for _, target := range account.Targets {
				of := judge.Judge{Store: r.Store, Raw: r.Flags.Raw, ModelName: account.Model, Parameters: target.Dialect.NeededBy(account.Model), AsOf: account.AsOf(target.Dialect)}
				found, ok := inquire(of, target)
				if !ok {
					continue
				}
				pending := &inquiry{Inquiry: found, judge: of, result: found.Result, tool: tool}
				r.inquiries = append(r.inquiries, pending)
				if err := r.file(ctx, account, pending); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ErrEnds is the error of a declaration that is not sent because it would end the server.
var ErrEnds = errors.New("not sent, because the model predicts that the server ends without an answer")

// WouldEnd reports whether the model of a surface predicts that the request ends the server, which
// other people may be using.
func WouldEnd(ctx context.Context, dialect *provider.Dialect, day provider.Date, request provider.Request) bool {
	model := provider.Model{Dialect: dialect, AsOf: day}
	predicted, err := model.Send(ctx, request)
	return err == nil && engines.Ends(predicted)
}

// file adds an inquiry to its surface, unless it is already answered or cannot be asked.
func (r *Run) file(ctx context.Context, account *Account, pending *inquiry) error {
	switch {
	case pending.Dialect == nil:
		return nil
	case pending.result.Fixture() != nil && len(pending.Request.Declarations[0].JSON()) > live.MaxBytes:
		pending.result.Status, pending.result.Error = verdict.NotApplicable, "larger than models can read: not sent"
		r.Warnf("%s for %s is larger than models can read, and is not sent", pending.result.ID, pending.result.Target)
		return nil
	case account.Missing != nil:
		pending.result = pending.judge.Answer(ctx, pending.Inquiry, provider.Response{}, false, account.Missing)
		return nil //nolint:nilerr // the result has the error
	case (r.Flags.Record != "" || r.Flags.MaxAge != "") && account.IsFresh(pending.Recorded, r.Days):
		answer, err := pending.Recorded.Answer(pending.Dialect)
		if err != nil {
			return err
		}
		pending.result = pending.judge.Answer(ctx, pending.Inquiry, answer, false, nil)
		return nil
	case WouldEnd(ctx, pending.Dialect, pending.judge.AsOf, pending.Request):
		pending.result = pending.judge.Answer(ctx, pending.Inquiry, provider.Response{}, false, ErrEnds)
		return nil
	}
	i := slices.IndexFunc(r.surfaces, func(other *surface) bool { return other.account == account && other.dialect == pending.Dialect })
	if i < 0 {
		client, err := account.Service.Client(pending.Dialect)
		if err != nil {
			account.Missing = err
			return r.file(ctx, account, pending)
		}
		added := &surface{account: account, dialect: pending.Dialect, client: client}
		i = len(r.surfaces)
		r.surfaces = append(r.surfaces, added)
	}
	r.surfaces[i].inquiries = append(r.surfaces[i].inquiries, pending)
	return nil
}

// plan prints what will be sent and what it costs at most, with --dry-run on standard output.
func (r *Run) plan() error {
	var lines []string
	requests, dollars, isKnown := 0, 0.0, true
	for _, surface := range r.surfaces {
		plan := surface.client.Plan(surface.questions())
		requests, dollars = requests+plan.MostRequests, dollars+plan.MostDollars
		line := fmt.Sprintf("%s, %s: %s in %s and %s", surface.name(), surface.account.Model,
			report.Count(plan.Declarations, "declaration"), report.Count(plan.Requests, "request"), report.Count(plan.Controls, "control"))
		if price, ok := live.PriceOf(surface.account.Model); ok {
			lines = append(lines, fmt.Sprintf("%s, for at most %s when all are accepted (price of %s)", line, live.Money(plan.Dollars), price.Date))
			continue
		}
		if surface.account.Engine != nil {
			lines = append(lines, line+", on a server of your own")
			continue
		}
		isKnown = false
		if r.Flags.maxCost.most != nil {
			return cli.Broken(cli.Hint(fmt.Errorf("--max-cost does not work with %s, whose price is unknown", surface.account.Model), "bound the run with --max-requests"))
		}
		lines = append(lines, line+", whose price is not known")
	}
	if len(r.surfaces) > 0 {
		cost := "at a price that is not known"
		if isKnown {
			cost = "for " + live.Money(dollars)
		}
		line := fmt.Sprintf("at most %s %s, where many are refused; repeated ones come on top", report.Count(requests, "request"), cost)
		if r.Flags.maxRequests > 0 {
			line += fmt.Sprintf("; no more than %d are sent", r.Flags.maxRequests)
		}
		if r.Flags.maxCost.most != nil {
			line += "; no more than " + live.Money(*r.Flags.maxCost.most) + " is spent"
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		if r.Flags.DryRun {
			fmt.Fprintln(r.Out, line)
		} else {
			r.Warnf("%s", line)
		}
	}
	return nil
}

// name returns the name of the surface in results, which for an OpenAI-compatible server is not
// OpenAI's.
func (s *surface) name() string {
	if s.account.Loose {
		return s.account.Name + strings.TrimPrefix(s.dialect.Name, s.dialect.Service())
	}
	return s.dialect.Name
}

// ask asks about all inquiries of a surface.
func (r *Run) ask(ctx context.Context, surface *surface) error {
	return surface.client.Judge(ctx, surface.questions(), func(question int, outcome live.Outcome) {
		inquiry := surface.inquiries[question]
		inquiry.result = inquiry.judge.Answer(ctx, inquiry.Inquiry, outcome.Response, outcome.Changed, outcome.Err)
		inquiry.result.Dialect = surface.name()
		r.Emulated = r.Emulated || outcome.Err == nil && outcome.Response.Evidence == provider.Predicted
		r.progress.Step()
	})
}

// record writes an answer as a recording.
func (r *Run) record(from *Account, exchange live.Exchange) error {
	grade := recording.Recorded
	switch {
	case exchange.Emulated:
		grade = recording.Emulated
	case exchange.Relayed:
		grade = recording.Relayed
	}
	source := "verify live --provider " + from.Name
	if exchange.Host != "" {
		source += ", " + exchange.Host
	}
	if from.version != "" && !exchange.Emulated {
		source = from.Source(from.version)
	}
	if r.Flags.Explore {
		source = recording.Explored + " --provider " + strings.TrimPrefix(source, "verify live --provider ")
	}
	folder := recording.Folder{Path: r.Flags.Record, Secrets: cli.KeysOfEnvironment()}
	_, err := folder.Write(recording.Answered{
		Request: exchange.Request, Renamed: exchange.Renamed, Grade: grade, Source: source, Date: exchange.Response.Date, Model: exchange.Model, Parameters: exchange.Parameters,
		Status: exchange.Response.Status, Body: exchange.Body, Headers: exchange.Header,
	})
	return err
}

// finish counts the results and writes them in the order of the tools.
func (r *Run) finish() error {
	options := report.Options{Out: r.Out, Color: r.Color}
	run := &engine.Run{Sink: report.NewLive(options)}
	if r.Flags.AsJSON {
		run.Sink = report.NewJSON(r.Out)
	}
	byTool := make([][]verdict.Result, r.tools)
	for _, inquiry := range r.inquiries {
		byTool[inquiry.tool] = append(byTool[inquiry.tool], inquiry.result)
	}
	for _, results := range byTool {
		if err := run.Tool(results); err != nil {
			return err
		}
	}
	if err := run.End(); err != nil {
		return err
	}
	if requests, dollars := r.Budget.Spent(); requests > 0 {
		r.Warnf("%s sent, for at most %s", report.Count(requests, "request"), live.Money(dollars))
	}
	if r.Emulated {
		r.Warnf("the emulator answered: this is no evidence of what a provider does")
	}
	return cli.ExitFor(run.Summary().Worst())
}
