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
	"toolproof/harness/agent/client"
	"toolproof/normalizers"
	"toolproof/schema"
)

// measuredServer is the name that the server of the tricky tools had in the measurements.
const measuredServer = "server"

// The tricky tools that show what a client needs.
const (
	withoutDescription = "empty_description"
	withUnion          = "any_of_null"
)

// TestTreatments holds the rows to what was measured: what a row says of a client on a
// surface is what docs/clients.json and docs/clients-portable.json have.
func TestTreatments(t *testing.T) {
	t.Parallel()
	asGiven, asPortable := measured(t, "clients.json"), measured(t, "clients-portable.json")
	seen := map[string]bool{}
	for _, row := range client.Agents {
		if row == fake {
			continue
		}
		for _, treatment := range row.Run.Treatments {
			for _, surface := range treatment.On {
				key := row.Name + " on " + surface
				seen[key] = true
				given, portable := asGiven[key], asPortable[key]
				if given == nil || portable == nil {
					t.Errorf("%s has a row, and was not measured", key)
					continue
				}
				if treatment.SendsNone != given.SendsNone {
					t.Errorf("%s sends no tool by its row: %t; as measured: %t", key, treatment.SendsNone, given.SendsNone)
				}
				if !given.SendsNone {
					checkTreatment(t, key, row.Run, treatment, given, portable)
				}
			}
		}
	}
	for key := range asGiven {
		if !seen[key] {
			t.Errorf("%s was measured, and has no row", key)
		}
	}
}

// checkTreatment holds what a row says of a client on a surface to what was measured there.
func checkTreatment(t *testing.T, key string, run *client.Run, treatment client.Treatment, given, portable *pageOf) {
	t.Helper()
	if run.Version != given.ClientVersion || run.Version != portable.ClientVersion || run.Measured != string(given.Date) || run.Measured != string(portable.Date) {
		t.Errorf("%s: the row is about %s of %s, and the pages about %s of %s and %s of %s",
			key, run.Version, run.Measured, given.ClientVersion, given.Date, portable.ClientVersion, portable.Date)
	}
	if isDropped := given.state(withoutDescription) == arrival.Missing; treatment.NeedsDescription != isDropped {
		t.Errorf("%s needs a description by its row: %t; %s was dropped: %t", key, treatment.NeedsDescription, withoutDescription, isDropped)
	}
	if isDropped := given.state(withUnion) == arrival.Missing; treatment.NeedsType != isDropped {
		t.Errorf("%s needs a type by its row: %t; %s was dropped: %t", key, treatment.NeedsType, withUnion, isDropped)
	}
	if want, got := strings.Replace(run.Prefix, "SERVER", measuredServer, 1)+"pattern", portable.sent("pattern"); got != want && !strings.Contains(got, ".") { // a namespace
		t.Errorf("%s calls the tool %s, and by the prefix of its row %s", key, got, want)
	}
	anywhere, atRoot := portable.stripped()
	if !slices.Equal(anywhere, slices.Sorted(slices.Values(treatment.Strips))) || !slices.Equal(atRoot, slices.Sorted(slices.Values(treatment.StripsAtRoot))) {
		t.Errorf("%s strips %v, and from the root %v; by its row %v, and from the root %v", key, anywhere, atRoot, treatment.Strips, treatment.StripsAtRoot)
	}
}

// TestNames holds what a row says of names to what each client made of the names of the tricky
// tools. The hash of a changed name is the client's own.
func TestNames(t *testing.T) {
	t.Parallel()
	compared := 0
	for key, page := range measured(t, "clients.json") {
		run := client.Named(page.Client).Run
		for _, tool := range page.Tools {
			if tool.Sent == "" {
				continue
			}
			compared++
			space, want := run.Sent(measuredServer, tool.Name)
			if space != "" {
				want = space + "." + want
			}
			got := tool.Sent
			if run.Names.Hashes && want != strings.Replace(run.Prefix, "SERVER", measuredServer, 1)+tool.Name && want != got {
				got, want = got[:strings.LastIndex(got, "_")], want[:strings.LastIndex(want, "_")]
				got, want = got[:min(len(got), len(want))], want[:min(len(got), len(want))] // the hashes have 7 or 8 characters
			}
			if got != want {
				t.Errorf("%s sends %s as %s, and by its row %s", key, tool.Name, got, want)
			}
		}
	}
	if compared < 500 {
		t.Errorf("%d names compared", compared)
	}
}

