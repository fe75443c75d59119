// Package style has the style sheet that all pages share: those of the site, the reports in
// HTML and the page of the emulator.
package style

import (
	"crypto/sha256"
	_ "embed" // for Sheet
	"encoding/base64"
)

// Sheet is the style sheet. No line of it begins with a colon.
//
//go:embed style.css
var Sheet string

// Source returns how a Content-Security-Policy names a style or script that is inside a page:
// by its text.
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
