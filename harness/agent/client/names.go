package client

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// Names says what a client makes of the name of a server's tool, besides the Prefix.
//
// Source: what each client sent of the tools in lab/clients/agents/tricky-tools.json, in
// docs/clients.json.
type Names struct {
	// Keeps are the characters that stay as they are, besides ASCII letters and digits. Any other
	// becomes For. An empty For keeps all.
	Keeps, For string
	// Longest is the longest name that the client sends, in characters. It is 0 if the client does
	// not shorten names.
	Longest int
	// CutsMiddle is set if the client shortens a name in the middle, with three dots.
	CutsMiddle bool
	// Hashes is set if a name that was changed ends in a hash, so that different names stay
	// different.
	Hashes bool
	// Servers are the characters that the name of a server may have, besides ASCII letters and digits: the
	// client sends no tool of another server. It is empty if the client takes all.
	Servers string
	// Equal says which tools it sends of several that have one name, and Order in which order it sends
	// the tools of its servers. Measured on 2026-11-28 with four servers: harness/agent/testdata/together.json.
	Equal Equal
	Order Order
	// Space is the namespace in which the client declares the tools of a server, with SERVER in place
	// of the name of the server; empty if it uses none.
	Space string
}

// Equal says which tools a client sends of several that have one name.
type Equal int

// The choices.
const (
	SendsOne   Equal = iota // one of them; which one depends on which server is ready first, or is not known
	SendsFirst              // the first, in the order of the configuration
	SendsAll                // all of them, so that the request has one name twice
)

// Order is the order in which a client sends the tools of its servers.
type Order int

// The orders.
const (
	UnknownOrder  Order = iota
	AsListed            // servers as the configuration has them, and tools as their server lists them
	ByServer            // servers by name, as a locale compares names, and tools as their server lists them
	ByName              // by the names that are sent, character by character
	ByNameAsWords       // by the names that are sent, as a locale compares names
)

// IsOfServer reports whether tools are sent as their server lists them, so that a server that changes
// the order changes the request.
func (o Order) IsOfServer() bool { return o == AsListed || o == ByServer }

// Limit is the greatest number of tools that a client takes.
type Limit struct {
	Tools int
	// LeavesOut is set if the client leaves out the whole server whose tools exceed the limit, and Refuses if the
	// request with more tools is refused.
	LeavesOut, Refuses bool
	// Says is what the source says happens to more tools. Source is its address, and Date its day.
	Says, Source, Date string
}

// hashLength is the length of the hash that Sent puts behind a changed name. The clients' own hashes
// have 7 or 8 characters.
const hashLength = 8

// Sent returns the name under which the client declares a tool of a server, and the namespace that
// it declares it in, if it uses one. The hash behind a changed name is not the client's own.
func (r *Run) Sent(server, tool string) (space, name string) {
	names := r.Names
	given := strings.Replace(r.Prefix, "SERVER", server, 1) + tool
	name = names.cleaned(given)
	if names.Space != "" {
		space = strings.Replace(names.Space, "SERVER", names.cleaned(server), 1)
	}
	letters := []rune(name)
	isLong := names.Longest > 0 && len(letters) > names.Longest
	switch {
	case names.Hashes && (isLong || name != given):
		sum := sha256.Sum256([]byte(given))
		hash := "_" + hex.EncodeToString(sum[:])[:hashLength]
		name = string(letters[:min(len(letters), names.Longest-len(hash))]) + hash
	case isLong && names.CutsMiddle:
		const dots = "..."
		half := (names.Longest - len(dots)) / 2
		name = string(letters[:half]) + dots + string(letters[len(letters)-half:])
	case isLong:
		name = string(letters[:names.Longest])
	}
	return space, name
}

// TakesServer reports whether the client sends tools of a server with a name.
func (r *Run) TakesServer(name string) bool {
	return !slices.Contains(r.Reserved, name) && (r.Names.Servers == "" || !strings.ContainsFunc(name, func(sign rune) bool { return !isKept(sign, r.Names.Servers) }))
}

// isKept reports whether a sign is an ASCII letter, a digit or among others.
func isKept(sign rune, others string) bool {
	return sign >= 'a' && sign <= 'z' || sign >= 'A' && sign <= 'Z' || sign >= '0' && sign <= '9' || strings.ContainsRune(others, sign)
}

// cleaned returns a name with the client's character for each that it does not keep.
func (n Names) cleaned(name string) string {
	if n.For == "" {
		return name
	}
	var cleaned strings.Builder
	for _, r := range name {
		if isKept(r, n.Keeps) {
			cleaned.WriteRune(r)
		} else {
			cleaned.WriteString(n.For)
		}
	}
	return cleaned.String()
}

// signs are the signs in names, in the order in which a locale compares them: before digits, and these
// before letters.
const signs = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// CompareAsWords compares names as a locale does (String.prototype.localeCompare of JavaScript): signs
// before digits before letters, and a small letter before its capital if nothing else differs.
func CompareAsWords(a, b string) int {
	weight := func(r rune) int {
		if at := strings.IndexRune(signs, r); at >= 0 {
			return at - len(signs)
		}
		return int(unicode.ToLower(r))
	}
	first, second := []rune(a), []rune(b)
	for i := range min(len(first), len(second)) {
		if order := cmp.Compare(weight(first[i]), weight(second[i])); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(len(first), len(second)), -strings.Compare(a, b))
}
