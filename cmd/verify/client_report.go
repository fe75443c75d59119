package main

import (
	"encoding/json"
	"fmt"

	"toolproof/harness/client"
)

// clientWriter returns what writes the reports in the chosen format.
func (s *session) clientWriter(flags clientFlags) (func([]client.Report) error, error) {
	return func(reports []client.Report) error {
		for _, report := range reports {
			text, err := json.Marshal(report)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s\n", text)
		}
		return nil
	}, nil
}
