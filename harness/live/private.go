package live

import (
	"errors"
	"net"
	"net/url"
)

// ErrReadable means that a request would go over the network for everybody to read.
var ErrReadable = errors.New("the key would travel readable")

// IsReadable reports whether others can read what is sent to an address: it is neither
// encrypted nor for this machine. A proxy does not matter: none is used for this
// machine, and what is encrypted goes through one as it is.
func IsReadable(address *url.URL) bool {
	if address.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
