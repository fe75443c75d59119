package recording

import (
	"regexp"
	"sync"
)

// ShortestKey is the length of the shortest secret, in bytes. A shorter value is no
// provider's key, and occurs inside other words.
const ShortestKey = 8

// SecretPattern returns a pattern that matches keys and tokens of providers and of code
// hosts, and similar strings.
var SecretPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{35}|\bAQ\.[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}|` +
		`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bxox[abprs]-[A-Za-z0-9-]{10,}|(?i:bearer) [A-Za-z0-9._~+/-]{20,}|` +
		`-----BEGIN [A-Z ]*PRIVATE KEY-----|\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.`)
})
