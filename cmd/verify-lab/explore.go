package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/lab/explore"
	"toolproof/schema"
)

// exploring is a surface that is explored.
type exploring struct {
	account  *ask.Account
	dialect  *provider.Dialect
	survey   *explore.Survey
	requests int
}

func newExplore(s *session) *cobra.Command {
	flags := ask.Flags{Explore: true}
	var isOfConversations bool
	command := &cobra.Command{
		Use:   "explore --provider NAME [FILE...]",
		Short: "Ask a provider what is still unknown about its surfaces",
		Long: `explore asks a provider what is still unknown about its surfaces: which constructs (a
keyword, the type of its values and its position) they take, and whether the rules of
their models hold. Constructs in the tools of the files come first, then those in public
tools; constructs that are probably accepted share a request. explore prints where the
answers differ from the model, and which rule to write. With --record, a later run
continues where this one ended. verify live --help describes keys, servers and costs.

With --conversations, it asks about requests in place of declarations: it sends what some
service is known to refuse, such as a call without its result, and prints where the answer
differs from the rules about requests, or where there is no rule.

Exit codes:
  0  everything is known, and the models agree
  1  an answer differs from the model
  2  a file could not be read, or a flag is wrong
  3  something is still unknown`,
		Example: `  verify-lab explore --provider openai --max-requests 60 --record tools.json`,
		RunE: func(command *cobra.Command, files []string) error {
			run, err := ask.Begin(command.Context(), s.Session, flags)
			if err != nil {
				return err
			}
			defer run.Close()
			if isOfConversations {
				return (&explorer{run}).conversations(command.Context())
			}
			return (&explorer{run}).explore(command.Context(), files)
		},
	}
	flags.Add(command)
	flags.AddRecord(command)
	command.Flags().BoolVar(&isOfConversations, "conversations", false, "ask about messages, results and parameters in place of declarations")
	return command
}

// explorer is one run of verify-lab explore.
type explorer struct{ *ask.Run }

// explore asks what is unknown of the surfaces of the accounts, the most valued first, and
// says where the answers differ from the models.
func (r *explorer) explore(ctx context.Context, files []string) error {
	surveys, err := r.surveys(ctx, files)
	if err != nil {
		return err
	}
	if r.Flags.DryRun {
		for _, surface := range surveys {
			questions := surface.survey.Questions(ctx)
			fmt.Fprintf(r.Out, "%s, %s: %d constructs and rules in %s\n", surface.dialect.Name, surface.account.Model,
				len(surface.survey.Cells), report.Count(len(questions), "declaration"))
		}
		return nil
	}
	if r.Flags.Record != "" {
		if err := (recording.Folder{Path: r.Flags.Record}).Try(); err != nil {
			return cli.Broken(cli.Hint(fmt.Errorf("recording to %s: %w", r.Flags.Record, err), "name a writable folder with --record; no request was sent"))
		}
	}
	r.Budget.Reserved = 2 * max(1, r.Flags.Concurrency) // the last controls of each batch
	var unrecorded error
	for _, surface := range surveys {
		before, _ := r.Budget.Spent()
		unrecorded = r.survey(ctx, surface)
		after, _ := r.Budget.Spent()
		if surface.requests = after - before; unrecorded != nil {
			break
		}
	}
	outcome := r.found(ctx, surveys)
	switch {
	case unrecorded != nil:
		return cli.Broken(unrecorded)
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	default:
		return outcome
	}
}

// surveys plans what to ask of each surface.
func (r *explorer) surveys(ctx context.Context, files []string) ([]*exploring, error) {
	var tools []toolfile.Tool
	if len(files) > 0 {
		var err error
		if tools, err = r.ToolsIn(ctx, files...); err != nil {
			return nil, err
		}
	}
	loaded, err := cli.EveryFixture()
	if err != nil {
		return nil, cli.Broken(err)
	}
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	samples := explore.Recorded(store, harness.Dialects)
	for _, fixture := range loaded {
		samples = append(samples, fixture.Tools)
	}
	var surveys []*exploring
	for _, account := range r.Accounts {
		for _, dialect := range r.explored(account) {
			survey, err := explore.Plan(ctx, explore.Options{
				Dialect: dialect, Model: account.Model, Store: store, Samples: samples, Used: r.used(ctx, tools, dialect),
				Answers: r.Store, IsFresh: r.standsFor(account),
			})
			if err != nil {
				return nil, err
			}
			surveys = append(surveys, &exploring{account: account, dialect: dialect, survey: survey})
		}
	}
	return surveys, nil
}

