package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// pasted shows the places in the tools that a provider's error means.
func (r *checkRun) pasted(ctx context.Context, documents []engine.Document, arguments []string) error {
	text, err := r.ReadError(ctx, r.flags.errorFile, arguments)
	if err != nil {
		return err
	}
	tools := r.subjects(documents)
	if len(tools) == 0 && !haveConversations(documents) {
		return r.outcome()
	}
	sent := tools
	located, err := r.locate(ctx, text, sent, r.dialects())
	if cli.HaveResponses(documents) {
		sent, located, err = r.locateEither(ctx, text, tools)
	}
	if unread := inUnread(located, sent); len(unread) > 0 && errors.Is(err, refusal.ErrInnocent) {
		located.Places, err = unread, nil
	}
	if err != nil && ctx.Err() == nil {
		if results := r.inConversations(documents, text, located, err); len(results) > 0 {
			return r.finishPasted(results, tools)
		}
	}
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	case len(tools) == 0:
		return cli.Broken(cli.Hint(err, "the requests have no place that the message means: give the request that was sent"))
	case errors.Is(err, refusal.ErrInnocent):
		return cli.Broken(cli.Hint(err, "give the tools as they were sent, in their order, with those of all servers"))
	case errors.Is(err, refusal.ErrRequest):
		return r.ofRequest(located, err, tools)
	case errors.Is(err, refusal.ErrUnknownWords):
		return cli.Broken(cli.Hint(err, "paste the whole message, or the body of the answer"))
	case errors.Is(err, refusal.ErrNoPlace):
		return cli.Broken(cli.Hint(err, "give the tools as they were sent, in their order"))
	case errors.Is(err, refusal.ErrPlaceless):
		return cli.Broken(cli.Hint(err, "give one tool alone, or leave out --error"))
	case err != nil:
		return cli.Broken(err)
	}
	for _, place := range located.Missing {
		r.Warnf("the tools have no such place: %s", place.Location)
	}
	target := harness.Serving(located.Dialect)
	if sent[0].IsResponse {
		target = harness.TargetOf(located.Dialect)
	}
	for _, chosen := range r.Targets { // the chosen target has the user's options, or is an alternate
		if chosen.Name() == target.Name() || chosen.Dialect == located.Dialect {
			target = chosen
		}
	}
	judging := r.Judge
	if day := located.Day(cmp.Or(judging.AsOf, provider.Today())); day != "" { // the tools are rewritten as of then
		judging.AsOf = day
		target = cli.WithOptions([]judge.Target{target}, r.flags.options.Of(day))[0]
	}
	results, err := judging.Refused(ctx, located, target, harness.DirectFor, sent)
	if err != nil {
		return err
	}
	return r.finishPasted(results, tools)
}

// subjects returns the tools of documents, and tells of the documents' problems.
func (r *checkRun) subjects(documents []engine.Document) []judge.Subject {
	var tools []judge.Subject
	r.converse(documents)
	for _, document := range documents {
		for _, problem := range document.Problems() {
			r.Warnf("%s", document.Say(problem))
		}
		for _, tool := range document.Tools {
			tools = append(tools, judge.Subject{Tool: tool, Source: document.Source})
		}
	}
	r.Summary().Tools = len(tools)
	return tools
}

// explainError explains an error without the tools that it is about.
func (r *checkRun) explainError(ctx context.Context) error {
	if r.flags.format.chosen() != report.TextFormat {
		return cli.Broken(cli.Hint(errors.New("a file is required"), "name the tools, whose results --format and --json write"))
	}
	text, err := r.ReadError(ctx, r.flags.errorFile, nil)
	if err != nil {
		return err
	}
	found, err := findMessage(ctx, text, r.dialects())
	if err != nil {
		return err
	}
	found.print(r.Out)
	r.Warnf("name the file with the tools, too, to see the place that the error means")
	return nil
}

