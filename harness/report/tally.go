package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
)

// tally is what one target makes of the tools of a run.
type tally struct {
	target string
	judged int // tools, with and without a verdict
	// responses counts those of judged that are schemas of answers.
	responses int
	// refused and ignored count the tools that fail because they are refused, or because a part is ignored.
	refused, ignored int
	// partly counts the tools that pass although a part is ignored.
	partly   int
	excused  map[string]int // tools that fail but for what excuses them
	open     int            // tools without a verdict
	findings int            // of the tools that fail, without what is behind others
	requests int            // refused requests of several tools
	// talks counts the requests that were judged as wholes.
	talks talks
	// calls counts the calls of tools.
	calls talks
	// isRewritten is set if a tool was to be accepted after its rewrite.
	isRewritten bool
	// notStrict counts the tools that a strict target sends with strict false, by the reason.
	notStrict map[string]int
	// alone counts the refused tools that have a single cause, by that cause.
	alone map[cause]int
}

// talks counts requests that one target judged as wholes.
type talks struct {
	judged, refused, excused int
	open                     int // without a verdict
	silent                   int // of whose service no rule is known
	noun                     string
}

// add counts a result.
func (c *talks) add(result verdict.Result) {
	if kind := result.Conversation(); kind != nil {
		c.noun = kind.Noun()
	}
	if result.Status == verdict.NotApplicable {
		c.silent++
		return
	}
	c.judged++
	switch result.Status {
	case verdict.Fail:
		c.refused++
	case verdict.KnownFailure:
		c.excused++
	case verdict.Inconclusive, verdict.Error:
		c.open++
	default: // it is accepted
	}
}

// of says how many of the requests are meant.
func (c *talks) of(count int) string {
	switch c.judged + c.silent {
	case 1:
		return "the " + c.noun
	case count:
		return fmt.Sprintf("all %d %ss", count, c.noun)
	}
	return fmt.Sprintf("%d of %d %ss", count, c.judged+c.silent, c.noun)
}

// cause is a rule and the keyword or name that it refuses.
type cause struct{ rule, about string }

// tallyOf returns the tally of the target of a result.
func (g *Groups) tallyOf(target string) *tally {
	at := slices.IndexFunc(g.tallies, func(other *tally) bool { return other.target == target })
	if at < 0 {
		at = len(g.tallies)
		g.tallies = append(g.tallies, &tally{target: target, excused: map[string]int{}, notStrict: map[string]int{}, alone: map[cause]int{}})
	}
	return g.tallies[at]
}

// tally counts a result, which the causes make fail.
func (g *Groups) tally(result verdict.Result, side required, causes map[cause]bool) {
	if result.Conversation() != nil {
		g.tallyOf(result.Target).talks.add(result)
		return
	}
	if result.Call() != nil {
		g.tallyOf(result.Target).calls.add(result)
		return
	}
	if result.Advice() != nil || result.Status == verdict.NotApplicable || result.Status == verdict.Error && result.Fixture() == nil && !g.Options.OfFixtures {
		return
	}
	g.isOfFixtures = g.isOfFixtures || result.Fixture() != nil
	counts := g.tallyOf(result.Target)
	if result.Request() != nil {
		counts.requests++
		return
	}
	counts.judged++
	sides := result.Sides()
	if tool, isTool := result.Kind.(*verdict.Tool); isTool {
		if tool.IsResponse {
			counts.responses++
		}
		counts.isRewritten = counts.isRewritten || tool.IsNormalized && sides.Normalized != nil
	}
	if normalized := sides.Normalized; normalized != nil && normalized.Fallback != "" && (!side.asGiven || result.Status == verdict.Fail) {
		counts.notStrict[normalized.Fallback]++
	}
	for _, finding := range side.refused() {
		if result.Status == verdict.Fail && !finding.IsBehind {
			counts.findings++
		}
	}
	switch {
	case result.Status >= verdict.Error, result.Status == verdict.Inconclusive:
		counts.open++
	case result.Status == verdict.KnownFailure:
		by := "the baseline"
		if isExcused(result) {
			by = "toolproof.json"
		}
		counts.excused[by]++
	case result.Status == verdict.Fail && len(side.ignored(result)) > 0:
		counts.ignored++
	case result.Status == verdict.Fail:
		counts.refused++
		if len(causes) == 1 {
			for only := range causes {
				counts.alone[only]++
			}
		}
	case len(side.ignored(result)) > 0:
		counts.partly++
	}
}

