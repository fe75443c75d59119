package calibrate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/lab/calibrate"
	"toolproof/schema"
)

// TestPastedEvidence pastes the message of each published refusal with its schema among other tools,
// and counts the refusals whose tool is found, of which a rule is known, and for which a rewrite is
// named that the surface accepts. It never finds one of the other tools.
func TestPastedEvidence(t *testing.T) {
	t.Parallel()
	folder := evidenceFolder(t)
	count := struct{ rows, found, explained, cured int }{}
	for _, name := range []string{"rejections.jsonl", "rejections_more.jsonl", "rejections_3.jsonl"} {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := calibrate.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if testing.Short() && i%4 > 0 {
				continue
			}
			found, explained, cured, asked := pasteRow(t, row)
			if !asked {
				continue
			}
			count.rows++
			for _, each := range []struct {
				is    bool
				count *int
			}{{found, &count.found}, {explained, &count.explained}, {cured, &count.cured}} {
				if each.is {
					*each.count++
				}
			}
			if !found {
				t.Logf("%s is not found: %.200q", row.Name(), row.Message)
			}
		}
	}
	t.Logf("%d refusals: %d tools found, %d explained, %d with a rewrite that is accepted", count.rows, count.found, count.explained, count.cured)
	if count.found*100 < count.rows*90 || count.explained*100 < count.rows*85 || count.cured*100 < count.rows*70 {
		t.Error("more were found before")
	}
}

// pasteRow locates the message of a row in a list of tools that has its declaration.
func pasteRow(t *testing.T, row *calibrate.Row) (found, explained, cured, asked bool) {
	t.Helper()
	dialect, err := harness.DialectNamed(row.Dialect(harness.Dialects))
	cases, _ := row.Cases(harness.Dialects)
	if err != nil || row.Message == "" || len(cases) != 1 || len(cases[0].Parts) != 1 {
		return false, false, false, false
	}
	declarations := cases[0].Parts[0].Declarations
	if len(declarations) == 0 {
		return false, false, false, false
	}
	declared := declarations[len(declarations)-1]
	guilty := schema.Tool{Name: provider.NameOf(declared), Description: schema.NewString("d"), Parameters: dialect.SchemaOf(declared)}
	tools, at := []schema.Tool{guilty}, 0
	if dialect.Subject == provider.Arguments {
		other := func(name string) schema.Tool {
			text := `{"type":"object","properties":{"other":{"type":"string"}},"required":["other"]}`
			if dialect.Strict {
				text = strings.TrimSuffix(text, "}") + `,"additionalProperties":false}`
			}
			node, err := schema.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return schema.Tool{Name: name, Description: schema.NewString("d"), Parameters: node}
		}
		at = max(2, len(declarations)-1)
		tools = nil
		for i := range at {
			tools = append(tools, other(fmt.Sprintf("other_%d", i)))
		}
		tools = append(tools, guilty, other("last_one"))
	}
	var dialects []*provider.Dialect
	for _, surface := range harness.Surfaces {
		dialects = append(dialects, surface.Dialect)
	}
	located, err := refusal.Locator{Dialects: dialects}.Locate(t.Context(), row.Message, tools)
	if err != nil {
		return false, false, false, true
	}
	for _, place := range located.Places {
		if place.Declaration != at {
			t.Errorf("%s blames %s: %q", row.Name(), tools[place.Declaration].Name, row.Message)
		}
		explained = explained || place.Rule != nil
	}
	var subjects []judge.Subject
	for _, tool := range tools {
		subjects = append(subjects, judge.Subject{Tool: toolfile.Of(tool)})
	}
	results, err := judge.Judge{Raw: true}.Refused(t.Context(), located, harness.Serving(located.Dialect), harness.DirectFor, subjects)
	if err != nil {
		t.Fatal(err)
	}
	sides := results[0].Sides()
	isAccepted := results[0].Status == verdict.Pass || sides.Normalized != nil && sides.Normalized.Verdict == provider.Accepted
	isNamed := sides.Normalized != nil && (len(sides.Raw.Findings[0].Answers) > 0 || sides.Normalized.Fallback != "")
	return true, explained, isAccepted && isNamed, true
}
