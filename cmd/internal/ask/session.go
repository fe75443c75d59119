// Package ask holds the commands live and minimize, which ask providers and belong to both programs.
package ask

import "toolproof/cmd/internal/cli"

// session is shared by the commands of one run.
type session struct{ *cli.Session }
