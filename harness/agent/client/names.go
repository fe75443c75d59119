package client

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
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
	// SendsEqual is set if the client sends all tools that have one name; others send one of them.
	// Measured on 2026-11-24 with four servers: harness/agent/testdata/together.json.
	SendsEqual bool
	// Space is the namespace in which the client declares the tools of a server, with SERVER in place
	// of the name of the server; empty if it uses none.
	Space string
}

// Limit is the greatest number of tools of servers that a client takes.
type Limit struct {
	Tools int
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

// cleaned returns a name with the client's character for each that it does not keep.
func (n Names) cleaned(name string) string {
	if n.For == "" {
		return name
	}
	var cleaned strings.Builder
	for _, r := range name {
		isKept := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(n.Keeps, r)
		if isKept {
			cleaned.WriteRune(r)
		} else {
			cleaned.WriteString(n.For)
		}
	}
	return cleaned.String()
}
