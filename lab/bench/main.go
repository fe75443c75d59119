// Command bench measures what Toolproof costs, in units of other work done in the same run, so
// that the figures of different machines can be compared. It prints a table in Markdown, and
// with -docs also writes it to a file. Its argument is a corpus of tools, JSON Lines compressed
// with gzip; without it, it uses the tools of the fixtures.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"toolproof/fixtures"
	"toolproof/harness/fixture"
	"toolproof/internal/bounded"
	"toolproof/normalizers"
	"toolproof/schema"
)

// rounds is how often each measurement is repeated. Measurements that are compared take turns.
const rounds = 3

// row is a row of the table.
type row struct{ what, measured, goal string }

func main() {
	const seldom = 400 // as in verify
	debug.SetGCPercent(seldom)
	docs := flag.String("docs", "", "write the table to this file as well")
	flag.Parse()
	if err := bench(context.Background(), flag.Arg(0), *docs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, corpus, docs string) error {
	tools, err := readTools(corpus)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // leftovers do no harm
	rows, err := normalizing(ctx, tools)
	if err != nil {
		return err
	}
	commands, err := running(ctx, folder, tools)
	if err != nil {
		return err
	}
	page := pageOf(ctx, len(tools), append(rows, commands...))
	fmt.Print(page)
	if docs == "" {
		return nil
	}
	const readable = 0o644
	return os.WriteFile(docs, []byte(page), readable)
}

// readTools returns the tools of a corpus, or those of the fixtures if corpus is empty.
func readTools(corpus string) ([]schema.Tool, error) {
	var tools []schema.Tool
	if corpus == "" {
		chosen, err := fixture.Load(fixtures.Files)
		for _, fixture := range chosen {
			tools = append(tools, fixture.Tools...)
		}
		return tools, err
	}
	file, err := os.Open(corpus) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const longest, most = 1 << 24, 1 << 30
	lines, err := bounded.NewLines(file, longest, most)
	if err != nil {
		return nil, err
	}
	for lines.Next() {
		node, err := schema.Parse(bytes.Clone(lines.Text()))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", lines.Number(), err)
		}
		tools = append(tools, schema.Tool{Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("schema")})
	}
	return tools, lines.Err()
}

// normalizing measures parsing, and normalizing for each target, in units of copying the same
// bytes with jsontext.
func normalizing(ctx context.Context, tools []schema.Tool) ([]row, error) {
	texts := make([][]byte, len(tools))
	for i, tool := range tools {
		texts[i] = tool.Node().JSON()
	}
	units := make([]func() error, 0, len(normalizers.Pipelines)+2)
	units = append(units, func() error { return copyAll(texts) }, func() error {
		var buffer []byte
		for _, text := range texts {
			node, err := schema.Parse(text)
			if err != nil {
				return err
			}
			buffer = node.AppendJSON(buffer[:0])
		}
		return nil
	})
	for _, pipeline := range normalizers.Pipelines {
		units = append(units, func() error {
			for _, tool := range tools {
				if _, err := pipeline.Normalize(ctx, tool); err != nil {
					return fmt.Errorf("%s: %w", tool.Name, err)
				}
			}
			return nil
		})
	}
	spent := make([]time.Duration, len(units))
	for range rounds {
		for i, unit := range units {
			runtime.GC() // so that no unit pays for another's garbage
			before := userTime()
			if err := unit(); err != nil {
				return nil, err
			}
			spent[i] += userTime() - before
		}
	}
	ratio := func(i int) string { return fmt.Sprintf("%.2f", spent[i].Seconds()/spent[0].Seconds()) }
	rows := []row{{"parse and print", ratio(1), ""}}
	for i, pipeline := range normalizers.Pipelines {
		rows = append(rows, row{"normalize for " + pipeline.Name() + ", with the report", ratio(i + 2), "1.0"})
	}
	return rows, nil
}

func copyAll(texts [][]byte) error {
	for _, text := range texts {
		encoder := jsontext.NewEncoder(io.Discard)
		for decoder := jsontext.NewDecoder(bytes.NewBuffer(text)); ; {
			token, err := decoder.ReadToken()
			if err == io.EOF { //nolint:errorlint // as documented
				break
			}
			if err == nil {
				err = encoder.WriteToken(token)
			}
			if err != nil {
				return fmt.Errorf("copying: %w", err)
			}
		}
	}
	return nil
}

// oneTool is the tool for measuring the start of verify check.
const oneTool = `{"name":"f","inputSchema":{"type":"object","properties":{"a":{"type":"string","minLength":1},"b":{"const":1}}}}`

// empty is a program that does nothing, to measure the cost of starting one.
const empty = "package main\n\nfunc main() {}\n"

