package schema_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"toolproof/fixtures"
	"toolproof/schema"
)

// documents returns the tools of the corpus, or the project's own fixtures if there is no
// corpus, and a name for their source.
func documents(b *testing.B) (texts [][]byte, from string) {
	b.Helper()
	folder := os.Getenv("TOOLPROOF_CORPUS")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "corpus")
	}
	if compressed, err := os.ReadFile(filepath.Join(folder, "tools.jsonl.gz")); err == nil {
		reader, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(reader)
		const longest = 1 << 24
		lines.Buffer(nil, longest)
		for lines.Scan() {
			texts = append(texts, bytes.Clone(lines.Bytes()))
		}
		if err := lines.Err(); err != nil {
			b.Fatal(err)
		}
		return texts, "corpus"
	}
	err := fs.WalkDir(fixtures.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".json" {
			return err
		}
		text, err := fs.ReadFile(fixtures.Files, name)
		if _, refused := schema.Parse(text); refused == nil {
			texts = append(texts, text)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return texts, "fixtures"
}

// BenchmarkParseAndPrint reads and prints every document, and in the same run copies each with
// jsontext's tokens. x-jsontext reports how many times as long the trees take, whatever the
// machine.
func BenchmarkParseAndPrint(b *testing.B) {
	texts, from := documents(b)
	var size int64
	for _, text := range texts {
		size += int64(len(text))
	}
	b.Run(from, func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		var trees, tokens time.Duration
		var buffer []byte
		var out bytes.Buffer
		for b.Loop() {
			start := time.Now()
			for _, text := range texts {
				node, err := schema.Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				buffer = node.AppendJSON(buffer[:0])
			}
			trees += time.Since(start)
			b.StopTimer()
			start = time.Now()
			for _, text := range texts {
				out.Reset()
				if err := copyTokens(&out, text); err != nil {
					b.Fatal(err)
				}
			}
			tokens += time.Since(start)
			b.StartTimer()
		}
		b.ReportMetric(trees.Seconds()/tokens.Seconds(), "x-jsontext")
	})
}

// copyTokens reads and writes a document with jsontext, which makes the same checks as Parse.
func copyTokens(out *bytes.Buffer, text []byte) error {
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
