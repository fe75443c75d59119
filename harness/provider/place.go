package provider

import (
	"strings"

	"toolproof/schema"
)

// Place is where a provider's message points, in the declarations of the request.
type Place struct {
	// Declaration counts from 0; it is Nowhere if the declarations do not have the place, and
	// Elsewhere if the place is in another part of the request.
	Declaration int
	// Name is the name that the message has for the declaration; empty if it has none, or only
	// a number.
	Name string
	// At leads from the tool to the value, as in a Finding: "/parameters/properties/x".
	// For a missing member it leads to the value that lacks it.
	At schema.Pointer
	// Location is the place in the provider's own syntax.
	Location string
	// Message is the part of the message that is about the place.
	Message string
}

// The Declarations of places that are not in the declarations.
const (
	Nowhere   = -1
	Elsewhere = -2
)

// Alike reports whether one message equals the other or is a part of it, apart from
// numbers and spaces, which differ from request to request.
func Alike(a, b string) bool {
	a, b = wordsOf(a), wordsOf(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

func wordsOf(message string) string {
	return strings.Map(func(letter rune) rune {
		if strings.ContainsRune("0123456789 \n\t", letter) {
			return -1
		}
		return letter
	}, message)
}

// DeclarationNamed returns the index of the declaration of a function, or Nowhere. Because
// clients put the name of a server before the name of a function, a declaration whose name ends
// the function's also counts if none has the very name; of several, the one with the longest
// name does.
func DeclarationNamed(declarations []*schema.Node, function string) int {
	longest, found := 0, Nowhere
	for i, declaration := range declarations {
		name := NameOf(declaration)
		if name == function {
			return i
		}
		prefix, ok := strings.CutSuffix(function, name)
		if !ok || name == "" || !strings.HasSuffix(prefix, "_") && !strings.HasSuffix(prefix, "-") && !strings.HasSuffix(prefix, ".") {
			continue
		}
		if len(name) > longest {
			longest, found = len(name), i
		}
	}
	return found
}

// NameOf returns the name of a declared function, or "". The declaration may also be a whole
// tool, which has the function in a member.
func NameOf(declaration *schema.Node) string {
	if inner := declaration.Get("function"); inner != nil {
		return inner.GetString("name")
	}
	return declaration.GetString("name")
}

// WithName returns a copy of a declaration with another name. The copy shares everything else
// with the original.
func WithName(declaration *schema.Node, name string) *schema.Node {
	if inner := declaration.Get("function"); inner != nil {
		return declaration.With("function", WithName(inner, name))
	}
	return declaration.With("name", schema.NewString(name))
}

// DeclarationAt returns the index of the declaration that a provider means by an index, or
// Nowhere. A single declaration is meant whatever the index is, because people paste the tool
// that was refused rather than the whole request.
func DeclarationAt(declarations []*schema.Node, index int) int {
	switch {
	case index >= 0 && index < len(declarations):
		return index
	case len(declarations) == 1:
		return 0
	default:
		return Nowhere
	}
}
