package normalizers_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"toolproof/normalizers"
	"toolproof/schema"
)

// corpus returns the tools of the corpus with their texts; it is not part of the
// project.
func corpus(b *testing.B) (tools []schema.Tool, texts [][]byte) {
	b.Helper()
	folder := os.Getenv("TOOLPROOF_CORPUS")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "corpus")
	}
	compressed, err := os.ReadFile(filepath.Join(folder, "tools.jsonl.gz"))
	if err != nil {
		b.Skipf("no corpus: set TOOLPROOF_CORPUS to its folder: %v", err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(reader)
	const longest = 1 << 24
	lines.Buffer(nil, longest)
	for lines.Scan() {
		node, err := schema.Parse(lines.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		tool := schema.Tool{Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("schema")}
		tools, texts = append(tools, tool), append(texts, tool.Node().JSON())
	}
	return tools, texts
}

// BenchmarkNormalize converts the parsed corpus for each target, with the whole
// report. x-jsontext is its cost in units of reading and writing the same bytes
// with jsontext, measured in the same run.
func BenchmarkNormalize(b *testing.B) {
	tools, texts := corpus(b)
	for _, pipeline := range normalizers.Pipelines {
		b.Run(pipeline.Name(), func(b *testing.B) {
			var converting, copying time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				for _, tool := range tools {
					if _, err := pipeline.Normalize(context.Background(), tool); err != nil {
						b.Fatal(err)
					}
				}
				converting += time.Since(start)
				b.StopTimer()
				start = time.Now()
				for _, text := range texts {
					if err := copyTokens(io.Discard, text); err != nil {
						b.Fatal(err)
					}
				}
				copying += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(converting.Seconds()/copying.Seconds(), "x-jsontext")
		})
	}
}

// BenchmarkWide converts one tool of many properties: the time per property is to
// stay the same.
func BenchmarkWide(b *testing.B) {
	for _, pipeline := range normalizers.Pipelines {
		for _, width := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", pipeline.Name(), width), func(b *testing.B) {
				properties := schema.NewObject()
				for i := range width {
					properties.Members = append(properties.Members, schema.Member{Key: fmt.Sprintf("p%d", i), Value: schema.NewObject(
						schema.Member{Key: "type", Value: schema.NewStrings("string", "null")},
						schema.Member{Key: "pattern", Value: schema.NewString("^a")},
					)})
				}
				parameters := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: properties})
				tool := schema.Tool{Name: "f", Parameters: parameters}
				for b.Loop() {
					if _, err := pipeline.Normalize(context.Background(), tool); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(width), "ns/property")
			})
		}
	}
}

func copyTokens(out io.Writer, text []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text))
	encoder := jsontext.NewEncoder(out)
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := encoder.WriteToken(token); err != nil {
			return err
		}
	}
}
