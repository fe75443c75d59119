package advice

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolproof/lab/corpus"
	"toolproof/schema"
)

// measuredRule is a line of docs/advice/rates.json: how often a rule fires on the tools of npm,
// and with how many of the sampled findings a reader agrees.
type measuredRule struct {
	Rule    string `json:"rule"`
	Tools   int    `json:"tools"` // with at least one finding
	Fires   int    `json:"fires"`
	Sampled int    `json:"sampled"`
	Agreed  int    `json:"agreed"`
}

// judged is a line of docs/advice/sample.jsonl: a finding of the sample, and what a
// reader said about it. Text is what stands at the place.
type judged struct {
	Rule    string `json:"rule"`
	Tool    string `json:"tool"` // the id in the corpus
	At      string `json:"at"`
	Message string `json:"message"`
	Text    string `json:"text"`
	Agrees  *bool  `json:"agrees,omitempty"` // nil until it is judged
	Why     string `json:"why,omitempty"`
}

const (
	measuredFile = "../../docs/advice/rates.json"
	judgedFile   = "../../docs/advice/sample.jsonl"
	perRule      = 25  // findings of a sample
	perServer    = 4   // of them from one server
	cut          = 500 // length to which the corpus cuts descriptions
)

// isBlind reports whether a server is of the part of the corpus that nobody looks at when a
// rule is written: a quarter, chosen by a digest of its name.
func isBlind(server string) bool {
	const quarter = 64
	return sha256.Sum256([]byte(server))[0] < quarter
}

// TestMeasured runs all rules on the tools of npm. docs/advice/rates.json has the counts, and
// docs/advice/sample.jsonl a sample of what each rule found in the blind part, with a reader's
// judgements.
// A rule is off if the reader agrees with fewer than four in five. UPDATE=1 writes both
// files and keeps the judgements; new findings have to be judged by hand.
func TestMeasured(t *testing.T) {
	t.Parallel()
	rows, err := corpus.Read("tools.jsonl.gz")
	if err != nil {
		corpus.Missing(t, err)
	}
	found := map[string][]judged{}
	tools := map[string]int{}
	for _, list := range servers(rows, "npm") {
		declared := declaredIn(list)
		all := foundIn(t, declared, Rules)
		for i, findings := range all {
			if description := list[i].GetString("description"); utf8.RuneCountInString(description) >= cut {
				continue // the part that was cut may explain what is missing
			}
			last := ""
			for _, finding := range findings {
				if rule := finding.Rule.Name; rule != last {
					tools[rule]++
					last = rule
				}
				found[finding.Rule.Name] = append(found[finding.Rule.Name], judged{
					Rule: finding.Rule.Name, Tool: list[i].GetString("id"), At: string(finding.At), Message: finding.Message, Text: textAt(declared[i], finding.At),
				})
			}
		}
	}
	known := readLines[judged](t, judgedFile)
	var sample []judged
	var counts []measuredRule
	for _, rule := range Rules {
		count := measuredRule{Rule: rule.Name, Tools: tools[rule.Name], Fires: len(found[rule.Name])}
		for _, judgement := range sampled(found[rule.Name]) {
			at := slices.IndexFunc(known, func(other judged) bool {
				return other.Rule == judgement.Rule && other.Tool == judgement.Tool && other.At == judgement.At
			})
			if at >= 0 {
				judgement.Agrees, judgement.Why = known[at].Agrees, known[at].Why
			}
			count.Sampled++
			switch {
			case judgement.Agrees == nil:
				t.Errorf("%s: the finding at %s of %s is not judged", judgement.Rule, judgement.At, judgement.Tool)
			case *judgement.Agrees:
				count.Agreed++
			}
			sample = append(sample, judgement)
		}
		counts = append(counts, count)
		isGood := 5*count.Agreed >= 4*count.Sampled
		if !isGood && !rule.IsOff {
			t.Errorf("%s: a reader agrees with %d of %d, and the rule is on", rule.Name, count.Agreed, count.Sampled)
		}
	}
	if os.Getenv("UPDATE") != "" {
		writeLines(t, judgedFile, sample)
		writeLines(t, measuredFile, counts)
	}
	if !slices.Equal(readLines[measuredRule](t, measuredFile), counts) {
		t.Errorf("%s has other counts: set UPDATE=1, and judge what is new", measuredFile)
	}
}

