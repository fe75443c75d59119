package harness_test

import (
	"testing"
	"time"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// BenchmarkModel judges the corpus on each dialect. x-twice is its cost in units of
// parsing and printing the same tools twice, measured in the same run; it is to
// stay below 1.
func BenchmarkModel(b *testing.B) {
	tools := corpusTools(b)
	texts := make([][]byte, len(tools))
	for i, tool := range tools {
		texts[i] = tool.Node().JSON()
	}
	for _, dialect := range harness.Dialects {
		b.Run(dialect.Name, func(b *testing.B) {
			model := provider.Model{Dialect: dialect}
			var judging, parsing time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				for _, tool := range tools {
					if _, err := model.Send(b.Context(), dialect.Encode([]schema.Tool{tool})); err != nil {
						b.Fatal(err)
					}
				}
				judging += time.Since(start)
				b.StopTimer()
				start = time.Now()
				for range 2 {
					for _, text := range texts {
						node, err := schema.Parse(text)
						if err != nil {
							b.Fatal(err)
						}
						node.JSON()
					}
				}
				parsing += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(judging)/float64(parsing), "x-twice")
		})
	}
}
