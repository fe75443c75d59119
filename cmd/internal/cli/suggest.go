package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/internal/lazy"
)

// Suggest adds to an error about an unknown word a hint: the most similar known word, or else
// otherwise.
func Suggest(err error, word string, known []string, otherwise string) error {
	if name := Likely(word, known); name != "" {
		return Hint(err, "did you mean "+name+"?")
	}
	return Hint(err, otherwise)
}

// Likely returns the known word that an unknown one probably means, or "".
func Likely(word string, known []string) string {
	if name := cmp.Or(meant[strings.ToLower(word)], TargetOfModel(word), nearest(word, known)); slices.Contains(known, name) {
		return name
	}
	return ""
}

// flagNames matches the names of flags in a help text.
var flagNames = lazy.Compile(`--[a-z][a-z-]*`)

// FlagError adds a hint to the error of a wrong flag.
func FlagError(command *cobra.Command, err error) error {
	otherwise := command.CommandPath() + " --help lists the flags"
	name, isUnknown := strings.CutPrefix(err.Error(), "unknown flag: ")
	isShort := strings.HasPrefix(err.Error(), "unknown shorthand flag")
	if command.Name() == "mcp" && (isUnknown || isShort) && nearest(name, flagNames.FindAllString(command.Flags().FlagUsages(), -1)) == "" {
		return Hint(err, "write -- before the command of the server: verify mcp -- COMMAND")
	}
	if !isUnknown {
		return Hint(err, otherwise)
	}
	if instead := elsewhere(command, strings.TrimPrefix(name, "--")); instead != "" {
		return Hint(err, instead)
	}
	return Suggest(err, name, flagNames.FindAllString(command.Flags().FlagUsages(), -1), otherwise)
}

// insteadOf tells what to use instead of flags that a command lacks.
var insteadOf = map[string]string{
	"dialect": "--target names what to check for", "surface": "--target names what to check for", "provider": "--target names what to check for; verify live asks a provider",
	"strict": "the targets openai-strict and anthropic-strict are strict", "config": "verify mcp --config FILE asks the servers of a configuration",
}

// commands maps commands of similar programs to those that do the same here.
var commands = map[string]string{
	"lint": "verify check", "validate": "verify check", "fix": "verify check --fix", "convert": "verify normalize", "history": "verify list history",
	"inspect": "verify mcp", "proxy": "verify wrap", "mock": "verify serve", "scan": "verify-lab scan", "stats": "verify-lab stats",
}

// elsewhere tells which command has a flag that this one lacks, or what to use instead; "" if
// no command has it.
func elsewhere(command *cobra.Command, name string) string {
	if instead := insteadOf[name]; instead != "" && command.Flags().Lookup("target") != nil {
		return instead
	}
	root := command.Root()
	if root.Flags().Lookup(name) != nil {
		return "verify --" + name + " is a flag of the replay of fixtures"
	}
	for _, other := range root.Commands() {
		if flag := other.Flags().Lookup(name); flag != nil && !flag.Hidden && other.Name() != "help" {
			return other.CommandPath() + " has --" + name
		}
	}
	return ""
}

// TargetOfModel returns the target that the name of a model, such as gpt-4o, means, or "".
func TargetOfModel(word string) string {
	for _, known := range []struct{ prefix, target string }{{"claude-", "anthropic"}, {"gpt-", "openai"}, {"gemini-1", "gemini"}, {"gemini-2", "gemini"}, {"gemini-3", "gemini"}} {
		if strings.HasPrefix(strings.ToLower(word), known.prefix) {
			return known.target
		}
	}
	return ""
}

// IsOfAnother reports whether a target belongs to another company than the target that is
// meant. Targets that serve models of several companies, such as vertex, mcp and portable,
// belong to none.
func IsOfAnother(target, meant string) bool {
	return slices.ContainsFunc([]string{"anthropic", "gemini", "openai"}, func(company string) bool {
		return company != meant && strings.HasPrefix(target, company)
	})
}

// meant maps names of models and companies to the targets that they mean.
var meant = map[string]string{
	"claude": "anthropic", "gpt": "openai", "chatgpt": "openai", "responses": "openai-responses", "codex": "openai-responses",
	"google": "gemini", "vertexai": "vertex", "vertex-ai": "vertex", "strict": "openai-strict",
}

// nearest returns the known word with the fewest edits from the given one, or "" if none is
// similar.
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
