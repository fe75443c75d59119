// Package style holds the style sheet shared by all pages: the site, reports in HTML and the
// emulator's page.
package style

import (
	"crypto/sha256"
	_ "embed" // for Sheet
	"encoding/base64"
)

// Sheet is the style sheet. None of its lines begins with a colon.
//
//go:embed style.css
var Sheet string

// Source returns the source expression that allows an inline style or script with this text in
// a Content-Security-Policy.
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