func foundIn(t *testing.T, tools []schema.Tool, rules []*Rule) [][]Finding {
	t.Helper()
	all, err := Of(context.Background(), tools, Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// labelled is a line of docs/advice/fresh.jsonl or docs/advice/blind.jsonl: a tool of the blind part with the gaps that
// a reader found in it before a rule ran.
type labelled struct {
	Tool string `json:"tool"` // the id in the corpus
	Gaps []gap  `json:"gaps"`
}

// gap is what is unclear in a tool.
type gap struct {
	Class string `json:"class"`
	// At are the paths of parameters, with * for the items of a list, or . for the tool.
	At []string `json:"at"`
	// IsGrave says that the reader expects a wrong call.
	IsGrave bool `json:"grave"`
}

// recall is a line of docs/advice/fresh.json or docs/advice/blind.json: how many gaps of a class the usual rules find.
type recall struct {
	Class      string `json:"class"`
	Gaps       int    `json:"gaps"`
	Found      int    `json:"found"`
	Grave      int    `json:"grave"`
	GraveFound int    `json:"grave_found"`
	// Missed are some of the tools and places of those that are not found.
	Missed []string `json:"missed,omitempty"`
}

// answering are the rules that answer a class of gaps. No rule answers a class without any.
var answering = map[string][]*Rule{
	"no_text": {noDescription}, "says_nothing": {repeatsName, unknownIdentifier, httpWords, noDescription}, "base": {noPages, noDescription}, "pagination": {noPages, noDescription}, "instruction": {instruction, tellsModel},
	"required_flag": {requiredWithDefault, nothingRequired, requiredOfMode, contradiction}, "open_object": {openObject, noDescription}, "exclusive": {requiredOfMode, unlistedModes, nothingRequired}, "dependency": {requiredOfMode, unlistedModes},
	"result": {repeatsName, vagueResult}, "unit": {noUnit}, "format": {noFormat, noMarkup, noSyntax, formatInProse, noEncoding, noBase, noDescription, repeatsName}, "missing_way": {unknownIdentifier, repeatsName}, "values": {valuesInProse, unlistedValues, noFormat, noDescription}, "values_unexplained": {unexplainedValues},
	"json_in_string": {jsonInString, repeatsName}, "number_in_string": {numberInString}, "encoding": {noEncoding, noBase}, "contradiction": {contradiction, openObject, requiredWithDefault, noChoice}, "list_in_string": {listInString}, "side_effect": {sideEffect},
	"secret": {secretParameter}, "heavy": {heavyTool, manyParameters, noChoice, deprecatedPart}, "unknown_identifier": {contradiction}, "deprecated": {deprecatedPart}, "sentinel": {sentinelValue}, "bounds": {boundsInProse, noMaximum},
	"default": {defaultInProse, noDefault, harmfulDefault}, "http_words": {httpWords},
}

// readings are the names of the sets of labelled tools.
var readings = []string{"blind", "fresh", "third", "fourth", "fifth", "sixth", "open", "held"}

// TestBlind counts how many of the labelled gaps the usual rules find: in tools of the blind part that the
// author of the rules looked at since (blind), in those of which nobody has looked at more than the counts
// of a class, the sixth of them of servers that the corpus lacks, and in tools of the other part: those on which rules may be made (open) and those of which only the
// counts are looked at (held). UPDATE=1 writes the counts.
func TestBlind(t *testing.T) {
	t.Parallel()
	rows, err := corpus.Read("tools.jsonl.gz")
	if err != nil {
		corpus.Missing(t, err)
	}
	for _, name := range readings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "../../docs/advice/" + name + ".json"
			tools := rows
			if name == "sixth" {
				var err error
				if tools, err = corpus.In("../../docs/advice/sixth-tools.jsonl.gz", 1); err != nil {
					t.Fatal(err)
				}
			}
			lines := recalled(t, tools, file+"l")
			if os.Getenv("UPDATE") != "" {
				writeLines(t, file, lines)
			}
			if !reflect.DeepEqual(readLines[recall](t, file), lines) {
				t.Errorf("%s has other counts: set UPDATE=1", file)
			}
		})
	}
}

// TestTwoReaders: the fifth and the sixth reading have the gaps that both of their readers marked, with the places of
// both. A gap is grave if one of them says so.
func TestTwoReaders(t *testing.T) {
	t.Parallel()
	for _, reading := range []string{"fifth", "sixth"} {
		t.Run(reading, func(t *testing.T) {
			t.Parallel()
			markedByBoth(t, "../../docs/advice/"+reading)
		})
	}
}

// markedByBoth checks that a reading has what both of its readers marked.
func markedByBoth(t *testing.T, name string) {
	t.Helper()
	second := map[string][]gap{}
	for _, tool := range readLines[labelled](t, name+"-second.jsonl") {
		second[tool.Tool] = tool.Gaps
	}
	var both []labelled
	for _, tool := range readLines[labelled](t, name+"-first.jsonl") {
		gaps := []gap{}
		for _, one := range tool.Gaps {
			for _, other := range second[tool.Tool] {
				if one.Class == other.Class {
					places := append(slices.Clone(one.At), slices.DeleteFunc(slices.Clone(other.At), func(at string) bool { return slices.Contains(one.At, at) })...)
					gaps = append(gaps, gap{one.Class, places, one.IsGrave || other.IsGrave})
				}
			}
		}
		both = append(both, labelled{tool.Tool, gaps})
	}
	if !reflect.DeepEqual(readLines[labelled](t, name+".jsonl"), both) {
		t.Errorf("%s.jsonl has other gaps than those that both readers marked", name)
	}
}

