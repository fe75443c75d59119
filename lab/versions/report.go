package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/harness/agent"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/agent/client"
	"toolproof/harness/history"
	"toolproof/harness/peers"
	"toolproof/harness/verdict"
	"toolproof/lab/gateway"
	"toolproof/lab/peers/measure"
)

// agent measures an agent: what becomes of each tool on each surface that the agent can be configured for.
func (r *Run) agent(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	if err := subject.install(ctx, folder); err != nil {
		return nil, err
	}
	programs := filepath.Join(folder, "node_modules", ".bin")
	environment := append(slices.Clone(r.Environ), "PATH="+programs+string(os.PathListSeparator)+r.Path)
	if subject.Rebuild {
		rebuild := exec.CommandContext(ctx, "npm", "rebuild", "--ignore-scripts=false", subject.Package) //nolint:gosec // a package of subjects.json
		rebuild.Dir, rebuild.Env = folder, environment
		if said, err := rebuild.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm rebuild: %w\n%s", err, said)
		}
	}
	row := client.AgentNamed(subject.Adapter)
	if row == nil {
		return nil, fmt.Errorf("there is no agent %q", subject.Adapter)
	}
	program := subject.Adapter + "=" + filepath.Join(programs, row.Run.Program)
	command := exec.CommandContext(ctx, r.Verify, "client", program, "--json", "--run-timeout", "3m", "--tools", r.Tools) //nolint:gosec // the program of this project
	command.Env = environment
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	records, readErr := ofReports(bytes.NewReader(out), "")
	if readErr != nil || len(records) == 0 {
		return nil, fmt.Errorf("verify client: %w\n%s", errors.Join(err, readErr), &complaint)
	}
	var all []measured
	for _, record := range records {
		if record.Unmeasured == isLate {
			return nil, errSlow
		}
		all = append(all, measured{record.Place, record.Facts, record.Unmeasured})
	}
	return all, nil
}

// Import appends the reports of verify client and verify-lab gateway in a file.
func (r *Run) Import(ctx context.Context, name string) error {
	file, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return fmt.Errorf("reading reports: %w", err)
	}
	defer file.Close() // opened for reading
	records, err := ofReports(file, "as "+filepath.Base(name)+" has it")
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	if r.records, err = history.Read(os.DirFS(r.Folder)); err != nil {
		return err
	}
	for _, record := range records {
		if slices.ContainsFunc(r.records, func(known history.Record) bool {
			return known.Kind == record.Kind && known.Subject == record.Subject && known.Version == record.Version && known.Place == record.Place && known.Date == record.Date
		}) {
			continue
		}
		days, err := published(ctx, record.Subject)
		if err != nil {
			return err
		}
		record.Published = days[record.Version]
		if err := r.append(record); err != nil {
			return err
		}
	}
	return nil
}

// isLate is the reason for an agent that was ended, or that sent no tool of the server.
const isLate = "the agent did not end in time, or sent no tool of its server"

// ofReports reads the reports of agents and gateways, one in each line. Without an environment they are of a run just
// now, of which no word is kept that a slow machine may have caused.
func ofReports(in io.Reader, environment string) ([]history.Record, error) {
	var records []history.Record
	for decoder := json.NewDecoder(in); ; {
		var line json.RawMessage
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return records, nil
		} else if err != nil {
			return nil, err //nolint:wrapcheck // the caller names the file
		}
		var isAgent agent.Report
		var isGateway gateway.Report
		if err := errors.Join(json.Unmarshal(line, &isAgent), json.Unmarshal(line, &isGateway)); err != nil {
			return nil, err
		}
		record := history.Record{Environment: environment, Facts: map[string]string{}}
		switch {
		case isAgent.Client != "":
			run := client.AgentNamed(isAgent.Client).Run
			record.Kind, record.Subject, record.Version = "agent", run.Package, isAgent.ClientVersion
			record.Place, record.Date = isAgent.Surface, isAgent.Date
			for _, tool := range isAgent.Tools {
				record.Facts[tool.Name] = arrived(tool.Tool, len(tool.Says) > 0, "")
				if tool.Costs > 0 {
					record.Facts[tool.Name] += ", and all tools of its server with it"
				}
			}
			switch {
			case isAgent.SendsNone && run.IsInPrompt(isAgent.Surface, isAgent.ClientVersion):
				record.Facts, record.Unmeasured = nil, "the agent declares no tool, and describes them in the prompt"
			case isAgent.IsLate, isAgent.SendsNone && !run.SendsNone(isAgent.Surface) && environment == "": // the server may not have been ready
				record.Facts, record.Unmeasured = nil, isLate
			case isAgent.Request == nil:
				record.Facts, record.Unmeasured = nil, "the agent sends no request: "+oneLine(isAgent.Output)
			}
		case isGateway.Gateway != "":
			record.Kind, record.Subject, record.Version = "gateway", packageOf(isGateway.Gateway), isGateway.GatewayVersion
			record.Place, record.Date = isGateway.Way, isGateway.Date
			for _, tool := range isGateway.Tools {
				record.Facts[tool.Name] = arrived(tool.Tool, tool.Passage.Given/100 != 2, string(tool.Passage.Fault))
			}
		default:
			continue // the summary
		}
		records = append(records, record)
	}
}

func packageOf(name string) string {
	at := slices.IndexFunc(gateway.Gateways, func(row *gateway.Gateway) bool { return row.Name == name })
	if at < 0 {
		return name
	}
	return gateway.Gateways[at].Package
}

// arrived says in words what became of a tool on its way through a program: the outcome, and what differs.
func arrived(tool arrival.Tool, isSaid bool, fault string) string {
	outcome := measure.OutcomeOf(tool, isSaid)
	said := outcome.String()
	if tool.State == arrival.Missing {
		said = "missing in silence"
		if isSaid {
			said = "missing, and said so"
		}
	}
	if tool.State == arrival.Deferred {
		said += ", deferred"
	}
	if outcome == peers.Refused {
		said += ": " + rulesIn(tool.Refused)
	}
	if fault != "" {
		said += "; the answer: " + strings.ReplaceAll(fault, "_", " ")
	}
	if differs := inWords(tool.Changes); differs != "" {
		said += "; " + differs
	}
	return said
}

func rulesIn(findings []verdict.Finding) string {
	var rules []string
	for _, finding := range findings {
		rules = append(rules, finding.Rule)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), " ")
}
