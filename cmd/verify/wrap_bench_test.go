package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"toolproof/harness/agent"
)

// BenchmarkWrap calls a tool of a server as processes, alone and behind verify wrap, which restores the
// name and the arguments of each call and judges them. It reports the median and the 99th percentile of
// the time of a call, the time until the server has answered initialize, and by how much the memory of
// the process has grown since the first thousand calls. -benchtime=100000x shows that the memory is flat.
func BenchmarkWrap(b *testing.B) {
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "tools.json")
	const tools = `{"tools":[{"name":"orders.search","inputSchema":{"type":"object","properties":{"filter[name]":{"type":"string"},"limit":{"type":"integer","maximum":100},` +
		`"where":{"type":"object","properties":{"city":{"type":"string"}}}},"required":["filter[name]"],"additionalProperties":false}}]}`
	if err := os.WriteFile(file, []byte(tools), 0o600); err != nil {
		b.Fatal(err)
	}
	alone := []string{self, agent.ServerCommand, file}
	for name, words := range map[string][]string{"alone": alone, "wrapped": append([]string{self, "wrap", "--"}, alone...)} {
		b.Run(name, func(b *testing.B) {
			begun := time.Now()
			server := exec.CommandContext(b.Context(), words[0], words[1:]...)
			to, err := server.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := server.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := server.Start(); err != nil {
				b.Fatal(err)
			}
			reader := bufio.NewReader(out)
			ask := func(request string) {
				if _, err := io.WriteString(to, request+"\n"); err != nil {
					b.Fatal(err)
				}
				if _, err := reader.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
			}
			ask(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			start := time.Since(begun)
			if _, err := io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
				b.Fatal(err)
			}
			ask(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
			call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"orders_search","arguments":{"filter_name_":"a","limit":"5","where":"{\"city\":\"Rome\"}"}}}`
			var times []time.Duration
			memory, calls := 0, 0
			for b.Loop() {
				begun := time.Now()
				ask(fmt.Sprintf(call, calls))
				times = append(times, time.Since(begun))
				if calls++; calls == 1000 {
					memory = residentKB(server.Process.Pid)
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "median-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(start.Milliseconds()), "start-ms")
			b.ReportMetric(float64(residentKB(server.Process.Pid)-memory)/1024, "grown-MB")
			b.ReportMetric(float64(memory)/1024, "MB")
			_ = to.Close()
			_ = server.Wait() // it has answered
		})
	}
}

// residentKB returns the resident memory of a process in KB, or 0 where the system does not say.
func residentKB(process int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		return 0
	}
	found := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(text)
	if found == nil {
		return 0
	}
	size, _ := strconv.Atoi(string(found[1])) // digits
	return size
}
