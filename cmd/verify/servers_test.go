package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/report"
)

// TestServers asks five MCP servers from npm, which one configuration names, and judges
// their tools. The lock file pins what they answer.
func TestServers(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "lab", "clients", "servers")
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Skip("the servers are not installed: make servers does so, and needs npm")
	}
	var out, errs bytes.Buffer
	arguments := []string{"mcp", "--json", "--config", filepath.Join(folder, ".mcp.json")}
	if code := run(t.Context(), arguments, nil, &out, &errs); code != cli.CodeFails {
		t.Fatalf("exit code %d\n%s", code, &errs)
	}
	tools := map[string]int{} // by server
	refused := map[string]int{}
	var summary report.Summary
	for line := range bytes.Lines(out.Bytes()) {
		var result struct {
			Source string `json:"source"`
			Target string `json:"target"`
			Raw    struct {
				Verdict string `json:"verdict"`
			} `json:"raw"`
			Summary *report.Summary `json:"summary"`
		}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if result.Summary != nil {
			summary = *result.Summary
			continue
		}
		if result.Target == "mcp" {
			tools[result.Source]++
		}
		if result.Raw.Verdict == "rejected" {
			refused[result.Target]++
		}
	}
	if difference := cmp.Diff(map[string]int{"everything": 19, "filesystem": 14, "memory": 9, "playwright": 25, "chrome-devtools": 32}, tools); difference != "" {
		t.Errorf("tools of each server: %s", difference)
	}
	if difference := cmp.Diff(map[string]int{"gemini": 99, "vertex": 99}, refused); difference != "" {
		t.Errorf("tools that a target refuses: %s", difference)
	}
	if difference := cmp.Diff(&report.Servers{Asked: 5, Answered: 5}, summary.Servers, cmpopts.IgnoreUnexported(report.Servers{})); difference != "" {
		t.Error(difference)
	}
	if text := errs.String(); text != "" {
		t.Errorf("the servers say: %s", text)
	}
}
