package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/report"
	"toolproof/harness/server/calls"
	"toolproof/harness/server/protocol"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// mostPatience is the longest wait for an answer of --conformance but the first: a server that does not answer
// what it has to refuse would take --timeout for each such request.
const mostPatience = 10 * time.Second

// conform checks whether a server keeps what the revisions of the protocol say of servers.
func (s *session) conform(ctx context.Context, flags mcpFlags, source namedServer) error {
	form := flags.check.format.chosen()
	if !slices.Contains([]string{"text", "json", "html", "junit", "badge"}, form) {
		return cli.Usage("--conformance has the formats text, json, html, junit and badge")
	}
	for _, revision := range flags.revisions {
		if !slices.Contains(protocol.Revisions, revision) {
			return cli.Usage("--revision: unknown revision %q: use %s", revision, strings.Join(protocol.Revisions, ", "))
		}
	}
	slices.Sort(flags.revisions)
	options := protocol.Options{Start: max(source.Start, flags.answers), Answers: min(flags.answers, mostPatience), Revisions: flags.revisions}
	switch len(flags.call.names) {
	case 0:
	case 1:
		options.Tool, options.Takes, options.Arguments = flags.call.names[0], flags.answers, validArguments
		given, err := argumentsIn(flags.call.arguments)
		if err != nil {
			return err
		}
		if own := given[options.Tool]; len(own) > 0 {
			options.Arguments = func(*schema.Node) json.RawMessage { return own[0].JSON() }
		}
	default:
		return cli.Usage("--conformance calls one tool: name only one")
	}
	found, err := protocol.Run(ctx, source.Server, options)
	if ctx.Err() != nil {
		return cli.Interrupted(ctx)
	}
	if err != nil {
		s.complain(source)
		return cli.Fail(cli.CodeInconclusive, errors.New(escape.Line(source.name)+": "+source.why(err)))
	}
	for i := range found.Findings {
		found.Findings[i].Saw = source.secrets.Replace(found.Findings[i].Saw)
	}
	if err := s.conformity(form, source, found); err != nil {
		return err
	}
	if broken(found, protocol.Must) > 0 {
		return cli.Exit(cli.CodeFails)
	}
	return nil
}

// validArguments returns arguments that the inputSchema of a tool accepts.
func validArguments(entry *schema.Node) json.RawMessage {
	tools, err := calls.Tools([]byte(`{"tools":[` + string(entry.JSON()) + `]}`))
	if err != nil || len(tools) == 0 {
		return json.RawMessage("{}")
	}
	for _, call := range tools[0].Plan() {
		if call.IsValid && call.Arguments != nil {
			return call.Arguments.JSON()
		}
	}
	return json.RawMessage("{}")
}

// conformity writes the report in a form.
func (s *session) conformity(form string, source namedServer, found *protocol.Report) error {
	rows := &report.Scenarios{Client: source.name, Set: strings.Join(found.Spoken, ", ")}
	for _, finding := range found.Findings {
		if finding.Outcome == protocol.Unseen {
			continue // a skip is no pass
		}
		row := report.ScenarioRow{Scenario: finding.Check.Name, API: finding.Revision, Outcome: string(finding.Outcome)}
		if finding.Outcome == protocol.Broken {
			row.Why = finding.Saw
			if finding.Check.Level != protocol.Must {
				row.Expected = "the specification says " + string(finding.Check.Level)
			}
		}
		rows.Rows = append(rows.Rows, row)
	}
	switch form {
	case "json":
		return s.conformityJSON(source, found)
	case "html":
		return rows.HTML(report.Options{Out: s.Out, Version: cli.Version(), Now: time.Now()})
	case "junit":
		return rows.JUnit(s.Out)
	case "badge":
		return rows.Badge(s.Out)
	default:
		s.conformityText(found)
		return nil
	}
}

// protocolLine is a line of --conformance --json. docs/schema/protocol.schema.json describes it.
type protocolLine struct {
	Source   string           `json:"source"`
	Over     string           `json:"over"`
	Check    string           `json:"check"`
	Level    protocol.Level   `json:"level"`
	Revision string           `json:"revision"`
	Outcome  protocol.Outcome `json:"outcome"`
	Saw      string           `json:"saw,omitempty"`
	Says     string           `json:"says"`
	Page     string           `json:"page"`
}

func (s *session) conformityJSON(source namedServer, found *protocol.Report) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	for _, finding := range found.Findings {
		check := finding.Check
		line := protocolLine{source.name, found.Over, check.Name, check.Level, finding.Revision, finding.Outcome, finding.Saw, check.Says, check.Address(finding.Revision)}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("writing a finding: %w", err)
		}
	}
	return nil
}

// broken returns the number of checks of a level that are broken in a revision.
func broken(found *protocol.Report, level protocol.Level) int {
	count := map[*protocol.Check]bool{}
	for _, finding := range found.Findings {
		if finding.Outcome == protocol.Broken && finding.Check.Level == level {
			count[finding.Check] = true
		}
	}
	return len(count)
}

// conformityText writes the answer, then what is broken, the gravest first, with the sentence and the revisions.
func (s *session) conformityText(found *protocol.Report) {
	seen := map[protocol.Level]map[*protocol.Check]bool{}
	for _, finding := range found.Findings {
		if finding.Outcome != protocol.Unseen {
			if seen[finding.Check.Level] == nil {
				seen[finding.Check.Level] = map[*protocol.Check]bool{}
			}
			seen[finding.Check.Level][finding.Check] = true
		}
	}
	verdict := fmt.Sprintf("The server keeps all %d sentences with MUST that it could be seen to keep or break.", len(seen[protocol.Must]))
	if count := broken(found, protocol.Must); count > 0 {
		verdict = fmt.Sprintf("The server breaks %d of %d sentences with MUST.", count, len(seen[protocol.Must]))
	}
	fmt.Fprintln(s.Out, verdict)
	fmt.Fprintf(s.Out, "It speaks %s over %s.\n", strings.Join(found.Spoken, ", "), found.Over)
	for _, level := range []protocol.Level{protocol.Must, protocol.Should, protocol.States} {
		for _, check := range protocol.Checks {
			if check.Level == level {
				s.conformityCheck(check, found)
			}
		}
	}
	unseen := 0
	for _, check := range protocol.Checks {
		if !seen[check.Level][check] && slices.ContainsFunc(found.Findings, func(finding protocol.Finding) bool { return finding.Check == check }) {
			unseen++
		}
	}
	fmt.Fprintf(s.Out, "\n%d checks broken or kept, %d not seen: the server does nothing that these are about\n",
		len(seen[protocol.Must])+len(seen[protocol.Should])+len(seen[protocol.States])+len(seen[protocol.May]), unseen)
}

// conformityCheck writes a check that is broken.
func (s *session) conformityCheck(check *protocol.Check, found *protocol.Report) {
	var revisions []string
	saw := ""
	for _, finding := range found.Findings {
		if finding.Check == check && finding.Outcome == protocol.Broken {
			revisions, saw = append(revisions, finding.Revision), finding.Saw
		}
	}
	if len(revisions) == 0 {
		return
	}
	where := strings.Join(revisions, ", ")
	if len(revisions) == len(found.Spoken) && len(revisions) > 1 {
		where = "all of them"
	}
	fmt.Fprintf(s.Out, "\n%s: %s (%s)\n", check.Level, check.Name, where)
	fmt.Fprintf(s.Out, "  %s\n", escape.Line(saw))
	fmt.Fprintf(s.Out, "  > %s\n", check.Says)
	fmt.Fprintf(s.Out, "  %s\n", check.Address(revisions[len(revisions)-1]))
}
