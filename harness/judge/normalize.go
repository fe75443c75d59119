package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolproof/normalizers"
	"toolproof/schema"
)

const defaultTimeout = 10 * time.Second

// errTimeout means that a normalizer did not come back in time.
var errTimeout = errors.New("the normalizer took too long")

// normalize runs a normalizer. One that panics is an error and not the end. The
// project's own count their steps, so that they end alike on every machine; anybody
// else's may not come back, and has a time limit.
func (j Judge) normalize(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool) (normalizers.Result, error) {
	var made normalization
	if pipeline, isOwn := normalizer.(*normalizers.Pipeline); isOwn {
		if known, ok := j.Memory.kept(pipeline, tool); ok {
			return known, nil
		}
		made = caught(ctx, normalizer, tool)
	} else if _, isOwn := normalizer.(fallingBack); isOwn {
		made = caught(ctx, normalizer, tool)
	} else {
		made = awaited(ctx, normalizer, tool, j.Timeout)
	}
	if made.err != nil {
		return normalizers.Result{}, fmt.Errorf("normalizing for %s: %w", normalizer.Name(), made.err)
	}
	return made.result, nil
}

// normalization is what a normalizer returned.
type normalization struct {
	result normalizers.Result
	err    error
}

// caught runs a normalizer and turns a panic into an error.
func caught(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool) (made normalization) {
	defer func() {
		if caught := recover(); caught != nil {
			made = normalization{err: fmt.Errorf("panic: %v", caught)}
		}
	}()
	result, err := normalizer.Normalize(ctx, tool)
	return normalization{result, err}
}

// awaited is caught of a normalizer that may not come back in time.
func awaited(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool, timeout time.Duration) normalization {
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	done := make(chan normalization, 1)
	go func() { done <- caught(ctx, normalizer, tool) }()
	select {
	case made := <-done:
		if errors.Is(made.err, context.DeadlineExceeded) {
			made.err = context.Cause(ctx)
		}
		return made
	case <-ctx.Done():
		return normalization{err: context.Cause(ctx)}
	}
}
