package live

import (
	"errors"
	"fmt"
	"path"
	"sync"
)

// ErrBudget means that a request was not sent, because the budget is spent.
var ErrBudget = errors.New("the budget is spent")

// Budget bounds what a run may cost. It is safe for concurrent use.
type Budget struct {
	Requests int     // at most, those that are repeated too; 0 means any number
	Dollars  float64 // at most; 0 means any amount
	// Reserved is how many requests are kept for controls. Without their last controls the
	// answers of a batch prove nothing. 0 means none.
	Reserved int

	mutex   sync.Mutex
	sent    int
	dollars float64
}

// take counts a request that is about to be sent, with what it costs at most. It leaves so
// many requests, of the same cost, in the budget.
func (b *Budget) take(dollars float64, reserved int) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.Requests > 0 && b.sent+1+reserved > b.Requests {
		return fmt.Errorf("%w: %d requests were sent", ErrBudget, b.sent)
	}
	if b.Dollars > 0 && b.dollars+dollars*float64(1+reserved) > b.Dollars {
		return fmt.Errorf("%w: the next request could cost more than what is left of %s", ErrBudget, Money(b.Dollars))
	}
	b.sent++
	b.dollars += dollars
	return nil
}

// giveBack returns what a request did not cost.
func (b *Budget) giveBack(dollars float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.dollars -= dollars
}

// Spent returns how many requests were sent and what they cost at most, in dollars.
func (b *Budget) Spent() (requests int, dollars float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.sent, b.dollars
}

// Money writes an amount of dollars.
func Money(dollars float64) string {
	if dollars > 0 && dollars < 0.01 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// cost returns what a request of so many bytes costs at most, in dollars; 0 where
// the price is not known. A token has at least one byte, and what a provider adds by
// itself is within the constant.
func (s *Service) cost(size int) float64 {
	price, ok := PriceOf(s.options.Model)
	if !ok {
		return 0
	}
	const added = 1000
	return (float64(size+added)*price.input + least*price.output) / 1e6
}

// PriceOf returns the price of a model.
func PriceOf(model string) (price, bool) {
	for _, price := range prices {
		if matched, err := path.Match(price.model, model); err == nil && matched {
			return price, true
		}
	}
	return price{}, false
}
