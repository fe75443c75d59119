package live

import (
	"errors"
	"fmt"
	"net"
	"net/url"
)

// ErrReadable means that a request would be sent unencrypted to another machine.
var ErrReadable = errors.New("the key would travel unencrypted")

// IsReadable reports whether others can read what is sent to an address: it is neither
// encrypted nor sent to this machine. Proxies make no difference: requests to this
// machine use none, and encrypted ones are tunnelled through.
func IsReadable(address *url.URL) bool {
	if address.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// Private returns an ErrReadable if others can read a key that is sent to an address: one of the
// address itself or a header.
func Private(address *url.URL, headers map[string]string, insecure bool) error {
	hasKey := address.User != nil || address.RawQuery != "" || len(headers) > 0
	if hasKey && IsReadable(address) && !insecure {
		return fmt.Errorf("%w: %s is not this machine", ErrReadable, address.Host)
	}
	return nil
}
