package versions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolproof/harness"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/peers"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/normalizers"
	"toolproof/schema"
)

func sortedNames[Value any](of map[string]Value) []string { return slices.Sorted(maps.Keys(of)) }

// tools reads the tools on which programs are measured.
func (r *Run) tools() ([]schema.Tool, error) {
	file, err := os.Open(r.Tools)
	if err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	defer file.Close() // opened for reading
	read, err := toolfile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	tools := make([]schema.Tool, len(read))
	for i, tool := range read {
		tools[i] = tool.Tool
	}
	return tools, nil
}

// adapter measures an SDK or a normalizer: what it makes of each tool on each surface that its adapter serves.
func (r *Run) adapter(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	installed := r.npmAdapter
	if subject.Language == goLanguage {
		installed = r.goAdapter
	}
	program, err := installed(ctx, folder, subject)
	if err != nil {
		return nil, err
	}
	described := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], "--describe")...) //nolint:gosec // an adapter of the project
	var complaint strings.Builder
	described.Stderr = &complaint
	text, err := described.Output()
	if err != nil {
		return nil, fmt.Errorf("the adapter does not start: %s", thrown(complaint.String()))
	}
	var description struct {
		Surfaces []string `json:"surfaces"`
	}
	if err := json.Unmarshal(text, &description); err != nil {
		return nil, fmt.Errorf("reading what the adapter says of itself: %w", err)
	}
	tools, err := r.tools()
	if err != nil {
		return nil, err
	}
	var all []measured
	for _, name := range description.Surfaces {
		found, err := place(ctx, program, name, tools)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

// npmAdapter installs an adapter in JavaScript with its package.
func (r *Run) npmAdapter(ctx context.Context, folder string, subject subjectVersion) ([]string, error) {
	program := filepath.Join(folder, filepath.FromSlash(subject.Adapter)+".js")
	installed := filepath.Dir(program)
	const own = 0o700
	if err := os.MkdirAll(installed, own); err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	for _, name := range []string{"protocol", subject.Adapter} {
		if err := copyFile(filepath.Join(r.Adapters, name+".js"), filepath.Join(folder, name+".js")); err != nil {
			return nil, err
		}
	}
	for _, folder := range []string{folder, installed} { // the modules are of one type
		if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type":"module"}`), own); err != nil {
			return nil, fmt.Errorf("writing package.json: %w", err)
		}
	}
	return []string{"node", program}, subject.install(ctx, installed)
}

// goAdapter builds an adapter in Go with its module.
func (r *Run) goAdapter(ctx context.Context, folder string, subject subjectVersion) ([]string, error) {
	for _, part := range []string{"protocol", subject.Adapter} {
		if err := subject.copyGo(filepath.Join(r.GoAdapters, part), filepath.Join(folder, part)); err != nil {
			return nil, err
		}
	}
	program, err := subject.build(ctx, folder, subject.Adapter)
	return []string{program}, err
}

// isThrown matches the line of an uncaught exception in what Node writes.
var isThrown = regexp.MustCompile(`(?m)^\w*Error\b.*: .*$`)

// thrown returns that line, or all that Node writes if it has none.
func thrown(complaint string) string {
	return cmp.Or(isThrown.FindString(complaint), complaint)
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from) //nolint:gosec // a file of the project
	if err != nil {
		return fmt.Errorf("reading an adapter: %w", err)
	}
	const own = 0o600
	if err := os.WriteFile(to, text, own); err != nil { //nolint:gosec // into a folder of this run
		return fmt.Errorf("writing an adapter: %w", err)
	}
	return nil
}

// place measures an adapter on one surface. If it fails for the same reason with every tool, nothing is known of what
// the version does.
func place(ctx context.Context, program []string, name string, tools []schema.Tool) (measured, error) {
	surface, err := peers.SurfaceNamed(name)
	if err != nil {
		return measured{}, err
	}
	const often = 50
	command := &normalizers.Command{Args: program, Target: harness.Serving(surface.Dialect).Name(), Surface: name, Timeout: time.Minute, Starts: often}
	defer command.Close()
	found := measured{place: name, facts: map[string]string{}}
	failures := map[string]bool{}
	for _, tool := range tools {
		judged, err := peers.Judge(ctx, command, surface, &peers.Case{ID: tool.Name, Tool: tool})
		if err != nil {
			return found, fmt.Errorf("judging %s: %w", tool.Name, err)
		}
		found.facts[tool.Name] = factOf(tool, judged)
		failure := ""
		if judged.Outcome == peers.Crashed {
			failure = judged.Text
		}
		failures[failure] = true
	}
	if len(failures) == 1 && !failures[""] {
		found.facts, found.unmeasured = nil, "every tool fails: "+oneLine(sortedNames(failures)[0])
	}
	return found, nil
}

// factOf says in words what became of a tool: the outcome with its reason, and what differs from the original.
func factOf(tool schema.Tool, judged peers.Judgement) string {
	said := judged.Outcome.String()
	if judged.FellBack {
		said += ", not strict"
	}
	switch judged.Outcome {
	case peers.Refused:
		said += ": " + rulesOf(judged.Answer)
	case peers.Declined, peers.Crashed:
		return said + ": " + oneLine(strings.TrimPrefix(judged.Text, normalizers.ErrUnsupported.Error()+": "))
	case peers.Kept, peers.Said, peers.Unjudged, peers.Silent:
	}
	if differs := inWords(arrival.Changes(tool, schema.ToolOf(judged.Normalized))); differs != "" {
		said += "; " + differs
	}
	return said
}

// rulesOf returns the names of the rules by which a surface refuses a declaration.
func rulesOf(answer provider.Response) string {
	var rules []string
	for _, finding := range answer.Findings {
		rules = append(rules, finding.Rule.Name)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), " ")
}

// inWords lists the keywords that changes remove, replace and add, each once and with the names of properties behind
// properties/.
func inWords(changes []arrival.Change) string {
	marks := map[string]bool{}
	for _, change := range changes {
		parent := lastOf(string(change.At))
		isMap := slices.Contains([]string{"properties", "$defs", "definitions", "patternProperties"}, parent)
		mark := func(sign, name string) {
			if isMap {
				name = parent + "/" + name
			}
			marks[sign+name] = true
		}
		if change.Before == nil && change.After == nil || !isObject(change.Before) || !isObject(change.After) {
			mark("~", parent)
			continue
		}
		for _, member := range membersOf(change.Before) {
			if change.After != nil && change.After.Has(member.Key) {
				mark("~", member.Key)
			} else {
				mark("-", member.Key)
			}
		}
		for _, member := range membersOf(change.After) {
			if change.Before == nil || !change.Before.Has(member.Key) {
				mark("+", member.Key)
			}
		}
	}
	names := sortedNames(marks)
	const most = 12
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, " ")
}

// isObject reports whether a side of a change is a list of members, or empty.
func isObject(side *schema.Node) bool { return side == nil || side.Kind == schema.Object }

func membersOf(side *schema.Node) []schema.Member {
	if side == nil {
		return nil
	}
	return side.Members
}

// lastOf returns the last token of a pointer.
func lastOf(pointer string) string {
	return pointer[strings.LastIndexByte(pointer, '/')+1:]
}