// explored returns the surfaces of an account: those of the chosen targets, or all.
func (r *explorer) explored(account *ask.Account) []*provider.Dialect {
	return slices.DeleteFunc(slices.Clone(harness.Dialects), func(dialect *provider.Dialect) bool {
		isChosen := slices.Contains(r.Flags.Targets, "all") || slices.ContainsFunc(account.Targets, func(target judge.Target) bool { return target.Dialect == dialect })
		return !account.Serves(dialect) || !isChosen
	})
}

// standsFor returns which recordings replace a question: those of the model that are as
// young as is asked for. The emulator's count only where it may be asked again.
func (r *explorer) standsFor(account *ask.Account) func(*recording.Recording) bool {
	if r.Flags.Record == "" && r.Flags.MaxAge == "" {
		return nil
	}
	return func(recorded *recording.Recording) bool {
		return account.IsFresh(recorded, r.Days) && recorded.Model == account.Model && (recorded.Grade != recording.Emulated || r.Flags.BaseURL != "")
	}
}

// used returns the constructs that tools use: first those of the user's, as they are sent
// to the surface, and then those of the corpus.
func (r *explorer) used(ctx context.Context, tools []toolfile.Tool, dialect *provider.Dialect) []explore.Used {
	var parameters []*schema.Node
	for _, read := range tools {
		tool := read.Tool
		if target := harness.Serving(dialect); !r.Flags.Raw && target.Normalizer != nil {
			normalized, err := target.Normalizer.Normalize(ctx, tool)
			if err != nil {
				continue // the tool is not sent
			}
			tool = normalized.Tool
		}
		parameters = append(parameters, tool.Parameters)
	}
	const first = 1 << 20 // before all of the corpus
	all := explore.Count(parameters)
	for i := range all {
		all[i].Tools *= first
	}
	for _, used := range explore.Corpus() {
		if !slices.ContainsFunc(all, func(other explore.Used) bool { return other.Construct == used.Construct }) {
			all = append(all, used)
		}
	}
	return all
}

// survey asks the questions about a surface, a part at a time, until the budget is spent.
func (r *explorer) survey(ctx context.Context, surface *exploring) error {
	questions := surface.survey.Questions(ctx)
	if surface.account.Missing != nil {
		for _, question := range questions {
			surface.survey.Settle(question, provider.Response{}, surface.account.Missing)
		}
		return nil
	}
	client, err := surface.account.Service.Client(surface.dialect)
	if err != nil {
		return err
	}
	questions = slices.DeleteFunc(questions, func(question explore.Question) bool {
		isLast := ask.WouldEnd(ctx, surface.dialect, surface.account.AsOf(surface.dialect), surface.dialect.Request(question.Declarations))
		if isLast {
			surface.survey.Settle(question, provider.Response{}, ask.ErrEnds)
		}
		return isLast
	})
	for len(questions) > 0 && ctx.Err() == nil {
		part := questions[:batchOf(questions)]
		questions = questions[len(part):]
		sent := make([]live.Question, len(part))
		for i, question := range part {
			sent[i] = live.Question{Declarations: question.Declarations, Alone: question.Alone}
		}
		isOver := false
		err := client.Judge(ctx, sent, func(number int, outcome live.Outcome) {
			surface.survey.Settle(part[number], outcome.Response, outcome.Err)
			r.Emulated = r.Emulated || outcome.Err == nil && outcome.Response.Evidence == provider.Predicted
			isOver = isOver || errors.Is(outcome.Err, live.ErrBudget)
		})
		if err != nil || isOver {
			return err
		}
		questions = append(surface.survey.Further(), questions...) // what is begun comes first
	}
	return nil
}

