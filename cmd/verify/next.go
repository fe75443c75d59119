package main

import (
	"strconv"
	"strings"

	"toolproof/cmd/internal/cli"
)

// next returns the command that shows every finding of one target or, if nothing fails, what models may
// misuse, and the flag that does so.
func (r *checkRun) next(target string, fails bool) (command, flag string) {
	flags := r.flags
	if flags.given != nil { // toolproof.json supplies the others
		flags = *flags.given
	}
	targets := []string{target}
	if flag = "--verbose"; !fails && !flags.normalized && !flags.advice.wanted && !flags.advice.alone {
		flag = "--advice"
	}
	if flag == "--advice" || flags.advice.alone {
		targets = flags.targets
	}
	words := r.words[:1:1]
	for _, name := range targets {
		words = append(words, "--target", name)
	}
	words = append(append(words, flag), flags.advice.words()...)
	if flags.normalized {
		words = append(words, "--normalized")
	}
	if flags.lossless {
		words = append(words, "--lossless")
	}
	if flags.fixes.dryRun { // otherwise the files are as they were judged
		words = append(words, flags.fixes.words()...)
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
	return cli.Name + " " + strings.Join(words, " "), flag
}
