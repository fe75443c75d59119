// Command tokens compares the estimate of tokens in package advice with a tokenizer, using the
// vocabulary o200k_base of OpenAI's models. It is a module of its own because the vocabulary is
// 7 MB.
//
// It reads tools in any form that verify check reads, from files or standard input:
//
//	go run . -half 1 tools.jsonl
//
// A tool with an id belongs to one of two halves according to the part of the id before the
// first slash, such as a server, so that the estimate can be tuned on one half and measured on
// the other. The result is one line of JSON with the errors, as in docs/advice/estimate.json.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/tiktoken-go/tokenizer/codec"

	"toolproof/harness/advice"
	"toolproof/harness/toolfile"
)

func main() {
	half := flag.Int("half", -1, "measure this half of the tools, 0 or 1; without it all")
	flag.Parse()
	if err := run(*half, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(2)
	}
}

func run(half int, names []string, out io.Writer) error {
	measured := measure{tokenizer: codec.NewO200kBase()}
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		tools, err := read(name)
		if err != nil {
			return err
		}
		for _, tool := range tools {
			if half >= 0 && halfOf(tool.ID) != half {
				continue
			}
			if err := measured.add(tool); err != nil {
				return fmt.Errorf("%s:%d: %w", name, tool.Line, err)
			}
		}
	}
	if len(measured.errors) == 0 {
		return errors.New("there is no tool")
	}
	return json.NewEncoder(out).Encode(measured.result())
}

func read(name string) ([]toolfile.Tool, error) {
	if name == "-" {
		return toolfile.Read(os.Stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return toolfile.Read(file)
}

// halfOf returns 0 or 1, the same for all tools of a server.
func halfOf(id string) int {
	server, _, _ := strings.Cut(id, "/")
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, server)
	return int(hash.Sum32() & 1)
}

// measure collects the errors of the estimate.
type measure struct {
	tokenizer       *codec.Codec
	errors          []float64 // errors of single tools, as shares of the tokenizer's count
	counted, guided int
}

func (m *measure) add(tool toolfile.Tool) error {
	if tool.Err != nil {
		return nil // verify check reports the error
	}
	counted, err := m.tokenizer.Count(string(tool.Node().JSON()))
	if err != nil {
		return err
	}
	estimated := advice.TokensOf(tool.Tool)
	m.counted += counted
	m.guided += estimated
	m.errors = append(m.errors, math.Abs(float64(estimated-counted))/float64(counted))
	return nil
}

// result is a line of docs/advice/estimate.json.
type result struct {
	Tokenizer string  `json:"tokenizer"`
	Tools     int     `json:"tools"`
	Tokens    int     `json:"tokens"`
	Mean      float64 `json:"mean"`
	P95       float64 `json:"p95"`
	Sum       float64 `json:"sum"`
}

func (m *measure) result() result {
	slices.Sort(m.errors)
	total := 0.0
	for _, share := range m.errors {
		total += share
	}
	const most = 0.95
	return result{
		Tokenizer: m.tokenizer.GetName(), Tools: len(m.errors), Tokens: m.counted,
		Mean: round(total / float64(len(m.errors))),
		P95:  round(m.errors[int(most*float64(len(m.errors)-1))]),
		Sum:  round(float64(m.guided-m.counted) / float64(m.counted)),
	}
}

// round rounds to four decimals.
func round(share float64) float64 {
	const digits = 1e4
	return math.Round(share*digits) / digits
}