// outlook returns the target that refuses the most, and whether it refuses anything.
func (g *Groups) outlook() Outlook {
	if len(g.tallies) == 0 {
		return Outlook{}
	}
	worst := slices.MaxFunc(g.tallies, func(a, b *tally) int {
		return cmp.Or(
			cmp.Compare(a.refused+a.ignored+a.talks.refused+a.calls.refused, b.refused+b.ignored+b.talks.refused+b.calls.refused),
			cmp.Compare(a.open+a.requests+a.talks.open+a.calls.open, b.open+b.requests+b.talks.open+b.calls.open), cmp.Compare(a.findings, b.findings),
		)
	})
	return Outlook{Target: worst.target, Fails: worst.refused+worst.ignored+worst.open+worst.requests+worst.talks.refused+worst.talks.open+worst.calls.refused+worst.calls.open > 0}
}

// forOne names the keyword that alone makes the most tools fail; empty if there is none.
func (c *tally) forOne() string {
	var best cause
	for _, only := range slices.SortedFunc(maps.Keys(c.alone), func(a, b cause) int {
		return cmp.Or(cmp.Compare(a.about, b.about), cmp.Compare(a.rule, b.rule))
	}) {
		if only.about != "" && c.alone[only] > c.alone[best] {
			best = only
		}
	}
	switch count := c.alone[best]; {
	case best.about == "":
		return ""
	case c.judged == 1:
		return ", for " + strconv.Quote(best.about) + " alone"
	default:
		return fmt.Sprintf(": %d for %s alone", count, strconv.Quote(best.about))
	}
}

// grouped returns the targets of tallies that have the same text, in the order of the tallies. It leaves
// out those whose text is empty.
func grouped(tallies []*tally, textOf func(*tally) string) []said {
	var all []said
	for _, counts := range tallies {
		text := textOf(counts)
		if text == "" {
			continue
		}
		at := slices.IndexFunc(all, func(other said) bool { return other.text == text })
		if at < 0 {
			at = len(all)
			all = append(all, said{text: text, first: counts})
		}
		all[at].targets = append(all[at].targets, counts.target)
	}
	return all
}

// said is a text about targets.
type said struct {
	text    string
	targets []string
	first   *tally
}

// verdict is the verdict of a run in words.
func (g *Groups) verdict(summary *Summary) []sentence {
	if g.isOfFixtures {
		return g.sentencesOfFixtures(summary)
	}
	return g.sentences(summary)
}

