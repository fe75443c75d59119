package rpc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"

	"toolproof/normalizers/calls"
)

// What sets keeps at most.
const (
	mostSets  = 64
	mostBytes = 64 << 20 // of the tools as given
)

// sets keeps the normalized tools of the last requests, so that calls of them can be restored.
type sets struct {
	guard sync.Mutex
	last  []set // the last used one at the end
}

// set is the tools of a request.
type set struct {
	digest   string
	size     int
	declared *calls.Tools
}

// keep adds the tools of a request and returns the digest that finds them. Equal requests have equal
// digests.
func (s *sets) keep(asked normalizing, declared *calls.Tools) string {
	text, err := json.Marshal(asked)
	if err != nil {
		panic(err) // what was read from JSON can be written
	}
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:16])
	s.guard.Lock()
	defer s.guard.Unlock()
	s.last = slices.DeleteFunc(s.last, func(known set) bool { return known.digest == digest })
	s.last = append(s.last, set{digest, len(text), declared})
	size := 0
	for i, known := range slices.Backward(s.last) {
		if size += known.size; i < len(s.last)-mostSets || size > mostBytes && i < len(s.last)-1 {
			s.last = slices.Delete(s.last, 0, i+1)
			break
		}
	}
	return digest
}

// find returns the tools with a digest, or nil.
func (s *sets) find(digest string) *calls.Tools {
	s.guard.Lock()
	defer s.guard.Unlock()
	at := slices.IndexFunc(s.last, func(known set) bool { return known.digest == digest })
	if at < 0 {
		return nil
	}
	found := s.last[at]
	s.last = append(slices.Delete(s.last, at, at+1), found)
	return found.declared
}
