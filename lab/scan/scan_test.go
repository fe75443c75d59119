package scan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain runs this program as a scan of a list, which a test kills.
func TestMain(m *testing.M) {
	if list := os.Getenv("TOOLPROOF_SCAN_LIST"); list != "" {
		text, err := os.ReadFile(list)
		if err == nil {
			err = scanned(context.Background(), string(text), os.Getenv("TOOLPROOF_SCAN_RESULTS"))
		}
		if err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// scanned scans a list into a file. TOOLPROOF_SCAN_TIME is how long a server may take.
func scanned(ctx context.Context, list, name string) error {
	servers, err := ReadList([]byte(list))
	if err != nil {
		return err
	}
	results, err := Open(name)
	if err != nil {
		return err
	}
	long, err := time.ParseDuration(os.Getenv("TOOLPROOF_SCAN_TIME"))
	if err != nil {
		long = 3 * time.Second
	}
	scan := Scan{Start: long, Answers: long, Bytes: 4 << 20, Memory: 256 << 20, Gap: time.Millisecond}
	return errors.Join(scan.Run(ctx, servers, results), results.Close())
}

const tool = `{"name":"f","description":"Say it.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`

// kinds are what a server does with tools/list, by name.
var kinds = map[string]func(w http.ResponseWriter, r *http.Request, id string){
	"listed": func(w http.ResponseWriter, _ *http.Request, id string) { answer(w, id, `{"tools":[`+tool+`]}`) },
	"hangs":  func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() },
	"floods": func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	},
	"dies":    func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
	"garbage": func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = io.WriteString(w, "<html>\x1b]0;") },
	"drips": func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	},
	"huge": func(w http.ResponseWriter, _ *http.Request, id string) {
		answer(w, id, `{"tools":[`+strings.Repeat(tool+",", 60_000)+tool+`]}`)
	},
	"pages": func(w http.ResponseWriter, _ *http.Request, id string) {
		time.Sleep(20 * time.Millisecond)
		answer(w, id, `{"tools":[`+tool+`],"nextCursor":"a"}`)
	},
}

func answer(w http.ResponseWriter, id, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
}

