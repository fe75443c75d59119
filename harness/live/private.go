package live

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// ErrReadable means that a request would go over the network for everybody to read.
var ErrReadable = errors.New("the key would travel readable")

// IsReadable reports whether what is sent to an address can be read on its way: it is
// neither encrypted nor for this machine. A proxy does not matter: none is used for this
// machine, and what is encrypted goes through one as it is.
func IsReadable(address *url.URL) bool {
	if address.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// private sends nothing that can be read, wherever the address comes from: the clients
// of providers also look for one in the environment.
type private struct {
	below    http.RoundTripper
	insecure bool
}

// RoundTrip sends the request.
func (p private) RoundTrip(request *http.Request) (*http.Response, error) {
	if IsReadable(request.URL) && !p.insecure {
		return nil, fmt.Errorf("%w: %s is not this machine", ErrReadable, request.URL.Host)
	}
	return p.below.RoundTrip(request) //nolint:wrapcheck // the client says whose error it is
}
