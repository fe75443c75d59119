package run

import (
	"context"
	"iter"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// inOrder calls made for each number below n, on all cores, and yields the values in order. It
// holds a few values per core that wait for their turn. While a value is made and held for
// which isHeavy is true, there is no other. It yields fewer than n values where the context
// ends.
func inOrder[T any](ctx context.Context, n int, isHeavy func(i int) bool, made func(i int) T) iter.Seq2[int, T] {
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
		type order struct {
			i    int
			made chan T
		}
		orders, waiting := make(chan order, all), make(chan chan T, all)
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for one := range orders {
					one.made <- made(one.i) // there is room for it
				}
			}()
		}
		go func() {
			defer close(waiting)
			defer close(orders)
			for i := range n {
				if room.Acquire(ctx, weight(i)) != nil {
					return
				}
				one := order{i, make(chan T, 1)}
				orders <- one // there is room for as many as there are weights
				waiting <- one.made
			}
		}()
		i := 0
		for one := range waiting {
			if !yield(i, <-one) {
				return
			}
			room.Release(weight(i))
			i++
		}
	}
}
