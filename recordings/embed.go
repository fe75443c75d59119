// Package recordings embeds the recorded and reported answers of providers.
package recordings

import "embed"

// Files are the recordings by dialect.
//
//go:embed */*/*.json
var Files embed.FS
