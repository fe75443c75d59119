package schema

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns "sha256:" and a hexadecimal SHA-256: of the labels, each followed by a
// newline, and the compact text of the tree. Member order counts, because the order of
// members decides a provider's words.
func (n *Node) Digest(labels ...string) string {
	hash := sha256.New()
	for _, label := range labels {
		hash.Write([]byte(label))
		hash.Write([]byte{'\n'})
	}
	hash.Write(n.JSON())
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
