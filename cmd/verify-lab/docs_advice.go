package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/advice"
	"toolproof/harness/report"
)

// adviceFile is the page about advice. It begins with measurements: adviceRates tells how often
// each rule fires and how many of its findings convinced a reader, and adviceEstimate how far
// the estimate of tokens is from a tokenizer's count.
const (
	adviceFile     = "advice.md"
	adviceRates    = "advice/rates.json"
	adviceEstimate = "advice/estimate.json"
	adviceMissed   = "advice/missed.jsonl"
	adviceWorth    = "advice/worth.json"
)

// adviceSamples are the files with the findings that were judged.
var adviceSamples = []string{"advice/sample.jsonl"}

// toolsOfRates is the number of tools on which the rules were measured: those of servers on npm
// whose description is complete in the corpus.
const toolsOfRates = 3219

// rate is the measurement of one rule.
type rate struct {
	Rule string `json:"rule"`
	// Tools is the number of tools with a finding, and Fires the number of findings.
	Tools int `json:"tools"`
	Fires int `json:"fires"`
	// Sampled is the number of findings shown to a reader, and Agreed the number that
	// convinced.
	Sampled int `json:"sampled"`
	Agreed  int `json:"agreed"`
}

// tokenError is the error of the estimated number of tokens for a tokenizer, as shares: 0.1 is
// 10 %.
type tokenError struct {
	Tokenizer string  `json:"tokenizer"`
	Tools     int     `json:"tools"`
	Tokens    int     `json:"tokens"`
	Mean      float64 `json:"mean"` // mean absolute error of a tool
	High      float64 `json:"p95"`  // exceeded by one tool in twenty
	Sum       float64 `json:"sum"`  // signed error of all tools together
}

// advicePage returns the page about advice, with the measurements in a folder.
func advicePage(folder string) (string, error) {
	rates, err := valuesIn[rate](filepath.Join(folder, adviceRates))
	if err != nil {
		return "", err
	}
	estimates, err := valuesIn[tokenError](filepath.Join(folder, adviceEstimate))
	if err != nil {
		return "", err
	}
	page := &report.Markdown{}
	page.Title("Advice", "What verify advise reports about tools that every provider accepts and models still get wrong. "+
		"Advice fails a run only with --fail-on advice. verify explain advice/RULE shows one rule.")
	if err := measuredRates(page, folder, rates); err != nil {
		return "", err
	}
	if err := blindRecall(page, folder); err != nil {
		return "", err
	}
	if err := worthTable(page, folder); err != nil {
		return "", err
	}
	if len(estimates) > 0 {
		page.Table("How far the estimate of tokens is from the count of a tokenizer",
			"tokenizer", "tools", "tokens", "mean error of a tool", "error that one tool in twenty exceeds", "error of the sum")
	}
	for _, estimate := range estimates {
		page.Row(report.Text(estimate.Tokenizer), strconv.Itoa(estimate.Tools), strconv.Itoa(estimate.Tokens),
			percent("%.1f %%", estimate.Mean), percent("%.1f %%", estimate.High), percent("%+.1f %%", estimate.Sum))
	}
	if len(estimates) > 0 {
		page.Text("The constants of the estimate were tuned on other tools than those in this table. `make tokens` measures again.")
	}
	for _, rule := range advice.Rules {
		_, text, _ := strings.Cut(rule.Doc, "\n\n")
		page.Text("## " + report.Text(rule.Name) + "\n\n" + report.Text(rule.Title()) + offText(rule) + "\n\n" + report.Text(text))
		page.Text("Source: " + report.Text(rule.Source.Text) + " " + sourceLink(rule) + ".")
		for _, example := range []struct{ name, text string }{{"Bad", rule.Bad}, {"Good", rule.Good}} {
			if example.text != "" {
				page.Text(example.name + ":\n\n```json\n" + shortened(example.text) + "\n```")
			}
		}
	}
	return page.String(), nil
}

