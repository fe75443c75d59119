package refusal

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// What a few words need to mean a message: the share of their weight that the message has, and how
// many of them it has. More rules than mostAlike with the same share mean none of them.
const (
	leastShare  = 0.75
	fewestWords = 2
	mostAlike   = 12
)

// alike returns the rules that have a message with most of the words of the text, or nil if the words
// tell no few rules from the others. Words count the more, the fewer messages have them. The Explainer
// must have learnt what the rules say.
func (e *Explainer) alike(asked *question) []Explained {
	messages := e.messages()
	having := map[string]float64{}
	for _, words := range messages {
		for word := range words {
			having[word]++
		}
	}
	weight := func(word string) float64 { return math.Log(1 + float64(len(messages))/max(having[word], 1)) }
	share := map[string]float64{} // by message
	best := leastShare
	wanted := slices.Sorted(maps.Keys(wordSet(asked.paste.message()))) // in one order, so that sums are equal
	total := 0.0
	for _, word := range wanted {
		total += weight(word)
	}
	for message, words := range messages {
		sum, count := 0.0, 0
		for _, word := range wanted {
			if words[word] {
				sum += weight(word)
				count++
			}
		}
		if count >= fewestWords {
			share[message] = sum / total
			best = max(best, sum/total)
		}
	}
	var explained []Explained
	var titles []string
	for _, dialect := range e.Dialects {
		for _, rule := range dialect.Rules {
			isAlike := slices.ContainsFunc(e.sayings[dialect][rule], func(said *saying) bool { return share[said.message] >= best })
			if !isAlike {
				continue
			}
			explained = append(explained, Explained{Dialect: dialect, Rule: rule, IsAlike: true})
			if !slices.Contains(titles, rule.Title()) {
				titles = append(titles, rule.Title())
			}
		}
	}
	if len(titles) > mostAlike {
		return nil
	}
	return explained
}

// messages returns the messages of all rules with their words.
func (e *Explainer) messages() map[string]map[string]bool {
	messages := map[string]map[string]bool{}
	for _, rules := range e.sayings {
		for _, sayings := range rules {
			for _, said := range sayings {
				if messages[said.message] == nil {
					messages[said.message] = wordSet(said.message)
				}
			}
		}
	}
	return messages
}

// wordSet returns the words of a text in lower case.
func wordSet(text string) map[string]bool {
	words := map[string]bool{}
	isBetween := func(letter rune) bool { return !unicode.IsLetter(letter) && letter != '_' && letter != '$' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isBetween) {
		if len(word) > 1 {
			words[word] = true
		}
	}
	return words
}
