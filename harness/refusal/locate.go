// Package refusal reads what providers say when they refuse tools. Recognize finds the
// surface whose words they are, Locate the places that they point at, and RuleOf the rule
// that explains them.
package refusal

import (
	"errors"
	"fmt"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Located is what a provider's refusal says about tools.
type Located struct {
	Dialect *provider.Dialect // whose words they are
	Places  []provider.Place  // those in the tools
	// Missing are places that the refusal names but the tools do not have.
	Missing []provider.Place
}

// Errors of Locate.
var (
	// ErrUnknownWords means that no surface speaks in the words of the refusal.
	ErrUnknownWords = errors.New("the message is in the words of no provider that is known here")
	// ErrNoPlace means that other tools than these were refused.
	ErrNoPlace = errors.New("the tools have no such place")
	// ErrPlaceless means that the words are known but do not say which of several tools
	// or schemas they are about.
	ErrPlaceless = errors.New("the message names no place")
)

// Locate finds the surface whose words a refusal has, and the places that it points at.
// If several surfaces have the same words it takes the one with the most places that the
// message names, then the one with the most places, then the first.
func Locate(refusal provider.Response, tools []schema.Tool, dialects []*provider.Dialect) (Located, error) {
	var best, missed Located
	for _, dialect := range dialects {
		if dialect.Locate == nil {
			continue
		}
		found := Located{Dialect: dialect}
		for _, place := range dialect.Locate(refusal, declare(dialect, tools)) {
			if place.Declaration == provider.Nowhere {
				found.Missing = append(found.Missing, place)
			} else {
				found.Places = append(found.Places, place)
			}
		}
		if isBetter(found.Places, best.Places) {
			best = found
		}
		if isBetter(found.Missing, missed.Missing) {
			missed = found
		}
	}
	switch {
	case len(best.Places) > 0 && (named(best.Places) > 0 || named(missed.Missing) == 0):
		return best, nil
	case len(missed.Missing) == 0:
		return Located{}, ErrUnknownWords
	case named(missed.Missing) == 0:
		return missed, fmt.Errorf("%w: understood as %s", ErrPlaceless, missed.Dialect.Name)
	default:
		var understood []string
		for _, place := range missed.Missing {
			understood = append(understood, place.Location)
		}
		return missed, fmt.Errorf("%w: understood as %s, at %s", ErrNoPlace, missed.Dialect.Name, strings.Join(understood, " and "))
	}
}

// isBetter reports whether the places are more informative than others.
func isBetter(places, others []provider.Place) bool {
	if a, b := named(places), named(others); a != b {
		return a > b
	}
	return len(places) > len(others)
}

// named counts the places that the message names.
func named(places []provider.Place) int {
	count := 0
	for _, place := range places {
		if place.Location != "" {
			count++
		}
	}
	return count
}

// declare returns the declarations of all tools. A tool that could not be read keeps its
// index.
func declare(dialect *provider.Dialect, tools []schema.Tool) []*schema.Node {
	declarations := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		declarations[i] = dialect.Declare(tool)
	}
	return declarations
}
