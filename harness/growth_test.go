package harness_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/report"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/lab/hostile"
	"toolproof/schema"
)

var (
	hostileCase = flag.String("case", "definitions", "the hostile case, or the list of tools, that TestCheckHostile checks")
	hostileSize = flag.Int("size", 0, "its size; 0 means the small one")
	isCounting  = flag.Bool("growth", false, "count blocks of code, in a binary of their own: make growth")
)

// TestCheckHostile checks a document with one hostile tool, or a list of tools, for each target,
// from its text to the result lines.
func TestCheckHostile(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(documents(), func(of hostileDocument) bool { return of.name == *hostileCase })
	of := documents()[i]
	size := *hostileSize
	if size == 0 {
		size = of.small
	}
	tools, err := toolfile.Read(bytes.NewReader(of.make(size).JSON()))
	if err != nil {
		t.Fatal(err)
	}
	lines := lineSink{report.NewJSON(io.Discard), t}
	checking := run.Run{Targets: harness.Targets, Sink: lines, Alone: true} // counting is not safe for concurrent use
	if err := checking.Documents(t.Context(), []run.Document{{Source: "f.json", Tools: tools}}); err != nil {
		t.Fatal(err)
	}
}

// lineSink reports errors in results.
type lineSink struct {
	*report.JSON

	t *testing.T
}

func (l lineSink) Result(result verdict.Result) error {
	if result.Error != "" {
		l.t.Errorf("%s: %s", result.Target, result.Error)
	}
	return l.JSON.Result(result)
}

// hostileDocument is a hostile.Case whose work grows as its size, as a document with one tool, or a
// hostile.List.
type hostileDocument struct {
	name  string
	make  func(size int) *schema.Node
	small int
}

func documents() (all []hostileDocument) {
	for _, of := range hostile.Cases {
		if of.Growth == hostile.Linear {
			all = append(all, hostileDocument{of.Name, func(size int) *schema.Node {
				return schema.Tool{Name: "f", Parameters: of.Make(size)}.Node()
			}, of.Small})
		}
	}
	for _, of := range hostile.Lists {
		all = append(all, hostileDocument{of.Name, of.Make, of.Small})
	}
	return all
}

// TestWorkGrowsAsTheInput counts how often each block of code runs for a document and for one
// that is four times as large. What runs sixteen times as often then takes the square of
// the size, whether it takes steps off a budget or not. The compiler counts, and no clock.
// What grows so is asked once more, four times as large.
func TestWorkGrowsAsTheInput(t *testing.T) {
	t.Parallel()
	if !*isCounting {
		t.Skip("make growth counts")
	}
	binary := filepath.Join(t.TempDir(), "harness.test")
	execute(t, "go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=./...,../normalizers/...,../schema/...", ".")
	const more, tolerated, perValue = 4, 8, 5
	for _, of := range documents() {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			small, large := blocks(t, binary, "TestCheckHostile", of.name, of.small), blocks(t, binary, "TestCheckHostile", of.name, more*of.small)
			grown := grown(small, large, perValue*of.make(more*of.small).Size(), tolerated)
			if len(grown) == 0 {
				return
			}
			// Work that begins at some size is a step: it does not grow so once more.
			size := more * of.small
			small, large = large, blocks(t, binary, "TestCheckHostile", of.name, more*size)
			for _, block := range grown {
				if large[block] > tolerated*small[block] {
					t.Errorf("%s ran %d times for the size %d, and %d times for %d", block, small[block], size, large[block], more*size)
				}
			}
		})
	}
}

// grown returns the blocks that run more than so many times as often for the large tool,
// and not seldom.
func grown(small, large map[string]int, seldom, times int) (grown []string) {
	for block, count := range large {
		if count > seldom && count > times*small[block] {
			grown = append(grown, block)
		}
	}
	return grown
}

// blocks returns how often each block runs in a test of a hostile case.
func blocks(t *testing.T, binary, test, name string, size int) map[string]int {
	t.Helper()
	folder := t.TempDir()
	execute(t, binary, "-test.run=^"+test+"$", "-test.gocoverdir="+folder, "-case="+name, "-size="+strconv.Itoa(size))
	profile := filepath.Join(folder, "profile.txt")
	execute(t, "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+profile)
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var block string
		var statements, count int
		if _, err := fmt.Sscan(lines.Text(), &block, &statements, &count); err == nil { // not the first line
			counts[block] += count
		}
	}
	if len(counts) == 0 {
		t.Fatal("nothing was counted")
	}
	return counts
}

func execute(t *testing.T, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}
