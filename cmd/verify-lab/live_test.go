package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/emulator"
	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// TestKilled kills a run in the middle of recording, again and again. No file is torn,
// and the runs that follow ask about what is missing alone.
func TestKilled(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program := filepath.Join(folder, "verify-lab") // the test's own binary runs the program under this name
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	const tools = 60
	var list []string
	for i := range tools {
		list = append(list, fmt.Sprintf(`{"name":"f%d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i))
	}
	file, kept := filepath.Join(folder, "tools.json"), filepath.Join(folder, "kept")
	if err := os.WriteFile(file, []byte("["+strings.Join(list, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A run that is to be killed gets answers about so many tools and then no other: it cannot end before.
	const answered = 15
	var answers atomic.Int64
	behind := emulator.New(emulator.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body) // the emulator answers whatever has arrived
		if !bytes.Contains(body, []byte(live.ControlName)) && answers.Add(-1) < 0 {
			<-request.Context().Done()
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		behind.ServeHTTP(writer, request)
	}))
	t.Cleanup(server.Close)
	start := func() *exec.Cmd {
		command := exec.CommandContext(t.Context(), program, "live", "--provider", "openai", "--target", "openai", "--base-url", server.URL, "--single", "--record="+kept, "--json", file)
		command.Env = append(os.Environ(), "OPENAI_API_KEY="+canary)
		return command
	}
	count := func() int {
		if _, err := os.Stat(kept); err != nil {
			return 0
		}
		store, err := recording.LoadAny(os.DirFS(kept))
		if err != nil {
			t.Fatalf("a file is torn: %v", err)
		}
		return len(store.All)
	}
	for killed := range 3 {
		answers.Store(answered)
		command := start()
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		for before, deadline := count(), time.Now().Add(time.Minute); count() < before+10 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		_ = command.Process.Kill()
		if err := command.Wait(); err == nil {
			t.Fatalf("run %d ended before it was killed", killed)
		}
	}
	before := count()
	answers.Store(tools)
	out, err := start().Output()
	if err != nil {
		t.Fatalf("the last run: %v\n%s", err, out)
	}
	if before < 30 || before >= tools || count() != tools {
		t.Errorf("%d recordings before the last run and %d after it, of %d", before, count(), tools)
	}
	compiled := clitest.CompileSchema(t, "../../docs/schema/recording.schema.json")
	names, err := filepath.Glob(filepath.Join(kept, "*", "*", "*.json"))
	if err != nil || len(names) != tools {
		t.Errorf("%d files: %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Validate(t, compiled, text, name)
	}
	if passed := strings.Count(string(out), `"status":"pass"`); passed != tools {
		t.Errorf("%d of %d pass", passed, tools)
	}
	left, err := recording.Unfinished(os.DirFS(kept))
	if err != nil || len(left) > 3 {
		t.Errorf("%d unfinished files are left: %v", len(left), err)
	}
}

// canary is the key of all tests: it must come out nowhere. It has the form of none.
const canary = "CANARY-of-a-key-4f1c"

// TestCanary looks for the key in everything that is written, where providers do what
// they can to spread it.
func TestCanary(t *testing.T) {
	for _, name := range []string{"GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} {
		t.Setenv(name, canary)
	}
	behind := emulator.New(emulator.Options{})
	refusal := func(text string) []byte {
		body, err := json.Marshal(map[string]any{"error": map[string]any{
			"message": "Invalid schema for function 'f': " + text, "type": "invalid_request_error", "param": "tools[0].function.parameters", "code": "invalid_function_parameters",
		}})
		if err != nil {
			panic(err)
		}
		return body
	}
	for name, front := range map[string]http.HandlerFunc{
		"none": nil,
		"unauthorized": func(writer http.ResponseWriter, request *http.Request) {
			writer.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(writer, `{"error":{"message":"Incorrect API key provided: %s %s","status":"%s"}}`, canary, request.Header.Get("Authorization"), canary)
		},
		"refused": func(writer http.ResponseWriter, request *http.Request) {
			writer.Header().Set("Content-Type", "application/json")
			writer.WriteHeader(http.StatusBadRequest)
			_, _ = writer.Write(refusal(canary + request.Header.Get("X-Api-Key")))
		},
		"garbage": func(writer http.ResponseWriter, _ *http.Request) { fmt.Fprint(writer, "<html>"+canary) },
		"aborted": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"redirected": func(writer http.ResponseWriter, request *http.Request) {
			http.Redirect(writer, request, "http://127.0.0.1:1/?key="+canary, http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				body, err := io.ReadAll(request.Body)
				if err != nil {
					return
				}
				request.Body = io.NopCloser(bytes.NewReader(body))
				if front != nil && !bytes.Contains(body, []byte(live.ControlName)) {
					front(writer, request)
					return
				}
				behind.ServeHTTP(writer, request)
			}))
			defer server.Close()
			kept := filepath.Join(t.TempDir(), "kept")
			var written bytes.Buffer
			for _, provider := range []string{"gemini", "openai", "anthropic"} {
				for _, more := range [][]string{{"--json"}, {"--raw", "--record=" + kept}} {
					arguments := append([]string{"live", "--provider", provider, "--base-url", server.URL, "--retry-wait", "1ms", "-"}, more...)
					run(t.Context(), arguments, strings.NewReader(`{"name":"f","inputSchema":{"type":"object"}}`), &written, &written)
				}
			}
			if !strings.Contains(written.String(), `"tool":"f"`) {
				t.Errorf("nothing was asked:\n%s", &written)
			}
			if name == "refused" && !strings.Contains(written.String(), recording.ErrSecret.Error()) {
				t.Errorf("the key was not stopped:\n%s", &written)
			}
			if strings.Contains(written.String(), canary) {
				t.Errorf("the key is written:\n%s", &written)
			}
			if leaks := scanned(t, kept); len(leaks) > 0 {
				t.Errorf("the key is written: %v", leaks)
			}
		})
	}
}

// scanned looks for the key in every file below a folder.
func scanned(t *testing.T, folder string) []recording.Leak {
	t.Helper()
	if _, err := os.Stat(folder); err != nil {
		return nil
	}
	leaks, err := recording.Scan(os.DirFS(folder), []string{canary})
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.Contains(name, canary) {
			leaks = append(leaks, recording.Leak{File: name})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return leaks
}

// TestLiveThousand runs the command over 1,000 tools, and 37 are bad: exactly
// those fail, within the requests that are allowed, and each line is as it is
// published.
func TestLiveThousand(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", canary)
	var requests int
	behind := emulator.New(emulator.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		if !bytes.Contains(body, []byte(live.ControlName)) {
			requests++
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		behind.ServeHTTP(writer, request)
	}))
	defer server.Close()
	var list []string
	bad := map[string]bool{}
	for i := range 1000 {
		parameters := `{"type":"object","properties":{"a":{"type":"string"}}}`
		if i%27 == 13 {
			parameters, bad[fmt.Sprintf("f%d", i)] = `{"type":"object","properties":{"a":{"type":"array"}}}`, true
		}
		list = append(list, fmt.Sprintf(`{"name":"f%d","inputSchema":%s}`, i, parameters))
	}
	out, _ := clitest.Output(t, run, "["+strings.Join(list, ",")+"]", cli.CodeFails, "live", "--provider", "openai", "--target", "openai", "--raw", "--concurrency", "1", "--base-url", server.URL, "--json", "-")
	compiled := clitest.CompileSchema(t, "../../docs/schema/result.schema.json")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		var result struct {
			Tool   string `json:"tool"`
			Status string `json:"status"`
		}
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			t.Fatal(err)
		}
		if (result.Status == "fail") != bad[result.Tool] || result.Status != "fail" && result.Status != "pass" {
			t.Errorf("%s: %s", result.Tool, result.Status)
		}
		if bad[result.Tool] {
			clitest.Validate(t, compiled, []byte(line), "result line")
		}
	}
	clitest.Validate(t, compiled, []byte(lines[len(lines)-1]), "summary")
	if len(bad) != 37 || len(lines) != 1001 || requests > 8+2*37 {
		t.Errorf("%d bad, %d lines, %d requests", len(bad), len(lines), requests)
	}
}

// unmarking takes the emulator's mark off, so that a server looks like a real one.
type unmarking struct{ http.ResponseWriter }

func (u unmarking) WriteHeader(status int) {
	u.Header().Del(provider.EmulatorHeader)
	u.ResponseWriter.WriteHeader(status)
}

// TestEnginesAreRecorded: an answer of an engine is evidence of its release and the day of
// that, and stands for one of the same release. One of the emulator is none.
func TestEnginesAreRecorded(t *testing.T) {
	t.Parallel()
	const tools = `[{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},{"name":"bad","inputSchema":{"type":"object","required":"a"}}]`
	for _, test := range []struct {
		name, asOf string
		isMarked   bool
		grade      recording.Grade
		source     string
		date       provider.Date
	}{
		{"real", "2026-11-21", false, recording.Recorded, "ollama 0.17.4", "2026-02-27"},
		{"older", "2026-01-01", false, recording.Recorded, "ollama 0.13.5", "2025-12-18"},
		{"emulated", "2026-11-21", true, recording.Emulated, "verify live --provider ollama", provider.Today()},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			behind := emulator.New(emulator.Options{Engine: "ollama", AsOf: provider.Date(test.asOf)})
			server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				if !test.isMarked {
					writer = unmarking{writer}
				}
				behind.ServeHTTP(writer, request)
			}))
			t.Cleanup(server.Close)
			kept := filepath.Join(t.TempDir(), "kept")
			_, said := clitest.Output(t, run, tools, cli.CodeFails, "live", "--provider", "ollama", "--raw", "--base-url", server.URL, "--record="+kept, "-")
			if !strings.Contains(said, "requests sent") || strings.Contains(said, "this is no evidence") != test.isMarked {
				t.Errorf("the run says\n%s", said)
			}
			store, err := recording.LoadAny(os.DirFS(kept))
			if err != nil || len(store.All) != 2 {
				t.Fatalf("%v, %d recordings", err, len(store.All))
			}
			for _, recorded := range store.All {
				if recorded.Grade != test.grade || recorded.Source != test.source || recorded.Date != test.date {
					t.Errorf("%s of %s from %q", recorded.Grade, recorded.Date, recorded.Source)
				}
			}
			if _, said = clitest.Output(t, run, tools, cli.CodeFails, "live", "--provider", "ollama", "--raw", "--base-url", server.URL, "--record="+kept, "-"); strings.Contains(said, "sent, for") {
				t.Errorf("what is recorded of the release was asked again:\n%s", said)
			}
		})
	}
}

// TestLiveWithoutClients: without the program of the official clients nothing is asked, and
// that is said once.
func TestLiveWithoutClients(t *testing.T) {
	before := ask.StartLive
	ask.StartLive = ask.StartProgram
	t.Cleanup(func() { ask.StartLive = before })
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "")
	t.Setenv("OPENAI_API_KEY", "key")
	if err := os.WriteFile("tools.json", []byte(`{"name": "f", "parameters": {"type": "object"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"live", "tools.json"}, {"explore"}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(arguments, "--provider", "openai", "--base-url", "http://127.0.0.1:1"), strings.NewReader(""), &out, &errs)
		const want = "verify-lab: the program verify-live with the official clients is missing\nhint: install it beside verify-lab\n"
		if code != cli.CodeBroken || out.Len() > 0 || errs.String() != want {
			t.Errorf("%q: it ends with %d, and says %s%s", arguments, code, &out, &errs)
		}
	}
}
