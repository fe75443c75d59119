package schema

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns "sha256:" and, in hexadecimal, the SHA-256 of the labels, each followed by a
// newline, and of the compact JSON text of the tree. The order of members counts, because
// providers' answers depend on it.
func (n *Node) Digest(labels ...string) string {
	hash := sha256.New()
	for _, label := range labels {
		hash.Write([]byte(label))
		hash.Write([]byte{'\n'})
	}
	hash.Write(n.JSON())
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
