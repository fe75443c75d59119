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

// errTimeout means that a normalizer did not return in time.
var errTimeout = errors.New("the normalizer took too long")

// normalize runs a normalizer, and turns a panic into an error. The project's own pipelines bound
// their steps, so that they end alike on every machine. Any other normalizer may never return, and
// has a time limit.
func (j Judge) normalize(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool) (normalizers.Result, error) {
	run := j.await
	switch normalizer.(type) {
	case *normalizers.Pipeline, fallingBack:
		run = recovered
	}
	result, err := run(ctx, normalizer, tool)
	if err != nil {
		return normalizers.Result{}, fmt.Errorf("normalizing for %s: %w", normalizer.Name(), err)
	}
	return result, nil
}

// recovered runs a normalizer and turns a panic into an error.
func recovered(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool) (result normalizers.Result, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	return normalizer.Normalize(ctx, tool)
}

// await is recovered with a time limit: it leaves a normalizer behind that does not return.
func (j Judge) await(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool) (normalizers.Result, error) {
	timeout := j.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	var result normalizers.Result
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = recovered(ctx, normalizer, tool)
	}()
	select {
	case <-done:
		if errors.Is(err, context.DeadlineExceeded) {
			err = context.Cause(ctx)
		}
		return result, err //nolint:wrapcheck // normalize wraps it
	case <-ctx.Done():
		return normalizers.Result{}, context.Cause(ctx) //nolint:wrapcheck // normalize wraps it
	}
}
