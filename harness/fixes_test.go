package harness_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3" //nolint:depguard // writes documents to fix
	"golang.org/x/sync/errgroup"

	"toolproof/harness"
	"toolproof/harness/fix"
	"toolproof/harness/judge"
	"toolproof/lab/corpus"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestFixes holds what check --fix writes, for tools of the corpus in documents of every form: no target
// that took a tool refuses it, safe edits keep its meaning, and lines without an edit stay as they are.
func TestFixes(t *testing.T) {
	t.Parallel()
	interval := 101
	if *whole {
		interval = 1
	}
	tools, err := corpus.Tools(interval)
	if err != nil {
		corpus.Missing(t, err)
	}
	for name, targets := range map[string][]judge.Target{
		"default": harness.Direct, "gemini": targetsNamed(t, "gemini"), "portable": targetsNamed(t, "portable"), "openai-strict": targetsNamed(t, "openai-strict"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := &heldFixes{targets: targets}
			var work errgroup.Group
			work.SetLimit(runtime.GOMAXPROCS(0))
			for i, tool := range tools {
				work.Go(func() error { return held.tool(t, tool, formsOfText[i%len(formsOfText)]) })
			}
			if err := work.Wait(); err != nil {
				t.Fatal(err)
			}
			for _, fault := range held.faults[:min(len(held.faults), 20)] {
				t.Error(fault)
			}
			t.Logf("%d tools, %d faults: %+v", len(tools), len(held.faults), held.fixedCounts)
			if held.refused == 0 || held.all == 0 {
				t.Error("no tool was refused and fixed")
			}
		})
	}
}