// sentences are the verdict of a check in words: who refuses how many tools, who takes them.
func (g *Groups) sentences(summary *Summary) []sentence {
	var all []sentence
	say := func(style, format string, arguments ...any) {
		all = append(all, sentence{style, fmt.Sprintf(format, arguments...)})
	}
	all = append(all, g.sentencesOfCalls()...)
	all = append(all, g.sentencesOfTalks()...)
	sorted := slices.SortedStableFunc(slices.Values(g.tallies), func(a, b *tally) int { return cmp.Compare(b.refused+b.ignored, a.refused+a.ignored) })
	refusing := grouped(sorted, func(counts *tally) string {
		if counts.refused == 0 {
			return ""
		}
		text := counts.of(counts.refused)
		if counts.isRewritten {
			text += " after the rewrite"
		}
		return text + counts.forOne()
	})
	var others []string
	for i, group := range refusing {
		if i == 0 {
			say(red, "%s %s %s.", namesOf(group.targets), plural(len(group.targets), "refuses", "refuse"), group.text)
			continue
		}
		number := strconv.Itoa(group.first.refused)
		if group.first.judged == 1 {
			number = "it, too"
		}
		verb := ""
		if i == 1 {
			verb = plural(len(group.targets), "refuses ", "refuse ")
		}
		others = append(others, namesOf(group.targets)+" "+verb+number)
	}
	if len(others) > 0 {
		say(yellow, "%s.", strings.Join(others, "; "))
	}
	for _, group := range grouped(sorted, func(counts *tally) string { return orEmpty(counts.ignored, counts.of(counts.ignored)) }) {
		say(red, "%s %s parts of %s.", namesOf(group.targets), plural(len(group.targets), "ignores", "ignore"), group.text)
	}
	for _, group := range grouped(g.tallies, func(counts *tally) string { return orEmpty(counts.requests, Count(counts.requests, "request")) }) {
		say(red, "%s %s %s for what the tools exceed together.", namesOf(group.targets), plural(len(group.targets), "refuses", "refuse"), group.text)
	}
	switch unread := summary.Tools - summary.Read; {
	case unread > 0 && summary.Tools == 1:
		say(red, "The tool could not be read.")
	case unread > 0:
		say(red, "%d of %d tools could not be read.", unread, summary.Tools)
	}
	for _, group := range grouped(g.tallies, func(counts *tally) string {
		return orEmpty(counts.open, counts.of(counts.open))
	}) {
		say(yellow, "No verdict on %s for %s.", group.text, namesOf(group.targets))
	}
	all = append(all, g.accepting(summary)...)
	for _, by := range []string{"the baseline", "toolproof.json"} {
		for _, group := range grouped(g.tallies, func(counts *tally) string {
			return orEmpty(counts.excused[by], counts.of(counts.excused[by]))
		}) {
			say(yellow, "%s %s %s, which %s excuses.", namesOf(group.targets), plural(len(group.targets), "refuses", "refuse"), group.text, by)
		}
	}
	for _, group := range grouped(g.tallies, func(counts *tally) string { return orEmpty(counts.partly, counts.of(counts.partly)) }) {
		say(yellow, "%s %s parts of %s.", namesOf(group.targets), plural(len(group.targets), "ignores", "ignore"), group.text)
	}
	for _, group := range grouped(g.tallies, (*tally).withoutStrict) {
		say("", "The rewrite for %s sends %s.", namesOf(group.targets), group.text)
	}
	return all
}

// sentencesOfTalks say who refuses and who takes the requests as wholes.
func (g *Groups) sentencesOfTalks() []sentence {
	var all []sentence
	taken := ""
	if slices.ContainsFunc(g.tallies, func(counts *tally) bool { return counts.refused > 0 }) {
		taken = "Apart from tools and schemas, "
	}
	for _, kind := range []struct {
		style, start, one, several, end string
		count                           func(talks) int
	}{
		{red, "", "refuses", "refuse", "", func(c talks) int { return c.refused }},
		{yellow, "", "refuses", "refuse", ", which the project excuses", func(c talks) int { return c.excused }},
		{yellow, "", "gives no verdict on", "give no verdict on", "", func(c talks) int { return c.open }},
		{green, taken, "takes", "take", "", func(c talks) int { return c.judged - c.refused - c.excused - c.open }},
	} {
		for _, group := range grouped(g.tallies, func(counts *tally) string {
			count := kind.count(counts.talks)
			return orEmpty(count, counts.talks.of(count))
		}) {
			verb := plural(len(group.targets), kind.one, kind.several)
			all = append(all, sentence{kind.style, fmt.Sprintf("%s%s %s %s%s.", kind.start, namesOf(group.targets), verb, group.text, kind.end)})
		}
	}
	for _, group := range grouped(g.tallies, func(counts *tally) string { return orEmpty(counts.talks.silent, counts.talks.of(counts.talks.silent)) }) {
		all = append(all, sentence{yellow, fmt.Sprintf("Apart from the tools, no rule is known about %s (%s, or another service).", group.text, namesOf(group.targets))})
	}
	return all
}

