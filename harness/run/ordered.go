package run

import (
	"context"
	"iter"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// inOrder calls compute for each number below n, on all cores, and yields the values in order. It
// holds at most a few values per core that wait for their turn. While a value for which isHeavy is
// true is computed and held, no other value is. If the context ends, inOrder yields fewer than n
// values.
func inOrder[T any](ctx context.Context, n int, isHeavy func(i int) bool, compute func(i int) T) iter.Seq2[int, T] {
	const perCore = 2
	all := int64(perCore * runtime.GOMAXPROCS(0))
	weight := func(i int) int64 {
		if isHeavy(i) {
			return all
		}
		return 1
	}
	return func(yield func(int, T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		room := semaphore.NewWeighted(all)
		type job struct {
			i     int
			value chan T
		}
		jobs, waiting := make(chan job, all), make(chan chan T, all)
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for job := range jobs {
					job.value <- compute(job.i) // the channel has room for it
				}
			}()
		}
		go func() {
			defer close(waiting)
			defer close(jobs)
			for i := range n {
				if room.Acquire(ctx, weight(i)) != nil {
					return
				}
				job := job{i, make(chan T, 1)}
				jobs <- job // the channel has room for all that the semaphore lets through
				waiting <- job.value
			}
		}()
		i := 0
		for value := range waiting {
			if !yield(i, <-value) {
				return
			}
			room.Release(weight(i))
			i++
		}
	}
}
