package harness_test

import (
	"bufio"
	"bytes"
	"cmp"
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
	"toolproof/harness/refusal"
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

// pastes are the parts of hostile texts that people might paste, by the name of a case.
var pastes = map[string]string{
	"bodies": `{"error":`, "escapes": `\`, "braces": "{", "tools": "tools.0.", "contexts": "'properties', ", "logs": "2026-01-01 10:00:00 ERROR x: no\n",
	"places": "GenerateContentRequest.tools[0].function_declarations[0].parameters", "refusals": "Invalid schema for function 'g': ", "colours": "\x1b[31m",
	"omissions": "...", "messages": `"message": "`,
}

// TestLocateHostile locates a hostile text of the size in a tool.
func TestLocateHostile(t *testing.T) {
	part, size := cmp.Or(pastes[*hostileCase], pastes["bodies"]), cmp.Or(*hostileSize, 1<<10)
	tools := []schema.Tool{{Name: "f", Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})}}
	located, err := refusal.Locator{Dialects: harness.Dialects}.Locate(t.Context(), strings.Repeat(part, size/len(part)+1), tools)
	if (err == nil) != (len(located.Places) > 0) {
		t.Errorf("%q: %v %v", part, located.Places, err)
	}
}

// TestWorkGrowsAsTheText is TestWorkGrowsAsTheInput for pasted texts.
func TestWorkGrowsAsTheText(t *testing.T) {
	t.Parallel()
	if !*isCounting {
		t.Skip("make growth counts")
	}
	binary := filepath.Join(t.TempDir(), "harness.test")
	run(t, "go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=./...,../internal/...", ".")
	const size, more, tolerated, perLetter = 1 << 12, 4, 8, 5
	for name := range pastes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small, large := blocks(t, binary, "TestLocateHostile", name, size), blocks(t, binary, "TestLocateHostile", name, more*size)
			grown := grown(small, large, perLetter*more*size, tolerated)
			if len(grown) == 0 {
				return
			}
			small, large = large, blocks(t, binary, "TestLocateHostile", name, more*more*size)
			for _, block := range grown {
				if large[block] > tolerated*small[block] {
					t.Errorf("%s ran %d times for %d letters, and %d times for four times as many", block, small[block], more*size, large[block])
				}
			}
		})
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
			small, large := blocks(t, binary, "TestCheckHostile", of.Name, of.Small), blocks(t, binary, "TestCheckHostile", of.Name, more*of.Small)
			grown := grown(small, large, perValue*of.Make(more*of.Small).Size(), tolerated)
			if len(grown) == 0 {
				return
			}
			// Work that begins at some size is a step: it does not grow so once more.
			size := more * of.Small
			small, large = large, blocks(t, binary, "TestCheckHostile", of.Name, more*size)
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
	run(t, binary, "-test.run=^"+test+"$", "-test.gocoverdir="+folder, "-case="+name, "-size="+strconv.Itoa(size))
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
