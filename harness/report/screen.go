package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// item is a group on the screen, with the groups that have the same places and answers.
type item struct {
	*group

	also, behind []*group
}

// leastAdvice is the number of groups of advice that are shown no matter how many other groups
// there are.
const leastAdvice = 3

// Groups writes the groups.
func (t *Terminal) Groups(groups *Groups) {
	all := groups.sorted()
	if t.Quiet {
		all = slices.DeleteFunc(all, func(group *group) bool { return group.isPassed || group.isWarning || group.kind.isAdvice() })
	}
	first := slices.IndexFunc(all, func(group *group) bool { return group.kind.isAdvice() })
	if first < 0 {
		first = len(all)
	}
	others, advice := all[:first], all[first:]
	notes := advice[len(advice):]
	if last := slices.IndexFunc(advice, func(group *group) bool { return group.kind == ofNote }); last >= 0 {
		advice, notes = advice[:last], advice[last:]
	}
	items, further := folded(others)
	few := min(len(advice), max(maxGroups-len(items), leastAdvice))
	for _, group := range advice[:few] {
		items = append(items, item{group: group})
	}
	isBehind := false
	for _, item := range items {
		switch {
		case !item.isBehind:
			t.printf("\n")
			t.item(item, groups)
		case !isBehind:
			isBehind = true
			t.printf("\nthen also refused, as providers answer in stages:\n")
			fallthrough
		default:
			t.behind(item, groups)
		}
	}
	if len(further)+len(advice[few:])+len(notes)+groups.known+len(groups.waived) > 0 {
		t.printf("\n")
	}
	t.further(further)
	t.further(advice[few:])
	t.further(notes)
	if groups.known > 0 {
		t.printf("%s in the baseline\n", Count(groups.known, "finding"))
	}
	for _, waived := range groups.waived[:min(len(groups.waived), maxGroups)] {
		t.wrap("", fmt.Sprintf("%s of %s waived until %s: %s", Count(waived.count, "finding"), escape.Line(waived.rule), escape.Line(waived.Until), escape.Line(waived.Reason)))
	}
	if more := len(groups.waived) - maxGroups; more > 0 {
		t.wrap("", "findings waived for "+Count(more, "further reason")+inJSON)
	}
}

// folded returns what is shown of groups, and the others. A group whose places and answers an item has
// already becomes part of that item.
func folded(groups []*group) (items []item, further []*group) {
	for i, group := range groups {
		at := slices.IndexFunc(items, func(other item) bool { return other.has(group) })
		switch {
		case at >= 0 && !group.isBehind:
			items[at].also = append(items[at].also, group)
		case at >= 0:
			items[at].behind = append(items[at].behind, group)
		case len(items) == maxGroups:
			return items, groups[i:]
		default:
			items = append(items, item{group: group})
		}
	}
	return items, nil
}

// has reports whether an item shows all places that a group shows, with the same edits. A group that does
// not wait behind others has to have as many places as the item.
func (i item) has(group *group) bool {
	if group.kind != ofRefused || group.isWarning != i.isWarning || !group.isBehind && (i.isBehind || group.count != i.count) {
		return false
	}
	for _, there := range group.shown {
		edit := there.edit()
		if edit == "" || !slices.ContainsFunc(i.shown, func(here place) bool { return here.String() == there.String() && here.edit() == edit }) {
			return false
		}
	}
	return len(group.shown) > 0
}

// inJSON says where all is that the text leaves out.
const inJSON = ": --format json has all"

// further counts the groups that are not shown; it also names those of advice.
func (t *Terminal) further(groups []*group) {
	if len(groups) == 0 {
		return
	}
	places := 0
	for _, group := range groups {
		places += group.count
	}
	what := Count(len(groups), "further finding")
	if groups[0].kind.isAdvice() {
		var names []string
		for _, group := range groups {
			names = append(names, escape.Line(strings.TrimPrefix(group.rule, verdict.AdviceTarget+"/")))
		}
		what = "further: " + strings.Join(names, ", ")
		if groups[0].kind == ofNote {
			t.wrap("", "notes, which most models do well without: "+strings.Join(names, ", ")+" at "+Count(places, "place")+": --verbose shows them")
			return
		}
	}
	t.wrap("", what+" at "+Count(places, "place")+inJSON)
}

