// Package history embeds what was measured of programs that others wrote, version by version: one file of JSON Lines
// for each kind, to which lines are only appended. docs/schema/history.schema.json describes a line.
package history

import "embed"

// Files holds one file for each kind.
//
//go:embed *.jsonl
var Files embed.FS