// worth is a line of docs/advice/worth.jsonl: what a reader made of a finding. It is worth a change (yes), literally right
// and not worth one (true), or wrong.
type worth struct {
	Rule    string `json:"rule"`
	Tool    string `json:"tool"` // the id in the corpus
	At      string `json:"at"`
	Verdict string `json:"verdict"`
}

// weighed is a line of docs/advice/worth.json: how many of the findings that a rule still has are worth what, and how many
// of its notes.
type weighed struct {
	Rule  string         `json:"rule"`
	Found map[string]int `json:"found,omitempty"`
	Notes map[string]int `json:"notes,omitempty"`
}

// TestWorth counts what readers made of findings that the rules still have. UPDATE=1 writes the counts.
func TestWorth(t *testing.T) {
	t.Parallel()
	rows, err := corpus.Read("tools.jsonl.gz")
	if err != nil {
		corpus.Missing(t, err)
	}
	type place struct{ rule, tool, at string }
	verdicts, tools := map[place]string{}, map[string]bool{}
	for _, line := range readLines[worth](t, "../../docs/advice/worth.jsonl") {
		verdicts[place{line.Rule, line.Tool, line.At}], tools[line.Tool] = line.Verdict, true
	}
	counts := map[string]weighed{}
	for _, list := range servers(rows, "npm", "live") {
		if !slices.ContainsFunc(list, func(row *schema.Node) bool { return tools[row.GetString("id")] }) {
			continue
		}
		for i, findings := range foundIn(t, declaredIn(list), Usual()) {
			for _, finding := range findings {
				verdict := verdicts[place{finding.Rule.Name, list[i].GetString("id"), string(finding.At)}]
				if verdict == "" {
					continue
				}
				count := counts[finding.Rule.Name]
				if count.Found == nil {
					count = weighed{finding.Rule.Name, map[string]int{}, map[string]int{}}
				}
				if finding.IsNote {
					count.Notes[verdict]++
				} else {
					count.Found[verdict]++
				}
				counts[finding.Rule.Name] = count
			}
		}
	}
	const file = "../../docs/advice/worth.json"
	lines := slices.SortedFunc(maps.Values(counts), func(a, b weighed) int { return strings.Compare(a.Rule, b.Rule) })
	if os.Getenv("UPDATE") != "" {
		writeLines(t, file, lines)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, linesOf(t, lines)) {
		t.Errorf("%s has other counts: set UPDATE=1", file)
	}
}

// TestMissed: each gap that the page about advice gives a reason for is one that no rule finds.
func TestMissed(t *testing.T) {
	t.Parallel()
	type miss struct{ Tool, Class string }
	unfound := map[miss]bool{}
	for _, name := range readings {
		for _, line := range readLines[recall](t, "../../docs/advice/"+name+".json") {
			for _, missed := range line.Missed {
				tool, _, _ := strings.Cut(missed, "@")
				unfound[miss{tool, line.Class}] = true
			}
		}
	}
	explained := readLines[miss](t, "../../docs/advice/missed.jsonl")
	if len(explained) == 0 {
		t.Error("no gap has a reason")
	}
	for _, gap := range explained {
		if !unfound[gap] {
			t.Errorf("missed.jsonl: a rule finds the gap %s in %s", gap.Class, gap.Tool)
		}
	}
}

