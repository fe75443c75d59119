package refusal

import (
	"regexp"
	"slices"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

// paste is a pasted text as it is read.
type paste struct {
	// refusals are the readings of the text as a provider's refusal: as it is, with its broken
	// lines joined at spaces, and joined within words. They are no longer than longestReading.
	refusals []provider.Response
	// text has the words of everything.
	text words
	// parts has for the message and each of its lines the words between the marks of omissions,
	// and tails the words after the first colon, before which messages have a place.
	parts [][]words
	tails []words
}

// Bounds of a pasted text, in bytes.
const (
	longestPaste   = 1 << 18
	longestReading = 1 << 14
)

// read reads a pasted text.
func read(text string) *paste {
	text = Clean(strings.ToValidUTF8(text[:min(len(text), longestPaste)], ""))
	p := &paste{text: wordsOf(text)}
	lines := strings.Split(relevant(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	for _, form := range []string{relevant(text), strings.Join(lines, " "), strings.Join(lines, "")} {
		refusal := provider.ParsePasted(form)
		if len(p.refusals) == 0 || refusal.Message != p.refusals[0].Message {
			p.refusals = append(p.refusals, refusal)
		}
	}
	if whole := strings.Join(lines, " "); !strings.Contains(whole, p.refusals[0].Message) || strings.ContainsAny(whole, "{[") {
		p.refusals = append(p.refusals, provider.Response{Verdict: provider.Rejected, Message: whole})
	}
	for _, refusal := range p.refusals {
		for line := range strings.Lines(refusal.Message) {
			p.parts = append(p.parts, wordsOfAll(ellipsis.Split(line, -1)))
			if _, tail, ok := strings.Cut(line, ": "); ok {
				p.tails = append(p.tails, wordsOf(tail))
			}
		}
		p.parts = append(p.parts, wordsOfAll(ellipsis.Split(refusal.Message, -1)))
	}
	return p
}

// message returns the provider's message in the text.
func (p *paste) message() string { return p.refusals[0].Message }

// named returns a message of provider.Model.Violations with the name of the provider's model that
// the text has in its place, and this name. The name is empty if the message or the text has none.
func (p *paste) named(message string) (text, model string) {
	before, after, ok := strings.Cut(message, provider.AnyModel)
	for i := 0; ok && i < len(p.refusals); i++ {
		_, rest, _ := strings.Cut(p.refusals[i].Message, lastWords(before))
		if model = modelName.FindString(rest); model != "" {
			return before + model + after, model
		}
	}
	return message, ""
}

// modelName matches the name of a provider's model, or of a deployment, at the beginning of a text.
var modelName = lazy.Compile(`^[\w.:/@-]*\w`)

// lastWords returns the last three words of a text with the spaces after them.
func lastWords(text string) string {
	words := strings.SplitAfter(text, " ")
	return strings.Join(words[max(0, len(words)-4):], "")
}

// anchor matches what the messages of providers have and few other lines do.
var anchor = lazy.Compile(`(?i)schema|tools?[.\[ ]|function|json|unknown name|properties|"message"|'message'|grammar|request because|not supported|required`)

// relevant returns the lines of a long text that a provider's message may have.
func relevant(text string) string {
	if len(text) <= longestReading {
		return text
	}
	var kept strings.Builder
	for line := range strings.Lines(text) {
		found := anchor.FindStringIndex(line)
		if found == nil {
			continue
		}
		const before = 512 // bytes of a line that may belong to the message before its first anchor
		line = line[max(0, found[0]-before):]
		line = line[:min(len(line), longestReading-kept.Len())]
		kept.WriteString(line)
		if kept.Len() >= longestReading {
			break
		}
	}
	return strings.ToValidUTF8(kept.String(), "")
}

// isOfContents reports whether Google's decoder names a place in the contents of a request, and none in its
// declarations.
func (p *paste) isOfContents() bool {
	return contentsPlace.MatchString(p.message()) && !strings.Contains(p.message(), "function_declarations")
}

var contentsPlace = lazy.Compile(`^Invalid (?:JSON payload received\. Unknown name .*|value) at '(?:request\.)?(?:contents|system_instruction)\b`)

// aboutRequest returns the rule about requests that refuses in the words of the text, and how many
// letters the words are.
func (p *paste) aboutRequest() (rule *conversation.Rule, length int) {
	for _, candidate := range conversation.Rules {
		found, ok := findParts(wordsOfAll(verb.Split(candidate.Words, -1)), &p.text)
		if !ok || found.end <= length {
			continue
		}
		if found.end < fewestOfRequest && !slices.ContainsFunc(p.refusals, func(refusal provider.Response) bool { return isIn(candidate.Words, refusal.Message) }) {
			continue
		}
		rule, length = candidate, found.end
	}
	return rule, length
}

// fewestOfRequest is the number of letters that suffice to recognize the words of a rule about
// requests. Shorter ones have to be there as they are written.
const fewestOfRequest = 40

// isIn reports whether a message has the words of a format, with a name or a path for each verb.
func isIn(format, message string) bool {
	parts := verb.Split(format, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	pattern, err := regexp.Compile(strings.Join(parts, `[\w.$\[\]-]+`))
	return err == nil && pattern.MatchString(message)
}

// wordsOfAll returns the words of texts, without those that have none.
func wordsOfAll(texts []string) []words {
	var all []words
	for _, text := range texts {
		if w := wordsOf(text); w[unnumbered] != "" {
			all = append(all, w)
		}
	}
	return all
}

// verb matches a verb of package fmt.
var verb = lazy.Compile(`%(?:\[\d+\])?[sdqv]`)
