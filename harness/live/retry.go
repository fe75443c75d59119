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

// Retry says how often a request is repeated whose answer may be another the next
// time. The waits double, and a random part is taken off them, so that not all that
// failed together comes back together. A longer wait that the provider asks for is
// kept.
type Retry struct {
	Attempts int           // in all; 0 means 6
	First    time.Duration // wait; 0 means a second
	Longest  time.Duration // wait, also of those the provider asks for; 0 means a minute
	// Waiting is called before each wait, with the failed attempt, counted from 1. It may be nil.
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

// wait returns how long to wait after a failed attempt, counted from 1, or false where
// the provider asks for more than the longest.
func (r Retry) wait(attempt int, asked string) (wait time.Duration, ok bool) {
	wait = min(r.First<<min(attempt-1, 30), r.Longest)
	wait -= rand.N(wait/2 + 1) //nolint:gosec // it only spreads the load
	after := parseWait(asked)
	return max(wait, after), after <= r.Longest
}

// parseWait reads what a provider says of how long to wait: seconds, a duration as
// Google writes it, or a date.
func parseWait(text string) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// waitOf returns what an answer says of how long to wait: in a header, or in the
// details of Google's error.
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

// ask sends a request until there is an answer that says something, or until the
// attempts or the budget are spent.
func (c *Client) ask(ctx context.Context, request provider.Request) (Exchange, error) {
	return c.askWithin(ctx, request, c.service.options.Budget.Reserved)
}

// askWithin is ask where so many requests are to be left in the budget.
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
				c.service.options.Budget.giveBack(cost) // a refusal is not billed
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

// ending keeps why a service is not asked any more.
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
