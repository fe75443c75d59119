package steps_test

import (
	"context"
	"errors"
	"testing"

	"toolproof/internal/steps"
)

var errSpent = errors.New("spent")

// work takes steps one by one until it is stopped or done.
func work(ctx context.Context, limit, wanted int, each func(step int)) (taken int, err error) {
	defer steps.Recover(&err)
	var counter steps.Counter
	counter.Start(ctx, limit, errSpent)
	for step := range wanted {
		each(step)
		counter.Charge(1)
		taken++
	}
	return counter.Taken(), nil
}

func TestCounter(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1, 19_999, 20_000, 20_001, 100_000} {
		taken := 0
		got, err := work(t.Context(), limit, limit, func(int) { taken++ })
		if err != nil || got != limit {
			t.Errorf("of %d steps %d were taken: %v", limit, got, err)
		}
		if _, err = work(t.Context(), limit, limit+1, func(int) {}); !errors.Is(err, errSpent) {
			t.Errorf("%d steps of %d ended with %v", limit+1, limit, err)
		}
	}
}

// TestExtended checks that further steps are asked for once, when the first are spent.
func TestExtended(t *testing.T) {
	t.Parallel()
	asked, taken := 0, 0
	err := func() (err error) {
		defer steps.Recover(&err)
		var counter steps.Counter
		counter.Start(t.Context(), 10, errSpent)
		counter.Extend(func() int { asked++; return 30_000 })
		for counter.Charge(1); ; counter.Charge(1) {
			if taken = counter.Taken(); taken == 10 && asked != 0 {
				t.Error("further steps are asked for before the first are spent")
			}
		}
	}()
	if !errors.Is(err, errSpent) || taken != 30_010 || asked != 1 {
		t.Errorf("%d steps were taken, asked %d times: %v", taken, asked, err)
	}
}

func TestCounterEndsWithItsContext(t *testing.T) {
	t.Parallel()
	const limit, end = 1_000_000, 333_333
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	_, err := work(ctx, limit, limit, func(step int) {
		if last = step; step == end {
			cancel()
		}
	})
	const late = 20_000
	if !errors.Is(err, context.Canceled) || last < end || last > end+late {
		t.Errorf("the work ended at step %d with %v", last, err)
	}
}

func TestOtherPanicsGoOn(t *testing.T) {
	t.Parallel()
	defer func() {
		if caught := recover(); caught != "other" {
			t.Errorf("caught %v", caught)
		}
	}()
	_, _ = work(t.Context(), 1, 1, func(int) { panic("other") })
}

func TestZeroCounterHasNoEnd(t *testing.T) {
	t.Parallel()
	_, err := work(t.Context(), 1, 1, func(int) {
		var counter steps.Counter
		for range 100 {
			counter.Charge(1 << 40)
		}
	})
	if err != nil {
		t.Errorf("the zero counter ended the work: %v", err)
	}
}
