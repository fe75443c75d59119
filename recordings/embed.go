// Package recordings embeds the recorded and reported answers of providers.
package recordings

import "embed"

// Files holds the recordings, in one folder for each dialect.
//
//go:embed */*/*.json
var Files embed.FS
