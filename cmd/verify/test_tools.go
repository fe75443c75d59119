package main

import (
	"context"
	"fmt"
	"time"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/lab/peers"
	"toolproof/normalizers"
)

// testTools runs a normalizer on the tools of files, and says what became of them.
func (s *session) testTools(ctx context.Context, flags testFlags, words []string, target judge.Target, form report.Renderer) error {
	documents, err := s.Read(ctx, flags.tools)
	if err != nil {
		return err
	}
	const often = 10 // a tool that ends the process costs no other
	command := &normalizers.Command{Args: words, Target: flags.target, Surface: target.Dialect.Name, Timeout: flags.timeout, Starts: often}
	defer command.Close()
	surface := peers.Surface{Dialect: target.Dialect, Fallback: target.Fallback}
	var results []verdict.Result
	var judged []peers.Judgement
	var count peers.Count
	for _, document := range documents {
		if document.Err != nil {
			return cli.Broken(fmt.Errorf("%s: %w", document.Source, document.Err))
		}
		for _, tool := range document.Tools {
			sides := verdict.Sides{RawDialect: target.Dialect.Name}
			result := verdict.Result{
				ID: tool.ID, Tool: tool.Tool.Name, Source: document.Source, Line: tool.Line,
				Target: target.Name(), Dialect: target.Dialect.Name, Status: verdict.Error, Kind: &verdict.Tool{Sides: sides},
			}
			if tool.Err != nil {
				result.Error = tool.Err.Error()
				results = append(results, result)
				continue
			}
			one, err := peers.Judge(ctx, command, surface, &peers.Case{ID: tool.ID, Tool: tool.Tool})
			if ctx.Err() != nil {
				return cli.Interrupted(ctx)
			}
			if err != nil {
				return cli.Fail(cli.CodeInconclusive, err)
			}
			result.Status, result.Sides().Given = statusOf(one.Outcome), tool.Tool.Node()
			if one.Outcome != peers.Kept {
				result.Error = one.Outcome.String() + ": " + one.Text
			}
			if flags.format.isText() && result.Status >= verdict.Inconclusive {
				fmt.Fprintf(s.Out, "%s:%d: %s: %s\n", escape.Line(document.Source), tool.Line, escape.Line(tool.Tool.Name), escape.Line(result.Error))
			}
			results, judged = append(results, result), append(judged, one)
			count.Add(one)
		}
	}
	command.Close()
	say := func(format string, arguments ...any) { fmt.Fprintf(s.Out, format+"\n", arguments...) }
	if !flags.format.isText() {
		say = s.Warnf
		if _, err := s.writeRun(results, nil, len(results), flags.format, form); err != nil {
			return err
		}
	}
	say("accepted      %d of %d: %d kept, %d lost and said, %d lost in silence, %d not judged", count.Accepted, count.Tools, count.Kept, count.Said, count.Silent, count.Unjudged)
	say("not accepted  %d refused by the provider, %d refused by the normalizer, %d crashed", count.Refused, count.Declined, count.Crashed)
	if target.Fallback != nil {
		say("not strict    %d", count.FellBack)
	}
	say("time          %s for a tool in the median", peers.Median(judged).Round(time.Microsecond))
	if memory := command.Peak(); memory > 0 {
		say("memory        %d MB at most", memory>>20)
	}
	worst := verdict.NotApplicable
	for _, result := range results {
		worst = verdict.Worst(worst, result.Status)
	}
	return cli.ExitFor(worst)
}

// statusOf returns how a tool is judged that has an outcome. A meaning that is not known
// is not green.
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
