package main

import (
	"bytes"
	"context"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	imageregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/sassoftware/go-rpmutils"
)

// packages is a folder that Command release wrote, for the platform of this machine at
// least. make packages names it.
var packages = flag.String("packages", "", "test the packages in this folder")

// released is the version of the packages.
const released = "0.0.0"

// needsPackages returns the folder of the packages, and skips the test if none is named.
func needsPackages(t *testing.T) string {
	t.Helper()
	if *packages == "" {
		t.Skip("make packages builds what this tests")
	}
	folder, err := filepath.Abs(*packages)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// needs skips the test if a program is not installed; CI has all of them.
func needs(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

// here returns the platform of this machine.
func here(t *testing.T) platform {
	t.Helper()
	chosen, err := choose(runtime.GOOS + "/" + runtime.GOARCH)
	if err != nil {
		t.Skip(err)
	}
	return chosen[0]
}

// scoped returns the name of the program's npm package.
func scoped(t *testing.T) string {
	t.Helper()
	address, err := addressOf(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	return registered(address, programs[0])
}

// flat returns the name with which the files of the npm package begin, which is also the
// name on PyPI.
func flat(t *testing.T) string {
	t.Helper()
	return strings.NewReplacer("@", "", "/", "-").Replace(scoped(t))
}

// one returns the only file that matches a pattern, and fails the test if there are others.
func one(t *testing.T, pattern ...string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d files, %v", filepath.Join(pattern...), len(found), err)
	}
	return found[0]
}

// runs executes a command in a folder and returns its output. The test fails on any other exit
// code.
func runs(t *testing.T, folder string, code int, words ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Dir = folder
	return ends(t, command, code)
}

// ends is runs for a command that is prepared.
func ends(t *testing.T, command *exec.Cmd, code int) string {
	t.Helper()
	said, _ := timed(t, command, code)
	return said
}

// timed is ends, and also returns how long the command took.
func timed(t *testing.T, command *exec.Cmd, code int) (string, time.Duration) {
	t.Helper()
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	begun := time.Now()
	if err := command.Run(); command.ProcessState == nil || command.ProcessState.ExitCode() != code {
		t.Fatalf("%q: %v, and not exit code %d:\n%s", command.Args, err, code, &out)
	}
	took := time.Since(begun)
	t.Logf("%.2f s: %s", took.Seconds(), strings.Join(command.Args, " "))
	return out.String(), took
}

// measurement is a row of the table in docs/install.md.
type measurement struct {
	form         string
	bytes        int64 // that a user fetches
	first, again time.Duration
}

var measurements []measurement

// measure runs a command that checks one tool twice, and records a row of the table.
func measure(t *testing.T, form string, files []string, start func() *exec.Cmd) {
	t.Helper()
	row := measurement{form: form}
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		row.bytes += info.Size()
	}
	_, row.first = timed(t, start(), 1)
	_, row.again = timed(t, start(), 1)
	measurements = append(measurements, row)
}

// measuredHere matches the part of the page that make packages writes.
var measuredHere = regexp.MustCompile(`(?s)(<!-- made by make packages -->\n).*?(<!-- end -->)`)

// TestMain writes the measurements to the page that -docs names.
func TestMain(m *testing.M) {
	page := flag.String("docs", "", "write what is measured to this page")
	flag.Parse()
	code := m.Run()
	if *page != "" && code == 0 {
		if err := document(*page); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func document(page string) error {
	var table strings.Builder
	fmt.Fprintf(&table, "Measured on %s, on %s/%s with %d cores:\n\n| form | fetched | first run | next run |\n|---|---|---|---|\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, row := range measurements {
		const million = 1e6
		fmt.Fprintf(&table, "| %s | %.1f MB | %.2f s | %.2f s |\n", row.form, float64(row.bytes)/million, row.first.Seconds(), row.again.Seconds())
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	if !measuredHere.Match(text) {
		return fmt.Errorf("%s has no place for what is measured", page)
	}
	return os.WriteFile(page, measuredHere.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(table.String(), "$", "$$")+"${2}")), readable)
}

// answers checks that a program states the version of this release, judges a file, and
// prints a command that begins with its own name.
func answers(t *testing.T, program string) {
	t.Helper()
	if said := runs(t, t.TempDir(), 0, program, "version"); !strings.HasPrefix(said, "toolproof v"+released+"\n") {
		t.Errorf("it says that it is %s", said)
	}
	if said := runs(t, tools(t), 1, program, "check", "tools.json"); !strings.Contains(said, "\nnext: toolproof check --fix --diff tools.json\n") {
		t.Errorf("it says\n%s", said)
	}
}

// checks returns a function that makes a command by which a program checks one tool.
func checks(t *testing.T, program string) func() *exec.Cmd {
	t.Helper()
	folder := tools(t)
	return func() *exec.Cmd {
		command := exec.CommandContext(t.Context(), program, "check", "tools.json")
		command.Dir = folder
		return command
	}
}

// asks checks that a program finds the one with the clients. No provider listens at the
// address, so the run is inconclusive.
func asks(t *testing.T, command *exec.Cmd) {
	t.Helper()
	command.Args = append(command.Args, "live", "--provider", "openai", "--base-url", "http://127.0.0.1:1", "--max-requests", "1", "--retry-wait", "1ms", "tools.json")
	if command.Env == nil {
		command.Env = os.Environ()
	}
	command.Env = append(command.Env, "OPENAI_API_KEY=none")
	command.Dir = tools(t)
	ends(t, command, 3)
}

// tools returns a folder with a tool that Gemini refuses, and an MCP server that lists it.
func tools(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"tools.json": `{"tools": [` + refused + `]}`,
		"server.js": `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answers = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "weather", version: "1" } }),
    "tools/list": () => ({ tools: [` + refused + `] }),
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(answers[method] ? { result: answers[method]() } : { error: { code: -32601, message: "unknown" } }) }));
});
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), readable); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const refused = `{"name": "get_weather", "inputSchema": {"type": "object", "properties": {"unit": {"type": "string", "const": "celsius"}}}}`

// A registry serves the packages to npm, and records the archives that were fetched.
type registry struct {
	*httptest.Server

	mutex   sync.Mutex
	fetched []string
}

func newRegistry(t *testing.T, folder string) *registry {
	t.Helper()
	documents := map[string][]byte{}
	r := &registry{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		content, isKnown := documents[request.URL.Path]
		if !isKnown {
			http.NotFound(w, request)
			return
		}
		if strings.HasSuffix(request.URL.Path, ".tgz") {
			r.mutex.Lock()
			r.fetched = append(r.fetched, filepath.Base(request.URL.Path))
			r.mutex.Unlock()
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(r.Close)
	archives, err := filepath.Glob(filepath.Join(folder, "npm", "*.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, archive := range archives {
		described := runs(t, t.TempDir(), 0, "tar", "-xzOf", archive, "package/package.json")
		var about map[string]any
		if err := json.Unmarshal([]byte(described), &about); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha512.Sum512(content)
		name, number := about["name"].(string), about["version"].(string)
		about["dist"] = map[string]string{"tarball": r.URL + "/" + filepath.Base(archive), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		documents["/"+filepath.Base(archive)] = content
		if documents["/"+name], err = json.Marshal(map[string]any{"name": name, "dist-tags": map[string]string{"latest": number}, "versions": map[string]any{number: about}}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// npm returns a command of npm that uses only this registry.
func (r *registry) npm(t *testing.T, folder string, words ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "npm_config_registry="+r.URL, "npm_config_cache="+filepath.Join(folder, ".npm"), "npm_config_audit=false",
		"npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_fetch_retries=0", "npm_config_loglevel=error", "npm_config_yes=true")
	return command
}

// TestNPX: npx runs the program, first from the registry and then without it. It fetches
// the launcher and the program for this platform, and nothing else.
func TestNPX(t *testing.T) {
	folder, on := needsPackages(t), here(t)
	needs(t, "npm")
	r := newRegistry(t, folder)
	empty := tools(t)
	files := []string{filepath.Join(folder, "npm", flat(t)+"-"+released+".tgz"), filepath.Join(folder, "npm", flat(t)+"-"+on.node+"-"+released+".tgz")}
	measure(t, "npx, which fetches it at the first run", files, func() *exec.Cmd { return r.npm(t, empty, "npx", scoped(t), "check", "tools.json") })
	said := ends(t, r.npm(t, empty, "npx", scoped(t), "check", "tools.json"), 1)
	if !strings.Contains(said, "\nnext: npx "+scoped(t)+" check --fix --diff tools.json\n") {
		t.Errorf("it says\n%s", said)
	}
	slices.Sort(r.fetched)
	if want := []string{flat(t) + "-" + released + ".tgz", flat(t) + "-" + on.node + "-" + released + ".tgz"}; !slices.Equal(r.fetched, want) {
		t.Errorf("it fetched %q", r.fetched)
	}
	asks(t, r.npm(t, empty, "npx", "-p", scoped(t), "-p", scoped(t)+"-live", "toolproof"))
	r.Close()
	if said := ends(t, r.npm(t, empty, "npx", "--offline", scoped(t), "mcp", "--", "node", "server.js"), 1); !strings.Contains(said, "Gemini and Vertex AI refuse") {
		t.Errorf("it says\n%s", said)
	}
}

// installed returns a folder in which npm installed the packages from their files, without
// a registry, and the launcher in it.
func installed(t *testing.T) (where, launcher string) {
	t.Helper()
	folder, on := needsPackages(t), here(t)
	needs(t, "npm")
	where = tools(t)
	r := newRegistry(t, folder)
	r.Close()
	archive := func(name string) string { return filepath.Join(folder, "npm", name+"-"+released+".tgz") }
	ends(t, r.npm(t, where, "npm", "install", "--offline", "--ignore-scripts", archive(flat(t)), archive(flat(t)+"-"+on.node)), 0)
	return where, filepath.Join(where, "node_modules", scoped(t), "launcher.js")
}

// TestTarballs: installed from its files, without a registry, the program runs as
// npx toolproof.
func TestTarballs(t *testing.T) {
	where, launcher := installed(t)
	npx := func(words ...string) *exec.Cmd {
		command := exec.CommandContext(t.Context(), "npx", append([]string{"--offline", "toolproof"}, words...)...)
		command.Dir = where
		return command
	}
	files := []string{one(t, *packages, "npm", flat(t)+"-"+here(t).node+"-*")}
	measure(t, "npx toolproof check FILE, installed from its files", files, func() *exec.Cmd { return npx("check", "tools.json") })
	measure(t, "npx toolproof mcp -- node server.js, installed from its files", files, func() *exec.Cmd { return npx("mcp", "--", "node", "server.js") })
	for _, words := range [][]string{{"check", "tools.json"}, {"mcp", "--", "node", "server.js"}} {
		if said := ends(t, npx(words...), 1); !strings.Contains(said, "Gemini and Vertex AI refuse") {
			t.Errorf("%q says\n%s", words, said)
		}
	}
	answers(t, launcher)
}

// TestLauncher: the launcher passes arguments, streams and signals on, and exits as the
// program does.
func TestLauncher(t *testing.T) {
	where, launcher := installed(t)
	on := here(t)
	program := filepath.Join(where, "node_modules", scoped(t)+"-"+on.node, "toolproof")
	start := func(script string, words ...string) *exec.Cmd {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), executable); err != nil {
			t.Fatal(err)
		}
		return exec.CommandContext(t.Context(), "node", append([]string{launcher}, words...)...)
	}
	hostile := []string{"$(touch pwned)", "; exit 9", "a b", "", "--eval", "*", "\"'\\"}
	if said := ends(t, start(`printf '<%s>' "$@"`, hostile...), 0); said != "<"+strings.Join(hostile, "><")+">" {
		t.Errorf("the arguments are %s", said)
	}
	big := strings.Repeat("0123456789abcde\n", 1<<16)
	command := start("cat; exit 7")
	command.Stdin = strings.NewReader(big)
	if said := ends(t, command, 7); said != big {
		t.Errorf("%d of %d bytes came through", len(said), len(big))
	}
	command = start("kill -KILL $$")
	_ = command.Run()
	if state, isUnix := command.ProcessState.Sys().(syscall.WaitStatus); isUnix && state.Signal() != syscall.SIGKILL {
		t.Errorf("the program was killed, and the launcher ended with %s", command.ProcessState)
	}
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		command = start(`trap 'echo interrupted; exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done`)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(out)
		if _ = command.Wait(); command.ProcessState.ExitCode() != 5 || string(said) != "interrupted\n" {
			t.Errorf("%s: %s, %q, %v", signal, command.ProcessState, said, err)
		}
	}
	if err := os.RemoveAll(filepath.Dir(program)); err != nil {
		t.Fatal(err)
	}
	if said := runs(t, where, 2, "node", launcher, "check"); !strings.HasPrefix(said, "toolproof: the package "+scoped(t)+"-"+on.node+", which holds the program for this computer, is not installed\nhint: install "+scoped(t)+" again") {
		t.Errorf("without the program it says\n%s", said)
	}
	if said := runs(t, where, 2, "node", "-e", "Object.defineProperty(process, 'platform', {value: 'plan9'}); require(process.argv[1])", launcher); !strings.HasPrefix(said, "toolproof: there is no program for plan9-") {
		t.Errorf("on another platform it says\n%s", said)
	}
}

// TestWheel installs the wheels into an environment of their own, without an index.
func TestWheel(t *testing.T) {
	folder := needsPackages(t)
	needs(t, "python3")
	place := t.TempDir()
	command := exec.CommandContext(t.Context(), "python3", "-m", "venv", place)
	if out, err := command.CombinedOutput(); err != nil {
		t.Skipf("Python makes no environment here: %v\n%s", err, out)
	}
	tag := "*" + strings.SplitN(here(t).wheel, ".", 2)[0] + "*.whl"
	runs(t, place, 0, "bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", one(t, folder, "pypi", strings.ReplaceAll(flat(t), "-", "_")+"-"+tag), one(t, folder, "pypi", strings.ReplaceAll(flat(t), "-", "_")+"_live-"+tag))
	measure(t, "wheel", []string{one(t, folder, "pypi", strings.ReplaceAll(flat(t), "-", "_")+"-"+tag)}, checks(t, filepath.Join(place, "bin", "toolproof")))
	answers(t, filepath.Join(place, "bin", "toolproof"))
	asks(t, exec.CommandContext(t.Context(), filepath.Join(place, "bin", "toolproof")))
	tests, err := filepath.Abs("../../packages/python/tests")
	if err != nil {
		t.Fatal(err)
	}
	runs(t, tests, 0, filepath.Join(place, "bin", "python"), "-B", "-m", "unittest")
	runs(t, place, 0, "bin/pip", "check", "--disable-pip-version-check")
	runs(t, place, 0, "bin/pip", "uninstall", "--quiet", "--yes", flat(t))
	if _, err := os.Stat(filepath.Join(place, "bin", "toolproof")); err == nil {
		t.Error("it is still there after it was removed")
	}
}

// TestArchive runs the programs of the archive.
func TestArchive(t *testing.T) {
	folder, on := needsPackages(t), here(t)
	place := t.TempDir()
	runs(t, place, 0, "tar", "-xzf", one(t, folder, "*-"+on.os+"-"+on.arch+".tar.gz"))
	measure(t, "archive", []string{one(t, folder, "*-"+on.os+"-"+on.arch+".tar.gz")}, checks(t, filepath.Join(place, "toolproof")))
	answers(t, filepath.Join(place, "toolproof"))
	asks(t, exec.CommandContext(t.Context(), filepath.Join(place, "toolproof")))
}

// TestImage publishes the image to a registry, unpacks it, and runs its program: confined to
// the files of the image and as its user if this process may do so.
func TestImage(t *testing.T) {
	folder := needsPackages(t)
	unpacked := t.TempDir()
	runs(t, unpacked, 0, "tar", "-xf", one(t, folder, "*-image.tar"))
	index, err := layout.ImageIndexFromPath(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	registered := httptest.NewServer(imageregistry.New(imageregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(registered.Close)
	reference := strings.TrimPrefix(registered.URL, "http://") + "/" + product + ":" + released
	runs(t, "../..", 0, "sh", ".github/scripts/image-publish.sh", one(t, folder, "*-image.tar"), reference)
	if said := runs(t, "../..", 0, "go", "tool", "-modfile=lab/release/go.mod", "crane", "manifest", reference); !strings.Contains(said, `"architecture":"`+runtime.GOARCH+`"`) {
		t.Errorf("the registry has\n%s", said)
	}
	list, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, image := range list.Manifests {
		if image.Platform.Architecture == runtime.GOARCH {
			at = i
		}
	}
	image, err := index.Image(list.Manifests[at].Digest)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	about, err := image.ConfigFile()
	if err != nil || about.Config.User != nobody {
		t.Fatalf("the user is %q, %v", about.Config.User, err)
	}
	root := t.TempDir()
	reader := mutate.Extract(image)
	untar := exec.CommandContext(t.Context(), "tar", "-xpf", "-", "-C", root)
	untar.Stdin = reader
	if out, err := untar.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	trusted, err := os.ReadFile(filepath.Join(root, "etc", "ssl", "certs", "ca-certificates.crt"))
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(trusted) || bytes.Count(trusted, []byte("BEGIN")) < 100 {
		t.Errorf("the certificates: %v", err)
	}
	if os.Getuid() != 0 {
		answers(t, filepath.Join(root, "toolproof"))
		return
	}
	for _, path := range []string{root, filepath.Dir(root)} { // for a user who is not this one
		if err := os.Chmod(path, executable); err != nil {
			t.Fatal(err)
		}
	}
	inside := func(words ...string) *exec.Cmd {
		command := exec.CommandContext(t.Context(), about.Config.Entrypoint[0], words...)
		command.Dir, command.Env = about.Config.WorkingDir, about.Config.Env
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		return command
	}
	if said := ends(t, inside("version"), 0); !strings.HasPrefix(said, "toolproof v"+released+"\n") {
		t.Errorf("it says that it is %s", said)
	}
	measure(t, "image, unpacked and run as its user", []string{one(t, folder, "*-image.tar")}, func() *exec.Cmd {
		command := inside("check", "-")
		command.Stdin = strings.NewReader(refused)
		return command
	})
	command := inside("live", "--provider", "openai", "--base-url", "http://127.0.0.1:1", "--max-requests", "1", "--retry-wait", "1ms", "-")
	command.Env = append(command.Env, "OPENAI_API_KEY=none")
	command.Stdin = strings.NewReader(refused)
	ends(t, command, 3)
}

// TestDeb installs the package below a folder, runs its programs, and removes it.
func TestDeb(t *testing.T) {
	folder := needsPackages(t)
	needs(t, "dpkg")
	root := t.TempDir()
	for _, name := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", name), executable); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, readable); err != nil {
		t.Fatal(err)
	}
	dpkg := func(words ...string) string {
		return runs(t, root, 0, append([]string{"dpkg", "--root=" + root, "--force-not-root", "--force-depends", "--log=" + filepath.Join(root, "log")}, words...)...)
	}
	dpkg("--install", one(t, folder, "*_"+runtime.GOARCH+".deb"))
	if said := dpkg("--status", product); !strings.Contains(said, "install ok installed") || !strings.Contains(said, "\nVersion: "+released) {
		t.Errorf("it says\n%s", said)
	}
	measure(t, "deb", []string{one(t, folder, "*_"+runtime.GOARCH+".deb")}, checks(t, filepath.Join(root, "usr/bin/toolproof")))
	answers(t, filepath.Join(root, "usr/bin/toolproof"))
	asks(t, exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin/toolproof")))
	dpkg("--purge", product)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/toolproof")); err == nil {
		t.Error("it is still there after it was removed")
	}
}

// TestRPM unpacks the package by a reader from another project than the writer.
func TestRPM(t *testing.T) {
	folder := needsPackages(t)
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	packed, err := os.Open(one(t, folder, "*."+arch+".rpm"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	read, err := rpmutils.ReadRpm(packed)
	if err != nil {
		t.Fatal(err)
	}
	name, err := read.Header.GetNEVRA()
	if err != nil || name.Name != product || name.Version != released || name.Arch != arch {
		t.Errorf("it is %v, %v", name, err)
	}
	root := t.TempDir()
	if err := read.ExpandPayload(root); err != nil {
		t.Fatal(err)
	}
	listed, err := read.Header.GetFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range listed { // the reader leaves modes to its caller
		if err := os.Chmod(filepath.Join(root, entry.Name()), os.FileMode(entry.Mode()).Perm()); err != nil { //nolint:gosec // a mode
			t.Error(err)
		}
	}
	measure(t, "rpm", []string{packed.Name()}, checks(t, filepath.Join(root, "usr/bin/toolproof")))
	answers(t, filepath.Join(root, "usr/bin/toolproof"))
	asks(t, exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin/toolproof")))
}

// TestManifests: the formula and the manifest name existing archives by their digests, and
// checksums.txt holds for the files.
func TestManifests(t *testing.T) {
	folder := needsPackages(t)
	needs(t, "sha256sum")
	runs(t, folder, 0, "sha256sum", "--check", "--quiet", "--strict", "checksums.txt")
	sums, err := os.ReadFile(filepath.Join(folder, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(folder, "toolproof-*-*-*.[tz]*"))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, name := range []string{"toolproof.rb", "toolproof.json"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, archive := range archives {
			isWindows := strings.HasSuffix(archive, ".zip")
			digest, err := digestOf(archive)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(sums), digest+"  "+filepath.Base(archive)+"\n") {
				t.Errorf("no checksum is of %s", archive)
			}
			if isWindows == (name == "toolproof.json") && (!strings.Contains(string(text), digest) || !strings.Contains(string(text), "/releases/download/v"+released+"/"+filepath.Base(archive))) {
				t.Errorf("%s does not name %s", name, archive)
			}
		}
	}
	if _, err := exec.LookPath("ruby"); err == nil {
		runs(t, folder, 0, "ruby", "-c", "toolproof.rb")
	}
}

// TestSameBytes builds the packages again from a copy of the source in another folder, and
// compares every file.
func TestSameBytes(t *testing.T) {
	folder := needsPackages(t)
	source, again := t.TempDir(), filepath.Join(t.TempDir(), "again")
	listed := runs(t, "../..", 0, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	for name := range strings.Lines(listed) {
		copyFile(t, filepath.Join("../..", strings.TrimSpace(name)), filepath.Join(source, strings.TrimSpace(name)))
	}
	// The version of the package of data has the day of the commit.
	day := strings.TrimSpace(runs(t, "../..", 0, "git", "log", "-1", "--format=%cI"))
	t.Setenv("GIT_COMMITTER_DATE", day)
	runs(t, source, 0, "git", "init", "--quiet")
	runs(t, source, 0, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--allow-empty", "--message", "the same day")
	if err := run(context.Background(), "v"+released, source, again, here(t).String()); err != nil {
		t.Fatal(err)
	}
	compared := 0
	err := filepath.WalkDir(again, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(again, path)
		if err != nil {
			return err
		}
		before, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		after, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(before, after) && !ofAllPlatforms(name) {
			err = fmt.Errorf("%s has other bytes", name)
		}
		compared++
		return err
	})
	if err != nil || compared < 10 {
		t.Errorf("%d files, %v", compared, err)
	}
}

// ofAllPlatforms reports whether a file also depends on platforms that are not built again.
func ofAllPlatforms(name string) bool {
	built, err := filepath.Glob(filepath.Join(*packages, "toolproof-*-*-*.[tz]*"))
	isPart := err == nil && len(built) > 1
	return isPart && (name == "checksums.txt" || name == "toolproof.rb" || name == "toolproof.json" || strings.HasSuffix(name, "-image.tar"))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return // removed, or a symbolic link
	}
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), executable); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, info.Mode()); err != nil {
		t.Fatal(err)
	}
}

// TestData: installed from its file, the package of data answers, and so does the Go module beside it.
func TestData(t *testing.T) {
	folder := needsPackages(t)
	needs(t, "npm")
	where := t.TempDir()
	r := newRegistry(t, folder)
	r.Close()
	ends(t, r.npm(t, where, "npm", "install", "--offline", "--ignore-scripts", one(t, *packages, "npm", flat(t)+"-data-1.*")), 0)
	program := `import { who } from "` + scoped(t) + `-data"; console.log(who("oneOf", "refused").includes("gemini/parameters"));`
	ask := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", program)
	ask.Dir = where
	if said := ends(t, ask, 0); said != "true\n" {
		t.Errorf("node says %q", said)
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", ".")
	vet.Dir = filepath.Join(folder, "data")
	ends(t, vet, 0)
}
