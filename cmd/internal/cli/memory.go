package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// Seldom is the GOGC of the program: the heap may grow to five times the live data before the
	// garbage collector runs, because most commands end before there is much garbage.
	Seldom = 400
	// softMemoryLimit is the memory, in bytes, from which on the heap may exceed the live data only by
	// half, so that hostile input stays below 300 MB. GOGC or GOMEMLIMIT in the environment replace both.
	softMemoryLimit = 200 << 20
)

// collectSeldom sets when the garbage collector runs: seldom, until the process takes so many bytes of
// memory. The limit grows with the live data, because the collector would run without end if it were
// below them.
func collectSeldom(limit int64) {
	debug.SetGCPercent(Seldom)
	debug.SetMemoryLimit(limit)
	afterCollections(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetMemoryLimit(max(limit, 3*int64(live[0].Value.Uint64())/2)) //nolint:gosec // no heap is so large
	})
}

// afterCollections calls a function after each run of the garbage collector.
func afterCollections(call func()) {
	type garbage struct{ _ *int } // of a size that gets memory of its own
	runtime.AddCleanup(new(garbage), func(int) {
		call()
		afterCollections(call)
	}, 0)
}