// measuredRates adds the table of rates.
func measuredRates(page *report.Markdown, folder string, rates []rate) error {
	if len(rates) == 0 {
		return nil
	}
	page.Table("How often each rule fires, and how many findings convince", "rule", "tools", "share", "findings", "read", "agreed", "by default")
	for _, rule := range advice.Rules {
		at := slices.IndexFunc(rates, func(measured rate) bool { return measured.Rule == rule.Name })
		if at < 0 {
			continue
		}
		measured, state := rates[at], "on"
		switch {
		case rule.IsOff:
			state = "off"
		case rule.IsNote:
			state = "notes"
		}
		agreed := "-"
		if measured.Sampled > 0 {
			agreed = fmt.Sprintf("%d (%s)", measured.Agreed, percent("%.0f %%", float64(measured.Agreed)/float64(measured.Sampled)))
		}
		page.Row(report.Text(rule.Name), strconv.Itoa(measured.Tools), percent("%.1f %%", float64(measured.Tools)/toolsOfRates), strconv.Itoa(measured.Fires),
			strconv.Itoa(measured.Sampled), agreed, state)
	}
	for _, rate := range rates {
		if advice.Named(rate.Rule) == nil {
			return fmt.Errorf("%s: no rule of advice is called %q", adviceRates, rate.Rule)
		}
	}
	text := []string{
		"Measured on 3,219 tools of MCP servers on npm, without those whose description the corpus cuts at 500 characters.",
		"A reader, a language model, judged up to 25 findings of each rule on the blind part, which is a quarter of the servers, chosen by a digest of their names.",
		"Its objections to a first sample changed rules each time; the shares are those of the sample after that. A rule below 80 % is off by default.",
		"A share of few findings says little. dropped_constraint is not measured, since it needs a target. " +
			"missing_way and batch_not_first are of the edit tool in docs/seeds.md and find nothing here.",
	}
	for _, name := range adviceSamples {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			text = append(text, "["+name+"](../"+name+") has the sample with the judgements.")
		}
	}
	page.Text(strings.Join(text, " "))
	return nil
}

// recall says how many of the gaps of a class, that a reader found, the rules find.
type recall struct {
	Class      string `json:"class"`
	Gaps       int    `json:"gaps"`
	Found      int    `json:"found"`
	Grave      int    `json:"grave"`
	GraveFound int    `json:"grave_found"`
}

// missed is a gap that no rule finds, and why.
type missed struct {
	Tool  string `json:"tool"`
	At    string `json:"at"`
	Class string `json:"class"`
	Why   string `json:"why"`
}

// readings are the samples of tools that a reader labelled before rules ran on them, the newest of the blind part
// first.
var readings = []struct{ file, title, text string }{
	{
		"advice/sixth.json", "Which gaps of 120 tools of other servers the rules find",
		"The tools are of 68 servers on npm that the corpus lacks; [sixth-tools.jsonl.gz](../advice/sixth-tools.jsonl.gz) has all tools of these, with their licenses. " +
			"Two readers, language models that had seen neither the rules nor each other's labels, marked 203 and 269 pairs of tool and class; these are the 193 that both did. " +
			"16 of these are grave to one of them at least, and 8 to both. " +
			"The rules before the last change found 67 of the gaps and 5 of the grave ones, and those after it, which were made on other tools, 81 and 7. " +
			"At the places of 102 gaps, 12 of them grave, there was a finding of some rule. " +
			"Two other readers then judged the 63 pieces of advice in these tools, as a careful author would: 37 are worth a change, 13 right and not worth one, and 13 wrong; " +
			"of the 86 notes 15 are wrong. What was wrong in the advice was mended by these words ([sixth-worth.jsonl](../advice/sixth-worth.jsonl)).",
	},
	{
		"advice/fifth.json", "Which gaps of 80 tools the rules find",
		"Two readers, language models that had seen neither the rules nor each other's labels, marked 193 and 169 pairs of tool and class; these are the 140 that both did. " +
			"21 of these are grave to one of them at least, and 10 to both. " +
			"The rules before the last change found 41 of the gaps and 6 of the grave ones, and those after it, which were made on the open part alone, 53 and 11. " +
			"A third reader then judged the 106 findings in these tools as their busy author would: 50 are worth a change, 49 true and not worth one, and 7 wrong. " +
			"Rules have been changed by these words since.",
	},
	{
		"advice/fourth.json", "Which gaps of 60 tools the rules find",
		"A reader, a language model, chose the tools by a digest and labelled all gaps in them after it had changed the rules, and before they ran " +
			"on these tools: no rule was written with them in view. " +
			"The rules before that change found 37 of the 75 gaps and 12 of the 22 grave ones, and those after it 41 and 14. " +
			"The rest is of later changes, which were tried on the other part of the corpus, by a reader who knew these labels.",
	},
	{
		"advice/third.json", "Which gaps of 72 tools the rules find",
		"The same reader labelled these before it opened the code of a rule. The rules found 33 of the 91 gaps then, and 11 of the 32 grave ones. " +
			"It has changed them since, knowing what it had labelled, and looked at the other part of the corpus, " +
			"at the counts of the classes, at the judged findings, and at one miss, of an object with propertyNames.",
	},
	{
		"advice/fresh.json", "Which gaps of 80 tools the rules find",
		"An earlier reader, a language model, labelled these before it opened the code of a rule. The rules found 41 of the 113 gaps then, and 4 of the 22 grave ones. " +
			"In a second reading of 30 of the tools the same reader marked 43 pairs of tool and class, and 39 in the first; 36 are the same, and 4 of 6 grave ones: " +
			"[fresh-second.jsonl](../advice/fresh-second.jsonl). That is the spread of one reader in one sitting, not the agreement of two.",
	},
	{
		"advice/held.json", "Which gaps of 200 tools the rules find of which only counts are looked at",
		"Readers labelled these of the part of the corpus that rules are made on, as those below, but nobody looks at what the rules miss here. " +
			"Before the last change they found 187 of the 389 gaps, and 21 of the 47 grave ones.",
	},
	{
		"advice/open.json", "Which gaps of 600 tools the rules find that may be looked at",
		"Six readers, language models that had seen neither the rules nor the other labels, labelled 100 each of the part of the corpus that rules are made on.",
	},
	{
		"advice/blind.json", "Which gaps of the 56 tools labelled first the rules find",
		"The author of the first rules labelled these tools and has looked at what the rules miss in them since.",
	},
}

