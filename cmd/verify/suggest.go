package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/internal/lazy"
)

// suggest adds to an error about an unknown word the known one that is nearest to
// it, or else where the known ones are listed.
func suggest(err error, word string, known []string, otherwise string) error {
	if name := cmp.Or(meant[strings.ToLower(word)], nearest(word, known)); name != "" && slices.Contains(known, name) {
		return hint(err, "did you mean "+name+"?")
	}
	return hint(err, otherwise)
}

// flagNames are the names of flags in a text that lists them.
var flagNames = lazy.Compile(`--[a-z][a-z-]*`)

// flagError says what to do about a flag that is wrong.
func flagError(command *cobra.Command, err error) error {
	otherwise := command.CommandPath() + " --help lists the flags"
	name, isUnknown := strings.CutPrefix(err.Error(), "unknown flag: ")
	if !isUnknown {
		return hint(err, otherwise)
	}
	return suggest(err, name, flagNames.FindAllString(command.Flags().FlagUsages(), -1), otherwise)
}

// meant are the targets that are meant by names of models and companies.
var meant = map[string]string{
	"claude": "anthropic", "gpt": "openai", "chatgpt": "openai", "azure": "openai", "responses": "openai-responses", "codex": "openai-responses",
	"google": "gemini", "vertexai": "vertex", "vertex-ai": "vertex", "strict": "openai-strict",
}

// nearest returns the known word that takes the fewest changes to a given one, or
// "" when none is near.
func nearest(word string, known []string) string {
	best, found := len(word)/2+1, ""
	for _, name := range known {
		if len(word) > 2 && (strings.HasPrefix(name, word) || strings.HasSuffix(name, "/"+word)) {
			return name
		}
		if distance := distance(word, name); distance < best {
			best, found = distance, name
		}
	}
	return found
}

// distance is the Levenshtein distance between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