// sentencesOfCalls say whether a client can use what the server returns.
func (g *Groups) sentencesOfCalls() []sentence {
	var all []sentence
	say := func(style, format string, arguments ...any) {
		all = append(all, sentence{style, fmt.Sprintf(format, arguments...)})
	}
	for _, counts := range g.tallies {
		calls := counts.calls
		answered := calls.judged - calls.open
		switch {
		case calls.judged == 0 && calls.silent > 0:
			say(yellow, "No tool was called: nothing is learnt about what the server returns.")
		case calls.judged == 0:
			continue
		case calls.refused > 0:
			say(red, "A client cannot use what the server returns to %d of %s.", calls.refused, Count(answered, "call"))
		case answered > 0 && calls.open > 0:
			say(yellow, "A client can use what the server returns, as far as that is known: %s judged.", Count(answered, "call"))
		case answered > 0:
			say(green, "A client can use what the server returns: %s judged.", Count(answered, "call"))
		}
		if calls.open > 0 {
			say(yellow, "No verdict on %s.", Count(calls.open, "tool"))
		}
		if calls.silent > 0 && calls.judged > 0 {
			say(yellow, "%s not called.", Count(calls.silent, "tool"))
		}
	}
	return all
}

// accepting says who takes the tools.
func (g *Groups) accepting(summary *Summary) []sentence {
	var all []sentence
	for _, group := range grouped(g.tallies, func(counts *tally) string {
		if counts.judged == 0 || counts.refused+counts.ignored+counts.open+len(counts.excused) > 0 {
			return ""
		}
		isLater := slices.ContainsFunc(g.tallies, func(other *tally) bool {
			return other.refused+other.ignored > 0 && other.noun() == counts.noun()
		})
		text := fmt.Sprintf("all %d %ss", counts.judged, counts.noun())
		switch {
		case counts.requests > 0:
			text = "each of them alone"
		case isLater && counts.judged == 1:
			text = "it"
		case isLater && counts.judged == 2:
			text = "both"
		case isLater:
			text = "them all"
		case counts.judged == 1:
			text = "the " + counts.noun()
		case counts.judged == 2:
			text = "both " + counts.noun() + "s"
		}
		if counts.isRewritten {
			text += " after the rewrite" + summary.Targets[counts.target].meanings(counts.judged)
		}
		return text
	}) {
		all = append(all, sentence{green, fmt.Sprintf("%s %s %s.", namesOf(group.targets), plural(len(group.targets), "takes", "take"), group.text)})
	}
	return all
}

// conclusion says in one line whether a run conforms, and then the verdict in words. For a pasted refusal, and
// if nothing was judged, it counts the tools instead.
func (g *Groups) conclusion(summary *Summary) string {
	sentences := g.verdict(summary)
	if len(sentences) == 0 || g.Options.Located {
		return conclusionOf(g.Options, summary) + "."
	}
	text, _ := summary.conclusion()
	parts := []string{text + ":"}
	for _, sentence := range sentences {
		parts = append(parts, sentence.text)
	}
	return strings.Join(parts, " ")
}

// sentence is a sentence in a style.
type sentence struct{ style, text string }

// orEmpty returns a text, or an empty one if nothing was counted.
func orEmpty(count int, text string) string {
	if count == 0 {
		return ""
	}
	return text
}

// noun says what was judged.
func (c *tally) noun() string {
	if c.responses > 0 && c.responses == c.judged {
		return "response schema"
	}
	return "tool"
}

// of says how many of the judged tools are meant.
func (c *tally) of(count int) string {
	if c.judged == 1 {
		return "the " + c.noun()
	}
	return fmt.Sprintf("%d of %d %ss", count, c.judged, c.noun())
}

// countOf says how many tools of all are meant.
func countOf(count, all int) string {
	if all == 1 {
		return "the tool"
	}
	return fmt.Sprintf("%d of %d tools", count, all)
}

