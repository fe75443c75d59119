package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3" //nolint:depguard // reads the recipes of docs
)

// shardRecipe is a recipe of docs/shards.md: its engine, its language and its text.
var shardRecipe = regexp.MustCompile("(?s)\n### ([^\n]+)\n.*?```(sh|yaml)\n(.*?)```")

// TestShardRecipes runs the recipes of docs/shards.md whose engine this machine has, and compares the joined parts with
// the whole run. It reads the others.
func TestShardRecipes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/shards.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes := shardRecipe.FindAllStringSubmatch(string(page), -1)
	const known = 4
	if len(recipes) != known {
		t.Fatalf("%d recipes", len(recipes))
	}
	for _, found := range recipes {
		title, language, text := found[1], found[2], found[3]
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			switch {
			case language == "sh":
				runShards(t, text)
			case strings.Contains(text, "kind: Job"):
				readJob(t, text)
			default:
				lintWorkflow(t, text)
			}
		})
	}
}

// engineOf are the commands that answer if the engine of a recipe can be had.
var engineOf = map[string][]string{"parallel": {"parallel", "--version"}, "sbatch": {"sinfo", "--noheader"}}

func runShards(t *testing.T, text string) {
	t.Helper()
	first, _, _ := strings.Cut(text, " ")
	if err := exec.CommandContext(t.Context(), engineOf[first][0], engineOf[first][1]).Run(); err != nil {
		t.Skipf("%s is not here: %v", first, err)
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, tool := range []string{`{"type":"object"}`, `{"type":"object","properties":{"a":{"const":1}}}`, `{"oneOf":[]}`} {
		var lines strings.Builder
		for k := range 10 {
			name := string(rune('a'+i)) + string(rune('a'+k))
			lines.WriteString(`{"name":"` + name + `","parameters":` + tool + "}\n")
		}
		if err := os.WriteFile(filepath.Join(folder, "tools", string(rune('a'+i))+".jsonl"), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(script string) string {
		command := exec.CommandContext(t.Context(), "sh", "-c", script)
		command.Dir = folder
		var errs bytes.Buffer
		command.Stderr = &errs
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, errs.String())
		}
		return string(out)
	}
	steps := strings.Split(strings.TrimSpace(text), "\n")
	last := len(steps) - 1
	run(strings.Join(steps[:last], "\n"))
	run(steps[last] + ` >screen || [ $? -eq 1 ]`)
	run(steps[last] + ` --json >joined || [ $? -eq 1 ]; verify check --json tools/ >whole || [ $? -eq 1 ]`)
	if different := run("sort joined >one; sort whole >other; cmp one other || true"); different != "" {
		t.Error(different)
	}
}

// readJob checks that Kubernetes takes a Job, and what the Job needs for its pods to do each its part.
func readJob(t *testing.T, text string) {
	t.Helper()
	if !testing.Short() { // building the API takes half a minute
		command := exec.CommandContext(t.Context(), "go", "-C", "../../lab/linters/kubernetes", "run", ".")
		command.Stdin = strings.NewReader(text)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	var job struct {
		Spec struct {
			CompletionMode string `yaml:"completionMode"`
			Completions    int    `yaml:"completions"`
			Template       struct {
				Spec struct {
					Containers []struct {
						Env []struct{ Name, Value string } `yaml:"env"`
					} `yaml:"containers"`
				} `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(text), &job); err != nil {
		t.Fatal(err)
	}
	spec := job.Spec
	if spec.CompletionMode != "Indexed" || spec.Completions != 8 || len(spec.Template.Spec.Containers) != 1 {
		t.Fatalf("read %+v", spec)
	}
	if env := spec.Template.Spec.Containers[0].Env; len(env) != 1 || env[0].Name != "JOB_COMPLETIONS" || env[0].Value != "8" {
		t.Errorf("the environment is %v", env)
	}
}

func lintWorkflow(t *testing.T, text string) {
	t.Helper()
	if testing.Short() {
		t.Skip("building actionlint takes a minute")
	}
	command := exec.CommandContext(t.Context(), "go", "tool", "-modfile=lab/linters/actionlint/go.mod", "actionlint", "-shellcheck=", "-")
	command.Dir, command.Stdin = "../..", strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
