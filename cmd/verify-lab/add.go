package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	"toolproof/lab/contribute"
)

// addFlags are the flags of verify-lab add.
type addFlags struct {
	provider, dialect           string
	schema, errorFile           string
	source, date, model, folder string
}

func newAdd(s *session) *cobra.Command {
	var flags addFlags
	command := &cobra.Command{
		Use:   "add --schema FILE --error FILE --date DAY",
		Short: "Write a fixture from a tool and the refusal of a provider",
		Long: `add writes a fixture into a checkout of this project, from a tool and the answer of the
provider that refused it. If the answer is the whole body, add also writes a recording.

--schema has the tool in any form that verify check reads; --error has the body of the
answer or its message. One of the two may be -, standard input. --date is the day of the
answer, from which on the recording and the rules of that day count.

If the model of the provider agrees with the answer, the fixture keeps only the part of
the tool that the provider refuses. If it does not, the fixture keeps the whole tool and
lists the difference as known.

Exit codes:
  0  the fixture was written
  1  a fixture shows the same already
  2  the error is not about the tool, or something cannot be read`,
		Example: `  verify-lab add --provider gemini --schema tool.json --error answer.json --date today
  verify-lab add --provider openai --schema tools.json --error answer.json --date 2025-06-30 --source https://github.com/owner/repository/issues/1
  pbpaste | verify-lab add --schema tool.json --error - --date today`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return s.add(command.Context(), flags)
		},
	}
	command.Flags().StringVar(&flags.provider, "provider", "", "provider that answered, such as gemini or openai (default: recognized by the words of the error)")
	command.Flags().StringVar(&flags.dialect, "dialect", "", "dialect that refused the tool, such as openai/chat-strict (default: recognized by the words of the error)")
	command.Flags().StringVar(&flags.schema, "schema", "", "file with the tool, or with the tools of the request; - is standard input")
	command.Flags().StringVar(&flags.errorFile, "error", "", "file with the answer of the provider; - is standard input")
	command.Flags().StringVar(&flags.source, "source", "", "public address of the answer, such as an issue")
	command.Flags().StringVar(&flags.date, "date", "", "day on which the provider answered, such as 2026-01-31, or today")
	command.Flags().StringVar(&flags.model, "model", "", "model that answered, such as gemini-2.5-flash")
	command.Flags().StringVar(&flags.folder, "data", "", "write to this checkout (default: the one around the working folder)")
	return command
}

func (s *session) add(ctx context.Context, flags addFlags) error {
	dialects, err := dialectsOf(flags.provider, flags.dialect)
	if err != nil {
		return err
	}
	contribution := contribute.Report{Dialects: dialects, Source: flags.source, Model: flags.model}
	if contribution.Date, err = dayOf(flags.date); err != nil {
		return err
	}
	if err := isAddress(flags.source); err != nil {
		return err
	}
	folder, err := checkout(flags.folder)
	if err != nil {
		return cli.Broken(err)
	}
	switch {
	case flags.schema == "":
		return cli.Broken(cli.Hint(errors.New("--schema is required"), "name the file with the tool"))
	case flags.errorFile == "":
		return cli.Broken(cli.Hint(errors.New("--error is required"), "name the file with the answer of the provider"))
	case flags.date == "":
		return cli.Broken(cli.Hint(errors.New("--date is required"), "give the day on which the provider answered, such as 2026-01-31, or today; an issue has the day of its report"))
	}
	if contribution.Refusal, err = s.ReadError(ctx, flags.errorFile, []string{flags.schema}); err != nil {
		return err
	}
	if contribution.Tools, err = s.ToolsIn(ctx, flags.schema); err != nil {
		return err
	}
	existing, err := cli.LoadCheckout(folder) //nolint:contextcheck // the rest needs no context
	if err != nil {
		return cli.Broken(fmt.Errorf("reading the checkout: %w", err))
	}
	proposal, err := contribute.Propose(ctx, contribution, contribute.Existing{Fixtures: existing.Fixtures, Store: existing.Store})
	if err != nil {
		return s.notAdded(ctx, err)
	}
	if flags.provider == "" && flags.dialect == "" && !proposal.Recognized {
		return cli.Broken(cli.Hint(refusal.ErrUnknownWords, "name the provider with --provider"))
	}
	if err := cli.Lint(append(slices.Clone(existing.Fixtures), proposal.Fixture)); err != nil {
		return cli.Broken(fmt.Errorf("the fixture would be wrong: %w", err))
	}
	if err := writeProposal(folder, proposal); err != nil {
		return err
	}
	s.added(proposal)
	return nil
}

// notAdded returns the error for a report from which no fixture is made.
func (s *session) notAdded(ctx context.Context, err error) error {
	var duplicate *contribute.DuplicateError
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	case errors.As(err, &duplicate):
		return cli.Fail(cli.CodeFails, cli.Hint(fmt.Errorf("nothing to add: %w", err), "verify --fixture "+duplicate.Fixture.ID+" replays it; it is in fixtures/"+duplicate.Fixture.File))
	case errors.Is(err, contribute.ErrNothingLearnt):
		return cli.Broken(cli.Hint(err, "give the answer that refuses the tool"))
	default:
		return cli.Broken(err)
	}
}

