package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/toolfile"
)

// TestExport holds docs/export.md: what its recipes print is read as one tool with its
// schema, and its commands are there. A script runs those that need no package.
func TestExport(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(printed) < 5 {
		t.Errorf("the page shows what %d recipes print", len(printed))
	}
	for _, text := range printed {
		tools, err := toolfile.Read(strings.NewReader(string(text[1])))
		if err != nil || len(tools) != 1 || tools[0].Err != nil || tools[0].IsBare() || tools[0].Name != "get_weather" || !tools[0].Parameters.Has("properties") {
			t.Errorf("%d tools, %v\n%s", len(tools), err, text[1])
		}
	}
	commands := regexp.MustCompile(`(?m)^verify (\w+)(.*)$`).FindAllStringSubmatch(string(page), -1)
	if len(commands) < 5 {
		t.Errorf("the page has %d commands", len(commands))
	}
	root := newRoot(&session{&cli.Session{}})
	script, err := os.ReadFile("testdata/script/exporter.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range commands {
		command, _, err := root.Find([]string{words[1]})
		if err != nil || command == root {
			t.Errorf("%s: %v", words[0], err)
			continue
		}
		flags := strings.Fields(words[2])
		if end := slices.Index(flags, "--"); end >= 0 {
			flags = flags[:end]
		}
		if err := command.ParseFlags(flags); err != nil {
			t.Errorf("%s: %v", words[0], err)
		}
		_, program, _ := strings.Cut(words[2], " -- ")
		isData := strings.HasPrefix(program, "node ") || strings.HasPrefix(program, "python3 ")
		if isData && !strings.Contains(string(script), " -- "+program+"\n") {
			t.Errorf("no script runs %s", words[0])
		}
	}
}
