package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/agent"
	"toolproof/harness/agent/client"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/internal/escape"
	"toolproof/lab/gateway"
	"toolproof/lab/peers/measure"
	"toolproof/normalizers"
)

func newDocs() *cobra.Command {
	return &cobra.Command{
		Use:   "docs FOLDER",
		Short: "Write the pages about rules and surfaces",
		Long: `docs writes the generated pages to FOLDER/generated: every rewrite with an example
(rules.md), the evidence of each provider rule (evidence.md), what providers refuse
besides declarations (conversations.md), the rules of advice (advice.md), a page for
each surface with its keywords and rules (dialects), and the pages about agents,
gateways and other normalizers, from the measurements that FOLDER has as JSON. It also
writes the JSON Schema of toolproof.json, with the names of all targets and rules, to
FOLDER/schema.`,
		Example: `  verify-lab docs ./docs`,
		Args:    oneFolder("docs ./docs"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return writeMade(arguments[0], func() (map[string][]byte, error) {
				return docsFiles(command.Context(), arguments[0])
			})
		},
	}
}

// oneFolder requires one argument, a folder. The example shows the usage in an error.
func oneFolder(example string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) == 1 {
			return nil
		}
		return cli.Broken(cli.Hint(errors.New("a folder is required"), command.Root().Name()+" "+example))
	}
}

// writeMade writes files below a folder. It makes the folder first, so that a folder that
// cannot be made is reported before the files are made, which takes seconds.
func writeMade(folder string, files func() (map[string][]byte, error)) error {
	if err := os.MkdirAll(folder, listable); err != nil {
		return cli.Broken(err)
	}
	texts, err := files()
	if err != nil {
		return cli.Broken(err)
	}
	return writeFiles(folder, texts)
}

// generated is the folder of the pages that docs writes. It is not in git.
const generated = "generated"

