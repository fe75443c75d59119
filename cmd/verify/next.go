package main

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/report"
)

// next returns the command that shows the edits of a file that lose nothing or, if there are none, every
// finding of one target or, if nothing fails, what models may misuse; and the flag that does so.
func (r *checkRun) next(outlook report.Outlook) (command, flag string) {
	if outlook.Target == mcp.Registry.Service() {
		return "", "" // nothing more is known of a server.json
	}
	flags := r.flags
	if flags.given != nil { // toolproof.json supplies the others
		flags = *flags.given
	}
	targets := flags.targets
	switch {
	case outlook.Mends && r.canFix():
		flag = "--fix"
	case !outlook.Fails && !flags.normalized && !flags.advice.wanted && !flags.advice.alone:
		flag = "--advice"
	default:
		flag = "--verbose"
		if !flags.advice.alone {
			targets = []string{outlook.Target}
		}
	}
	words := r.words[:1:1]
	for _, name := range targets {
		words = append(words, "--target", name)
	}
	words = append(words, flag)
	if flag == "--fix" {
		words = append(words, "--diff")
	}
	words = append(words, flags.advice.words()...)
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
	words = append(append(words, append(flags.as.Words(), flags.only.Words()...)...), append(flags.shard.Words(), flags.options.Words()...)...)
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

// canFix reports whether the same command may have --fix.
func (r *checkRun) canFix() bool {
	flags := r.flags
	return r.words[0] == "check" && !flags.fixes.isWanted() && !flags.normalized && !flags.watch && flags.errorFile == "" &&
		flags.baseline == "" && flags.writeBaseline == "" && !flags.shard.IsPart() && flags.when.AsOf == "" && !slices.Contains(r.words, "--")
}
