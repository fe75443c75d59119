package refusal

import (
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
	// text has the words of everything, and parts those between the marks of omissions.
	text  words
	parts []words
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
	for _, part := range ellipsis.Split(p.refusals[0].Message, -1) {
		if w := wordsOf(part); w[unnumbered] != "" {
			p.parts = append(p.parts, w)
		}
	}
	return p
}

// message returns the provider's message in the text.
func (p *paste) message() string { return p.refusals[0].Message }

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

// aboutRequest returns the rule about requests that refuses in the words of the text, and how many
// letters the words are.
func (p *paste) aboutRequest() (rule *conversation.Rule, length int) {
	for _, candidate := range conversation.Rules {
		var parts []words
		for _, part := range verb.Split(candidate.Words, -1) {
			if w := wordsOf(part); w[unnumbered] != "" {
				parts = append(parts, w)
			}
		}
		if found, ok := findParts(parts, &p.text); ok && found.end > length {
			rule, length = candidate, found.end
		}
	}
	return rule, length
}

// verb matches a verb of package fmt.
var verb = lazy.Compile(`%(?:\[\d+\])?[sdqv]`)
