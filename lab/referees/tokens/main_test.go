package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestEstimate measures the tools of the documentation and checks that the estimate is close
// and that both halves together are all tools.
func TestEstimate(t *testing.T) {
	var whole result
	var out strings.Builder
	if err := run(-1, []string{"../../../docs/example-tools.json", "../../../lab/clients/agents/tricky-tools.json"}, &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out.String()), &whole); err != nil {
		t.Fatal(err)
	}
	const most = 0.1
	if whole.Tools < 2 || whole.Tokens < 100 || whole.Mean > most || math.Abs(whole.Sum) > most {
		t.Errorf("measured %s", out.String())
	}
}

// TestHalves checks that the tools of a server are in one half and that neither half is empty.
func TestHalves(t *testing.T) {
	if halfOf("npm-a/x@1") != halfOf("npm-a/y@2") {
		t.Error("the tools of a server are in two halves")
	}
	seen := map[int]bool{}
	for _, server := range strings.Fields("a b c d e f g h i j") {
		seen[halfOf(server+"/x")] = true
	}
	if !seen[0] || !seen[1] {
		t.Error("one half is empty")
	}
}

// TestNothing checks that an input without tools is an error.
func TestNothing(t *testing.T) {
	if err := run(0, []string{"main.go"}, &strings.Builder{}); err == nil {
		t.Error("no error")
	}
}