// inUnread returns the places in tools that could not be read, of which no rule knows anything.
func inUnread(located refusal.Located, sent []judge.Subject) []refusal.Place {
	var places []refusal.Place
	for _, place := range located.Missing {
		if place.Declaration >= 0 && sent[place.Declaration].Err != nil {
			places = append(places, refusal.Place{Place: place})
		}
	}
	return places
}

// ofRequest answers a message that is about something else in the request than its tools.
func (r *checkRun) ofRequest(located refusal.Located, err error, tools []judge.Subject) error {
	known, isKnown := errors.AsType[*refusal.RequestError](err)
	if !isKnown {
		return cli.Broken(cli.Hint(err, "look at the request that was sent; its tools are not to blame"))
	}
	return r.finishPasted([]verdict.Result{judge.RefusedRequest(located, known, tools)}, tools)
}

// locate finds the places in the sent tools that a message names.
func (r *checkRun) locate(ctx context.Context, text string, sent []judge.Subject, dialects []*provider.Dialect) (refusal.Located, error) {
	declared := make([]schema.Tool, len(sent))
	for i, subject := range sent {
		declared[i] = subject.Tool.Tool
	}
	locator := refusal.Locator{Dialects: dialects, AsOf: r.Judge.AsOf, ModelName: r.Judge.ModelName}
	return locator.Locate(ctx, text, declared)
}

// locateEither is like locate for files with response schemas. The message is about these, if it comes
// from a surface for answers, or else about the tools; locateEither returns those.
func (r *checkRun) locateEither(ctx context.Context, text string, all []judge.Subject) ([]judge.Subject, refusal.Located, error) {
	tools := slices.DeleteFunc(slices.Clone(all), func(subject judge.Subject) bool { return subject.IsResponse })
	responses := slices.DeleteFunc(slices.Clone(all), func(subject judge.Subject) bool { return !subject.IsResponse })
	of := func(subject provider.Subject) []*provider.Dialect {
		return slices.DeleteFunc(r.dialects(), func(dialect *provider.Dialect) bool { return dialect.Subject != subject })
	}
	located, err := r.locate(ctx, text, responses, of(provider.Answer))
	if err == nil || len(tools) == 0 {
		return responses, located, err
	}
	located, err = r.locate(ctx, text, tools, of(provider.Arguments))
	return tools, located, err
}

func (r *checkRun) finishPasted(results []verdict.Result, tools []judge.Subject) error {
	summary := r.Summary()
	for _, tool := range tools {
		if tool.Err == nil {
			summary.Read++
		}
	}
	for _, result := range results {
		if result.Sides().Normalized != nil {
			summary.Judged++
		}
		if err := r.Count(result); err != nil {
			return err
		}
	}
	if err := r.End(); err != nil {
		return err
	}
	if summary.Conforms {
		return nil // the place was found even if no target serves the surface
	}
	return cli.ExitFor(summary.Worst())
}

// withoutError are the flags about judging, which --error does not do.
var withoutError = []string{"raw", "diff", "quiet", "min-tools", "baseline", "write-baseline", "watch", "advice", "rule", "fail-on"}

// onlyError returns an error if --error is combined with a flag about judging.
func onlyError(command *cobra.Command) error {
	for _, name := range withoutError {
		if command.Flags().Changed("error") && command.Flags().Changed(name) {
			return cli.Usage("--%s does not work with --error", name)
		}
	}
	return nil
}

// dialects returns the surfaces that a message can come from, which are those of the chosen targets.
// Surfaces with a target come first.
func (r *checkRun) dialects() []*provider.Dialect {
	var dialects []*provider.Dialect
	for _, surface := range harness.Surfaces {
		serving := harness.Serving(surface.Dialect).Name()
		for _, target := range r.Targets {
			if target.Name() == serving || target.Dialect == surface.Dialect || len(r.Targets) == len(harness.Targets) {
				dialects = append(dialects, surface.Dialect)
				break
			}
		}
	}
	return dialects
}