// batchOf returns how many questions are asked at a time: as many as a request holds, and
// few that are expected to be refused, because each of these is a request.
func batchOf(questions []explore.Question) int {
	const together, apart = 100, 28
	alone := 0
	for i, question := range questions {
		if question.Alone {
			alone++
		}
		if alone > apart || i-alone >= together {
			return max(1, i)
		}
	}
	return len(questions)
}

// found writes what was found out. It returns the error that ends the run: a find, or that
// some cells are unknown still.
func (r *explorer) found(ctx context.Context, surveys []*exploring) error {
	finds, unknown := 0, 0
	for _, surface := range surveys {
		counts := countsOf(surface.survey)
		unknown += counts.unknown
		found := surface.survey.Finds(ctx, harness.Dialects)
		finds += len(found)
		if r.Flags.AsJSON {
			if err := r.writeSurvey(surface, counts, found); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(r.Out, "%s, %s: %d constructs and rules: %d accepted, %d refused, %d unknown; %s sent\n", surface.dialect.Name, surface.account.Model,
			len(surface.survey.Cells), counts.accepted, counts.refused, counts.unknown, report.Count(surface.requests, "request"))
		for _, text := range counts.reasons {
			fmt.Fprintf(r.Out, "    unknown: %s\n", escape.Line(text))
		}
		for _, find := range found {
			r.writeFind(surface, find)
		}
	}
	if requests, dollars := r.Budget.Spent(); requests > 0 {
		r.Warnf("%s sent, for at most %s", report.Count(requests, "request"), live.Money(dollars))
	}
	if r.Emulated {
		r.Warnf("the emulator answered: this is no evidence of what a provider does")
	}
	switch {
	case finds > 0:
		return cli.Exit(cli.CodeFails)
	case unknown > 0:
		return cli.Exit(cli.CodeInconclusive)
	default:
		return nil
	}
}

// cellCounts are the cells of a surface by their answers.
type cellCounts struct {
	seen, accepted, refused, unknown int

	reasons []string // why cells are unknown, each once
}

func countsOf(survey *explore.Survey) cellCounts {
	counts := cellCounts{}
	for _, cell := range survey.Cells {
		if cell.Seen {
			counts.seen++
		}
		switch {
		case cell.Err != nil:
			counts.unknown++
			const most = 5
			text := cell.Err.Error()
			if failure, ok := errors.AsType[*live.NoVerdictError](cell.Err); ok && failure.Status == http.StatusBadRequest {
				text = cell.String() + ": " + text // words that nobody has read yet may be a refusal
			}
			if len(counts.reasons) < most && !slices.Contains(counts.reasons, text) {
				counts.reasons = append(counts.reasons, text)
			}
		case cell.Answer.Verdict == provider.Accepted:
			counts.accepted++
		default:
			counts.refused++
		}
	}
	return counts
}

// kindOf says in words what a find is.
func kindOf(find explore.Find) string {
	switch {
	case find.Rule == nil && find.Elsewhere != "":
		return "refused, and no rule of the day says so; " + find.Elsewhere + " has these words"
	case find.Rule == nil:
		return "refused, and no rule says so"
	case find.Cells[0].Answer.Verdict == provider.Accepted:
		return "accepted, and the rule refuses it"
	case find.Elsewhere != "":
		return "refused in other words than the rule has; " + find.Elsewhere + " has them"
	default:
		return "refused in other words than the rule has"
	}
}

// toWrite says what a maintainer writes down.
func toWrite(surface *exploring, find explore.Find) string {
	switch {
	case strings.HasPrefix(find.Elsewhere, surface.dialect.Name+"/"):
		return "the rule " + find.Elsewhere + " holds: take away its Until, or write a second one with a Since"
	case find.Rule == nil:
		return "a rule " + find.Name() + " of " + surface.dialect.Name + ", with a Since, in the stage whose words are alike"
	case find.Cells[0].Answer.Verdict == provider.Accepted:
		return "an Until for the rule " + find.Rule.Name + " of " + surface.dialect.Name + ", or a narrower Check"
	default:
		return "the words of the rule " + find.Rule.Name + " of " + surface.dialect.Name
	}
}

// evidenceOf returns the recording that shows a find, as a rule names it.
func evidenceOf(surface *exploring, find explore.Find) string {
	digest := surface.dialect.Request(find.Cells[0].Declarations).Digest()
	recorded := recording.Recording{Dialect: surface.dialect.Name, Digest: digest}
	return recorded.Name()
}

// maxShownCells is how many cells of a find are shown.
const maxShownCells = 5

func cellsOf(find explore.Find) string {
	var names []string
	for _, cell := range find.Cells[:min(maxShownCells, len(find.Cells))] {
		names = append(names, cell.String())
	}
	text := strings.Join(names, "; ")
	if more := len(find.Cells) - maxShownCells; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// writeFind writes a find for people.
func (r *explorer) writeFind(surface *exploring, find explore.Find) {
	fmt.Fprintf(r.Out, "%s/%s: %s\n", surface.dialect.Name, find.Name(), kindOf(find))
	fmt.Fprintf(r.Out, "    about        %s\n", cellsOf(find))
	words := cmp.Or(find.Words, "accepted")
	fmt.Fprintf(r.Out, "    answer       %s\n", escape.Line(words))
	if find.Rule != nil {
		fmt.Fprintf(r.Out, "    model        %s\n", escape.Line(strings.TrimSpace(find.Cells[0].Predicted.Message)))
	}
	fmt.Fprintf(r.Out, "    declaration  %s\n", escape.Line(declarationOf(find)))
	fmt.Fprintf(r.Out, "    write        %s\n", toWrite(surface, find))
	if r.Flags.Record != "" {
		fmt.Fprintf(r.Out, "    evidence     %s\n", evidenceOf(surface, find))
	}
}

// declarationOf returns the smallest declaration of a find.
func declarationOf(find explore.Find) string {
	declarations := find.Cells[0].Declarations
	text := declarations[0].String()
	if more := len(declarations) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// writeSurvey writes what was found out of a surface as JSON Lines.
func (r *explorer) writeSurvey(surface *exploring, counts cellCounts, finds []explore.Find) error {
	encoder := json.NewEncoder(r.Out)
	encoder.SetEscapeHTML(false)
	for _, find := range finds {
		line := struct {
			Version      int              `json:"version"`
			Surface      string           `json:"surface"`
			Rule         string           `json:"rule"`
			Predicted    provider.Verdict `json:"predicted"`
			Answer       provider.Verdict `json:"answer"`
			Words        string           `json:"words"`
			Elsewhere    string           `json:"elsewhere,omitempty"`
			Cells        []string         `json:"cells"`
			Declarations []*schema.Node   `json:"declarations"`
			Write        string           `json:"write"`
			Recording    string           `json:"recording"`
		}{
			1, surface.dialect.Name, find.Name(), find.Cells[0].Predicted.Verdict, find.Cells[0].Answer.Verdict, find.Words, find.Elsewhere, nil,
			find.Cells[0].Declarations, toWrite(surface, find), evidenceOf(surface, find),
		}
		for _, cell := range find.Cells {
			line.Cells = append(line.Cells, cell.String())
		}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("writing a find: %w", err)
		}
	}
	line := struct {
		Version  int    `json:"version"`
		Surface  string `json:"surface"`
		Model    string `json:"model"`
		Cells    int    `json:"cells"`
		Seen     int    `json:"seen"`
		Accepted int    `json:"accepted"`
		Refused  int    `json:"refused"`
		Unknown  int    `json:"unknown"`
		Finds    int    `json:"finds"`
		Requests int    `json:"requests"`
		Emulated bool   `json:"emulated,omitempty"`
	}{
		1, surface.dialect.Name, surface.account.Model, len(surface.survey.Cells), counts.seen, counts.accepted, counts.refused, counts.unknown,
		len(finds), surface.requests, r.Emulated,
	}
	if err := encoder.Encode(line); err != nil {
		return fmt.Errorf("writing the counts: %w", err)
	}
	return nil
}