// served starts servers, of which one in a hundred is of each hostile kind, and returns their list and how often each
// was asked for its tools.
func served(t *testing.T, count int, wait time.Duration) (list string, asked []atomic.Int32) {
	t.Helper()
	asked = make([]atomic.Int32, count)
	hostile := []string{"hangs", "floods", "dies", "garbage", "drips", "huge", "pages"}
	var lines []string
	for i := range count {
		kind := "listed"
		if i%100 < len(hostile) {
			kind = hostile[i%100]
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var request struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			switch err := json.NewDecoder(r.Body).Decode(&request); {
			case err != nil:
				w.WriteHeader(http.StatusMethodNotAllowed)
			case request.Method == "initialize":
				answer(w, string(request.ID), `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
			case request.Method == "tools/list":
				asked[i].Add(1)
				time.Sleep(wait)
				kinds[kind](w, r, string(request.ID))
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		}))
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		lines = append(lines, server.URL+"/"+kind)
	}
	return strings.Join(lines, "\n"), asked
}

func sorted(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	slices.Sort(lines)
	return lines
}

// TestKilled kills a scan at ten moments, and compares what it wrote once it ended with the lines of a scan that was
// not killed. A server whose line was written is not asked again. TOOLPROOF_SCAN_SERVERS and TOOLPROOF_SCAN_WAIT make
// it larger.
func TestKilled(t *testing.T) {
	t.Parallel()
	count, wait := 100, 20*time.Millisecond
	if more, err := strconv.Atoi(os.Getenv("TOOLPROOF_SCAN_SERVERS")); err == nil {
		count = more
	}
	if longer, err := time.ParseDuration(os.Getenv("TOOLPROOF_SCAN_WAIT")); err == nil {
		wait = longer
	}
	list, asked := served(t, count, wait)
	folder := t.TempDir()
	whole, killed, names := filepath.Join(folder, "whole"), filepath.Join(folder, "killed"), filepath.Join(folder, "list")
	if err := os.WriteFile(names, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(name string) *exec.Cmd {
		command := exec.CommandContext(t.Context(), os.Args[0])
		command.Env = append(os.Environ(), "TOOLPROOF_SCAN_LIST="+names, "TOOLPROOF_SCAN_RESULTS="+name)
		command.Stderr = os.Stderr
		return command
	}
	command, begun := start(whole), time.Now()
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	t.Logf("%d servers in %.1fs of wall and %.1fs of CPU, %s", count, took.Seconds(), (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds(), peak(command.ProcessState))
	want := sorted(t, whole)
	listed := 0
	for _, line := range want {
		isListed := strings.Contains(line, `"outcome":"listed"`)
		if isListed {
			listed++
		}
		if line != "" && isListed != strings.Contains(line, "/listed\"") {
			t.Errorf("unexpected: %.300s", line)
		}
	}
	if listed != count*93/100 || len(want) != count+1 {
		t.Errorf("%d lines of which %d are listed", len(want)-1, listed)
	}
	for i := range asked {
		asked[i].Store(0)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		command := start(killed)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(took) / 8)))
		_ = command.Process.Kill()
		_ = command.Wait()
		cutOff(t, killed)
		known := map[string]int32{}
		for i, line := range strings.Split(list, "\n") {
			known[line] = asked[i].Load()
		}
		results, err := Open(killed)
		if err != nil {
			t.Fatal(err)
		}
		if err := results.Close(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			for i, line := range strings.Split(list, "\n") {
				if results.Done[line] && asked[i].Load() != known[line] {
					t.Errorf("%s was asked again", line)
				}
			}
		})
	}
	if err := start(killed).Run(); err != nil {
		t.Fatal(err)
	}
	if got := sorted(t, killed); !slices.Equal(got, want) {
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("after the kills: %.300q", line)
			}
		}
		t.Errorf("%d lines, want %d", len(got)-1, len(want)-1)
	}
}

// cutOff leaves a line that was not written to its end, as a full disk or a fall of the machine does.
func cutOff(t *testing.T, name string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = fmt.Fprint(file, `{"server":"http://127.0`)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadList(t *testing.T) {
	t.Parallel()
	const registry = `{"servers":[{"server":{"name":"a/b","version":"2","remotes":[{"type":"sse","url":"https://a.example/sse"},{"type":"streamable-http","url":"https://{t}.example/"}],
		"packages":[{"registryType":"npm","identifier":"@a/b","version":"2","transport":{"type":"stdio"}},{"registryType":"oci","identifier":"a:1"}]},
		"_meta":{"io.modelcontextprotocol.registry/official":{"updatedAt":"2026-10-02T00:00:00Z"}}}],"metadata":{"count":1}}`
	servers, err := ReadList([]byte(registry + "\n" + `[{"name":"c","version":"1","remotes":[{"type":"streamable-http","url":"https://u:p@c.example/"}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, server := range servers {
		got = append(got, fmt.Sprintf("%s %s %v %q", server.Key, server.Updated, server.IsSSE, server.Why))
	}
	want := []string{
		`https://a.example/sse 2026-10-02T00:00:00Z true ""`,
		`https://{t}.example/ 2026-10-02T00:00:00Z false "the address has a variable"`,
		`npm:@a/b@2 2026-10-02T00:00:00Z false ""`,
		`oci:a:1 2026-10-02T00:00:00Z false "packages of oci are not started"`,
		`https://c.example/  false "the address has a password"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	servers, err = ReadList([]byte("# all\nnpm:a@1 # one\n\nhttps://a.example/mcp\n"))
	if err != nil || len(servers) != 2 || servers[0].Package != "a@1" || servers[1].Address != "https://a.example/mcp" {
		t.Errorf("read %+v, %v", servers, err)
	}
	for _, wrong := range []string{"a b", "{", `{"servers":1}`, "npm:"} {
		if _, err := ReadList([]byte(wrong)); !errors.Is(err, ErrNoList) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestForget removes the results of servers that failed, and nothing else.
func TestForget(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "scan.jsonl")
	if err := Forget(name); err != nil {
		t.Errorf("a file that is not there yet: %v", err)
	}
	const kept = `{"server":"a","outcome":"listed","tools":[]}` + "\n" + `{"server":"c","outcome":"left_out","error":"no","tools":[]}` + "\n"
	const failed, half = `{"server":"b","outcome":"failed","error":"no","tools":[]}` + "\n", `{"server":"d","out`
	if err := os.WriteFile(name, []byte(failed+kept+failed+half), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Forget(name); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != kept {
		t.Errorf("the file is %s, %v", text, err)
	}
	if about, err := os.Stat(name); err != nil || about.Mode().Perm() != 0o640 {
		t.Errorf("the file has become %v, %v", about.Mode(), err)
	}
	const other = "name: value\n"
	if err := os.WriteFile(name, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Forget(name); err == nil {
		t.Error("a file of something else is taken")
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != other {
		t.Errorf("the file of something else is %s, %v", text, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Errorf("%v are left, %v", entries, err)
	}
}

func TestOtherFiles(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "tools.json")
	const text = "{\"tools\":[]}\n{\"half"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); err == nil {
		t.Error("another file is opened")
	}
	if left, _ := os.ReadFile(name); string(left) != text {
		t.Errorf("another file became %q", left)
	}
}

// TestHostsAreAskedInTurn asks three servers of one host, and one of another.
func TestHostsAreAskedInTurn(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		time.Sleep(20 * time.Millisecond)
		now.Add(-1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	name := filepath.Join(t.TempDir(), "results")
	list := strings.Join([]string{server.URL + "/a", server.URL + "/b", server.URL + "/c", server.URL + "/a"}, "\n")
	if err := scanned(t.Context(), list, name); err != nil {
		t.Fatal(err)
	}
	if lines := sorted(t, name); len(lines) != 4 || most.Load() != 1 {
		t.Errorf("%d lines, %d requests at the same time", len(lines)-1, most.Load())
	}
}