// dialectsOf returns the surfaces that a refusal may come from.
func dialectsOf(maker, name string) ([]*provider.Dialect, error) {
	if name != "" {
		dialect, err := cli.DialectNamed(name)
		if err == nil && maker != "" && !strings.HasPrefix(name, maker+"/") {
			err = cli.Usage("%s is no dialect of %s", name, maker)
		}
		return []*provider.Dialect{dialect}, err
	}
	if maker == "" {
		return harness.Dialects, nil
	}
	var dialects []*provider.Dialect
	var makers []string
	for _, dialect := range harness.Dialects {
		known := dialect.Service()
		if known == maker {
			dialects = append(dialects, dialect)
		}
		if !slices.Contains(makers, known) {
			makers = append(makers, known)
		}
	}
	if len(dialects) == 0 {
		return nil, cli.Broken(cli.Suggest(fmt.Errorf("unknown provider %q", maker), maker, makers, "use one of "+strings.Join(makers, ", ")))
	}
	return dialects, nil
}

// dayOf parses the day of an answer, which must not be in the future.
func dayOf(text string) (provider.Date, error) {
	switch text {
	case "":
		return "", nil
	case "today":
		return provider.Today(), nil
	}
	day, err := provider.ParseDate(text)
	if err != nil {
		return "", cli.Broken(err)
	}
	if day > provider.Today() {
		return "", cli.Usage("--date %s is in the future", day)
	}
	return day, nil
}

// isAddress returns an error for a source that others cannot look up.
func isAddress(source string) error {
	parsed, err := url.Parse(source)
	if source != "" && (err != nil || parsed.Scheme != "https" || parsed.Host == "") {
		return cli.Broken(cli.Hint(fmt.Errorf("%q is no public address", source), "use an address that begins with https://"))
	}
	return nil
}

// checkout returns the given folder, or the nearest checkout at or above the working directory.
func checkout(folder string) (string, error) {
	if folder != "" {
		return folder, nil
	}
	at, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for a checkout: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, cli.FixtureSchema)); err == nil {
			return at, nil
		}
		above := filepath.Dir(at)
		if above == at {
			return "", cli.Hint(errors.New("the working directory is in no checkout"), "run the command in a clone of the project, or name one with --data")
		}
		at = above
	}
}

// writeProposal writes the files of a proposal into a checkout.
func writeProposal(folder string, proposal *contribute.Proposal) error {
	text, err := fixture.Text(proposal.Fixture)
	if err != nil {
		return err
	}
	files := map[string][]byte{"fixtures/" + proposal.Fixture.File: text}
	if proposal.Recording != nil {
		if text, err = proposal.Recording.Text(); err != nil {
			return err
		}
		files["recordings/"+proposal.Recording.File] = text
	}
	return writeNewFiles(folder, files)
}

// writeNewFiles writes new files into a checkout, by their paths with slashes. It writes none if one of
// them exists.
func writeNewFiles(folder string, files map[string][]byte) error {
	for name := range files {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err == nil {
			return cli.Broken(fmt.Errorf("%s exists already", name))
		}
	}
	for name, text := range files {
		const readable = 0o644
		path := filepath.Join(folder, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), listable)
		if err == nil {
			err = os.WriteFile(path, text, readable)
		}
		if err != nil {
			return cli.Broken(fmt.Errorf("writing %s: %w", name, cli.WithoutPath(err)))
		}
	}
	return nil
}

// added prints the files written, the model's answer, and the next step.
func (s *session) added(proposal *contribute.Proposal) {
	fmt.Fprintf(s.Out, "wrote fixtures/%s\n", proposal.Fixture.File)
	if proposal.Recording != nil {
		fmt.Fprintf(s.Out, "wrote recordings/%s\n", proposal.Recording.File)
	} else {
		fmt.Fprintf(s.Out, "no recording: %s\n", proposal.WhyNoRecording)
	}
	if proposal.Recording != nil && proposal.Fixture.Source.URL == "" {
		fmt.Fprintf(s.Out, "no address: --source would let others see the answer for themselves\n")
	}
	name := proposal.Dialect.Name
	if !proposal.Recognized {
		name += " (assumed; name another with --dialect)"
	}
	fmt.Fprintf(s.Out, "dialect:  %s\n", name)
	switch {
	case proposal.Agrees && proposal.Rule == "":
		fmt.Fprintf(s.Out, "model:    agrees\n")
	case proposal.Agrees:
		fmt.Fprintf(s.Out, "model:    agrees, by the rule %s\n", proposal.Rule)
	case proposal.Predicted.Verdict == provider.Accepted:
		fmt.Fprintf(s.Out, "model:    differs, it accepts the tool: no rule explains the refusal\n")
	default:
		fmt.Fprintf(s.Out, "model:    differs, it says %q\n", strings.TrimSpace(proposal.Predicted.Message))
	}
	if minimized := proposal.Minimized; minimized != nil {
		what := report.Count(proposal.OriginalSize, "value") + " as given, " + report.Count(minimized.Tool.Node().Size(), "value") + " are needed"
		if !minimized.Minimal {
			what += ", or fewer"
		}
		fmt.Fprintf(s.Out, "schema:   %s (%s)\n", what, report.Count(minimized.Asks, "ask"))
	}
	for _, known := range proposal.Fixture.Known {
		fmt.Fprintf(s.Out, "known:    %s, %s, until %s: %s\n", known.Dialect, known.Side, known.Until, known.Reason)
	}
	if len(proposal.Fixture.Known) > 0 {
		fmt.Fprintln(s.Out, "This is what makes it valuable: the project is wrong about it today, and did not know. The fixture")
		fmt.Fprintln(s.Out, "excuses it until that day, and fails when it is mended.")
	}
	fmt.Fprintln(s.Out, "next:     give the fixture valid arguments, which the tool accepts, and invalid ones, which it refuses; look")
	fmt.Fprintln(s.Out, "          through what was written for names and keys, run make docs and make test, and open a pull request")
}
