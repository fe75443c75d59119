package calls

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// limit is how much text of a result a client gives to the model. Of more the model gets an error, a part, or the name
// of a file.
type limit struct {
	client, unit string
	most         int
	since        string // the day on which it was seen
	source       string
	of           func(texts []string) int
}

// bytesOfToken is how many bytes a token of text has at least on average, so that a result is not called too large that
// is not.
const bytesOfToken = 5

// limits are those that are known. Of Cursor and VS Code no source tells one.
var limits = []limit{
	{
		"Claude Code", "tokens", 25_000, "2025-06-27",
		"https://github.com/fosdickio/binary_ninja_mcp/issues/16 (2025-06-27: exceeds maximum allowed tokens (25000), the default of MAX_MCP_OUTPUT_TOKENS); " +
			"https://github.com/caiowilson/MCP-memento/issues/21 (2026-06-15: persists results above its threshold to disk)",
		func(texts []string) int { return len(strings.Join(texts, "")) / bytesOfToken },
	},
	{
		"Codex", "bytes", 40_000, "2026-07-18",
		"https://github.com/cobuildwithus/murph/pull/785 (2026-07-18: the model catalog's roughly 10,000-token default); four bytes a token: " +
			"codex-rs/core/src/truncate.rs of openai/codex; 10 KB before: https://github.com/openai/codex/issues/7906 (2025-12-12)",
		func(texts []string) int { return len(strings.Join(texts, "")) },
	},
	{
		"Gemini CLI", "characters in a single block", 40_000, "2026-09-25",
		"@google/gemini-cli-core 0.61.0 (2026-09-25), dist/src/scheduler/tool-executor.js and DEFAULT_TRUNCATE_TOOL_OUTPUT_THRESHOLD",
		func(texts []string) int {
			if len(texts) != 1 {
				return 0 // several blocks are not cut
			}
			return utf8.RuneCountInString(texts[0])
		},
	},
	{
		"Qwen Code", "characters", 28_000, "2026-09-22",
		"@qwen-code/qwen-code 0.24.4 (2026-09-22), maybePersistLargeToolResult: DEFAULT_TRUNCATE_TOOL_OUTPUT_THRESHOLD (25,000) and GATE_HEADROOM (3,000); " +
			"https://github.com/QwenLM/qwen-code/pull/2446 (2026-03-17)",
		func(texts []string) int { return utf8.RuneCountInString(strings.Join(texts, "")) },
	},
	{
		"opencode", "bytes", 50 << 10, "2026-09-02",
		"packages/opencode/src/tool/truncation.ts of anomalyco/opencode: MAX_BYTES; https://github.com/anomalyco/opencode/issues/35661 (an MCP result is cut at 50 KB); " +
			"https://github.com/AltimateAI/altimate-code/issues/1224 (2026-09-02)",
		func(texts []string) int { return len(strings.Join(texts, "\n\n")) },
	},
	{
		"opencode", "lines", 2000, "2026-09-02", "packages/opencode/src/tool/truncation.ts of anomalyco/opencode: MAX_LINES",
		func(texts []string) int { return 1 + strings.Count(strings.Join(texts, "\n\n"), "\n") },
	},
}

// tooLarge reports a result with more text than a client gives to the model.
var tooLarge = &Rule{
	Name: "too_large", Since: limits[0].since,
	Doc: "Clients give the model no more text of a result than " + sentenceOfLimits() + ", unless the user sets another limit. Of more it gets an error, the name of " +
		"a file, or a part. A token is taken for five bytes, which is much: the true number is higher.",
	Source:  sourcesOfLimits(),
	Instead: "return pages, or a resource_link to the whole",
	check: func(e *Exchange) []fault {
		if e.Answer.Result == nil || e.Answer.Result.Get("content") == nil {
			return nil
		}
		var texts, above []string
		for _, block := range e.Answer.Result.Get("content").Elements {
			if text := block.GetString("text"); text != "" {
				texts = append(texts, text)
			}
		}
		for _, limit := range limits {
			if size := limit.of(texts); size > limit.most {
				above = append(above, fmt.Sprintf("%s gives the model at most %d %s, and these are about %d", limit.client, limit.most, limit.unit, size))
			}
		}
		if above == nil {
			return nil
		}
		return []fault{{at: "/content", message: strings.Join(above, "; ")}}
	},
}

// sentenceOfLimits lists the limits, with the day of each.
func sentenceOfLimits() string {
	parts := make([]string, len(limits))
	for i, limit := range limits {
		parts[i] = fmt.Sprintf("%d %s (%s, %s)", limit.most, limit.unit, limit.client, limit.since)
	}
	return strings.Join(parts, ", ")
}

func sourcesOfLimits() string {
	parts := make([]string, len(limits))
	for i, limit := range limits {
		parts[i] = limit.client + ": " + limit.source
	}
	return strings.Join(parts, "; ")
}
