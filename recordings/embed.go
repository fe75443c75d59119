// Package recordings embeds the recorded and reported answers of providers.
package recordings

import "embed"

// Files holds the recordings, in one folder for each dialect. The
// sources of those in reduced.jsonl name their licences.
//
//go:embed */*/*.json */*/*.jsonl
var Files embed.FS
