package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/judge"
	"toolproof/harness/report"
)

// next returns the command that shows every finding of one target, the first with the worst
// outcome. For advise it is the same command with --verbose.
func (r *checkRun) next(summary *report.Summary) string {
	flags := r.flags
	if flags.given != nil { // toolproof.json supplies the others
		flags = *flags.given
	}
	words := r.words[:1:1]
	if flags.advice.alone {
		for _, name := range flags.targets {
			words = append(words, "--target", name)
		}
	} else {
		judged := r.Targets
		if len(r.Responses) > 0 {
			judged = slices.DeleteFunc(slices.Concat(r.Targets, r.Responses), func(target judge.Target) bool { return summary.Targets[target.Name()] == nil })
		}
		target := slices.MaxFunc(judged, func(a, b judge.Target) int {
			first, second := summary.Of(a.Name()), summary.Of(b.Name())
			return cmp.Or(cmp.Compare(first.Worst(), second.Worst()), cmp.Compare(first.Failed, second.Failed))
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
	if flags.minTools != usualTools {
		words = append(words, "--min-tools", strconv.Itoa(flags.minTools))
	}
	words = append(append(words, flags.as.Words()...), flags.options.Words()...)
	words = append(words, flags.when.Words()...)
	for _, flag := range []struct{ name, value string }{
		{"--require", flags.require.value}, {"--baseline", flags.baseline}, {"--recordings", flags.recordings},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	words = append(words, r.words[1:]...)
	for i, word := range words {
		words[i] = cli.ShellQuote(word)
	}
	return cli.Name + " " + strings.Join(words, " ")
}
