package client

import (
	"slices"
	"testing"
)

// TestRows says what a row lacks: each part of it is there, or the row says why it is not.
func TestRows(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, row := range Rows {
		if row.Name == "" || row.Title == "" {
			t.Errorf("%q, %q: the name or the title is missing", row.Name, row.Title)
		}
		if names[row.Name] {
			t.Errorf("%s: another row has the name", row.Name)
		}
		names[row.Name] = true
		for part, is := range map[string]struct {
			isThere bool
			reason  string
		}{
			"Run":           {row.Run != nil, row.NotRun},
			"Configuration": {row.Configuration != nil, row.NotRead},
			"BuiltIn":       {row.BuiltIn != nil, row.NotBuiltIn},
		} {
			if is.isThere == (is.reason != "") {
				t.Errorf("%s: %s is there: %t; the reason why it is not: %q; have one of the two", row.Name, part, is.isThere, is.reason)
			}
		}
		if isAgent := slices.Contains(Agents, row); isAgent != (row.Run != nil) {
			t.Errorf("%s is in Agents: %t; it has a Run: %t", row.Name, isAgent, row.Run != nil)
		}
		if row.Run != nil {
			checkRun(t, row.Name, row.Run)
		}
		if at := row.Configuration; at != nil && (len(at.Files) == 0 || len(at.Servers) == 0) {
			t.Errorf("%s: the configuration has no files, or no servers", row.Name)
		}
		if row.BuiltIn != nil && len(row.BuiltIn.Commands) == 0 {
			t.Errorf("%s: without a tool that runs commands its requests are not recognized", row.Name)
		}
	}
	for _, row := range Agents {
		if !slices.Contains(Rows, row) {
			t.Errorf("%s is in Agents, and not in Rows", row.Name)
		}
	}
}

// TestSetupOf: a version is started as the oldest setup says that it comes before.
func TestSetupOf(t *testing.T) {
	t.Parallel()
	named := func(name string) func(Place) Setup {
		return func(Place) Setup { return Setup{Args: []string{name}} }
	}
	run := &Run{Setup: named("now"), Earlier: []Earlier{{Before: "2.0.0", Setup: named("first"), InPrompt: []string{"chat"}}, {Before: "10.1.0", Setup: named("second")}}}
	for version, want := range map[string]string{"": "now", "1.9.9": "first", "2.0.0-beta.1": "first", "2.0.0": "second", "10.0.9": "second", "10.1.0": "now", "11.0.0": "now"} {
		if got := run.SetupOf(Place{}, version).Args[0]; got != want {
			t.Errorf("%q is started as %s, not %s", version, got, want)
		}
		if got := run.IsInPrompt("chat", version); got != (want == "first") || run.IsInPrompt("gemini", version) {
			t.Errorf("%q describes tools in the prompt: %t", version, got)
		}
	}
}

// checkRun says what the Run of a row lacks.
func checkRun(t *testing.T, name string, run *Run) {
	t.Helper()
	for field, isThere := range map[string]bool{
		"Program": run.Program != "", "Package": run.Package != "", "Version": run.Version != "", "Measured": run.Measured != "",
		"Surfaces": len(run.Surfaces) > 0, "Treatments": len(run.Treatments) > 0, "Setup": run.Setup != nil,
	} {
		if !isThere {
			t.Errorf("%s: the Run lacks %s", name, field)
		}
	}
	var treated, surfaces []string
	for _, treatment := range run.Treatments {
		treated = append(treated, treatment.On...)
	}
	for _, surface := range run.Surfaces {
		surfaces = append(surfaces, surface.Name)
		if surface.Model == "" {
			t.Errorf("%s: the surface %s has no model", name, surface.Name)
		}
	}
	slices.Sort(treated)
	slices.Sort(surfaces)
	if !slices.Equal(treated, surfaces) {
		t.Errorf("%s: the treatments are on the surfaces %q; it has %q, each of which is in one treatment", name, treated, surfaces)
	}
}