// TestFixesSayWhatMoved: what a reference leads to comes with the losses of all schemas in it, and means
// what it means where it was.
func TestFixesSayWhatMoved(t *testing.T) {
	t.Parallel()
	for name, parameters := range map[string]string{
		"closed": `{"properties":{"body":{"$ref":"#/$defs/setup"}},"$defs":{"setup":{"properties":{"state":{"enum":["on","off"]},
			"runner":{"enum":["standard","labeled"]},"label":{"type":"string"},"languages":{"items":{"enum":["c","go","java","js","python","ruby"]}},"option":{"enum":["on","off"]}},
			"anyOf":[{"required":["state"]},{"required":["runner"]},{"required":["label"]},{"required":["languages"]},{}],"additionalProperties":false}}}`,
		"from another resource": `{"properties":{"a":{"$ref":"point.json"}},"$defs":{"P":{"$id":"point.json","type":"array","items":{"$ref":"#/$defs/x"},
			"$defs":{"x":{"type":"number"}}},"x":{"type":"string"}}}`,
		"a part of it is referred to": `{"properties":{"t":{"type":"array","prefixItems":[{"type":"string"}],"items":false},"b":{"$ref":"#/properties/t/items"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node, err := schema.Parse([]byte(parameters))
			if err != nil {
				t.Fatal(err)
			}
			held := &heldFixes{targets: targetsNamed(t, "gemini")}
			if err := held.tool(t, schema.Tool{Name: "f", Parameters: node}, formsOfText[0]); err != nil {
				t.Fatal(err)
			}
			if len(held.faults) > 0 || held.refused != 1 {
				t.Errorf("%d refused, %q", held.refused, held.faults)
			}
		})
	}
}

// TestFixesKeep: what an edit leaves out is what a surface refuses, and no more of it than has to go.
func TestFixesKeep(t *testing.T) {
	t.Parallel()
	const many = `"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"},"f":{"type":"string"},"g":{"type":"string"}`
	for name, test := range map[string]struct{ target, given, want string }{
		"a union whose branches the surface refuses, too": {
			"gemini", `{"type":"object","properties":{"d":{"oneOf":[{"type":"object","properties":{"k":{"const":"p"}}},{"type":"object","properties":{"k":{"const":"q"}}}]}}}`,
			`{"type":"object","properties":{"d":{"anyOf":[{"type":"object","properties":{"k":{"type":"string","enum":["p"]}}},{"type":"object","properties":{"k":{"type":"string","enum":["q"]}}}]}}}`,
		},
		"a union that has to become one object": {
			"portable", `{"type":"object","properties":{"d":{"oneOf":[{"type":"object","properties":{"k":{"const":"p"}}},{"type":"object","properties":{"k":{"const":"q"}}}]}}}`,
			`{"type":"object","properties":{"d":{"type":"object","properties":{"k":{"type":"string","enum":["p","q"]}}}}}`,
		},
		"a title, and more properties than are tried": {
			"openai-strict", `{"title":"F","type":"object","properties":{` + many + `},"required":["a"]}`,
			`{"title":"F","type":"object","properties":{` + many + `},"required":["a","b","c","d","e","f","g"],"additionalProperties":false}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fixer := &fix.Fixer{Targets: targetsNamed(t, test.target), Unsafe: true}
			document, err := fixer.Document(t.Context(), []byte(`{"name":"f","inputSchema":`+test.given+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(document.After), `{"name":"f","inputSchema":`+test.want+`}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func targetsNamed(t *testing.T, name string) []judge.Target {
	t.Helper()
	target, err := harness.TargetNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return []judge.Target{target}
}

// heldFixes collects faults and counts.
type heldFixes struct {
	fixedCounts

	targets []judge.Target
	mutex   sync.Mutex
	faults  []string
}

// fixedCounts are tools that are refused, that are taken after safe and after all edits, that are edited,
// and whose edits could not be written.
type fixedCounts struct{ refused, safe, all, edited, lossy, unwritten int }

// formsOfText write a tool as a document.
var formsOfText = []func(*schema.Node) []byte{
	func(node *schema.Node) []byte { return node.Indented() },
	func(node *schema.Node) []byte { return append(node.JSON(), '\n') },
	func(node *schema.Node) []byte { // with a comment on every line
		var text []byte
		for line := range bytes.Lines(node.Indented()) {
			text = fmt.Appendf(append(text, bytes.TrimRight(line, "\n")...), " // line %d\r\n", len(text))
		}
		return text
	},
	func(node *schema.Node) []byte {
		var value yaml.Node
		text, err := []byte(nil), yaml.Unmarshal(node.JSON(), &value)
		if err == nil {
			inBlocks(&value)
			text, err = yaml.Marshal(&value)
		}
		if err != nil {
			return node.Indented()
		}
		return text
	},
	func(node *schema.Node) []byte {
		return slices.Concat([]byte(`{"name": "before", "inputSchema": {"type": "object"}}`+"\n"), node.JSON(), []byte("\n"+`{"name":"behind"}`+"\n"))
	},
}

// inBlocks lets YAML be written in blocks.
func inBlocks(node *yaml.Node) {
	node.Style = 0
	for _, below := range node.Content {
		inBlocks(below)
	}
}

// tool holds the edits of one tool.
func (h *heldFixes) tool(t *testing.T, tool schema.Tool, write func(*schema.Node) []byte) error {
	t.Helper()
	members := []schema.Member{{Key: "name", Value: schema.NewString(tool.Name)}}
	if tool.Description != nil {
		members = append(members, schema.Member{Key: "description", Value: tool.Description})
	}
	if tool.Parameters != nil {
		members = append(members, schema.Member{Key: "inputSchema", Value: tool.Parameters})
	}
	text := write(schema.NewObject(members...))
	var counts fixedCounts
	var faults []string
	fault := func(format string, arguments ...any) {
		faults = append(faults, tool.Name+": "+fmt.Sprintf(format, arguments...))
	}
	for _, unsafe := range []bool{false, true} {
		fixer := &fix.Fixer{Targets: h.targets, Unsafe: unsafe, Source: "tools"}
		document, err := fixer.Document(t.Context(), text)
		if err != nil {
			fault("%v", err)
			continue
		}
		if line := lineLost(document); line != "" {
			fault("the line is lost: %s", line)
		}
		for _, fixed := range document.Tools {
			if fixed.Name != tool.Name {
				continue
			}
			loss := rewrite.Exact
			for _, edit := range fixed.Edits {
				loss |= edit.Loss
			}
			if needs := lost(fixed.Parameters, fixed.After.Parameters) &^ loss; needs != rewrite.Exact {
				fault("after all edits (unsafe %t) it %s, and %s was said: %s", unsafe, needs, loss, fixed.After.Parameters)
			}
			if fixed.Problem != nil {
				counts.unwritten++
				fault("%v", fixed.Problem)
			}
			if !fixed.WasRefused {
				if len(fixed.Edits) > 0 {
					fault("it was taken, and is edited")
				}
				continue
			}
			counts.refused = 1
			switch {
			case !unsafe && !fixed.IsRefused:
				counts.safe++
			case unsafe && !fixed.IsRefused:
				counts.all++
			}
			switch {
			case !unsafe && len(fixed.Edits) > 0:
				counts.edited++
			case unsafe && loss != rewrite.Exact:
				counts.lossy++
			}
		}
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.faults = append(h.faults, faults...)
	h.refused += counts.refused
	h.safe += counts.safe
	h.all += counts.all
	h.edited += counts.edited
	h.lossy += counts.lossy
	h.unwritten += counts.unwritten
	return t.Context().Err()
}

// lineLost returns a line of a document on which nothing was edited and that is not in the edited one.
func lineLost(document *fix.Document) string {
	touched := map[int]bool{}
	for _, tool := range document.Tools {
		touch(tool.Declaration, tool.After.Declaration, touched)
	}
	rest := strings.Split(string(document.After), "\n")
	for i, line := range strings.Split(string(document.Before), "\n") {
		if touched[i+1] {
			continue
		}
		at := slices.Index(rest, line)
		if at < 0 {
			return line
		}
		rest = rest[at+1:]
	}
	return ""
}

// touch notes the lines on which two values differ, and those of the items beside them.
func touch(before, after *schema.Node, touched map[int]bool) {
	if before == nil || after == nil || schema.Identical(before, after) {
		return
	}
	isObject := before.Kind == schema.Object && after.Kind == schema.Object && len(before.Members) > 0 && len(after.Members) > 0
	if !isObject {
		for line := int(before.Position.Line); line <= lastLine(before, true)+depth(before); line++ {
			touched[line] = true
		}
		return
	}
	hasSame := slices.Equal(before.Keys(), after.Keys())
	for _, member := range before.Members {
		first, last := int(member.Position.Line), lastLine(member.Value, true)
		if value := after.Get(member.Key); value != nil {
			if !schema.Identical(member.Value, value) {
				touched[int(member.Position.Line)] = true
			}
			touch(member.Value, value, touched)
			if hasSame {
				continue
			}
			first = lastLine(member.Value, false) // behind which a comma comes or goes
		}
		for line := first; line <= last+depth(member.Value); line++ {
			touched[line] = true
		}
	}
}

// lastLine returns the line on which the last value in a value begins or, if that is a text of YAML, which
// begins below its |, ends.
func lastLine(node *schema.Node, isYAML bool) int {
	last := int(node.Position.Line)
	if breaks := strings.Count(node.Text, "\n"); breaks > 0 && isYAML {
		last += breaks + 1
	}
	for _, below := range node.Elements {
		last = max(last, lastLine(below, isYAML))
	}
	for _, member := range node.Members {
		last = max(last, lastLine(member.Value, isYAML))
	}
	return last
}

// depth returns how deep a value nests, which is the most lines that its brackets close on.
func depth(node *schema.Node) int {
	deepest := 0
	for _, member := range node.Members {
		deepest = max(deepest, 1+depth(member.Value))
	}
	for _, element := range node.Elements {
		deepest = max(deepest, 1+depth(element))
	}
	return deepest
}
