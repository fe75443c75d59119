package site

import (
	"errors"
	"testing"
)

// TestMessagesAreLocated checks that check --error finds the place of most messages that have a
// page, and that only these pages mention the command.
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
		} else if err := one.located(t.Context()); !errors.Is(err, errNoExample) {
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

// TestExamplesAreTheBest checks that no example of a keyword is better than the one on the
// page. It takes one message in ten.
func TestExamplesAreTheBest(t *testing.T) {
	t.Parallel()
	data, err := made()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := 0; i < len(data.known.errors); i += 10 {
		of := data.known.errors[i]
		best := map[string]int{}
		for _, one := range of.Examples {
			best[one.Keyword] = one.worth()
		}
		for _, shown := range of.shown {
			if shown.Fixture == nil || shown.Fixture.WireOnly || shown.Declaration < 0 || shown.Declaration >= len(shown.Fixture.Tools) {
				continue
			}
			one := exampleOf(shown, of.keys)
			if err := one.cure(t.Context(), shown); err != nil {
				t.Fatal(err)
			}
			worth, isShown := best[one.Keyword]
			if one.Sides.lines() > longest || !isShown && len(of.Examples) == mostExamples {
				continue
			}
			if seen++; !isShown || one.worth() > worth {
				t.Errorf("%s: the fixture %s is an example of %q worth %d, and the page has one worth %d", of.Shape, shown.Fixture.ID, one.Keyword, one.worth(), worth)
			}
		}
	}
	if seen == 0 {
		t.Error("there is no example")
	}
}
