package live

import "toolproof/harness/provider"

// Price is the price of a model's tokens.
type Price struct {
	model string // a pattern in the syntax of path.Match
	// input and output are dollars per million tokens. If a price depends on the length
	// of the request, or on the day, it is the highest.
	input, output float64
	source        string
	Date          provider.Date // on which the price was looked up
}

// Sources of prices.
const (
	geminiPrices  = "https://ai.google.dev/gemini-api/docs/pricing, as https://www.morphllm.com/gemini-api-pricing quotes it"
	copilotPrices = "https://github.com/github/docs/blob/024f6b0f8c26/data/tables/copilot/models-and-pricing.yml"
	openAIPrices  = "https://openai.com/api/pricing, as https://docs.rs/crate/openai-models/0.1.1/source/src/lib.rs quotes it"
)

// prices are the known prices. The first one that matches a model counts. Only the provider's own
// page is binding.
var prices = []Price{
	{"gemini-2.5-flash-lite", 0.10, 0.40, geminiPrices, "2026-11-21"},
	{"gemini-2.5-flash", 0.30, 2.50, geminiPrices, "2026-11-21"},
	{"gemini-3-flash*", 0.50, 3.00, geminiPrices, "2026-11-21"},
	{"gemini-3.1-flash-lite*", 0.25, 1.50, geminiPrices, "2026-11-21"},
	{"gemini-3.1-pro*", 4.00, 18.00, copilotPrices, "2026-11-21"},
	{"gemini-3.5-flash", 1.50, 9.00, copilotPrices, "2026-11-21"},
	{"gemini-3.[678]-flash", 1.50, 7.50, copilotPrices, "2026-11-21"}, // half of it until the end of 2026
	{"gpt-4o-mini*", 0.15, 0.60, openAIPrices, "2026-11-21"},
	{"gpt-4o", 2.50, 10.00, openAIPrices, "2026-11-21"},
	{"gpt-5.6-luna", 0.50, 1.80, copilotPrices, "2026-11-21"}, // 0.40 and what is kept for the next request
	{"gpt-5-mini*", 0.25, 2.00, copilotPrices, "2026-11-21"},
	{"gpt-5.4-nano*", 0.20, 1.25, copilotPrices, "2026-11-21"},
	{"gpt-5.4-mini*", 0.75, 4.50, copilotPrices, "2026-11-21"},
	{"gpt-5.4", 5.00, 22.50, copilotPrices, "2026-11-21"},
	{"claude-haiku-4-5*", 1.00, 5.00, copilotPrices, "2026-11-21"},
	{"claude-sonnet-4-[56]*", 3.00, 15.00, copilotPrices, "2026-11-21"},
	{"claude-sonnet-5", 2.00, 10.00, copilotPrices, "2026-11-21"},
	{"claude-opus-4-[5678]*", 5.00, 25.00, copilotPrices, "2026-11-21"},
	{"claude-opus-5", 5.00, 25.00, copilotPrices, "2026-11-21"},
}
