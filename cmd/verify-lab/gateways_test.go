package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/lab/gateway"
)

// TestGateways sends the tricky tools through the gateways pinned below lab/clients/gateways
// and compares the result with the published one. With UPDATE in the environment it writes that
// anew.
func TestGateways(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Abs("../../lab/clients/gateways/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(programs); err != nil {
		t.Skip("the gateways are not installed: make gateways does so, and needs npm")
	}
	verify := filepath.Join(t.TempDir(), "verify")
	if said, err := exec.Command("go", "build", "-o", verify, ".").CombinedOutput(); err != nil { //nolint:noctx // the test has a limit
		t.Fatalf("%v: %s", err, said)
	}
	path := filepath.Join("../../docs", measuredGateways)
	isNew := os.Getenv("UPDATE") != ""
	published := map[string]gateway.Report{}
	if !isNew {
		reports, err := cli.LinesOf[gateway.Report](path)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range reports {
			published[one.Gateway+" "+one.Way] = one
		}
	}
	var lines bytes.Buffer
	for _, row := range gateway.Gateways {
		arguments := []string{"gateway", row.Name, "--json", "../../lab/clients/agents/tricky-tools.json"}
		if want, isPublished := published[row.Name+" "+row.Ways[0].Name]; isPublished {
			arguments = append(arguments, "--as-of", string(want.Date))
		}
		command := exec.Command(verify, arguments...) //nolint:noctx // the test has a limit
		command.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
		var errs bytes.Buffer
		command.Stderr = &errs
		out, err := command.Output()
		if err != nil && command.ProcessState.ExitCode() != cli.CodeFails {
			t.Errorf("%s: %v: %s", row.Name, err, &errs)
			continue
		}
		lines.Write(out)
		read := bufio.NewScanner(bytes.NewReader(out))
		read.Buffer(nil, 1<<24)
		for read.Scan() {
			var got gateway.Report
			if err := json.Unmarshal(read.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			key := got.Gateway + " " + got.Way
			if difference := cmp.Diff(lastingWay(t, published[key]), lastingWay(t, got)); difference != "" && !isNew {
				t.Errorf("%s: %s", key, difference)
			}
			delete(published, key)
		}
	}
	for key := range published {
		t.Errorf("%s is published, and was not measured", key)
	}
	if isNew && !t.Failed() {
		if err := os.WriteFile(path, lines.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// lastingWay returns the part of a report that is the same each time.
func lastingWay(t *testing.T, given gateway.Report) string {
	t.Helper()
	given.Seconds, given.Network = 0, ""
	text, err := json.MarshalIndent(given, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPublishedGateways checks that the published measurements of gateways fit the published
// schema and cover every row.
func TestPublishedGateways(t *testing.T) {
	t.Parallel()
	path := filepath.Join("../../docs", measuredGateways)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compiled := clitest.CompileSchema(t, "../../docs/schema/gateway.schema.json")
	for line := range bytes.Lines(text) {
		clitest.Validate(t, compiled, bytes.TrimSpace(line), measuredGateways)
	}
	reports, err := cli.LinesOf[gateway.Report](path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, one := range reports {
		seen[one.Gateway+" "+one.Way] = true
		if one.GatewayVersion == "" || len(one.Tools) < 34 {
			t.Errorf("%s, %s: version %q, %d tools", one.Gateway, one.Way, one.GatewayVersion, len(one.Tools))
		}
	}
	for _, row := range gateway.Gateways {
		for _, way := range row.Ways {
			if !seen[row.Name+" "+way.Name] {
				t.Errorf("nothing is published about %s, %s", row.Name, way.Name)
			}
		}
	}
}