// recalled counts how many of the gaps of a file the usual rules find.
func recalled(t *testing.T, rows []*schema.Node, name string) []recall {
	t.Helper()
	gaps := map[string][]gap{}
	for _, tool := range readLines[labelled](t, name) {
		if base := path.Base(name); base != "sixth.jsonl" && isBlind(path.Dir(tool.Tool)) == slices.Contains([]string{"open.jsonl", "held.jsonl"}, base) {
			t.Errorf("%s: %s is of the other part", name, tool.Tool)
		}
		gaps[tool.Tool] = tool.Gaps
	}
	counts := map[string]*recall{}
	count := func(id string, expected gap, found []Finding) {
		rules, isKnown := answering[expected.Class]
		if !isKnown {
			t.Errorf("%s: no class of gaps is called %s", id, expected.Class)
		}
		isFound := slices.ContainsFunc(found, func(finding Finding) bool {
			return slices.Contains(rules, finding.Rule) && slices.ContainsFunc(append(finding.Also, finding.At), func(at schema.Pointer) bool {
				return slices.ContainsFunc(expected.At, func(path string) bool { return isWithin(pathOf(at), path) })
			})
		})
		for _, class := range []string{expected.Class, "all"} {
			line := counts[class]
			if line == nil {
				line = &recall{Class: class}
				counts[class] = line
			}
			line.Gaps++
			switch {
			case isFound:
				line.Found++
			case class != "all":
				line.Missed = append(line.Missed, id+" "+strings.Join(expected.At, " "))
			}
			if expected.IsGrave {
				line.Grave++
				if isFound {
					line.GraveFound++
				}
			}
		}
	}
	for _, list := range servers(rows, "npm", "live") {
		if !slices.ContainsFunc(list, func(row *schema.Node) bool { return gaps[row.GetString("id")] != nil }) {
			continue
		}
		for i, found := range foundIn(t, declaredIn(list), Usual()) {
			id := list[i].GetString("id")
			for _, expected := range gaps[id] {
				count(id, expected, found)
			}
		}
	}
	lines := make([]recall, 0, len(counts))
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, *counts[class])
	}
	return lines
}

// pathOf returns the path of a parameter as a gap names it.
func pathOf(at schema.Pointer) string {
	if at == "" || at == "/description" || at == "/parameters" || at == "/parameters/$defs" {
		return "."
	}
	path := strings.TrimSuffix(strings.TrimPrefix(string(at), "/parameters/properties/"), "/description")
	return strings.NewReplacer("/items/properties/", "/*/", "/additionalProperties/properties/", "/*/", "/properties/", "/", "/items", "/*").Replace(path)
}

// isWithin reports whether a path is another one, below it, or the list of whose items the other one is.
func isWithin(path, above string) bool {
	return path == above || strings.HasPrefix(path, above+"/") || path == strings.TrimSuffix(above, "/*")
}

// servers returns the tools of groups of the corpus by server.
func servers(rows []*schema.Node, groups ...string) [][]*schema.Node {
	var lists [][]*schema.Node
	at := map[string]int{}
	for _, row := range rows {
		if !slices.Contains(groups, row.GetString("group")) || !row.Get("kind").Is("mcp") { // the others are schemas of results
			continue
		}
		server := path.Dir(row.GetString("id"))
		place, isKnown := at[server]
		if !isKnown {
			place = len(lists)
			at[server] = place
			lists = append(lists, nil)
		}
		lists[place] = append(lists[place], row)
	}
	return lists
}

// sampled returns some findings of a rule, chosen by a digest, with only a few from each
// server.
func sampled(found []judged) []judged {
	digest := func(judgement judged) string {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(judgement.Rule+" "+judgement.Tool+" "+judgement.At)))
	}
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b judged) int { return cmp.Compare(digest(a), digest(b)) })
	count := map[string]int{}
	var sample []judged
	for _, most := range []int{perServer, math.MaxInt} { // take more if there are few servers
		for _, judgement := range found {
			server := path.Dir(judgement.Tool)
			if isBlind(server) && len(sample) < perRule && count[server] < most && !slices.Contains(sample, judgement) {
				count[server]++
				sample = append(sample, judgement)
			}
		}
	}
	return sample
}

// textAt returns the beginning of what stands at a place of a tool.
func textAt(tool schema.Tool, at schema.Pointer) string {
	const longest = 200
	place := schema.Pointer(strings.TrimSuffix(string(at), "/description"))
	text := []rune(tool.Node().Find(place).String())
	return string(text[:min(longest, len(text))])
}

func readLines[T any](t *testing.T, name string) []T {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []T
	for line := range bytes.Lines(text) {
		var judgement T
		if err := json.Unmarshal(line, &judgement); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, judgement)
	}
	return all
}

func writeLines[T any](t *testing.T, name string, all []T) {
	t.Helper()
	if err := os.WriteFile(name, linesOf(t, all), 0o644); err != nil {
		t.Fatal(err)
	}
}

func linesOf[T any](t *testing.T, all []T) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, judgement := range all {
		if err := encoder.Encode(judgement); err != nil {
			t.Fatal(err)
		}
	}
	return text.Bytes()
}

// declaredIn returns the tools of a server in the corpus.
func declaredIn(list []*schema.Node) []schema.Tool {
	declared := make([]schema.Tool, len(list))
	for i, row := range list {
		declared[i] = schema.Tool{Name: row.GetString("name"), Description: row.Get("description"), Parameters: row.Get("schema")}
		if hints := row.Get("annotations"); hints != nil {
			declared[i].Further = schema.NewObject(schema.Member{Key: "annotations", Value: hints})
		}
	}
	return declared
}
