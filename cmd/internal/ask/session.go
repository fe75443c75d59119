// Package ask has the commands of both programs that ask providers: live and minimize.
package ask

import "toolproof/cmd/internal/cli"

// session is what the commands of one run share.
type session struct{ *cli.Session }
