package main

import (
	"os"
	"testing"

	"toolproof/cmd/internal/clitest"
)

// readers are the commands that read what others wrote, from standard input.
var readers = [][]string{
	{"check", "-"},
	{"check", "--error", "-", "../../docs/example-tools.json"},
	{"normalize", "--target", "gemini", "-"},
	{"diff", "--target", "gemini", "-"},
	{"report", "-"},
	{"compare", "-", os.DevNull},
	{"minimize", "--dialect", "gemini/parameters", "-"},
	{"live", "--provider", "gemini", "--dry-run", "-"},
}

// TestInterruptedRead: an interrupt ends a read that would never end.
func TestInterruptedRead(t *testing.T) {
	t.Parallel()
	clitest.InterruptedReads(t, run, readers)
}

// TestBombs: every command that reads has an end, and names the file and the limit.
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
