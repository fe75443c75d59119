package main

import (
	"path/filepath"
	"testing"

	"toolproof/cmd/internal/clitest"
)

// TestPipe checks that an interrupt ends opening a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	clitest.Pipes(t, run, [][]string{{"calibrate", "-"}, {"calibrate", "--baseline", "-", "-"}, {"import", "-"}, {"stats", "-"}})
}

// TestInterruptedRead checks that an interrupt ends a read that would never end.
func TestInterruptedRead(t *testing.T) {
	t.Parallel()
	clitest.InterruptedReads(t, run, [][]string{{"calibrate", "-"}, {"import", "-"}, {"stats", "-"}})
}

// TestBombs checks that every command that reads stops at the limit and names it with the file.
func TestBombs(t *testing.T) {
	t.Parallel()
	line, whole, recorded := clitest.Bomb(t, "line.gz", 17), clitest.Bomb(t, "whole.gz", 65), clitest.Bomb(t, "gemini/parameters/x.json", 17)
	clitest.Bombs(t, run, []clitest.Bombed{
		{Limit: "the line is longer than 16 MB", File: line, Arguments: []string{"calibrate", line}},
		{Limit: "there is more than 16 MB after decompression", File: line, Arguments: []string{"calibrate", "--baseline", line, line}},
		{Limit: "there is more than 64 MB after decompression", File: whole, Arguments: []string{"import", whole}},
		{Limit: "there is more than 16 MB after decompression", File: "gemini/parameters/x.json", Arguments: []string{"recordings", "list", "--folder", filepath.Dir(filepath.Dir(filepath.Dir(recorded)))}},
	})
}
