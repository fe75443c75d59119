package main

import (
	"os"
	"testing"

	"toolproof/cmd/internal/clitest"
)

// readers are runs of the commands that read standard input.
var readers = [][]string{
	{"check", "-"},
	{"check", "--error", "-", "../../docs/example-tools.json"},
	{"normalize", "--target", "gemini", "-"},
	{"diff", "-", "../../docs/example-tools.json"},
	{"report", "-"},
	{"compare", "-", os.DevNull},
	{"minimize", "--target", "gemini/parameters", "-"},
	{"live", "--provider", "gemini", "--dry-run", "-"},
}

// TestPipe checks that an interrupt ends opening a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	clitest.Pipes(t, run, append([][]string{{"check", "--baseline", "-", "-"}}, readers...))
}

// TestInterruptedRead checks that an interrupt ends a read that would never end.
func TestInterruptedRead(t *testing.T) {
	t.Parallel()
	clitest.InterruptedReads(t, run, readers)
}

// TestBombs checks that every command that reads stops at the limit and names it with the file.
func TestBombs(t *testing.T) {
	t.Parallel()
	line := clitest.Bomb(t, "line.gz", 17)
	all := clitest.Bomb(t, "all.gz", 257)
	const lineLimit = "the line is longer than 16 MB"
	clitest.Bombs(t, run, []clitest.Bombed{
		{Limit: "there is more than 256 MB after decompression", File: all, Arguments: []string{"check", all}},
		{Limit: lineLimit, File: line, Arguments: []string{"report", line}},
		{Limit: lineLimit, File: line, Arguments: []string{"compare", line, line}},
		{Limit: "the line is longer than 1 MB", File: line, Arguments: []string{"check", "--baseline", line, "../../docs/example-tools.json"}},
		{Limit: "there is more than 16 MB after decompression", File: line, Arguments: []string{"check", "--error", line, "../../docs/example-tools.json"}},
	})
}