// heading says what the trouble is, in words.
func (g *group) heading() string {
	text := g.trouble
	switch about := strconv.Quote(g.about); {
	case text == "" && g.kind.isAdvice():
		text = g.rule
	case text == "", g.kind == ofIgnored: // the words say what becomes of it
		text = g.message
	case g.about == "", strings.HasPrefix(text, expected) && strings.Contains(text, g.about):
	default:
		text = about + ": " + text
	}
	if g.isWarning {
		text += " (a warning)"
	}
	return escape.Line(text)
}

// who says what the targets of an item do, and at how many places. It is empty for the only place of the
// only target.
func (i item) who(isOnlyTarget bool) string {
	targets := slices.Clone(i.targets)
	for _, also := range i.also {
		targets = append(targets, also.targets...)
	}
	var text string
	switch {
	case i.kind.isAdvice(), i.isOfCall && i.kind == ofIgnored: // nobody ignores a warning about a call
	case i.kind == ofIgnored:
		text = namesOf(targets) + plural(len(targets), " ignores it", " ignore it")
	case isOnlyTarget:
	case i.kind == ofOutcome:
		text = "for " + namesOf(targets)
	default:
		text = namesOf(targets) + plural(len(targets), " refuses it", " refuse it")
	}
	var later []string
	for _, behind := range i.behind {
		for _, target := range behind.targets {
			if !slices.Contains(targets, target) && !slices.Contains(later, target) {
				later = append(later, target)
			}
		}
	}
	if len(later) > 0 {
		text += ", then also " + namesOf(later) + ","
	}
	if i.count > 1 {
		text += " at " + i.extent()
	}
	text = strings.Trim(text, " ,")
	if i.lost > 0 {
		text = strings.TrimPrefix(text+"; clients refuse the whole list for it: all "+Count(i.lost, "tool")+" are lost", "; ")
	}
	if len(i.shown) > 0 && i.count > len(i.shown) {
		text += ", such as"
	}
	return text
}

// item writes a group: the trouble, who has it, and the first places, each with what to write.
func (t *Terminal) item(item item, groups *Groups) {
	style := yellow
	if item.kind <= ofOutcome && !item.isPassed && !item.isWarning {
		style = red
	}
	heading := item.heading()
	t.wrap("", t.paint(style, heading))
	if who := item.who(len(groups.tallies) == 1); who != "" {
		t.wrap("  ", who)
	}
	if item.kind <= ofIgnored && !strings.HasPrefix(heading, item.message) {
		const mark = "  > "
		t.printf("%s%s\n", mark, t.paint(faint, fitted(item.message, cmp.Or(t.Width, longestQuote)-len(mark))))
	}
	t.places("  ", item, groups)
}

// behind writes a group of findings that wait behind others.
func (t *Terminal) behind(item item, groups *Groups) {
	text := t.paint(yellow, item.heading())
	if who := item.who(len(groups.tallies) == 1); who != "" {
		text += ": " + who
	}
	t.wrap("  ", text)
	t.places("    ", item, groups)
}

// places writes the first places of an item, each with what to write in bold.
func (t *Terminal) places(indent string, item item, groups *Groups) {
	for _, place := range item.shown {
		name := place.short(groups.Options.Folder, len(groups.sources) == 1)
		if item.kind.isAdvice() || item.kind == ofOutcome && place.message != item.message {
			name += ": " + place.message
		}
		t.wrap(indent, name)
		if advice, more := place.proposed(); advice != "" {
			t.wrap(indent+"    ", t.paint(bold, clip(advice, longestAdvice))+more)
			t.mends = t.mends || place.isMended()
		}
	}
}

