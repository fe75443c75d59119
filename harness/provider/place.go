package provider

import (
	"strings"

	"toolproof/schema"
)

// Place is where a provider's message points, in the declarations that it is read
// with.
type Place struct {
	// Declaration counts from 0; -1 when the declarations do not have the place.
	Declaration int
	// At leads from the tool to the value, as in a Finding: "/parameters/properties/x".
	// A value that is missed is pointed at by what it is missed in.
	At schema.Pointer
	// Location is the place in the provider's own syntax.
	Location string
	// Message is the part of the message that speaks of the place.
	Message string
}

// Nowhere is the Declaration of a place that the declarations do not have.
const Nowhere = -1

// Alike reports whether one message says what the other does, or a part of it.
// Numbers and spaces are left aside: they are those of another request.
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

// DeclarationNamed returns the declaration of a function by its name. Clients put the
// name of a server before it: then it is the only declaration whose name ends the
// function's. It returns Nowhere when there is none.
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

// NameOf returns the name of a declared function, or "". The declarations of some surfaces
// are whole tools, which have the function in a member.
func NameOf(declaration *schema.Node) string {
	if inner := declaration.Get("function"); inner != nil {
		return inner.GetString("name")
	}
	return declaration.GetString("name")
}

// WithName returns the declaration of a function with another name. All else is shared.
func WithName(declaration *schema.Node, name string) *schema.Node {
	if inner := declaration.Get("function"); inner != nil {
		return declaration.With("function", WithName(inner, name))
	}
	return declaration.With("name", schema.NewString(name))
}

// DeclarationAt returns the declaration at an index that a provider tells. Where
// there is one alone, it is meant: people paste the tool that was refused and not
// the whole request.
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