// running builds the command and measures its size, its start and a check of all tools.
func running(ctx context.Context, folder string, tools []schema.Tool) ([]row, error) {
	place := func(name string) string { return filepath.Join(folder, name) }
	var lines bytes.Buffer
	for _, tool := range tools {
		parameters := tool.Parameters
		if parameters == nil {
			parameters = schema.NewObject()
		}
		line := schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(tool.Name)})
		if tool.Description != nil { // an object with a description is a tool, whatever its schema
			line.Set("description", tool.Description)
		}
		line.Set("schema", parameters)
		lines.WriteString(line.String() + "\n")
	}
	for name, text := range map[string]string{"main.go": empty, "one.json": oneTool, "tools.jsonl": lines.String()} {
		const private = 0o600
		if err := os.WriteFile(place(name), []byte(text), private); err != nil {
			return nil, err
		}
	}
	for _, build := range [][]string{{"-o", place("empty"), place("main.go")}, {"-o", place("verify"), "-ldflags", "-s -w", "./cmd/verify"}} {
		out, err := exec.CommandContext(ctx, "go", append([]string{"build"}, build...)...).CombinedOutput() //nolint:gosec // constant arguments
		if err != nil {
			return nil, fmt.Errorf("building: %w\n%s", err, out)
		}
	}
	binary, err := os.Stat(place("verify"))
	if err != nil {
		return nil, err
	}
	verify := func(arguments ...string) []string { return append([]string{place("verify")}, arguments...) }
	const starts = 40
	started, err := run(ctx, starts, []string{place("empty")}, verify("version"), verify("check", place("one.json")), verify("check", "--target", "gemini", place("one.json")))
	if err != nil {
		return nil, err
	}
	checked, err := run(ctx, 1, verify("check", "--json", "--target", "all", "--normalized", place("tools.jsonl")))
	if err != nil {
		return nil, err
	}
	before := userTime()
	for range rounds {
		if err := copyAll([][]byte{lines.Bytes()}); err != nil {
			return nil, err
		}
	}
	copied := (userTime() - before) / rounds
	const mega = 1 << 20
	start := func(what string, took cost) row {
		return row{what + ", user and system CPU", fmt.Sprintf("%.1f ms, %.1f times an empty program", took.cpu.Seconds()*1000, took.cpu.Seconds()/started[0].cpu.Seconds()), "10 ms"}
	}
	return []row{
		start("`verify version`", started[1]),
		start("`verify check` of one tool for all targets", started[2]),
		start("`verify check --target gemini` of one tool", started[3]),
		{
			fmt.Sprintf("`verify check --json --target all --normalized` of %d tools, user CPU in copies of the file", len(tools)),
			fmt.Sprintf("%.0f", checked[0].user.Seconds()/copied.Seconds()), "60",
		},
		{"the same, clock by user CPU", fmt.Sprintf("%.2f", checked[0].clock.Seconds()/checked[0].user.Seconds()), "0.58"},
		{"the same, memory", fmt.Sprintf("%d MB", checked[0].memory/mega), "250 MB"},
		{"the stripped binary", fmt.Sprintf("%.1f MB", float64(binary.Size())/1e6), "25 MB"},
	}, nil
}

// cost is the resources that a run of a program took. memory is in bytes.
type cost struct {
	cpu, user, clock time.Duration
	memory           int64
}

// run runs programs in turn, times times, and returns for each the run with the least CPU.
func run(ctx context.Context, times int, programs ...[]string) ([]cost, error) {
	least := make([]cost, len(programs))
	for round := range times {
		for i, program := range programs {
			command := exec.CommandContext(ctx, program[0], program[1:]...) //nolint:gosec // built above
			begun := time.Now()
			err := command.Start()
			if err != nil {
				return nil, fmt.Errorf("starting %s: %w", program[0], err)
			}
			peak := peakOf(command.Process.Pid)
			err = command.Wait()
			if code := command.ProcessState.ExitCode(); code != 0 && code != 1 { // 1 means that a tool is refused
				return nil, fmt.Errorf("running %s: %w", strings.Join(program[1:], " "), err)
			}
			state := command.ProcessState
			took := cost{cpu: state.UserTime() + state.SystemTime(), user: state.UserTime(), clock: time.Since(begun), memory: peak()}
			if round == 0 || took.cpu < least[i].cpu {
				least[i] = took
			}
		}
	}
	return least, nil
}

// peakOf starts watching a process and returns a function to call after its end, which returns
// its peak memory in bytes. The system's own figure for an ended process is at least the memory
// of its parent, which holds the corpus.
func peakOf(process int) func() int64 {
	const often = 10 * time.Millisecond
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for ticks := time.NewTicker(often); ; {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
			if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
				const kilo = 1 << 10
				if size, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64); err == nil {
					most = size * kilo
				}
			}
			select {
			case <-done:
				ticks.Stop()
				peak <- most
				return
			case <-ticks.C:
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-peak
	}
}

// userTime returns the user CPU time of this process so far.
func userTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano())
}

// busy returns the load average of the last five minutes in words.
func busy() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return "as much as nobody knows"
	}
	return "a load of " + fields[1]
}

// pageOf returns the page with the table and what it was measured on.
func pageOf(ctx context.Context, tools int, rows []row) string {
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	var page strings.Builder
	fmt.Fprintf(&page, `# Performance

Made by `+"`make bench`"+` of commit %s: %d tools, %d cores, %s/%s, %s.
Without a unit a number is a ratio to reading and writing the same bytes with the tokens of jsontext,
in user CPU, measured in the same run. Other work on the machine makes CPU dearer by up to a half, and clocks mean nothing then; here there was %s.

| what | measured | goal, at most |
|---|---|---|
`, strings.TrimSpace(string(commit)), tools, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), busy())
	for _, row := range rows {
		fmt.Fprintf(&page, "| %s | %s | %s |\n", row.what, row.measured, row.goal)
	}
	page.WriteString(`
Peers are not in the table. Genkit's converter to Gemini, toGeminiSchema in github.com/firebase/genkit/go v1.4.0, is not
exported; through what is exported only a whole request can be measured. The module of charmbracelet/fantasy could not be
fetched from the module proxy.
`)
	return page.String()
}
