// Package refusal reads what providers say when they refuse tools. Recognize finds the
// surface whose words they are, Locate the places that they point at, and RuleOf the rule
// that explains them.
package refusal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// Located is what a provider's refusal says about tools.
type Located struct {
	Dialect *provider.Dialect // whose words they are
	Places  []Place           // those in the tools
	// Missing are places that the refusal names but the tools do not have.
	Missing []provider.Place
	// Message is the provider's message, without what clients, logs and terminals put around it.
	Message string
}

// Place is a place in the tools at which a refusal points.
type Place struct {
	provider.Place

	// Rule is the rule that refuses the place in these words; nil if none is known.
	Rule *provider.Rule
}

// Day returns the newest day on which all rules that explain the places held together, as far as
// there is one, or "" if they hold on the given day.
func (l *Located) Day(today provider.Date) provider.Date {
	day := today
	for i := range l.Places {
		if rule := l.Places[i].Rule; rule != nil {
			day = rule.DayNear(day)
		}
	}
	if day == today {
		return ""
	}
	return day
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
	// ErrInnocent means that the message counts tools, and that the tool at its number is not
	// known to be refused in these words.
	ErrInnocent = errors.New("no tool is known to be refused in these words")
	// ErrRequest means that something in the request besides its tools was refused.
	ErrRequest = errors.New("the message is about the request, not about one of its tools")
)

// RequestError says which rule refuses something in the request besides its tools in the words of a
// message. It is an ErrRequest.
type RequestError struct {
	// Conversation is a rule about requests; nil if Rule is a rule of the surface Dialect.
	Conversation *conversation.Rule
	Dialect      *provider.Dialect
	Rule         *provider.Rule
}

// Error names the services or the surface, and what they demand.
func (e *RequestError) Error() string {
	if e.Conversation == nil {
		return fmt.Sprintf("%v: %s: %s", ErrRequest, e.Dialect.Name, e.Rule.Title())
	}
	return fmt.Sprintf("%v: %s: %s", ErrRequest, strings.Join(e.Conversation.Services, ", "), e.Conversation.Doc)
}

// Unwrap returns ErrRequest.
func (*RequestError) Unwrap() error { return ErrRequest }

// Locator finds what refusals say about tools.
type Locator struct {
	// Dialects are the surfaces that a refusal may come from; of several with the same words the
	// first counts.
	Dialects []*provider.Dialect
	// AsOf and ModelName are as those of a provider.Model. Rules that hold then are preferred to
	// those that hold on other days or for other models.
	AsOf      provider.Date
	ModelName string
}

// Locate finds the surface whose words a pasted text has, and the places that it points at. A
// place counts if the surface's model refuses it in these words on any day, or if the message
// names it beyond doubt: a number alone does not, because agents merge lists of tools.
func (l Locator) Locate(ctx context.Context, text string, tools []schema.Tool) (Located, error) {
	paste := read(text)
	if paste.isOfContents() {
		return Located{Message: paste.message()}, fmt.Errorf("%w: %s", ErrRequest, Conversation.Doc())
	}
	rule, letters := paste.aboutRequest()
	search := &search{Locator: l, paste: paste, tools: tools, isOfRequest: letters >= fewestOfRequest}
	if err := search.all(ctx); err != nil {
		return Located{}, err
	}
	slices.SortStableFunc(search.found, func(a, b *reading) int { return b.compare(a) })
	isOfRequest := rule != nil && (len(search.found) == 0 || letters > search.found[0].covered && letters >= fewestOfRequest ||
		letters >= search.found[0].covered && (search.found[0].named() == 0 || search.found[0].covered == 0))
	if len(search.found) == 0 || isOfRequest {
		if rule != nil {
			return Located{Message: search.paste.message()}, &RequestError{Conversation: rule}
		}
		if aside := paste.aside(); aside != "" {
			return Located{Message: paste.message()}, fmt.Errorf("%w: %s", ErrRequest, aside.Doc())
		}
		return Located{}, ErrUnknownWords
	}
	best := search.found[0]
	located := Located{Dialect: best.dialect, Places: best.places, Missing: best.missing, Message: search.paste.message()}
	if len(best.places) > 0 {
		return located, nil
	}
	return located, best.whyNot(tools)
}

// whyNot returns the error of a message that is understood and means none of the tools.
func (r *reading) whyNot(tools []schema.Tool) error {
	var understood, counted []string
	for i := range r.missing {
		place := &r.missing[i]
		if place.Location != "" {
			understood = append(understood, place.Location)
		}
		if place.Declaration >= 0 && place.Location != "" {
			counted = append(counted, fmt.Sprintf("%s would be %s", place.Location, tools[place.Declaration].Name))
		}
	}
	where := strings.Join(slices.Compact(understood), " and ")
	isOfRequest := slices.ContainsFunc(r.missing, func(place provider.Place) bool { return place.Declaration == provider.Elsewhere })
	switch {
	case r.ofBody != nil:
		return &RequestError{Dialect: r.dialect, Rule: r.ofBody}
	case isOfRequest:
		return fmt.Errorf("%w: understood as %s, at %s", ErrRequest, r.dialect.Name, where)
	case len(counted) > 0:
		return fmt.Errorf("%w: understood as %s, where %s", ErrInnocent, r.dialect.Name, strings.Join(slices.Compact(counted), " and "))
	case where == "":
		return fmt.Errorf("%w: understood as %s", ErrPlaceless, r.dialect.Name)
	default:
		return fmt.Errorf("%w: understood as %s, at %s", ErrNoPlace, r.dialect.Name, where)
	}
}
