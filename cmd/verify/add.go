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

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/lab/contribute"
)

// addFlags are the choices of verify add.
type addFlags struct {
	provider, dialect           string
	schema, errorFile           string
	source, date, model, folder string
}

func newAdd(s *session) *cobra.Command {
	var flags addFlags
	command := &cobra.Command{
		Use:   "add --schema FILE --error FILE",
		Short: "Contribute a schema that broke for you",
		Long: `add makes a fixture from a tool and the answer of a provider, in a checkout of this
project. When the error is the whole body of the answer, it also makes a recording.

The schema may have any form that verify check reads. The error is the body of the
answer, or the message. One of the two may be -, standard input.

When the model of the provider agrees, the fixture has only the part of the tool that
the provider refuses. When the model differs, the fixture has the whole tool, and lists
the difference as known.

Exit code 1: a fixture shows the same already. 2: the error is not about the tool, or
something cannot be read.`,
		Example: `  verify add --provider gemini --schema tool.json --error answer.json
  verify add --provider openai --schema tools.json --error answer.json --source https://github.com/owner/repository/issues/1
  pbpaste | verify add --schema tool.json --error -`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return s.add(command.Context(), flags)
		},
	}
	command.Flags().StringVar(&flags.provider, "provider", "", "name the provider, such as gemini or openai (default: by the words)")
	command.Flags().StringVar(&flags.dialect, "dialect", "", "name the dialect, such as openai/chat-strict (default: by the words)")
	command.Flags().StringVar(&flags.schema, "schema", "", "read the tool, or the tools of the request, from this file; - is standard input")
	command.Flags().StringVar(&flags.errorFile, "error", "", "read the answer of the provider from this file; - is standard input")
	command.Flags().StringVar(&flags.source, "source", "", "name a public address of the answer")
	command.Flags().StringVar(&flags.date, "date", "", "name the day of the answer, such as 2026-01-31 (default: today)")
	command.Flags().StringVar(&flags.model, "model", "", "name the model of the provider, such as gemini-2.5-flash")
	command.Flags().StringVar(&flags.folder, "data", "", "write to this checkout (default: that of the working directory)")
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
		return exitError{exitBroken, err}
	}
	switch {
	case flags.schema == "":
		return exitError{exitBroken, hint(errors.New("--schema is required"), "name the file with the tool")}
	case flags.errorFile == "":
		return exitError{exitBroken, hint(errors.New("--error is required"), "name the file with the answer of the provider")}
	}
	if contribution.Refusal, err = s.readError(ctx, flags.errorFile, []string{flags.schema}); err != nil {
		return err
	}
	if contribution.Tools, err = s.toolsIn(ctx, flags.schema); err != nil {
		return err
	}
	existing, err := loadCheckout(folder) //nolint:contextcheck // what it normalizes ends by itself
	if err != nil {
		return exitError{exitBroken, fmt.Errorf("reading the checkout: %w", err)}
	}
	proposal, err := contribute.Propose(ctx, contribution, contribute.Existing{Fixtures: existing.fixtures, Store: existing.store})
	if err != nil {
		return s.notAdded(ctx, err)
	}
	if flags.provider == "" && flags.dialect == "" && !proposal.Recognized {
		return exitError{exitBroken, hint(refusal.ErrUnknownWords, "name the provider with --provider")}
	}
	if err := lint(append(slices.Clone(existing.fixtures), proposal.Fixture)); err != nil {
		return exitError{exitBroken, fmt.Errorf("the fixture would be wrong: %w", err)}
	}
	if err := writeProposal(folder, proposal); err != nil {
		return err
	}
	s.added(proposal)
	return nil
}

// notAdded returns the error of a report that comes to nothing.
func (s *session) notAdded(ctx context.Context, err error) error {
	var duplicate *contribute.DuplicateError
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx)
	case errors.As(err, &duplicate):
		return exitError{exitFails, hint(fmt.Errorf("nothing to add: %w", err), programName+" --fixture "+duplicate.Fixture.ID+" replays it; it is in fixtures/"+duplicate.Fixture.File)}
	case errors.Is(err, contribute.ErrNothingLearnt):
		return exitError{exitBroken, hint(err, "give the answer that refuses the tool")}
	default:
		return exitError{exitBroken, err}
	}
}