// docsFiles returns the generated documentation by names of files. The folder contains the
// measurements as JSON; a page whose measurements are missing is left out.
func docsFiles(ctx context.Context, folder string) (map[string][]byte, error) {
	pages, err := dialectPages(ctx)
	if err != nil {
		return nil, err
	}
	pages["rules.md"], pages["conversations.md"] = rulesPage(), conversationsPage()
	if pages["evidence.md"], err = evidencePage(ctx); err != nil {
		return nil, err
	}
	for name, page := range map[string]func(string) (string, error){
		adviceFile: advicePage, clientsFile: clientsPage, gatewaysFile: gatewaysPage, "peers.md": measure.Page,
	} {
		switch text, err := page(folder); {
		case err == nil:
			pages[name] = text
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	files := map[string][]byte{projectSchemaFile: []byte(cli.ProjectSchema())}
	for name, text := range pages {
		files[path.Join(generated, name)] = []byte(text)
	}
	return files, nil
}

// listable is the permission of folders that everybody may read.
const listable = 0o755

// writeFiles writes files below a folder.
func writeFiles(folder string, files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), listable); err != nil {
			return cli.Broken(err)
		}
		err := cli.WriteFile("the documentation", at, func(out io.Writer) error {
			_, err := out.Write(files[name])
			return err //nolint:wrapcheck // a Buffer does not fail
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dialectFolder is the folder of the dialects' pages.
const dialectFolder = "dialects"

// projectSchemaFile is the published schema of toolproof.json.
const projectSchemaFile = "schema/toolproof.schema.json"

// clientsFile is the page about agents, made from measured, portable and searched, which verify client
// --json writes.
const (
	clientsFile = "clients.md"
	measured    = "clients.json"
	portable    = "clients-portable.json"
	searched    = "clients-search.json"

	// portableCosts is written by TestPortableCosts.
	portableCosts = "portable.json"
)

// clientsPage returns the page about agents, from the measurements in a folder.
func clientsPage(folder string) (string, error) {
	page := &report.Markdown{}
	page.Title("Which tools reach the model", "What nine agents do to the tools of an MCP server, each run with a home of its own and without a network. "+
		"The tools are those of lab/clients/agents/tricky-tools.json, each with one trick; further tables are about the same tools after --target portable.")
	page.Text(agent.Words)
	page.Text("To measure one cell again: `verify client AGENT --surface SURFACE --tools lab/clients/agents/tricky-tools.json`. " +
		"To measure all: `verify client --all --json --tools lab/clients/agents/tricky-tools.json >docs/clients.json`, then `make docs`. " +
		"`make agents` runs the agents that are pinned below lab/clients/agents and compares. The seconds were measured on two cores that had other work as well.")
	for _, file := range []struct{ name, of string }{{measured, ""}, {portable, ", portable"}, {searched, ", found by a search"}} {
		reports, err := cli.AgentReports(filepath.Join(folder, file.name))
		if err != nil {
			return "", err
		}
		agent.Tables(page, file.of, reports)
	}
	if err := portableTables(page, folder); err != nil {
		return "", err
	}
	page.Table("What to know about each agent", "agent", "package", "surfaces", "what it does")
	for _, row := range client.Agents {
		var surfaces []string
		for _, surface := range row.Run.Surfaces {
			surfaces = append(surfaces, surface.Name)
		}
		var what []string
		for _, habit := range row.Run.Habits {
			what = append(what, "It "+habit.Doc+".")
		}
		page.Row(row.Name, escape.Code(row.Run.Package), strings.Join(surfaces, ", "), report.Text(strings.Join(append(what, row.Run.Quirks...), " ")))
	}
	return page.String(), nil
}

// portableTables adds tables of what the target portable allows for, and of its costs.
func portableTables(page *report.Markdown, folder string) error {
	page.Table("What portable allows for", "agent", "version", "surfaces", "measured", "calls a tool", "drops a tool", "strips", "strips from the root")
	for _, row := range client.Agents {
		for _, treatment := range row.Run.Treatments {
			var drops []string
			if treatment.SendsNone {
				drops = append(drops, "of any server, whatever it is")
			}
			if treatment.NeedsDescription {
				drops = append(drops, "without a description")
			}
			if treatment.NeedsType {
				drops = append(drops, "that has a schema without one type, such as a union")
			}
			atRoot := slices.Clone(treatment.StripsAtRoot)
			if treatment.StripsEmpty {
				atRoot = append(atRoot, "an empty properties that has another constraint or a default beside it")
			}
			page.Row(row.Name, row.Run.Version, strings.Join(treatment.On, ", "), row.Run.Measured, escape.Code(row.Run.Prefix+"TOOL"), strings.Join(drops, ", "),
				strings.Join(treatment.Strips, ", "), strings.Join(atRoot, ", "))
		}
	}
	limits := normalizers.Portable.Limits()
	page.Text(fmt.Sprintf("The target portable makes tools that survive all of this (the rows stand in harness/agent/client): a name has at most %d characters, "+
		"every tool has a description, no schema has a union, parameters without properties have no constraint, "+
		"descriptions repeat %s, and the description of a root schema moves to the tool if that stays within %d characters.",
		limits.NameLength, strings.Join(limits.Repeated, ", "), limits.DescriptionLength))
	var costs []struct {
		Pipeline     string `json:"pipeline"`
		Tools        int    `json:"tools"`
		Exact        int    `json:"exact"`
		Widens       int    `json:"widens"`
		Narrows      int    `json:"narrows"`
		Both         int    `json:"both"`
		Unions       int    `json:"unions"`
		Renamed      int    `json:"renamed"`
		Bytes        int    `json:"bytes"`
		Descriptions int    `json:"descriptions"`
		Said         int    `json:"said"`
	}
	text, err := os.ReadFile(filepath.Join(folder, portableCosts)) //nolint:gosec // the user names the folder
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &costs); err != nil {
		return fmt.Errorf("%s: %w", portableCosts, err)
	}
	page.Table("What portable costs", "target", "tools", "exact", "widens", "narrows", "both", "with a union", "renamed", "bytes", "of descriptions", "of repeated constraints")
	for _, cost := range costs {
		cells := []string{cost.Pipeline}
		for _, count := range []int{
			cost.Tools, cost.Exact, cost.Widens, cost.Narrows, cost.Both, cost.Unions, cost.Renamed, cost.Bytes, cost.Descriptions, cost.Said,
		} {
			cells = append(cells, strconv.Itoa(count))
		}
		page.Row(cells...)
	}
	page.Text("Continue drops a tool with a union when it asks Gemini. Tools for portable therefore have no unions, which costs some of them a part of their meaning: " +
		"of the types, an array of the others is kept, or else the first, and the description lists the rest; a schema for any value becomes one for text. " +
		"If you can do without Continue on Gemini, `verify normalize --target portable-unions` keeps unions. " +
		"To measure again, with a corpus: `UPDATE=1 go test ./harness -run TestPortableCosts -args -whole`, then `make docs`.")
	return nil
}

// gatewaysFile is the page about gateways, made from measuredGateways, which verify-lab gateway
// --json writes.
const (
	gatewaysFile     = "gateways-measured.md"
	measuredGateways = "gateways.json"
)

// gatewaysPage returns the page about gateways, from the measurements in a folder.
func gatewaysPage(folder string) (string, error) {
	reports, err := cli.LinesOf[gateway.Report](filepath.Join(folder, measuredGateways))
	if err != nil {
		return "", err
	}
	page := &report.Markdown{}
	page.Title("What gateways do to tricky tools",
		"The gateways pinned in lab/clients/gateways, with the emulator as the provider and the tools of lab/clients/agents/tricky-tools.json.")
	page.Text("[Gateways](../gateways.md) explains the outcomes. `make gateways` measures again and compares; " +
		"`UPDATE=1 make gateways` writes docs/gateways.json, and `make docs` this page.")
	gateway.Tables(page, reports)
	return page.String(), nil
}

// rulesPage returns the documentation of the rewrites.
func rulesPage() string {
	markdown := &report.Markdown{}
	markdown.Title("Rewrites", "What the normalizers rewrite, in the order in which targets apply it. verify explain RULE shows one rule.")
	for _, rule := range normalizers.Rules() {
		_, text, _ := strings.Cut(rule.Doc, "\n\n")
		markdown.Text("## " + report.Text(rule.Name) + "\n\n" + report.Text(rule.Title()) + "\n\n" + report.Text(text))
		var targets []string
		for _, pipeline := range normalizers.All {
			if pipeline.Has(rule.Name) {
				targets = append(targets, pipeline.Name())
			}
		}
		markdown.Text("Loss at most: " + rule.Loss.String() + ". Targets: " + strings.Join(targets, ", ") + ".")
		if rule.Before != rule.After {
			markdown.Text("```json\n" + rule.Before + "\n```\n\nbecomes\n\n```json\n" + rule.After + "\n```")
		}
	}
	return markdown.String()
}

// evidencePage returns the page that tells what the dialects' rules rest on. It lists the rules
// with fewer than several answers of their own dialect.
func evidencePage(ctx context.Context) (string, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return "", err
	}
	weights, err := evidence.Weigh(ctx, harness.Dialects, store)
	if err != nil {
		return "", err
	}
	markdown := &report.Markdown{}
	markdown.Title("What the rules rest on", "Answers are recorded refusals that the rule explains, each counted once per place of publication. "+
		"An answer on one dialect is no evidence for another, unless the same check of the provider judges both; the reasons are given below.")
	kinds := []string{evidence.Several, evidence.Single, evidence.Carried, evidence.Unproven, evidence.Undigested}
	markdown.Table("Dialects", append([]string{"dialect"}, kinds...)...)
	for _, dialect := range harness.Dialects {
		cells := []string{dialect.Name}
		for _, kind := range kinds {
			count := 0
			for _, weight := range weights[dialect] {
				if weight.Rests() == kind {
					count++
				}
			}
			cells = append(cells, strconv.Itoa(count))
		}
		markdown.Row(cells...)
	}
	sharedChecks(markdown)
	markdown.Table("Rules with at most one answer of their own dialect", "dialect", "rule", "rests on", "where")
	for _, dialect := range harness.Dialects {
		for _, weight := range weights[dialect] {
			rests := weight.Rests()
			if rests == evidence.Several {
				continue
			}
			where := append(slices.Clone(weight.Own), weight.Others...)
			if rests == evidence.Carried || rests == evidence.Unproven {
				where = weight.Others
			}
			if weight.Rule.Source != "" {
				where = append(where, weight.Rule.Source)
			}
			markdown.Row(dialect.Name, report.Text(weight.Rule.Name), rests, report.Text(strings.Join(where, "; ")))
		}
	}
	return markdown.String(), nil
}

// sharedChecks adds the table of checks that dialects share, with the reasons.
func sharedChecks(markdown *report.Markdown) {
	markdown.Table("Checks that dialects share", "check", "why an answer on one dialect is evidence for another")
	var listed []*provider.Stage
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if rule.Stage.Shared != "" && !slices.Contains(listed, rule.Stage) {
				listed = append(listed, rule.Stage)
				markdown.Row(dialect.Service()+", "+rule.Stage.Name, report.Text(rule.Stage.Shared))
			}
		}
	}
}

// dialectPages returns the documentation of the dialects by names of files.
func dialectPages(ctx context.Context) (map[string]string, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	var index strings.Builder
	fmt.Fprintf(&index, "# Dialects\n\n%s\n\n| dialect | rules | recordings | |\n|---|---|---|---|\n", report.Generated)
	for _, dialect := range harness.Dialects {
		name := strings.ReplaceAll(dialect.Name, "/", "-") + ".md"
		recorded := 0
		for _, recording := range store.All {
			if recording.Dialect == dialect.Name {
				recorded++
			}
		}
		fmt.Fprintf(&index, "| [%s](%s) | %d | %d | %s |\n", dialect.Name, name, len(dialect.Rules), recorded, dialect.Doc)
		pages[dialectFolder+"/"+name] = evidence.Page(ctx, dialect, store)
	}
	pages[dialectFolder+"/README.md"] = index.String()
	return pages, nil
}
