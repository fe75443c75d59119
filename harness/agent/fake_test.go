package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolproof/harness/agent/client"
	"toolproof/harness/server"
	"toolproof/internal/program"
	"toolproof/schema"
)

// TestMain makes the test binary all the programs that a run starts as well.
func TestMain(m *testing.M) {
	client.Agents = append(client.Agents, fake)
	switch {
	case slices.Contains(os.Args, ServerCommand):
		list, err := os.ReadFile(os.Args[len(os.Args)-1])
		if err == nil {
			err = server.Serve(context.Background(), os.Stdin, os.Stdout, list)
		}
		end(err)
	case slices.Contains(os.Args, RunCommand):
		end(Inside(context.Background(), os.Stdin, os.Stdout))
	case slices.Contains(os.Args, "beside"), slices.Contains(os.Args, "apart"):
		end(runJob(slices.Contains(os.Args, "beside")))
	case slices.Contains(os.Args, "--version"):
		fmt.Println("fake-agent v1.2.3. It is one of a test.")
	case slices.Contains(os.Args, "be-an-agent"):
		end(beAgent(os.Args[len(os.Args)-1]))
	default:
		os.Exit(m.Run())
	}
}

// runJob runs the job that it reads, for tests that end the process.
func runJob(isBeside bool) error {
	var job Job
	if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil { //nolint:musttag // as program.Inside does it
		return err
	}
	run := Run
	if isBeside {
		run = beside
	}
	_, err := run(context.Background(), job)
	return err
}

// beside runs a job as on a system that cannot isolate it.
func beside(ctx context.Context, job Job) (Outcome, error) {
	return program.Beside(ctx, append(slices.Clone(job.Self), RunCommand), job, here)
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fake is an agent that does to tools what its model says.
var fake = &client.Row{
	Name: "fake", Title: "Fake",
	Run: &client.Run{
		Program: "fake", Package: "none",
		Surfaces: []client.Surface{
			{Name: "usual", Model: "usual"},
			{Name: "hangs", Model: "hangs"},
			{Name: "silent", Model: "silent"},
			{Name: "none", Model: "none"},
			{Name: "looks", Model: "looks"},
			{Name: "searches", Model: "searches"},
		},
		Setup: func(place client.Place) client.Setup {
			return client.Setup{
				Files: map[string]object{"deep/fake.json": {
					"url": place.URL, "servers": object{place.Server: object{"command": place.Command[0], "args": place.Command[1:]}},
				}},
				Env:  []string{"FAKE=1"},
				Args: []string{"be-an-agent", place.Surface.Model},
			}
		},
	},
}

type object = map[string]any

// beAgent does what an agent does: it reads its configuration, asks the server for its tools,
// and sends some of them to the emulator.
func beAgent(how string) error {
	if how == "silent" {
		return nil
	}
	written, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "deep", "fake.json"))
	if err != nil {
		return err
	}
	var config struct {
		URL     string
		Servers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal(written, &config); err != nil { //nolint:musttag // the names of the fields are those of the members
		return err
	}
	switch how {
	case "hangs":
		time.Sleep(time.Hour)
	case "looks":
		lookAround()
	}
	var tools []any
	for name, started := range config.Servers {
		text, err := server.Program(context.Background(), started.Command, started.Args...).List(context.Background())
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "true_") || how == "none" { // as the protocol's SDK for JavaScript refuses the whole list
			text = []byte(`{"tools":[]}`)
			fmt.Println("there is an issue with the server")
		}
		list, err := schema.Parse(text)
		if err != nil {
			return err
		}
		for _, tool := range list.Get("tools").Elements {
			if sent := sentOf(name, tool); sent != nil {
				tools = append(tools, object{"type": "function", "function": sent})
			}
		}
	}
	if how == "searches" {
		return send(config.URL, "You can search for mcp__srv__plain, mcp__srv__hashed_name_that_is_long and `srv_changed`.", []any{
			object{"type": "function", "function": object{"name": "tool_search", "parameters": object{"type": "object", "properties": object{}}}},
		})
	}
	return send(config.URL, client.Prompt, tools)
}

// lookAround prints what the agent sees of its machine, and leaves a process behind.
func lookAround() {
	fmt.Println("home", strings.Join(strings.Split(os.Getenv("HOME"), "/"), "|"))
	fmt.Println("environment", strings.Join(os.Environ(), " "))
	connection, err := net.Dial("udp", "192.0.2.1:9") //nolint:noctx // nothing is sent
	if err == nil {
		_ = connection.Close()
	}
	fmt.Println("network", err)
	left := exec.Command("sleep", "300") //nolint:noctx // the process is to be left behind
	left.Env = []string{"LEFT_AT=" + os.Getenv("HOME")}
	leave(left)
	fmt.Println("left", left.Start())
	seen, _ := filepath.Glob("/proc/[0-9]*/environ")
	seen = slices.DeleteFunc(seen, func(name string) bool {
		text, _ := os.ReadFile(name)
		return !bytes.Contains(text, []byte("TOOLPROOF_SECRET=of the user"))
	})
	fmt.Println("processes", len(seen))
	self, _ := os.Executable()
	folder := filepath.Dir(self)
	fmt.Println("written", os.WriteFile(filepath.Join(folder, "written"), nil, 0o600))
	reached, err := net.Dial("unix", filepath.Join(folder, "socket")) //nolint:noctx // it answers or not
	if err == nil {
		_ = reached.Close()
	}
	fmt.Println("socket", err)
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if set, ok := strings.CutPrefix(line, "CapBnd:"); ok {
			fmt.Println("capabilities", strings.TrimSpace(set))
		}
	}
}

// sentOf returns the declaration that the agent sends for a tool, or nil.
func sentOf(server string, tool *schema.Node) object {
	name, parameters := tool.GetString("name"), tool.Get("inputSchema")
	switch name {
	case "dropped":
		return nil
	case "complained":
		fmt.Fprintln(os.Stderr, "warning: complained is left out")
		return nil
	case "changed":
		parameters = parameters.Clone()
		parameters.Get("properties").Get("code").Delete("pattern")
	case "hashed.name_that_is_long":
		name = "hashed_name_t_8f3a"
	}
	return object{"name": "mcp__" + server + "__" + name, "description": tool.GetString("description"), "parameters": parameters}
}

// send sends two requests to the emulator as agents do: one without tools, such as for a
// title, and one with them.
func send(url, prompt string, tools []any) error {
	for _, with := range [][]any{nil, append(tools, object{"type": "function", "function": object{"name": "Bash", "parameters": object{"type": "object", "properties": object{}}}})} {
		body := object{"model": "gpt-4.1", "messages": []any{object{"role": "user", "content": prompt}}}
		if with != nil {
			body["tools"] = with
		}
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		answer, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(text)) //nolint:noctx // the test has a limit
		if err != nil {
			return err
		}
		said, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("the API says %s", said)
		}
	}
	return nil
}
