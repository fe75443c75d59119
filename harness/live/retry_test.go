package live

import (
	"testing"
	"time"
)

// TestRetryRespectsTheProvider: a wait that the provider demands is respected up to Longest,
// and one that is longer ends the attempts.
func TestRetryRespectsTheProvider(t *testing.T) {
	t.Parallel()
	retry := Retry{First: time.Millisecond, Longest: time.Second}
	for demanded, ok := range map[string]bool{"": true, "0.5": true, "1": true, "1.001": false, "2s": false} {
		wait, got := retry.wait(1, demanded)
		if got != ok || got && wait < parseWait(demanded) {
			t.Errorf("a demand of %q: got a wait of %v and %t, want %t", demanded, wait, got, ok)
		}
	}
}
