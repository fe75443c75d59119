package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/lab/scaffold"
	"toolproof/normalizers"
)

func newNew(s *session) *cobra.Command {
	var targets []string
	var folder string
	kinds := map[string]func(checkout fs.FS, name string) (*scaffold.Plan, error){
		"rule":         func(checkout fs.FS, name string) (*scaffold.Plan, error) { return planRule(checkout, name, targets) },
		"surface":      scaffold.Surface,
		"agent":        scaffold.Agent,
		"format":       scaffold.Format,
		"requirements": planRequirements,
	}
	command := &cobra.Command{
		Use:   "new rule|surface|agent|format|requirements NAME",
		Short: "Write the files of a new rule, surface, agent, format or set of requirements",
		Long: `new writes the first files of a rule, surface, agent or format into a checkout of this
project, and adds the new thing to the list of its kind. The code compiles; FILL IN
marks what you have to supply. The output names the tests that fail until then, and what
each of them wants.

  rule NAME             rule that rewrites schemas, such as const_to_enum, for the pipelines of --target
  rule SURFACE/NAME     rule by which a surface refuses, such as xai/chat/root_not_object
  surface SERVICE/NAME  field of a provider's requests, such as groq/response_format
  agent NAME            client of MCP servers that can be run, such as gemini-cli
  format NAME           format of results, such as junit
  requirements MONTH    set of the rules of now, which a toolproof.json can require from then on

Exit codes:
  0  the files were written; no existing file is ever overwritten
  2  the name is wrong or taken, and nothing was written`,
		Example: `  verify-lab new rule plain_titles --target gemini --target vertex
  verify-lab new rule xai/chat/too_many_tools
  verify-lab new surface groq/responses
  verify-lab new agent goose
  verify-lab new format tap
  verify-lab new requirements 2026-12`,
		Args: func(_ *cobra.Command, arguments []string) error {
			known := []string{"rule", "surface", "agent", "format", "requirements"}
			switch {
			case len(arguments) == 0:
				return cli.Usage("name what is new: %s", strings.Join(known, ", "))
			case kinds[arguments[0]] == nil:
				return cli.Broken(cli.Suggest(fmt.Errorf("nothing of the kind %q can be written", arguments[0]), arguments[0], known, "use one of "+strings.Join(known, ", ")))
			case len(arguments) != 2:
				return cli.Usage("name one new %s", arguments[0])
			case len(targets) > 0 && (arguments[0] != "rule" || strings.Contains(arguments[1], "/")):
				return cli.Usage("--target is for rules that rewrite schemas")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, arguments []string) error {
			return s.writeNew(folder, func(checkout fs.FS) (*scaffold.Plan, error) { return kinds[arguments[0]](checkout, arguments[1]) })
		},
	}
	command.Flags().StringArrayVarP(&targets, "target", "t", nil, "add the rule to the pipeline of this target (repeatable)")
	command.Flags().StringVar(&folder, "data", "", "write to this checkout (default: the one around the working folder)")
	return command
}

// planRequirements returns the plan for the set of a month. That of the running month may be written again.
func planRequirements(checkout fs.FS, month string) (*scaffold.Plan, error) {
	const form = "2006-01"
	running := time.Now().UTC().Format(form)
	if _, err := time.Parse(form, month); err != nil || month > running {
		return nil, cli.Hint(fmt.Errorf("%q is no month that has begun", month), "write it as "+running)
	}
	name := "harness/requirements/sets/" + month + ".json"
	text, err := json.MarshalIndent(cli.Requirements(month), "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the requirements: %w", err)
	}
	files := map[string][]byte{name: append(text, '\n')}
	if _, err := fs.Stat(checkout, name); err == nil && month == running {
		return &scaffold.Plan{Changed: files}, nil
	}
	return &scaffold.Plan{New: files}, nil
}

// planRule returns the plan for a rewrite rule, or for the rule of a surface that precedes its name.
func planRule(checkout fs.FS, name string, targets []string) (*scaffold.Plan, error) {
	if end := strings.LastIndex(name, "/"); end >= 0 {
		dialect, err := cli.DialectNamed(name[:end])
		if err != nil {
			return nil, err
		}
		return scaffold.ProviderRule(checkout, dialect, name[end+1:])
	}
	known := make([]string, len(normalizers.Pipelines))
	for i, pipeline := range normalizers.Pipelines {
		known[i] = pipeline.Name()
	}
	for _, target := range targets {
		if !slices.Contains(known, target) {
			return nil, cli.Suggest(fmt.Errorf("unknown target %q", target), target, known, "use one of "+strings.Join(known, ", "))
		}
	}
	return scaffold.Rule(checkout, name, targets)
}

// writeNew writes what a plan has for a checkout, and says what comes next.
func (s *session) writeNew(folder string, plan func(checkout fs.FS) (*scaffold.Plan, error)) error {
	folder, err := checkout(folder)
	if err != nil {
		return cli.Broken(err)
	}
	written, err := plan(os.DirFS(folder))
	if err != nil {
		return cli.Broken(err)
	}
	if err := writeNewFiles(folder, written.New); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(written.New)) {
		fmt.Fprintf(s.Out, "wrote    %s\n", name)
	}
	for _, name := range slices.Sorted(maps.Keys(written.Changed)) {
		const readable = 0o644
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), written.Changed[name], readable); err != nil {
			return cli.Broken(fmt.Errorf("writing %s: %w", name, cli.WithoutPath(err)))
		}
		fmt.Fprintf(s.Out, "changed  %s\n", name)
	}
	for _, line := range written.ByHand {
		fmt.Fprintf(s.Out, "by hand  %s\n", line)
	}
	for _, test := range written.Tests {
		fmt.Fprintf(s.Out, "next     go test -run '^%s$' %s wants %s\n", test.Name, test.Package, test.Wants)
	}
	return nil
}
