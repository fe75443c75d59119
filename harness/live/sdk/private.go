package sdk

import (
	"fmt"
	"net/http"

	"toolproof/harness/live"
)

// private refuses to send what others could read, wherever the address comes from:
// official clients also take one from the environment.
type private struct {
	below    http.RoundTripper
	insecure bool
}

// RoundTrip sends the request.
func (p private) RoundTrip(request *http.Request) (*http.Response, error) {
	if live.IsReadable(request.URL) && !p.insecure {
		return nil, fmt.Errorf("%w: %s is not this machine", live.ErrReadable, request.URL.Host)
	}
	return p.below.RoundTrip(request) //nolint:wrapcheck // the client says whose error it is
}
