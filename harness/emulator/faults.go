package emulator

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is a failure that is not caused by the request.
type Fault string

// The faults.
const (
	TooManyRequests Fault = "429"     // the provider's error, with a Retry-After of one second
	ServerError     Fault = "500"     // the provider's error
	Overloaded      Fault = "529"     // status 529 on Anthropic's API and 503 elsewhere, with a Retry-After of one second
	Timeout         Fault = "timeout" // no answer until the client is gone
	Garbage         Fault = "garbage" // status 200 with a body that is not JSON
	Slow            Fault = "slow"    // the right answer, late
	Reset           Fault = "reset"   // the connection is reset
)

// statusOverloaded is Anthropic's status for an overloaded API.
const statusOverloaded = 529

var faults = []Fault{TooManyRequests, ServerError, Overloaded, Timeout, Garbage, Slow, Reset}

const (
	defaultDelay = 2 * time.Second
	longest      = 10 * time.Minute // that Timeout keeps a connection open
)

// Faults maps each fault to the share of requests, from 0 to 1, that it happens to. The seed
// and the number of the request determine which these are.
type Faults map[Fault]float64

// ParseFaults reads faults with their shares, such as "429=0.2,timeout=0.02". The share of a
// fault without a number is 1.
func ParseFaults(text string) (Faults, error) {
	parsed, sum := Faults{}, 0.0
	for item := range strings.SplitSeq(text, ",") {
		name, share, hasShare := strings.Cut(strings.TrimSpace(item), "=")
		fault, rate := Fault(name), 1.0
		if !slices.Contains(faults, fault) {
			return nil, fmt.Errorf("unknown fault %q: use some of 429, 500, 529, timeout, garbage, slow, reset", name)
		}
		if hasShare {
			var err error
			if rate, err = strconv.ParseFloat(share, 64); err != nil || !(rate >= 0 && rate <= 1) {
				return nil, fmt.Errorf("the share of fault %s is %q: use a number from 0 to 1", name, share)
			}
		}
		sum += rate - parsed[fault]
		parsed[fault] = rate
	}
	if sum > 1 {
		return nil, fmt.Errorf("the shares of the faults add up to %g, which is more than 1", sum)
	}
	return parsed, nil
}

// draw returns the fault of a request, or "".
func (f Faults) draw(seed, request uint64) Fault {
	if len(f) == 0 {
		return ""
	}
	drawn := rand.New(rand.NewPCG(seed, request)).Float64() //nolint:gosec // faults have to be reproducible
	for _, fault := range faults {
		if drawn -= f[fault]; drawn < 0 {
			return fault
		}
	}
	return ""
}

// instead answers as the fault demands and reports true, or reports false if the request is to
// be answered.
func (f Fault) instead(writer http.ResponseWriter, request *http.Request, service *service) bool {
	switch f {
	case TooManyRequests:
		writer.Header().Set("Retry-After", "1")
		service.failed(http.StatusTooManyRequests, "Resource has been exhausted (fault of the emulator).").identified(writer.Header()).send(writer)
	case ServerError:
		service.failed(http.StatusInternalServerError, "An internal error has occurred (fault of the emulator).").identified(writer.Header()).send(writer)
	case Overloaded:
		writer.Header().Set("Retry-After", "1")
		status := http.StatusServiceUnavailable
		if service == claude {
			status = statusOverloaded
		}
		service.failed(status, "Overloaded").identified(writer.Header()).send(writer)
	case Timeout:
		wait(request, longest)
		panic(http.ErrAbortHandler) // ends the connection
	case Garbage:
		reply{status: http.StatusOK, contentType: typeJSON, chunks: [][]byte{[]byte("<html>not what was asked for (fault of the emulator)</html>")}}.send(writer)
	case Reset:
		reset(writer)
		panic(http.ErrAbortHandler)
	default:
		return false
	}
	return true
}

// wait waits for the delay to pass, the client to leave or the server to end.
func wait(request *http.Request, delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-request.Context().Done():
	}
}

// reset closes a connection with a TCP reset, so that the client sees an error.
func reset(writer http.ResponseWriter) {
	connection, _, err := http.NewResponseController(writer).Hijack()
	if err != nil {
		return // HTTP/2: the caller ends the stream
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // to send RST on Close
	}
	_ = connection.Close()
}
