package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestCollectSeldom has four times as much live data as the limit: the garbage collector still runs
// only when the heap has grown by half.
func TestCollectSeldom(t *testing.T) { //nolint:paralleltest // it counts what the garbage collector does
	const limit, live, garbage, piece = 8 << 20, 32 << 20, 640 << 20, 1 << 20
	defer debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetGCPercent(debug.SetGCPercent(Seldom))
	collectSeldom(limit)
	held := make([]byte, live)
	runtime.GC()
	runtime.GC() // by then the function that follows the first has run
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range garbage / piece {
		held[0] += make([]byte, piece)[0]
	}
	runtime.ReadMemStats(&after)
	if runs := after.NumGC - before.NumGC; runs == 0 || runs > 4*garbage/live {
		t.Errorf("the garbage collector runs %d times for %d MB", runs, garbage>>20)
	}
	runtime.KeepAlive(held)
}
