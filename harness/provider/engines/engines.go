// Package engines models the engines that people run themselves.
package engines

import "slices"

// Dialects are the surfaces, in the order in which they are listed.
var Dialects = slices.Concat(llamaDialects, xgrammarDialects)