// withoutStrict says how many tools a strict target sends with strict false, and why.
func (c *tally) withoutStrict() string {
	total, parts := 0, []string{}
	for _, why := range slices.SortedFunc(maps.Keys(c.notStrict), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.notStrict[b], c.notStrict[a]), strings.Compare(a, b))
	}) {
		total += c.notStrict[why]
		parts = append(parts, escape.Line(why))
	}
	if total == 0 {
		return ""
	}
	text := c.of(total) + " with strict false, because " + parts[0]
	if more := len(parts) - 1; more > 0 {
		text += ", and for " + Count(more, "other reason")
	}
	return text
}

// meanings says what rewritten tools mean beside those given, of one tool and of several.
var meanings = map[rewrite.Loss]struct{ one, several string }{
	rewrite.Exact:                   {"means the same", "mean the same"},
	rewrite.Widens:                  {"accepts more", "accept more"},
	rewrite.Closes:                  {"takes no further properties", "take no further properties"},
	rewrite.Widens | rewrite.Closes: {"accepts more, but no further properties", "accept more, but no further properties"},
	rewrite.Narrows:                 {"accepts less", "accept less"},
	rewrite.Both:                    {"accepts more here and less there", "accept more here and less there"},
}

// meanings says what the rewritten tools mean beside those given.
func (c *Counts) meanings(judged int) string {
	if c == nil || c.Exact+c.Widens+c.Closes+c.WidensCloses+c.Narrows+c.Both == 0 {
		return ""
	}
	var parts []string
	for _, kind := range []struct {
		count int
		loss  rewrite.Loss
	}{
		{c.Exact, rewrite.Exact},
		{c.Widens, rewrite.Widens},
		{c.Closes, rewrite.Closes},
		{c.WidensCloses, rewrite.Widens | rewrite.Closes},
		{c.Narrows, rewrite.Narrows},
		{c.Both, rewrite.Both},
	} {
		words := meanings[kind.loss]
		switch {
		case kind.count == judged:
			return ", which " + plural(judged, words.one, words.several)
		case kind.count > 0:
			parts = append(parts, fmt.Sprintf("%d %s", kind.count, plural(kind.count, words.one, words.several)))
		}
	}
	return ": " + strings.Join(parts, ", ")
}

// sentencesOfFixtures are the verdict of a run over fixtures, or over the tools of a test, in words.
func (g *Groups) sentencesOfFixtures(summary *Summary) []sentence {
	var all []sentence
	total, failed, known, open := 0, 0, 0, 0
	var worst *tally
	for _, counts := range g.tallies {
		total, failed, open, known = total+counts.judged, failed+counts.refused, open+counts.open, known+counts.excused["the baseline"]
		if worst == nil || counts.refused > worst.refused {
			worst = counts
		}
	}
	if failed > 0 {
		text := fmt.Sprintf("%d of %s not as expected", failed, Count(total, "verdict")+plural(failed, " is", " are"))
		if len(g.tallies) > 1 {
			text += fmt.Sprintf(", %d of them for %s", worst.refused, nameOfTarget(worst.target))
		}
		all = append(all, sentence{red, text + worst.forOne() + "."})
	}
	if open > 0 {
		all = append(all, sentence{yellow, Count(open, "verdict") + plural(open, " was", " were") + " not reached."})
	}
	if failed+open == 0 && total > 0 {
		text := fmt.Sprintf("All %s on %s are as expected, for %s.", Count(total, "verdict"), Count(summary.Tools, "fixture"), Count(len(g.tallies), "target"))
		all = append(all, sentence{green, text})
	}
	if known > 0 {
		all = append(all, sentence{"", Count(known, "known failure") + "."})
	}
	switch {
	case summary.Disagreements > 0:
		all = append(all, sentence{red, fmt.Sprintf("The models contradict %d of %s.", summary.Disagreements, Count(summary.Recordings, "recording"))})
	case summary.Recordings == 1:
		all = append(all, sentence{green, "The models agree with the recording."})
	case summary.Recordings > 0:
		all = append(all, sentence{green, fmt.Sprintf("The models agree with all %d recordings.", summary.Recordings)})
	}
	return all
}
