package main

import (
	"context"
	"fmt"
	"time"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/judge"
	"toolproof/harness/peers"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
)

// testTools runs a normalizer on the tools of files and prints the outcomes.
func (s *session) testTools(ctx context.Context, flags testFlags, words []string, target judge.Target, sink report.Sink, trial *trial) error {
	documents, err := s.Read(ctx, flags.tools)
	if err != nil {
		return err
	}
	const often = 10 // how often the process is started again after a tool that ends it
	command := &normalizers.Command{Args: words, Target: flags.target, Surface: target.Dialect.Name, Timeout: flags.timeout, Starts: often}
	defer command.Close()
	trial.target, trial.command = target, command
	flags.shard.Keep(documents)
	run := &engine.Run{Sink: sink}
	run.Summary().Shard = flags.shard.String()
	for _, document := range documents {
		if document.Err != nil {
			return cli.Broken(fmt.Errorf("%s: %w", document.Source, document.Err))
		}
		for _, tool := range document.Tools {
			result, err := trial.result(ctx, tool, document.Source)
			if ctx.Err() != nil {
				return cli.Interrupted(ctx)
			}
			if err != nil {
				return cli.Fail(cli.CodeInconclusive, err)
			}
			if err := run.Count(result); err != nil {
				return err
			}
			summary := run.Summary()
			summary.Tools, summary.Read, summary.Judged = summary.Tools+1, summary.Read+1, summary.Judged+1
		}
	}
	command.Close()
	if err := run.End(); err != nil {
		return err
	}
	trial.sum()
	return cli.ExitFor(run.Summary().Worst())
}

// trial is a normalizer under test with the outcomes so far.
type trial struct {
	target  judge.Target
	command *normalizers.Command
	judged  []peers.Judgement
	count   peers.Count
	say     func(format string, arguments ...any) // prints a line
}

// text returns the sink of the format text, and lets sum print to the same output.
func (t *trial) text(options report.Options) report.Sink { //nolint:ireturn // a sink like those of the formats
	t.say = func(format string, arguments ...any) { fmt.Fprintf(options.Out, format+"\n", arguments...) }
	return report.Check{Options: options, Places: 1}.Sink()
}

// result runs the normalizer on a tool and judges the outcome.
func (t *trial) result(ctx context.Context, tool toolfile.Tool, source string) (verdict.Result, error) {
	sides := verdict.Sides{RawDialect: t.target.Dialect.Name}
	result := verdict.Result{
		ID: tool.ID, Tool: tool.Tool.Name, Source: source, Line: tool.Line,
		Target: t.target.Name(), Dialect: t.target.Dialect.Name, Status: verdict.Error, Kind: &verdict.Tool{Sides: sides},
	}
	if tool.Err != nil {
		result.Error = tool.Err.Error()
		return result, nil //nolint:nilerr // the result has the error
	}
	surface := peers.Surface{Dialect: t.target.Dialect, Fallback: t.target.Fallback}
	judgement, err := peers.Judge(ctx, t.command, surface, &peers.Case{ID: tool.ID, Tool: tool.Tool})
	if err != nil {
		return result, err
	}
	result.Status, result.Sides().Given = statusOf(judgement.Outcome), tool.Tool.Node()
	if answer := judgement.Answer; judgement.Outcome == peers.Refused {
		findings := verdict.Findings(answer)
		for i := range findings {
			findings[i].Line, findings[i].Column = 0, 0 // they are of what the normalizer wrote
		}
		result.Sides().Normalized = &verdict.Normalized{
			Tool: judgement.Normalized, Answer: verdict.Answer{Verdict: answer.Verdict, Evidence: answer.Evidence, Findings: findings},
		}
	}
	if judgement.Outcome != peers.Kept {
		result.Error = judgement.Outcome.String() + ": " + judgement.Text
	}
	t.judged = append(t.judged, judgement)
	t.count.Add(judgement)
	return result, nil
}

// sum prints the counts of all outcomes.
func (t *trial) sum() {
	count := t.count
	t.say("accepted      %d of %d: %d keep their meaning, %d lose some and say so,", count.Accepted, count.Tools, count.Kept, count.Said)
	t.say("              %d lose some in silence, %d were not compared", count.Silent, count.Unjudged)
	t.say("not accepted  %d refused by the provider, %d by the normalizer, %d crashed", count.Refused, count.Declined, count.Crashed)
	if t.target.Fallback != nil {
		t.say("not strict    %d", count.FellBack)
	}
	t.say("time          %s for a tool in the median", peers.Median(t.judged).Round(time.Microsecond))
	if memory := t.command.Peak(); memory > 0 {
		t.say("memory        %d MB at most", memory>>20)
	}
}

// statusOf returns the status of an outcome. A tool whose meaning is unknown does not pass.
func statusOf(outcome peers.Outcome) verdict.Status {
	switch outcome {
	case peers.Kept, peers.Said:
		return verdict.Pass
	case peers.Declined:
		return verdict.NotApplicable
	case peers.Unjudged:
		return verdict.Inconclusive
	case peers.Silent, peers.Refused:
		return verdict.Fail
	default:
		return verdict.Error
	}
}
