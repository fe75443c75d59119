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
	"strconv"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/lab/hostile"
	"toolproof/schema"
)

var (
	hostileCase = flag.String("case", "definitions", "the hostile case that TestCheckHostile checks")
	hostileSize = flag.Int("size", 0, "its size; 0 means the small one")
	isCounting  = flag.Bool("growth", false, "count blocks of code, in a binary of their own: make growth")
)

// TestCheckHostile checks one hostile tool for each target, from its text to the result
// lines.
func TestCheckHostile(t *testing.T) {
	of := hostile.Named(*hostileCase)
	size := *hostileSize
	if size == 0 {
		size = of.Small
	}
	tools, err := toolfile.Read(bytes.NewReader(schema.Tool{Name: "f", Parameters: of.Make(size)}.Node().JSON()))
	if err != nil {
		t.Fatal(err)
	}
	lines := report.NewJSON(io.Discard)
	for _, target := range harness.Targets {
		result := judge.Judge{}.Tool(t.Context(), judge.Subject{Tool: tools[0], Source: "f.json"}, target)
		if result.Error != "" {
			t.Errorf("%s: %s", target.Name(), result.Error)
		}
		if err := lines.Result(result); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWorkGrowsAsTheInput counts how often each block of code runs for a tool and for one
// that is four times as large. What runs sixteen times as often then takes the square of
// the size, whether it takes steps off a budget or not. The compiler counts, and no clock.
// What grows so is asked once more, four times as large.
func TestWorkGrowsAsTheInput(t *testing.T) {
	t.Parallel()
	if !*isCounting {
		t.Skip("make growth counts")
	}
	binary := filepath.Join(t.TempDir(), "harness.test")
	run(t, "go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=./...,../normalizers/...,../schema/...", ".")
	const more, tolerated, perValue = 4, 8, 5
	for _, of := range hostile.Cases {
		if of.Growth != hostile.Linear {
			continue
		}
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			small, large := blocks(t, binary, of.Name, of.Small), blocks(t, binary, of.Name, more*of.Small)
			grown := grown(small, large, perValue*of.Make(more*of.Small).Size(), tolerated)
			if len(grown) == 0 {
				return
			}
			// Work that begins at some size is a step: it does not grow so once more.
			size := more * of.Small
			small, large = large, blocks(t, binary, of.Name, more*size)
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

// blocks returns how often each block runs in the check of a hostile tool.
func blocks(t *testing.T, binary, name string, size int) map[string]int {
	t.Helper()
	folder := t.TempDir()
	run(t, binary, "-test.run=^TestCheckHostile$", "-test.gocoverdir="+folder, "-case="+name, "-size="+strconv.Itoa(size))
	profile := filepath.Join(folder, "profile.txt")
	run(t, "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+profile)
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

func run(t *testing.T, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}