// blindRecall adds the tables of what the rules find in the blind part, and of what they miss.
func blindRecall(page *report.Markdown, folder string) error {
	for _, reading := range readings {
		classes, err := valuesIn[recall](filepath.Join(folder, reading.file))
		if err != nil || len(classes) == 0 {
			return err
		}
		recallTable(page, reading.title, classes)
		page.Text(reading.text + " [" + reading.file + "l](../" + reading.file + "l) has the labels.")
	}
	misses, err := valuesIn[missed](filepath.Join(folder, adviceMissed))
	if err != nil {
		return err
	}
	page.Table("Gaps that no rule finds, and why", "tool", "place", "class", "why")
	for _, miss := range misses {
		page.Row(report.Text(miss.Tool), report.Text(miss.At), report.Text(miss.Class), report.Text(miss.Why))
	}
	return nil
}

// worthTable adds the table of what readers made of findings that the rules still have.
func worthTable(page *report.Markdown, folder string) error {
	type counts struct {
		Rule  string         `json:"rule"`
		Found map[string]int `json:"found"`
		Notes map[string]int `json:"notes"`
	}
	rules, err := valuesIn[counts](filepath.Join(folder, adviceWorth))
	if err != nil || len(rules) == 0 {
		return err
	}
	page.Table("What readers made of findings", "rule", "worth a change", "right, but not worth one", "wrong", "notes worth a change", "other notes")
	for _, rule := range rules {
		row := []string{report.Text(rule.Rule)}
		for _, count := range []int{rule.Found["yes"], rule.Found["true"], rule.Found["wrong"], rule.Notes["yes"], rule.Notes["true"] + rule.Notes["wrong"]} {
			row = append(row, strconv.Itoa(count))
		}
		page.Row(row...)
	}
	page.Text("Four readers, language models, judged 647 findings in 300 tools of the part that rules are made on, as a careful author of the tool would; " +
		"these are the findings that the rules still have. A model calls a tool as well without what is not worth a change, " +
		"so such findings became notes where they can be told from the others. " +
		"Rules were changed by these words, so other tools would give lower shares. [worth.jsonl](../advice/worth.jsonl) has the words.")
	return nil
}

func recallTable(page *report.Markdown, title string, classes []recall) {
	page.Table(title, "class", "gaps", "found", "grave", "grave found")
	for _, class := range classes {
		page.Row(report.Text(class.Class), strconv.Itoa(class.Gaps), strconv.Itoa(class.Found), strconv.Itoa(class.Grave), strconv.Itoa(class.GraveFound))
	}
}

func percent(form string, share float64) string {
	const hundred = 100
	return fmt.Sprintf(form, hundred*share)
}

func offText(rule *advice.Rule) string {
	switch {
	case rule.IsOff:
		return ". Off by default: `--rule " + rule.Name + "` asks for it."
	case rule.IsNote:
		return ". Its findings are notes: most models do well without them."
	default:
		return ""
	}
}

// sourceLink returns the day of a rule's source as a link to it.
func sourceLink(rule *advice.Rule) string {
	if rule.Source.URL == "" {
		return "(" + rule.Source.Date + ")"
	}
	return report.Link(rule.Source.Date, rule.Source.URL)
}

// shortened returns the beginning of an example.
func shortened(text string) string {
	const longest = 600
	if letters := []rune(text); len(letters) > longest {
		return string(letters[:longest]) + "…"
	}
	return text
}

// valuesIn reads the values of a JSON file, either a sequence or one list. A file that does not
// exist has none.
func valuesIn[T any](name string) ([]T, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the user names the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []T
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &all)
	} else {
		decoder := json.NewDecoder(bytes.NewReader(text))
		for {
			var value T
			if err = decoder.Decode(&value); err != nil {
				break
			}
			all = append(all, value)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}
