package live

import (
	"errors"
	"fmt"
	"path"
	"sync"
)

// ErrBudget means that a request was not sent because the budget is spent.
var ErrBudget = errors.New("the budget is spent")

// Budget limits what a run may cost. It is safe for concurrent use.
type Budget struct {
	Requests int      // at most, including repeated ones; 0 means no limit
	Dollars  *float64 // at most; nil means no limit
	// Reserved is the number of requests kept for controls, since the answers of a batch
	// prove nothing without its final controls. 0 means none.
	Reserved int

	mutex   sync.Mutex
	sent    int
	dollars float64
}

// take charges a request that is about to be sent with its highest possible cost. It
// fails if fewer than reserved further requests of that cost would be left.
func (b *Budget) take(dollars float64, reserved int) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.Requests > 0 && b.sent+1+reserved > b.Requests {
		return fmt.Errorf("%w: %d requests were sent", ErrBudget, b.sent)
	}
	if b.Dollars != nil && b.dollars+dollars*float64(1+reserved) > *b.Dollars {
		return fmt.Errorf("%w: the next request could cost more than what is left of %s", ErrBudget, Money(*b.Dollars))
	}
	b.sent++
	b.dollars += dollars
	return nil
}

// giveBack returns the part of a charge that was not spent.
func (b *Budget) giveBack(dollars float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.dollars -= dollars
}

// Spent returns the number of requests sent, and at most how many dollars they cost.
func (b *Budget) Spent() (requests int, dollars float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.sent, b.dollars
}

// Money formats an amount of dollars.
func Money(dollars float64) string {
	if dollars > 0 && dollars < 0.01 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// cost returns an upper bound, in dollars, for the cost of a request with a body of size bytes; 0
// if the price is unknown. It counts one token per byte. A constant covers what the provider adds
// and what the request itself costs.
func (s *Service) cost(size int) float64 {
	price, ok := PriceOf(s.options.Model)
	if !ok {
		return 0
	}
	const added = 1000
	return (float64(size+added)*price.input + least*price.output) / 1e6
}

// PriceOf returns the price of a model.
func PriceOf(model string) (Price, bool) {
	for _, price := range prices {
		if matched, err := path.Match(price.model, model); err == nil && matched {
			return price, true
		}
	}
	return Price{}, false
}
