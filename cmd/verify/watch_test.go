package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
)

// watching runs verify check --watch. next returns what it has written to standard error
// since the last call once it waits for a change; end interrupts it and returns its exit
// code and standard output.
func watching(t *testing.T, arguments ...string) (next func() string, end func() (int, string)) {
	t.Helper()
	return watchingOf(t, append([]string{"check", "--watch", "--target", "openai", "--quiet"}, arguments...)...)
}

// watchingOf is watching for any command line.
func watchingOf(t *testing.T, arguments ...string) (next func() string, end func() (int, string)) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var out bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, arguments, strings.NewReader(""), &out, write)
		_ = write.Close() // never fails
	}()
	lines := bufio.NewScanner(read)
	next = func() string {
		var text strings.Builder
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "verify: watching") {
				return text.String()
			}
			text.WriteString(lines.Text() + "\n")
		}
		t.Fatalf("it has ended: %s", text.String())
		return ""
	}
	return next, func() (int, string) {
		interrupt()
		for lines.Scan() {
			t.Errorf("it says %s", lines.Text())
		}
		return <-code, out.String()
	}
}

func TestWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(text string) {
		if err := os.WriteFile("tools.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(`{"name": "f", "parameters": {"type": "object"}}`)
	next, end := watching(t, "tools.json")
	if said := next(); said != "" {
		t.Errorf("it says %s", said)
	}
	put(`{"mcpServers": {}}`)
	if said := next(); !strings.HasPrefix(said, "verify: tools.json: this is the configuration of an MCP client") {
		t.Errorf("after a change it says %s", said)
	}
	if err := os.Remove("tools.json"); err != nil {
		t.Fatal(err)
	}
	if said := next(); said != "verify: tools.json: no such file or directory\n" {
		t.Errorf("without the file it says %s", said)
	}
	code, out := end()
	if code != cli.CodeBroken || strings.Count(out, "1 tool judged") != 1 {
		t.Errorf("it ends with %d after\n%s", code, out)
	}
}

// TestWatchAdvise: advice is given again after a change.
func TestWatchAdvise(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(description string) {
		if err := os.WriteFile("tools.json", []byte(`{"name": "wait", "description": "`+description+`", "parameters": {"type": "object"}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("")
	next, end := watchingOf(t, "advise", "--watch", "--fail-on", "advice", "tools.json")
	if said := next(); said != "" {
		t.Errorf("it says %s", said)
	}
	put("Wait until the program that run has started ends.")
	if said := next(); said != "" {
		t.Errorf("after a change it says %s", said)
	}
	code, out := end()
	if code != cli.CodeConforms || strings.Count(out, "a tool or parameter has no description\n") != 1 || strings.Count(out, "next: ") != 2 {
		t.Errorf("it ends with %d after\n%s", code, out)
	}
}

// TestWatchProjectOfNamedFiles: what toolproof.json says holds for named files; a change of it checks
// them again.
func TestWatchProjectOfNamedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("tools.json", `{"name": "f", "parameters": {"type": "object"}}`)
	put("toolproof.json", `{"sources": ["tools.json"]}`)
	next, end := watching(t, "tools.json")
	if said := next(); said != "" {
		t.Errorf("it says %s", said)
	}
	put("toolproof.json", `{"sources": []}`)
	if said := next(); !strings.HasPrefix(said, "verify: toolproof.json:1:13: /sources: ") {
		t.Errorf("after a change it says %s", said)
	}
	if code, out := end(); code != cli.CodeBroken || strings.Count(out, "1 tool judged") != 1 {
		t.Errorf("it ends with %d after\n%s", code, out)
	}
}

// TestWatchExporter: an exporter that writes files does not start itself again and again.
func TestWatchExporter(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	t.Chdir(t.TempDir())
	next, end := watching(t, "--", "sh", "-c", `echo run >> runs; echo '{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}'`)
	for i, want := range []int{2, 4} {
		if i > 0 {
			if err := os.WriteFile("source.ts", []byte("changed"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		next()
		runs, err := os.ReadFile("runs")
		if got := strings.Count(string(runs), "run"); err != nil || got != want {
			t.Errorf("it ran %d times and not %d, %v", got, want, err)
		}
	}
	if code, out := end(); code != cli.CodeConforms || strings.Count(out, "1 tool judged") != 4 {
		t.Errorf("it ends with %d after\n%s", code, out)
	}
}
