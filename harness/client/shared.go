package client

import (
	"context"
	"net/http"
	"os"
	"path/filepath"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

type Recorder struct{ recorder }

func NewRecorder(next http.Handler) *Recorder { return &Recorder{recorder{next: next}} }
func (r *Recorder) Taken() []Exchange         { return r.taken() }

type Sent struct{ sent }

func Declarations(exchange Exchange) []Sent {
	var all []Sent
	for _, one := range declarations(exchange) {
		all = append(all, Sent{one})
	}
	return all
}

func Judged(ctx context.Context, tool schema.Tool, one Sent, model string, day provider.Date) (Tool, error) {
	return judged(ctx, tool, one.sent, model, day)
}
func Words(exchange Exchange) string { return words(exchange) }

type Tail = tail

func RemoveAll(folder string) { removeAll(folder) }
func Absent(name string) Tool { return Tool{Name: name, State: Missing, Changes: []Change{}, Refused: []verdict.Finding{}} }

func Environment(home, path string) []string { return environment(Place{Home: home}, Job{Path: path}) }

func WriteFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o600)
}
