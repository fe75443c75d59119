package live

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolproof/harness/provider"
)

// Retry says how often to repeat a request that may succeed the next time. Waits double,
// and are shortened at random so that requests that failed together do not all come back
// together. A longer wait that the provider asks for is respected.
type Retry struct {
	Attempts int           // in total; 0 means 6
	First    time.Duration // wait; 0 means a second
	Longest  time.Duration // wait, even if the provider asks for more; 0 means a minute
	// Waiting is called before each wait with the number of the failed attempt, from 1.
	// It may be nil.
	Waiting func(attempt int, wait time.Duration, failure error)
}

func (r Retry) orDefault() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 6
	}
	if r.First <= 0 {
		r.First = time.Second
	}
	if r.Longest <= 0 {
		r.Longest = time.Minute
	}
	return r
}

// wait returns how long to wait after a failed attempt, numbered from 1. It returns false
// if the provider asks for more than Longest.
func (r Retry) wait(attempt int, demanded string) (wait time.Duration, ok bool) {
	wait = min(r.First<<min(attempt-1, 30), r.Longest)
	wait -= rand.N(wait/2 + 1) //nolint:gosec // it only spreads the load
	after := parseWait(demanded)
	return max(wait, after), after <= r.Longest
}

// parseWait parses a wait: seconds, a duration in Google's notation, or a date.
func parseWait(text string) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// waitOf returns the wait that an answer asks for: in a header, or in the details of
// Google's error.
func waitOf(reply Reply) string {
	if after := reply.Header.Get("Retry-After"); after != "" {
		return after
	}
	var body struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"` //nolint:tagliatelle // Google's name
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(reply.Body, &body) == nil {
		for _, detail := range body.Error.Details {
			if detail.RetryDelay != "" {
				return detail.RetryDelay
			}
		}
	}
	return ""
}

// ask sends a request until an answer says something, or until the attempts or the budget
// are spent.
func (c *Client) ask(ctx context.Context, request provider.Request) (Exchange, error) {
	return c.askWithin(ctx, request, c.service.options.Budget.Reserved)
}

// askWithin is ask, leaving at least reserved requests in the budget.
func (c *Client) askWithin(ctx context.Context, request provider.Request, reserved int) (Exchange, error) {
	retry := c.service.options.Retry.orDefault()
	for attempt := 1; ; attempt++ {
		if err := c.service.ended.err(); err != nil {
			return Exchange{}, err
		}
		if err := c.service.limiter.Wait(ctx); err != nil {
			return Exchange{}, err //nolint:wrapcheck // the context's
		}
		cost := c.service.cost(len(request.Body.JSON()))
		if err := c.service.options.Budget.take(cost, reserved); err != nil {
			return Exchange{}, err
		}
		answer, err := c.once(ctx, request)
		if err == nil {
			if answer.Response.Verdict == provider.Rejected {
				c.service.options.Budget.giveBack(cost) // refusals are not billed
			}
			return answer, nil
		}
		failure, ok := errors.AsType[*NoVerdictError](err)
		if !ok || failure.kind != passing || attempt == retry.Attempts || ctx.Err() != nil {
			return Exchange{}, err
		}
		wait, ok := retry.wait(attempt, failure.after)
		if !ok {
			return Exchange{}, err
		}
		if retry.Waiting != nil {
			retry.Waiting(attempt, wait, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return Exchange{}, ctx.Err()
		}
	}
}

// ending records why a service is not asked any more.
type ending struct {
	mutex sync.Mutex
	cause error
}

func (e *ending) end(cause error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.cause == nil {
		e.cause = cause
	}
}

func (e *ending) err() error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.cause
}
