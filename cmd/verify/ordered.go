package main

import (
	"context"
	"iter"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// inOrder makes n values on all cores and yields them in order. A value of weight 1
// waits for its turn beside some others; one that takes much memory weighs all, so that
// no other is there. It yields fewer values where the context ends.
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