// dialectsOf returns the surfaces that a refusal may be of.
func dialectsOf(maker, name string) ([]*provider.Dialect, error) {
	if name != "" {
		dialect, err := dialectNamed(name)
		if err == nil && maker != "" && !strings.HasPrefix(name, maker+"/") {
			err = usage("%s is no dialect of %s", name, maker)
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
		return nil, exitError{exitBroken, suggest(fmt.Errorf("unknown provider %q", maker), maker, makers, "use one of "+strings.Join(makers, ", "))}
	}
	return dialects, nil
}

func dialectNamed(name string) (*provider.Dialect, error) {
	dialect, err := harness.DialectNamed(name)
	if err != nil {
		var names []string
		for _, dialect := range harness.Dialects {
			names = append(names, dialect.Name)
		}
		return nil, exitError{exitBroken, suggest(fmt.Errorf("unknown dialect %q", name), name, names, programName+" list dialects lists them")}
	}
	return dialect, nil
}

// dayOf reads the day of an answer, which cannot be to come.
func dayOf(text string) (provider.Date, error) {
	if text == "" {
		return "", nil
	}
	day, err := provider.ParseDate(text)
	if err != nil {
		return "", exitError{exitBroken, err}
	}
	if day > provider.Today() {
		return "", usage("--date %s is in the future", day)
	}
	return day, nil
}

// isAddress returns an error for a source that others cannot look up.
func isAddress(source string) error {
	parsed, err := url.Parse(source)
	if source != "" && (err != nil || parsed.Scheme != "https" || parsed.Host == "") {
		return exitError{exitBroken, hint(fmt.Errorf("%q is no public address", source), "use an address that begins with https://")}
	}
	return nil
}

// checkout returns the given folder, or the first at or above the working directory
// that is a checkout.
func checkout(folder string) (string, error) {
	if folder != "" {
		return folder, nil
	}
	at, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for a checkout: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, fixtureSchema)); err == nil {
			return at, nil
		}
		above := filepath.Dir(at)
		if above == at {
			return "", hint(errors.New("the working directory is in no checkout"), "run the command in a clone of the project, or name one with --data")
		}
		at = above
	}
}

// toolsIn reads the tools of one file; each must be readable.
func (s *session) toolsIn(ctx context.Context, name string) ([]toolfile.Tool, error) {
	documents, err := s.read(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	var tools []toolfile.Tool
	for _, document := range documents {
		if problems := document.problems(); len(problems) > 0 {
			return nil, exitError{exitBroken, errors.New(document.say(problems[0]))}
		}
		for _, tool := range document.tools {
			if tool.Err != nil {
				return nil, exitError{exitBroken, errors.New(document.say(tool.Err))}
			}
			tools = append(tools, tool)
		}
	}
	if len(tools) == 0 {
		return nil, exitError{exitBroken, fmt.Errorf("%s: the file has no tool", name)}
	}
	return tools, nil
}

// writeProposal writes the files of a proposal into a checkout, over none that is there.
func writeProposal(folder string, proposal *contribute.Proposal) error {
	text, err := fixture.Text(proposal.Fixture)
	if err != nil {
		return err
	}
	files := map[string][]byte{filepath.Join("fixtures", filepath.FromSlash(proposal.Fixture.File)): text}
	if proposal.Recording != nil {
		if text, err = proposal.Recording.Text(); err != nil {
			return err
		}
		files[filepath.Join("recordings", filepath.FromSlash(proposal.Recording.File))] = text
	}
	for name := range files {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return exitError{exitBroken, fmt.Errorf("%s exists already", name)}
		}
	}
	for name, text := range files {
		const readable = 0o644
		name = filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(name), listable)
		if err == nil {
			err = os.WriteFile(name, text, readable)
		}
		if err != nil {
			return exitError{exitBroken, fmt.Errorf("writing %s: %w", name, withoutPath(err))}
		}
	}
	return nil
}

// added tells what was written, what the model says to it, and what comes next.
func (s *session) added(proposal *contribute.Proposal) {
	fmt.Fprintf(s.out, "wrote fixtures/%s\n", proposal.Fixture.File)
	if proposal.Recording != nil {
		fmt.Fprintf(s.out, "wrote recordings/%s\n", proposal.Recording.File)
	} else {
		fmt.Fprintf(s.out, "no recording: %s\n", proposal.WhyNoRecording)
	}
	if proposal.Recording != nil && proposal.Fixture.Source.URL == "" {
		fmt.Fprintf(s.out, "no address: --source would let others see the answer for themselves\n")
	}
	name := proposal.Dialect.Name
	if !proposal.Recognized {
		name += " (assumed; name another with --dialect)"
	}
	fmt.Fprintf(s.out, "dialect:  %s\n", name)
	switch {
	case proposal.Agrees && proposal.Rule == "":
		fmt.Fprintf(s.out, "model:    agrees\n")
	case proposal.Agrees:
		fmt.Fprintf(s.out, "model:    agrees, by the rule %s\n", proposal.Rule)
	case proposal.Predicted.Verdict == provider.Accepted:
		fmt.Fprintf(s.out, "model:    differs, it accepts the tool: no rule explains the refusal\n")
	default:
		fmt.Fprintf(s.out, "model:    differs, it says %q\n", strings.TrimSpace(proposal.Predicted.Message))
	}
	if minimized := proposal.Minimized; minimized != nil {
		what := report.Count(proposal.Given, "value") + " as given, " + report.Count(minimized.Tool.Node().Size(), "value") + " are needed"
		if !minimized.Minimal {
			what += ", or fewer"
		}
		fmt.Fprintf(s.out, "schema:   %s (%s)\n", what, report.Count(minimized.Asks, "ask"))
	}
	for _, known := range proposal.Fixture.Known {
		fmt.Fprintf(s.out, "known:    %s, %s, until %s: %s\n", known.Dialect, known.Side, known.Until, known.Reason)
	}
	if len(proposal.Fixture.Known) > 0 {
		fmt.Fprintln(s.out, "This is what makes it valuable: the project is wrong about it today, and did not know. The fixture")
		fmt.Fprintln(s.out, "excuses it until that day, and fails when it is mended.")
	}
	fmt.Fprintf(s.out, "next:     look through what was written for names and keys, run make docs and make test, and open a pull request\n")
}
