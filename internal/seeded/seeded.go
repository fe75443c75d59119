// Package seeded runs tests that draw their cases with rapid.
package seeded

import (
	"flag"
	"testing"
)

// Run runs the tests of a package, and returns the exit code. They draw the same cases in every run, so
// that no pull request fails for luck; -rapid.seed=N -rapid.checks=30000 draws others.
func Run(m *testing.M) int {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == seed.DefValue {
		if err := seed.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	return m.Run()
}
