package agent

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/agent/arrival"
	"toolproof/normalizers"
	"toolproof/schema"
)

// server is the name of the server that was measured.
const server = "server"

// The tricky tools that show what a client needs.
const (
	withoutDescription = "empty_description"
	withUnion          = "any_of_null"
)

// TestAllowedClients holds the rows that portable tools are made by to what was measured:
// each client on each surface has one row, and it says no more and no less.
func TestAllowedClients(t *testing.T) {
	t.Parallel()
	asGiven, asPortable := measured(t, "clients.json"), measured(t, "clients-portable.json")
	rows := map[string]normalizers.Client{}
	for _, row := range normalizers.Clients {
		for _, surface := range row.Surfaces {
			key := row.Name + " on " + surface
			if _, isTwice := rows[key]; isTwice || asGiven[key] == nil {
				t.Errorf("%s has a row; it is the second: %t; it was measured: %t", key, isTwice, asGiven[key] != nil)
			}
			rows[key] = row
		}
	}
	for key, given := range asGiven {
		row, isThere := rows[key]
		if given.SendsNone != !isThere {
			t.Errorf("%s has a row: %t; it sends no tool: %t\nadd or remove the row in normalizers/clients.go", key, isThere, given.SendsNone)
			continue
		}
		if given.SendsNone {
			continue
		}
		portable := asPortable[key]
		if row.Version != given.ClientVersion || row.Version != portable.ClientVersion || row.Measured != string(given.Date) || row.Measured != string(portable.Date) {
			t.Errorf("%s: the row is about %s of %s, and the pages about %s of %s and %s of %s",
				key, row.Version, row.Measured, given.ClientVersion, given.Date, portable.ClientVersion, portable.Date)
		}
		if isDropped := given.state(withoutDescription) == arrival.Missing; row.NeedsDescription != isDropped {
			t.Errorf("%s needs a description by its row: %t; %s was dropped: %t", key, row.NeedsDescription, withoutDescription, isDropped)
		}
		if isDropped := given.state(withUnion) == arrival.Missing; row.NeedsType != isDropped {
			t.Errorf("%s needs a type by its row: %t; %s was dropped: %t", key, row.NeedsType, withUnion, isDropped)
		}
		if want, got := strings.Replace(row.Prefix, "SERVER", server, 1)+"pattern", portable.sent("pattern"); got != want && !strings.Contains(got, ".") { // a namespace
			t.Errorf("%s calls the tool %s, and by the prefix of its row %s", key, got, want)
		}
		anywhere, atRoot := portable.stripped()
		if !slices.Equal(anywhere, slices.Sorted(slices.Values(row.Strips))) || !slices.Equal(atRoot, slices.Sorted(slices.Values(row.StripsAtRoot))) {
			t.Errorf("%s takes away %v, and from the root %v; by its row %v, and from the root %v", key, anywhere, atRoot, row.Strips, row.StripsAtRoot)
		}
	}
}

// TestPortableSurvives holds the published page: every client that sends tools sends every
// portable tool, no surface refuses one, and what is taken away the description says.
func TestPortableSurvives(t *testing.T) {
	t.Parallel()
	for key, report := range measured(t, "clients-portable.json") {
		if report.SendsNone {
			continue // whatever the tool
		}
		if !report.Conforms() {
			t.Errorf("%s: %d missing, %d refused, the request: %+v", key, report.Count(arrival.Missing), report.Refused(), report.Request)
		}
		for _, tool := range report.Tools {
			for _, change := range tool.Changes {
				for _, member := range taken(change) {
					if member.Key != "title" && !slices.Contains(normalizers.Portable.Limits().Repeated, member.Key) && !isLongText(change, member) {
						t.Errorf("%s, %s: %s at %s reaches no model", key, tool.Name, member.Key, change.At)
					}
				}
			}
		}
	}
}

// isLongText reports whether a member is the rest of a description that is too long for a
// tool: nothing else has room for it.
func isLongText(change arrival.Change, member schema.Member) bool {
	return change.At == "/parameters" && member.Key == "description" && !strings.HasSuffix(member.Value.Text, "}")
}

// pageOf is a report with its tools by their names.
type pageOf struct{ Report }

// measured returns the published reports of a page, by client and surface.
func measured(t *testing.T, name string) map[string]*pageOf {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string]*pageOf{}
	for line := range strings.Lines(string(text)) {
		one := new(pageOf)
		if err := json.Unmarshal([]byte(line), &one.Report); err != nil {
			t.Fatal(err)
		}
		if one.Client != "" { // else it is the summary
			reports[one.Client+" on "+one.Surface] = one
		}
	}
	return reports
}

func (p *pageOf) tool(name string) *Tool {
	return &p.Tools[slices.IndexFunc(p.Tools, func(tool Tool) bool { return tool.Name == name })]
}

func (p *pageOf) state(name string) arrival.State { return p.tool(name).State }

func (p *pageOf) sent(name string) string { return p.tool(name).Sent }

// stripped returns the keywords that are taken away below the root and at it, sorted.
func (p *pageOf) stripped() (anywhere, atRoot []string) {
	below, root := map[string]bool{}, map[string]bool{}
	for _, tool := range p.Tools {
		for _, change := range tool.Changes {
			for _, member := range taken(change) {
				if change.At == "/parameters" {
					root[member.Key] = true
				} else {
					below[member.Key] = true
				}
			}
		}
	}
	for keyword := range below {
		delete(root, keyword)
	}
	return slices.Sorted(maps.Keys(below)), slices.Sorted(maps.Keys(root))
}

// taken returns the members of a schema that are no longer there.
func taken(change arrival.Change) []schema.Member {
	if !strings.HasPrefix(string(change.At), "/parameters") || change.Before == nil || change.Before.Kind != schema.Object {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(change.Before.Members), func(member schema.Member) bool { return change.After.Has(member.Key) })
}
