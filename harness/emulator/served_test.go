package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// TestServed sends each request that docs/emulator.md lists: it is served, or unknown, as the table says.
func TestServed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]string{"OpenAI": "gpt-4o", "Azure": "gpt-4o", "Anthropic": "claude-sonnet-5"}
	named := regexp.MustCompile("`(GET|POST|DELETE) ([^`]+)`")
	handler := emulator.New(emulator.Options{AsOf: day})
	counts := map[bool]int{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		const columns = 3
		if len(cells) != columns {
			continue
		}
		provider, isServed := strings.TrimPrefix(cells[0], "| "), strings.HasPrefix(cells[2], "served")
		if !isServed && !strings.HasPrefix(cells[2], "404") {
			continue
		}
		model := models[provider]
		if model == "" {
			model = "gemini-2.5-flash"
		}
		for _, found := range named.FindAllStringSubmatch(cells[1], -1) {
			path := strings.NewReplacer("{model}", model, "{id}", "x").Replace(found[2])
			request := httptest.NewRequestWithContext(t.Context(), found[1], path, strings.NewReader(`{"model":"qwen3"}`))
			switch provider {
			case "Anthropic":
				request.Header.Set("Anthropic-Version", "2023-06-01")
			case "Gemini":
				request.Header.Set("X-Goog-Api-Key", "k")
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			isUnknown := answer.Code == http.StatusNotFound && (strings.Contains(answer.Body.String(), "no such path") ||
				strings.Contains(answer.Body.String(), "has no method") || strings.Contains(answer.Body.String(), "Resource not found"))
			if isUnknown == isServed || isServed && answer.Code == http.StatusMethodNotAllowed {
				t.Errorf("%s of %s: the table says %s, and the answer is %d %s", found[0], provider, cells[2], answer.Code, answer.Body)
			}
			counts[isServed]++
		}
	}
	if counts[true] == 0 || counts[false] == 0 {
		t.Errorf("the table has %d requests that are served and %d that are not", counts[true], counts[false])
	}
}
