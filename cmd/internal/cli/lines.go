package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"toolproof/harness/agent"
)

// AgentReports reads a file written by verify client --json.
func AgentReports(name string) ([]agent.Report, error) {
	reports, err := LinesOf[agent.Report](name)
	return slices.DeleteFunc(reports, func(report agent.Report) bool { return report.Client == "" }), err // the summary line names no client
}

// LinesOf reads a file of JSON Lines.
func LinesOf[Line any](name string) ([]Line, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the user names the folder
	if err != nil {
		return nil, err
	}
	var all []Line
	for line := range bytes.Lines(text) {
		var value Line
		if err := json.Unmarshal(line, &value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, value)
	}
	return all, nil
}