// longestServer is the longest name of a server that a portable tool leaves room for.
const longestServer = 13

// TestPortableAllowsForClients holds the limits of the target portable to the rows: it
// allows for what each client does, and gives up nothing that all of them let through.
func TestPortableAllowsForClients(t *testing.T) {
	t.Parallel()
	const longestName = 64 // that every surface takes
	length := longestName
	stripped := map[string]bool{}
	var needsDescription, needsType, stripsEmpty, stripsRoot bool
	for _, row := range client.Agents {
		prefix := strings.Replace(row.Run.Prefix, "SERVER", strings.Repeat("s", longestServer), 1)
		length = min(length, longestName-len(prefix))
		for _, treatment := range row.Run.Treatments {
			needsDescription = needsDescription || treatment.NeedsDescription
			needsType = needsType || treatment.NeedsType
			stripsEmpty = stripsEmpty || treatment.StripsEmpty
			stripsRoot = stripsRoot || slices.Contains(treatment.StripsAtRoot, "description")
			for _, keyword := range treatment.Strips {
				stripped[keyword] = true
			}
		}
	}
	delete(stripped, "title") // it says little, and is repeated nowhere
	limits := normalizers.Portable.Limits()
	if limits.NameLength != length {
		t.Errorf("a portable name may have %d characters; with the prefixes of the rows %d are left: say so in normalizers/targets.go", limits.NameLength, length)
	}
	if want, got := slices.Sorted(maps.Keys(stripped)), slices.Sorted(slices.Values(limits.Repeated)); !slices.Equal(want, got) {
		t.Errorf("the descriptions of a portable tool repeat %v; the rows strip %v: say so in normalizers/targets.go", got, want)
	}
	for _, test := range []struct {
		what, tool string
		isNeeded   bool
		isGiven    func(schema.Tool) bool
	}{
		{
			"a description", `{"name":"a","parameters":{"type":"object","properties":{}}}`, needsDescription,
			func(tool schema.Tool) bool { return tool.Description != nil },
		},
		{
			"schemas without a union", `{"name":"a","description":"A.","parameters":{"type":"object","properties":{"b":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}`, needsType,
			func(tool schema.Tool) bool { return !tool.Parameters.Get("properties").Get("b").Has("anyOf") },
		},
		{
			"parameters without properties to have no other keyword",
			`{"name":"a","description":"A.","parameters":{"type":"object","properties":{},"required":[],"default":{},"maxProperties":3}}`, stripsEmpty,
			func(tool schema.Tool) bool {
				return slices.Equal(tool.Parameters.Keys(), []string{"type", "properties"})
			},
		},
		{
			"no description at the root", `{"name":"a","description":"A.","parameters":{"type":"object","description":"B.","properties":{}}}`, stripsRoot,
			func(tool schema.Tool) bool { return !tool.Parameters.Has("description") },
		},
	} {
		tool := listOf(t, test.tool).Tools[0].Tool
		result, err := normalizers.Portable.Normalize(t.Context(), tool)
		if err != nil || test.isGiven(result.Tool) != test.isNeeded {
			t.Errorf("a client needs %s: %t; a portable tool has that: %t, %v: say so in normalizers/targets.go", test.what, test.isNeeded, test.isGiven(result.Tool), err)
		}
	}
}

// TestPortableSurvives holds docs/clients-portable.json to what portable promises: every
// client that sends tools sends every portable tool, no surface refuses one, and the
// description repeats each keyword that a client removes.
func TestPortableSurvives(t *testing.T) {
	t.Parallel()
	for key, report := range measured(t, "clients-portable.json") {
		if report.SendsNone {
			continue
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

// isLongText reports whether a member is the rest of a description that is too long for the
// tool, and that fits nowhere else.
func isLongText(change arrival.Change, member schema.Member) bool {
	return change.At == "/parameters" && member.Key == "description" && !strings.HasSuffix(member.Value.Text, "}")
}

// pageOf is a report whose tools are found by name.
type pageOf struct{ Report }

// measured returns the reports in a published file, by client and surface.
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
		if one.Client != "" { // otherwise it is the summary
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

// stripped returns the keywords that the client removes from any schema, and those that it
// removes from the root alone, sorted.
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

// taken returns the members that a change removes from a schema.
func taken(change arrival.Change) []schema.Member {
	if !strings.HasPrefix(string(change.At), "/parameters") || change.Before == nil || change.Before.Kind != schema.Object {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(change.Before.Members), func(member schema.Member) bool { return change.After.Has(member.Key) })
}