// fitted leaves out the middle of a text that takes more than so many columns. What a provider finds
// stands at the end of its words.
func fitted(text string, columns int) string {
	if columnsIn(text) <= columns {
		return text
	}
	letters := []rune(text)
	head, tail, front, back := 0, len(letters), 0, 0
	for front+back+2 < columns && head < tail { // the dots and half of a wide letter
		if front <= 2*back {
			front += columnsOf(letters[head])
			head++
		} else {
			tail--
			back += columnsOf(letters[tail])
		}
	}
	return strings.TrimRight(string(letters[:head]), " ") + "…" + strings.TrimLeft(string(letters[tail:]), " ")
}

// longestQuote is the length of a quote where there is no terminal.
const longestQuote = 240

// longestAdvice is the greatest length in bytes of what to write at a place.
const longestAdvice = 1000

// short names a place as a terminal makes a link of it. A file in the folder is named from there. The name
// of the only server is left out.
func (p place) short(folder string, isOnly bool) string {
	if rest, isBelow := strings.CutPrefix(p.source, folder+"/"); folder != "" && isBelow {
		p.source = rest
	}
	if p.line == 0 && isOnly && p.together == 0 && p.tool != "" {
		return strings.TrimSpace(escape.Line(p.tool) + " " + escape.Line(string(p.at)))
	}
	return p.String()
}

// Screen writes the result of a check: the verdict in words, what is the matter and what to write, and in
// one line what the verdict rests on.
func (t *Terminal) Screen(groups *Groups, summary *Summary) {
	t.verdict(groups, summary)
	t.Groups(groups)
	t.printf("\n")
	t.restsOn(summary, false)
}

// verdict writes the verdict in words.
func (t *Terminal) verdict(groups *Groups, summary *Summary) {
	for _, sentence := range groups.sentences(summary) {
		t.wrap("", t.paint(sentence.style, sentence.text))
	}
	if summary.Passed != nil {
		t.wrap("", summary.Passed.String())
	}
	if advice := summary.Advice; advice != nil {
		t.wrap("", t.paint(yellow, advice.found()))
		t.wrap("", advice.cost()+".")
		if forms := advice.inForms(); forms != "" {
			t.wrap("", "tokens, as rewritten: "+forms)
		}
	}
	if passed := summary.passed(); passed != "" {
		t.wrap("", "findings: "+passed)
	}
}

// restsOn says in one line how many tools were judged, and on what evidence.
func (t *Terminal) restsOn(summary *Summary, isOfFixtures bool) {
	var parts []string
	if summary.Shard != "" {
		parts = append(parts, "part "+summary.Shard)
	}
	switch {
	case summary.Tools == 0, isOfFixtures: // a live run does not count them, and the verdict on fixtures does
	case summary.Tools == summary.Judged:
		parts = append(parts, Count(summary.Tools, "tool")+" judged")
	default:
		parts = append(parts, fmt.Sprintf("%s found, %d read, %d judged", Count(summary.Tools, "tool"), summary.Read, summary.Judged))
	}
	if summary.Conversations > 0 {
		parts = append(parts, Count(summary.Conversations, "request")+" judged")
	}
	if summary.Calls > 0 {
		parts = append(parts, Count(summary.Calls, "call")+" judged")
	}
	if evidence := summary.evidence(); evidence != "" {
		if summary.Evidence[provider.Live.String()] == 0 && summary.Calls == 0 {
			evidence += ", nobody was asked"
		}
		parts = append(parts, "evidence: "+evidence)
	}
	t.wrap("", strings.Join(parts, "; "))
}

// evidence says how many verdicts rest on each grade of evidence; empty if there are none.
func (s *Summary) evidence() string {
	var parts []string
	for _, grade := range []provider.Grade{provider.Live, provider.Recorded, provider.Reported, provider.Predicted} {
		if count := s.Evidence[grade.String()]; count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, grade))
		}
	}
	return strings.Join(parts, ", ")
}

// next names the command that shows more, or, if that does not fit on the terminal, the flag to add.
func (t *Terminal) next(command, flag string) {
	line := "next: " + command
	if t.Width > 0 && columnsIn(line) > t.Width {
		line = "next: the same command with " + flag
	}
	t.printf("%s\n", line)
}
