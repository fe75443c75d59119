package live

import (
	"errors"
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
