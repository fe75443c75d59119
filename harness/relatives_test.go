package harness_test

import (
	"slices"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// TestRelativesMakeWhatIsTaken holds every surface without a target of its own to its row: the
// model of a surface with a Relative takes all that the normalizer makes of the tools of fixtures,
// and a surface without one judges the tools as given and says why. TestRowsAreComplete asks
// every row for a target, a Relative or AsGiven.
func TestRelativesMakeWhatIsTaken(t *testing.T) {
	t.Parallel()
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range harness.Relatives {
		made, unsaid := 0, 0
		for _, given := range loaded {
			if given.WireOnly {
				continue
			}
			result := judge.Judge{}.Tool(t.Context(), judge.Subject{Tool: toolfile.Of(given.Tools[0]), Source: given.File}, target)
			sides := result.Sides()
			switch {
			case slices.Contains(unknownTo(target.Dialect), given.ID):
				if result.Status != verdict.Inconclusive {
					t.Errorf("%s: %s: %s, although no answer shows it", target.Name(), given.ID, result.Status)
				}
			case sides.Raw == nil && sides.Normalized == nil || result.Error != "":
				t.Errorf("%s: %s: %s", target.Name(), given.ID, result.Error)
			case sides.AsGiven != "":
				unsaid++
			case (sides.Normalized.Verdict != provider.Accepted) != slices.Contains(beyond[target.Name()], given.ID):
				t.Errorf("%s: %s: %s after the rewrite: %v", target.Name(), given.ID, sides.Normalized.Verdict, sides.Normalized.Findings)
			default:
				made++
			}
		}
		switch isNone := target.Normalizer == nil; {
		case isNone && (made > 0 || target.Dialect.AsGiven == ""):
			t.Errorf("%s: %d tools are normalized, and the row says %q", target.Name(), made, target.Dialect.AsGiven)
		case !isNone && (made == 0 || unsaid > made):
			t.Errorf("%s: %d tools are made and %d cannot be said", target.Name(), made, unsaid)
		case !isNone && target.Name() != target.Normalizer.Name():
			t.Errorf("%s: the normalizer is called %s", target.Name(), target.Normalizer.Name())
		}
	}
}

// unknownTo returns the fixtures of which no answer shows whether a surface takes what its relative's
// normalizer makes of them.
func unknownTo(dialect *provider.Dialect) []string {
	switch {
	case dialect.Name == "xai/chat":
		return []string{"mcp-empty-input-schema", "parameters-empty"}
	case dialect.API == provider.Responses && dialect.Subject == provider.Arguments:
		return []string{"function-members-unknown"}
	case dialect.Subject == provider.Answer && (dialect.Service() == "openai" || dialect.Service() == "azure"):
		return []string{"strict-pattern-properties"} // a format has no way to be not strict
	default:
		return nil
	}
}

// beyond are the fixtures that the normalizer of a relative leaves a surface to refuse, by
// dialect: it does not know the depth that Code Assist reads, and how xAI reads a reference at the root.
// No published tool of 12,041 is so.
var beyond = map[string][]string{
	"codeassist/parameters": {"codeassist-31-levels", "moonshot-thirty-one-levels", "nested-34-levels"},
	"xai/chat":              {"anthropic-reference-beside-type", "reference-beside-repair", "reference-to-the-whole-beside-all-of"},
}

// TestRelativesKeepNarrowerLengths: a name and a description that are too long for Azure alone
// are made to fit there.
func TestRelativesKeepNarrowerLengths(t *testing.T) {
	t.Parallel()
	long := make([]byte, 0, 2000)
	for range 200 {
		long = append(long, "some word "...)
	}
	tool := schema.Tool{Name: string(long[:4]) + "_name_that_has_more_than_sixty_four_characters_and_fewer_than_128", Description: schema.NewString(string(long)), Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: schema.NewObject()})}
	for _, target := range harness.Relatives {
		if target.Dialect.NameLength == 0 {
			continue
		}
		result := judge.Judge{}.Tool(t.Context(), judge.Subject{Tool: toolfile.Of(tool), Source: "f.json"}, target)
		sides := result.Sides()
		if sides.Raw.Verdict != provider.Rejected || sides.Normalized == nil || sides.Normalized.Verdict != provider.Accepted {
			t.Errorf("%s: raw %+v, normalized %+v", target.Name(), sides.Raw, sides.Normalized)
		}
	}
}

// TestTargetsNamed: which targets a name or a pattern means.
func TestTargetsNamed(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]string{
		"gemini":            {"gemini"},
		"gemini/parameters": {"gemini"},
		"portable":          {"portable"},
		"gemini-strip":      {"gemini-strip"},
		"azure/chat":        {"azure/chat"},
		"openai*":           {"openai", "openai-strict", "openai-responses"},
		"groq*":             {"groq/chat", "groq/chat-strict", "groq/response_format"},
		"openai/chat*":      {"openai", "openai-strict"},
		"*/converse":        {"bedrock/converse"},
		"*/output_format":   {"anthropic/output_format"},
	} {
		targets, err := harness.TargetsNamed(pattern)
		if err != nil || len(targets) != len(want) {
			t.Errorf("%s means %d targets: %v", pattern, len(targets), err)
			continue
		}
		for i, target := range targets {
			if target.Name() != want[i] {
				t.Errorf("%s means %s where %s should be", pattern, target.Name(), want[i])
			}
		}
	}
	if all, err := harness.TargetsNamed("all"); err != nil || len(all) != len(harness.Targets) {
		t.Errorf("all means %d targets: %v", len(all), err)
	}
	for _, name := range []string{"", "azure", "nothing*", "*/nothing", "["} {
		if targets, err := harness.TargetsNamed(name); err == nil {
			t.Errorf("%q means %d targets", name, len(targets))
		}
	}
}
