package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// listOf returns a list with the tools in a document.
func listOf(t *testing.T, text string) List {
	t.Helper()
	tools, err := toolfile.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return List{Server: "srv", Tools: tools}
}

func jobOf(t *testing.T, surface string) Job {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Job{Client: "fake", Surface: surface, Program: self, Path: os.Getenv("PATH"), Self: []string{self}, AsOf: "2026-11-21", Timeout: time.Minute}
}

// statesOf returns the states of the tools in a report, by name.
func statesOf(report Report) map[string]arrival.State {
	states := map[string]arrival.State{}
	for _, tool := range report.Tools {
		states[tool.Name] = tool.State
	}
	return states
}

const usualTools = `{"tools":[
{"name":"plain","description":"Is sent as it is.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},
{"name":"dropped","description":"Is left out in silence.","inputSchema":{"type":"object","properties":{}}},
{"name":"complained","description":"Is left out with a word.","inputSchema":{"type":"object","properties":{}}},
{"name":"changed","description":"Loses its pattern.","inputSchema":{"type":"object","properties":{"code":{"type":"string","pattern":"^[A-Z]{3}$"}},"required":["code"]}},
{"name":"hashed.name_that_is_long","description":"Has a name with a hash.","inputSchema":{"type":"object","properties":{}}},
{"name":"refused","description":"Has a list without items.","inputSchema":{"type":"object","properties":{"l":{"type":"array"}}}}
]}`

// TestMeasure runs an agent that keeps, changes, renames and leaves out tools.
func TestMeasure(t *testing.T) {
	t.Parallel()
	report, err := Measure(t.Context(), jobOf(t, "usual"), listOf(t, usualTools))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]arrival.State{"plain": arrival.Kept, "dropped": arrival.Missing, "complained": arrival.Missing, "changed": arrival.Changed, "hashed.name_that_is_long": arrival.Kept, "refused": arrival.Kept}
	if difference := cmp.Diff(want, statesOf(report)); difference != "" {
		t.Error(difference)
	}
	if report.ClientVersion != "1.2.3" || report.Runs != 1 || report.Own != 1 || report.ExitCode != 1 || report.Conforms() {
		t.Errorf("the report is %+v", report)
	}
	if !report.Request.IsRefused() || !strings.Contains(report.Request.Message, "array schema missing items") {
		t.Errorf("the request is %+v", report.Request)
	}
	for _, tool := range report.Tools {
		switch tool.Name {
		case "dropped":
			if !tool.IsSilent() {
				t.Errorf("%s: the agent says %q", tool.Name, tool.Says)
			}
		case "complained":
			if tool.IsSilent() || tool.Says[0] != "warning: complained is left out" {
				t.Errorf("%s: the agent says %q", tool.Name, tool.Says)
			}
		case "changed":
			text, err := json.Marshal(tool.Changes)
			if want := `[{"at":"/parameters/properties/code","loss":"widens","before":{"pattern":"^[A-Z]{3}$"}}]`; err != nil || string(text) != want || tool.Loss.String() != "widens" {
				t.Errorf("%s: %s, want %s", tool.Name, text, want)
			}
		case "hashed.name_that_is_long":
			if tool.Sent != "mcp__srv__hashed_name_t_8f3a" {
				t.Errorf("%s is sent as %s", tool.Name, tool.Sent)
			}
		case "refused":
			if len(tool.Refused) != 1 || tool.Refused[0].Rule == "" || tool.Dialect != "openai/chat" {
				t.Errorf("%s: %+v on %s", tool.Name, tool.Refused, tool.Dialect)
			}
		}
	}
}

