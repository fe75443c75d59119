package site

import (
	"errors"
	"testing"
)

// TestMessagesAreLocated: most of what has a page is known to check --error, too, which finds
// the place in the fixture that gets the message. Only these pages name that command.
func TestMessagesAreLocated(t *testing.T) {
	t.Parallel()
	data, err := made()
	if err != nil {
		t.Fatal(err)
	}
	located := 0
	for _, one := range data.known.errors {
		if one.IsLocated {
			located++
		} else if err := one.located(); !errors.Is(err, errNoExample) {
			t.Logf("not located: %s: %v", one.Shape, err)
		}
	}
	least := 185
	if testing.Short() {
		least = 100
	}
	if located < least {
		t.Errorf("%d of %d messages are located", located, len(data.known.errors))
	}
}
