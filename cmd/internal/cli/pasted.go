package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/internal/bounded"
	"toolproof/internal/escape"
)

// ReadError reads an error message from a file, or from standard input unless the tools come
// from there.
func (s *Session) ReadError(ctx context.Context, name string, tools []string) (string, error) {
	text, err := s.readText(ctx, name, tools)
	if ctx.Err() != nil {
		return "", Interrupted(ctx)
	}
	if err != nil {
		return "", Broken(fmt.Errorf("reading the error: %w", err))
	}
	return text, nil
}

func (s *Session) readText(ctx context.Context, name string, tools []string) (string, error) {
	if name == "-" && slices.Contains(tools, "-") {
		return "", errors.New("standard input cannot be the error and the tools")
	}
	text, err := Await(ctx, func() ([]byte, error) {
		in, err := s.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		const most = 16 << 20
		return bounded.All(in, most)
	})
	switch {
	case err == nil:
		return nonEmpty(string(text))
	case name == "-":
		return "", err
	default:
		return "", fmt.Errorf("%s: %w", escape.Line(name), err)
	}
}

func nonEmpty(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the file is empty")
	}
	return text, nil
}
