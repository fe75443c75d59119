package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/advice"
	"toolproof/normalizers"
)

// mostWords is how many words a sentence has at most.
const mostWords = 20

var (
	// unused are words that the texts of the project do without.
	unused = regexp.MustCompile(`(?i)\b(?:told|untold|fares?|faring|stands? beside|of which|whereof|lone|turned|brings? along|whoever|nobody (?:is|was) asked|hangs? on)\b`)
	// literal is what a text quotes: code, JSON, the words of a provider, an address.
	literal = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|\\{[^{}]*\\}|\\[[^][]*\\]|\\bhttps?://[^\\s)]*[^\\s).,;:]")
	// ended is the end of a sentence, of a paragraph or of an item of a list.
	ended = regexp.MustCompile(`[.?!]\)?(?:\s+|$)|\n\n|\n\s*[*-] |\n {2,}|\t`)
	// fenced is a block of code in Markdown, or a table.
	fenced = regexp.MustCompile("(?s:```.*?```)|(?m:^\\|.*$)")
	// abbreviated is a point that ends no sentence.
	abbreviated = strings.NewReplacer("e.g.", "eg", "i.e.", "ie", "vs.", "vs")
)

// TestVoice checks that what the project says to its users is said in short sentences and
// without the words that it does not use: the Docs of rules, the help of commands, and
// pages.
func TestVoice(t *testing.T) {
	t.Parallel()
	for where, text := range voices(t) {
		for _, fault := range faultsOfVoice(text) {
			t.Errorf("%s: %s", where, fault)
		}
	}
}

// TestTitles checks that a rule of a provider has its title on one line, as Rule.Title
// reads it.
func TestTitles(t *testing.T) {
	t.Parallel()
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if title, _, _ := strings.Cut(rule.Doc, "\n\n"); title != rule.Title() {
				t.Errorf("%s/%s: the title has several lines: %s", dialect.Name, rule.Name, title)
			}
		}
	}
}

// TestVoiceFindsFaults checks that the check finds what it is for, and that only.
func TestVoiceFindsFaults(t *testing.T) {
	t.Parallel()
	twenty := strings.TrimSuffix(strings.Repeat("word ", mostWords), " ")
	for text, want := range map[string]int{
		"a title\n\n" + twenty + ". " + twenty + ".": 0,
		twenty + " more.": 1,
		twenty + " `some code` {\"a\": {\"b\": 1}} \"the words of others\".": 0,
		"The tool is\ntold.":            1,
		"The provider says \"told\"":    0,
		"* " + twenty + "\n* " + twenty: 0,
	} {
		if got := faultsOfVoice(text); len(got) != want {
			t.Errorf("%q: got %q, want %d faults", text, got, want)
		}
	}
}

// voices are the texts by where they are.
func voices(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, rule := range normalizers.Rules() {
		texts["rewrite "+rule.Name] = rule.Doc
	}
	for _, dialect := range harness.Dialects {
		texts["dialect "+dialect.Name] = dialect.Doc + "\n\n" + dialect.Kin
		for _, rule := range dialect.Rules {
			texts["rule "+dialect.Name+"/"+rule.Name] = rule.Doc
			texts["stage "+dialect.Name+"/"+rule.Stage.Name] = rule.Stage.Shared
		}
	}
	for _, rule := range advice.Rules {
		texts["advice "+rule.Name] = rule.Doc
	}
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		texts["target "+target.Name()] = target.Doc
	}
	for _, name := range []string{"SECURITY.md", "docs/checkers.md", "docs/config.md", "docs/glossary.md"} {
		page, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = fenced.ReplaceAllString(string(page), "\n\n")
	}
	var add func(*cobra.Command)
	add = func(command *cobra.Command) {
		path := command.CommandPath()
		texts[path] = command.Short + "\n\n" + command.Long
		for line := range strings.Lines(command.LocalFlags().FlagUsages()) {
			flag, usage, _ := strings.Cut(strings.TrimSpace(line), "   ")
			texts[path+" "+flag] = usage
		}
		for _, child := range command.Commands() {
			add(child)
		}
	}
	add(newRoot(&session{&cli.Session{}}))
	return texts
}

// faultsOfVoice are the sentences of a text that are too long, and the words that it
// should not have.
func faultsOfVoice(text string) []string {
	for quoted := ""; quoted != text; {
		quoted, text = text, literal.ReplaceAllString(text, "")
	}
	var faults []string
	for _, sentence := range ended.Split("\n"+abbreviated.Replace(text), -1) {
		sentence = strings.Join(strings.Fields(sentence), " ")
		if count := len(strings.Fields(sentence)); count > mostWords {
			faults = append(faults, strconv.Itoa(count)+" words: "+sentence)
		}
		if word := unused.FindString(sentence); word != "" {
			faults = append(faults, "says "+word+": "+sentence)
		}
	}
	return faults
}