// TestMeasureFindsWhatCostsAll lists two tools that cost all others, and one that only the
// agent drops: Measure finds the first two, and measures the others without them.
func TestMeasureFindsWhatCostsAll(t *testing.T) {
	t.Parallel()
	plain := func(name string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{}}}`
	}
	list := listOf(t, `{"tools":[`+strings.Join([]string{plain("a"), plain("dropped"), plain("true_b"), plain("c"), plain("d"), plain("true_e"), plain("f")}, ",")+`]}`)
	report, err := Measure(t.Context(), jobOf(t, "usual"), list)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]arrival.State{"a": arrival.Kept, "dropped": arrival.Missing, "true_b": arrival.Missing, "c": arrival.Kept, "d": arrival.Kept, "true_e": arrival.Missing, "f": arrival.Kept}
	if difference := cmp.Diff(want, statesOf(report)); difference != "" {
		t.Error(difference)
	}
	for i, tool := range report.Tools {
		if costs := strings.HasPrefix(tool.Name, "true_"); costs != (tool.Costs > 0) {
			t.Errorf("tool %d, %s, costs %d", i, tool.Name, tool.Costs)
		}
	}
	if report.Conforms() || report.Request.IsRefused() || report.SendsNone {
		t.Errorf("the report is %+v", report)
	}
}

// TestMeasureReportsThatNothingIsSent runs an agent that sends no tool of any server.
func TestMeasureReportsThatNothingIsSent(t *testing.T) {
	t.Parallel()
	report, err := Measure(t.Context(), jobOf(t, "none"), listOf(t, usualTools))
	if err != nil || !report.SendsNone || report.Runs != 2 || report.Count(arrival.Missing) != 6 {
		t.Errorf("the report is %+v, %v", report, err)
	}
}

// TestMeasureFindsDeferred runs an agent that sends the names of some tools beside its search.
func TestMeasureFindsDeferred(t *testing.T) {
	t.Parallel()
	job := jobOf(t, "searches")
	job.Search = true
	report, err := Measure(t.Context(), job, listOf(t, usualTools))
	if err != nil || !report.Search || report.SendsNone || report.Runs != 1 || len(report.Requests) != 2 || report.Requests[1].Number != 2 {
		t.Errorf("the report is %+v, %v", report, err)
	}
	want := map[string]arrival.State{
		"plain": arrival.Deferred, "changed": arrival.Deferred, "hashed.name_that_is_long": arrival.Deferred,
		"dropped": arrival.Missing, "complained": arrival.Missing, "refused": arrival.Missing,
	}
	if difference := cmp.Diff(want, statesOf(report)); difference != "" {
		t.Error(difference)
	}
	if report.Tools[3].Sent != "srv_changed" || report.Conforms() || !report.Fails() {
		t.Errorf("the report is %+v", report)
	}
	report.Tools = report.Tools[:1]
	if report.Conforms() || report.Fails() {
		t.Error("a tool of which only the name was sent conforms or fails: nothing is known of it")
	}
}

// TestRunLearnsNothing runs agents that send no request.
func TestRunLearnsNothing(t *testing.T) {
	t.Parallel()
	for surface, isLate := range map[string]bool{"silent": false, "hangs": true} {
		job := jobOf(t, surface)
		if isLate {
			job.Timeout = 2 * time.Second
		}
		report, err := Measure(t.Context(), job, listOf(t, usualTools))
		if err != nil || report.Request != nil || report.IsLate != isLate || report.Conforms() {
			t.Errorf("%s: the report is %+v, %v", surface, report, err)
		}
	}
	job := jobOf(t, "usual")
	job.Program = filepath.Join(t.TempDir(), "none")
	if report, err := Measure(t.Context(), job, listOf(t, usualTools)); err == nil {
		t.Errorf("a program that is not there: %+v", report)
	}
}

// TestRunEndsWithTheContext ends the context of an agent that hangs.
func TestRunEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := Run(ctx, jobOf(t, "hangs")); err == nil {
		t.Error("a run that was ended gives no error")
	}
}

// TestRunShowsAndLeavesNothing runs an agent that looks around: it sees nothing of the
// user's, and no file or process of the run is left, even without namespaces. With them it has
// no capability, and neither writes a file nor reaches a socket of the user.
func TestRunShowsAndLeavesNothing(t *testing.T) {
	t.Setenv("TOOLPROOF_SECRET", "of the user")
	list := []byte(`{"tools":[]}`)
	socket, written := besideSelf(t, "socket"), besideSelf(t, "written")
	listener, err := net.Listen("unix", socket) //nolint:noctx // of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	for name, run := range map[string]func(context.Context, Job) (Outcome, error){"isolated": Run, "beside": beside} {
		job := jobOf(t, "looks")
		job.List, job.Server = list, "srv"
		outcome, err := run(t.Context(), job)
		if err != nil || outcome.ExitCode != 0 {
			t.Fatalf("%s: %v\n%s", name, err, outcome.Output)
		}
		said := map[string]string{}
		for line := range strings.Lines(outcome.Output) {
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			said[word] = rest
		}
		home := strings.ReplaceAll(said["home"], "|", "/") // a plain path would be removed from the output
		if strings.Contains(said["environment"], "of the user") || home == os.Getenv("HOME") || home == "" || !strings.Contains(said["environment"], "HOME=/home") {
			t.Errorf("%s: the agent sees %s", name, outcome.Output)
		}
		if _, err := os.Stat(home); err == nil {
			t.Errorf("%s: %s is left", name, home)
		}
		if name == "isolated" && outcome.Isolation == "" && !strings.Contains(said["network"], "unreachable") {
			t.Errorf("the agent has a network: %s", said["network"])
		}
		switch {
		case outcome.Isolation != "":
			t.Log("not isolated: " + outcome.Isolation)
		case name == "isolated":
			_, err := os.Stat(written)
			if err == nil || said["capabilities"] != "0000000000000000" || !strings.Contains(said["socket"], "refused") || said["processes"] != "0" {
				t.Errorf("the agent has capabilities %s, writes %s, reaches a socket: %s, and sees %s environments", said["capabilities"], said["written"], said["socket"], said["processes"])
			}
		case os.Getuid() != 0 && said["processes"] != "0": // nothing is hidden from root
			t.Errorf("the agent sees %s environments", said["processes"])
		}
		_ = os.Remove(written)
		if !waitUntil(func() bool { return livingAt(home) == 0 }) { // a killed process takes a moment to go
			t.Errorf("%s: %d processes are left", name, livingAt(home))
		}
	}
}

// TestKilledRunLeavesNothing: when the process that runs an agent is killed, the agent ends as well,
// and its folder goes.
func TestKilledRunLeavesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	for _, word := range []string{"apart", "beside"} {
		temporary, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
		job := jobOf(t, "hangs")
		job.List, job.Server, job.Timeout, job.Path = []byte(`{"tools":[]}`), "srv", time.Hour, mark
		text, err := json.Marshal(job) //nolint:musttag // as program.Apart does it
		if err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), os.Args[0], word)
		command.Env, command.Stdin = append(os.Environ(), "TMPDIR="+temporary), bytes.NewReader(text)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if !waitUntil(func() bool { return livingAt(mark) > 0 }) {
			t.Errorf("%s: the agent does not start", word)
		}
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
		if !waitUntil(func() bool { return livingAt(mark) == 0 }) {
			t.Errorf("%s: %d processes are left", word, livingAt(mark))
		}
		if !waitUntil(func() bool {
			left, err := os.ReadDir(temporary)
			return err == nil && len(left) == 0
		}) {
			t.Errorf("%s: a folder is left", word)
		}
	}
}

// waitUntil waits until something holds, for minutes if need be, since a busy machine is slow.
func waitUntil(holds func() bool) bool {
	for wait := time.Millisecond; wait < time.Minute; wait *= 2 {
		if holds() {
			return true
		}
		time.Sleep(wait)
	}
	return false
}

// besideSelf returns the path of a file beside this program, which does not exist.
func besideSelf(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(filepath.Dir(os.Args[0]), name)) // a socket is hidden by its absolute path
	if err := errors.Join(err, os.RemoveAll(path)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(path) })
	return path
}

// livingAt counts the processes with a home directory, on a system that shows them.
func livingAt(home string) int {
	count := 0
	found, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range found {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), "="+home+"\x00") {
			count++
		}
	}
	return count
}

// TestMatch finds tools by the names that agents give them.
func TestMatch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long_name_", 8)
	for _, test := range []struct {
		tools, sent []string
		spaces      []string
		want        []int
	}{
		{[]string{"t"}, []string{"mcp__srv__t"}, nil, []int{0}},
		{[]string{"t"}, []string{"mcp_srv_t"}, nil, []int{0}},
		{[]string{"t"}, []string{"srv_t"}, nil, []int{0}},
		{[]string{"t"}, []string{"srv__t"}, nil, []int{0}},
		{[]string{"t"}, []string{"t"}, nil, []int{0}},
		{[]string{"t"}, []string{"t"}, []string{"mcp__srv"}, []int{0}},
		{[]string{"read"}, []string{"read", "srv_read"}, nil, []int{1}},            // the first is the agent's own
		{[]string{"a_b", "a.b"}, []string{"srv_a_b", "srv_a_b"}, nil, []int{0, 1}}, // the agent gave both the same name
		{[]string{"a/b"}, []string{"mcp__srv__a_b"}, nil, []int{0}},
		{[]string{"a.b"}, []string{"a_b"}, nil, []int{0}},
		{[]string{long}, []string{"mcp__srv__" + long[:40] + "_1a2b3c"}, nil, []int{0}},
		{[]string{long}, []string{"mcp_srv_" + long[:20] + "..." + long[60:]}, nil, []int{0}},
		{[]string{"a.b"}, []string{"mcp__srv__a_b_17rqtlh"}, nil, []int{0}},
		{[]string{"t"}, []string{"mcp__other__t"}, nil, []int{-1}},
		{[]string{"t.u", "read"}, []string{"read", "cVRNkT0mcp0t_u", "cVRNkT0mcp0read"}, nil, []int{1, 2}},
		{[]string{"t"}, []string{"long_0mcp0t"}, nil, []int{-1}},
		{[]string{"search"}, []string{"search_files"}, nil, []int{-1}},
		{[]string{"t", "u"}, []string{"mcp__srv__u"}, nil, []int{-1, 0}},
	} {
		tools := make([]schema.Tool, len(test.tools))
		for i, name := range test.tools {
			tools[i].Name = name
		}
		declared := make([]arrival.Declaration, len(test.sent))
		for i, name := range test.sent {
			declared[i].Tool.Name = name
			if test.spaces != nil {
				declared[i].Space = test.spaces[i]
			}
		}
		if got := match(tools, declared, "srv"); !slices.Equal(got, test.want) {
			t.Errorf("%q in %q: %v, want %v", test.tools, test.sent, got, test.want)
		}
	}
}
