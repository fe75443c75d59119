package gateway

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/report"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
)

// wrong is a kind of fault, with a line for each tool that has it.
type wrong struct {
	title string
	lines []string
}

// groupsOf returns what is wrong in a report, worst first.
func groupsOf(of Report) []wrong {
	missing := wrong{title: "does not arrive"}
	refused := wrong{title: "the provider refuses what arrives"}
	loses := wrong{title: "what arrives means something else"}
	answers := map[Fault]*wrong{}
	for fault, title := range faults {
		answers[fault] = &wrong{title: title}
	}
	for _, tool := range of.Tools {
		name := escape.Line(tool.Name)
		if tool.State == arrival.Missing {
			missing.lines = append(missing.lines, line(name, tool.Passage.GivenMessage))
		}
		if len(tool.Refused) > 0 {
			refused.lines = append(refused.lines, line(name, tool.Refused[0].Message))
		}
		if tool.Loss != rewrite.Exact {
			loses.lines = append(loses.lines, name+": "+changesOf(tool))
		}
		if found := answers[tool.Passage.Fault]; found != nil && tool.State != arrival.Missing {
			found.lines = append(found.lines, line(name, tool.Passage.words()))
		}
	}
	all := []wrong{missing, refused, loses}
	for _, fault := range []Fault{NoAnswer, HidesError, MakesError, LosesWords, ChangesCall} {
		all = append(all, *answers[fault])
	}
	return all
}

// faults say what each fault means, for a reader.
var faults = map[Fault]string{
	NoAnswer:    "the gateway gives no answer",
	HidesError:  "the provider refuses, and the caller gets a success",
	MakesError:  "the provider answers, and the caller gets an error",
	LosesWords:  "the caller gets a refusal without the provider's words",
	ChangesCall: "the caller gets another call than the provider's",
}

// words says what the provider answered and what the caller got.
func (p Passage) words() string {
	switch p.Fault {
	case HidesError:
		return fmt.Sprintf("%d: %s", p.Status, p.Message)
	case LosesWords:
		return fmt.Sprintf("%d: %s; the caller gets %d: %s", p.Status, p.Message, p.Given, p.GivenMessage)
	case ChangesCall:
		if slices.Equal(p.Calls, p.GivenCalls) {
			return "other arguments"
		}
		return fmt.Sprintf("the provider calls %s, and the caller gets %s", listed(p.Calls), listed(p.GivenCalls))
	default:
		return p.GivenMessage
	}
}

// listed returns the names of functions for a reader.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// line returns a name with the beginning of a text behind it.
func line(name, text string) string {
	const most = 160
	text = escape.Line(strings.TrimSpace(text))
	if letters := []rune(text); len(letters) > most {
		text = string(letters[:most]) + "…"
	}
	if text == "" {
		return name
	}
	return name + ": " + text
}

// changesOf says which change of a tool is the first that loses something.
func changesOf(tool Tool) string {
	for _, change := range tool.Changes {
		if change.Loss == rewrite.Exact && !change.Unknown {
			continue
		}
		text := string(change.At) + " " + tool.Loss.String()
		if change.Before != nil {
			text += ", " + change.Before.String()
		}
		if change.After != nil {
			text += " becomes " + change.After.String()
		} else {
			text += " is gone"
		}
		return line("", text)[len(": "):]
	}
	return tool.Loss.String()
}

// Whole returns how many tools conform.
func (r *Report) Whole() int {
	count := 0
	for _, tool := range r.Tools {
		if tool.Conforms() {
			count++
		}
	}
	return count
}

// mostLines is how many lines of a group a report shows, unless it shows all.
const mostLines = 5

// WriteText writes a report for a terminal, with every tool if all is set.
func WriteText(out io.Writer, measured Report, all bool) {
	network := "without a network"
	if measured.Network != "" {
		network = "with a network, " + escape.Line(measured.Network)
	}
	fmt.Fprintf(out, "%s, %s: %d of %d tools pass through whole (%.1f s, %s)\n",
		escape.Line(measured.Gateway), escape.Line(measured.Way), measured.Whole(), len(measured.Tools), measured.Seconds, network)
	for _, group := range groupsOf(measured) {
		if len(group.lines) == 0 {
			continue
		}
		fmt.Fprintf(out, "  %s: %s\n", group.title, report.Count(len(group.lines), "tool"))
		for i, text := range group.lines {
			if i == mostLines && !all {
				fmt.Fprintf(out, "    and %d more; --verbose shows all\n", len(group.lines)-i)
				break
			}
			fmt.Fprintf(out, "    %s\n", text)
		}
	}
	fmt.Fprintf(out, "  all in one request: %s\n", measured.Together)
}

// String says what becomes of a request, for a reader.
func (p Passage) String() string {
	var text string
	switch {
	case p.Fault == NoAnswer:
		return line("no answer", p.GivenMessage)
	case p.Status == 0:
		text = line(fmt.Sprintf("the gateway answers %d and does not ask the provider", p.Given), p.GivenMessage)
	case p.Status/100 == 2:
		text = fmt.Sprintf("the provider answers %d at %s, and the caller gets %d", p.Status, escape.Line(p.Path), p.Given)
	default:
		text = line(fmt.Sprintf("the provider refuses it with %d at %s, and the caller gets %d", p.Status, escape.Line(p.Path), p.Given), p.Message)
	}
	if p.Fault != None && p.Status != 0 {
		text += "; " + faults[p.Fault]
	}
	return text
}

// Tables writes a table of reports to a page, with what is wrong folded below it.
func Tables(page *report.Markdown, reports []Report) {
	page.Table("Gateways", "gateway", "version", "way", "whole", "missing", "refused", "loses", "answers", "all in one request", "date", "network", "seconds")
	for _, measured := range reports {
		groups := groupsOf(measured)
		answers := 0
		for _, group := range groups[3:] {
			answers += len(group.lines)
		}
		page.Row(escape.Code(measured.Gateway), report.Text(measured.GatewayVersion), escape.Code(measured.Way), fmt.Sprintf("%d of %d", measured.Whole(), len(measured.Tools)),
			strconv.Itoa(len(groups[0].lines)), strconv.Itoa(len(groups[1].lines)), strconv.Itoa(len(groups[2].lines)), strconv.Itoa(answers),
			fmt.Sprintf("%d, the caller gets %d", measured.Together.Status, measured.Together.Given), string(measured.Date),
			report.Text(cmp.Or(measured.Network, "none")), fmt.Sprintf("%.1f", measured.Seconds))
	}
	for _, report := range reports {
		if report.Whole() == len(report.Tools) {
			continue
		}
		var text strings.Builder
		fmt.Fprintf(&text, "%s, %s:", escape.Code(report.Gateway), escape.Code(report.Way))
		for _, group := range groupsOf(report) {
			if len(group.lines) > 0 {
				fmt.Fprintf(&text, "\n\n%s:\n", group.title)
			}
			for _, line := range group.lines {
				fmt.Fprintf(&text, "\n* %s", escape.Code(line))
			}
		}
		page.Folded("what is wrong", text.String())
	}
}
