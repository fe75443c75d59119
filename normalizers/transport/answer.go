package transport

import (
	"slices"
	"strings"

	"toolproof/normalizers/calls"
	"toolproof/schema"
)

// answer is an answer whose calls are restored.
type answer struct {
	api     *api
	tools   *tools
	problem func(error)
	// seen are the calls by their identifiers, because a stream of Responses repeats each.
	seen     map[string]seen
	seenSize int // of their texts, in bytes
	size     int // of the calls that are held, in bytes
}

// seen is what became of the text of a call.
type seen struct{ text, restored string }

// newAnswer returns an answer to a request with tools.
func newAnswer(api *api, tools *tools, problem func(error)) *answer {
	return &answer{api: api, tools: tools, problem: problem, seen: map[string]seen{}}
}

// whole restores the calls in the text of a whole answer. A text without calls, and one that cannot be
// read, stay as they are.
func (a *answer) whole(text []byte) []byte {
	body, err := schema.Parse(text)
	if err != nil {
		a.problem(&unreadError{"the answer", err})
		return text
	}
	isChanged := false
	for _, answered := range each(body) { // Google streams a list to a client that does not ask for events
		isChanged = a.restoreAll(a.api.answered(answered)) || isChanged
	}
	if !isChanged {
		return text
	}
	return body.JSON()
}

// restoreAll restores calls, and reports whether it changed any.
func (a *answer) restoreAll(answered []call) (isChanged bool) {
	for _, called := range answered {
		name := called.GetString("name")
		given, isKnown := a.begin(called.id, name)
		switch {
		case !isKnown:
		case called.First("partialArgs", "willContinue") != nil:
			isChanged = called.set(given, called.text()) || isChanged
			a.problem(&CallError{called.id, given, called.text(), errInPieces})
		default:
			isChanged = called.set(given, a.arguments(called.id, name, called.text())) || isChanged
		}
	}
	return isChanged
}

// begin returns the given name of a tool by the name that a model calls, and whether the tool was
// normalized.
func (a *answer) begin(id, name string) (given string, isKnown bool) {
	given, isKnown = a.tools.given[name]
	if !isKnown && name != "" && !slices.Contains(a.tools.others, name) && !a.isSeen(id, "") {
		a.remember(id, seen{})
		a.problem(&CallError{ID: id, Tool: name, Err: &calls.UnknownToolError{Name: name}})
	}
	return given, isKnown
}

// isSeen reports whether a call came before with the same text.
func (a *answer) isSeen(id, text string) bool {
	before, isSeen := a.seen[id]
	return isSeen && before.text == text
}

// remember keeps what became of a call. It forgets the calls before it if they take too much.
func (a *answer) remember(id string, call seen) {
	if id == "" {
		return
	}
	if a.seenSize += sizeOfHeld + len(call.text) + len(call.restored); a.seenSize > MaxHeld {
		clear(a.seen)
		a.seenSize = 0
	}
	a.seen[id] = call
}

// arguments returns the restored text of the arguments of a known tool. It is the same text if they stay
// as they came.
func (a *answer) arguments(id, name, text string) string {
	if a.isSeen(id, text) {
		return a.seen[id].restored
	}
	restored, err := a.restored(name, text)
	if err != nil {
		restored = text
		a.problem(&CallError{id, a.tools.given[name], text, err})
	}
	a.remember(id, seen{text, restored})
	return restored
}

func (a *answer) restored(name, text string) (string, error) {
	call, err := a.tools.calls.Mend(name, text)
	if err != nil {
		return "", err
	}
	if a.api.objectsOnly && call.Arguments.Kind != schema.Object {
		return "", errNotObject
	}
	came := schema.NewObject()
	if strings.TrimSpace(text) != "" {
		if came, err = schema.Parse([]byte(text)); err != nil {
			return "", err
		}
	}
	if schema.Identical(came, call.Arguments) {
		return text, nil
	}
	return call.Arguments.String(), nil
}

// held is a call of a stream that is not complete.
type held struct {
	id, name string // the name is that in the request
	text     strings.Builder
}

// sizeOfHeld is what a call counts in addition to its text, so that a stream has up to 128 that are not
// complete.
const sizeOfHeld = MaxHeld / 128

// start returns the call of a known tool.
func (a *answer) start(id, name string) *held {
	a.size += sizeOfHeld
	return &held{id: id, name: name}
}

// hold moves the text of a piece from an event to a call.
func (a *answer) hold(called *held, e *event, piece *schema.Node, key string) {
	text := piece.GetString(key)
	called.text.WriteString(text)
	a.size += len(text)
	e.set(piece, key, "")
}

// end returns the restored text of a call that is complete.
func (a *answer) end(called *held) string {
	text := called.text.String()
	a.size -= sizeOfHeld + len(text)
	return a.arguments(called.id, called.name, text)
}
