package live_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/live"
	"toolproof/harness/live/sdk"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/recordings"
	"toolproof/schema"
)

// TestReplay sends recorded requests again with the official clients, which get the
// recorded answers, and expects the same verdicts.
func TestReplay(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	replayed := map[string]int{}
	for _, known := range live.Providers {
		for _, name := range surfacesOf(known) {
			if known.Loose {
				continue
			}
			options := quick(known.Name, "")
			options.Clients, options.Retry.Attempts = sdk.Clients{Transport: live.Replay{Store: store, Dialect: dialectNamed(t, name)}}, 1
			client, dialect := clientFor(t, options, name), dialectNamed(t, name)
			for _, recorded := range store.All {
				newest := store.Of(provider.Request{Dialect: name, Declarations: recorded.Request.Declarations})
				if recorded.Dialect != name || recorded.Reduced || recorded.Response.Fragment != "" || newest[0] != recorded {
					continue
				}
				want, err := recorded.Answer(dialect)
				if err != nil {
					t.Fatal(err)
				}
				got, err := client.Send(t.Context(), dialect.Request(recorded.Request.Declarations))
				if err != nil {
					t.Errorf("%s: %v", recorded.Name(), err)
					continue
				}
				if got.Verdict != want.Verdict || got.Message != want.Message || got.Param != want.Param {
					t.Errorf("%s: got %s %q, expected %s %q", recorded.Name(), got.Verdict, got.Message, want.Verdict, want.Message)
				}
				replayed[known.Name]++
			}
		}
	}
	t.Logf("replayed: %v", replayed)
	if replayed["gemini"] < 20 || replayed["openai"] < 40 || replayed["anthropic"] < 20 {
		t.Errorf("too few: %v", replayed)
	}
}

// TestReplayMiss: a request that is not recorded is an error that shows the nearest
// recording, and no connection is opened.
func TestReplayMiss(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(store.All, func(recorded *recording.Recording) bool {
		return recorded.Dialect == "openai/chat" && len(recorded.Request.Declarations) == 1 && recorded.Response.Fragment == ""
	})
	recorded := store.All[i]
	options := quick("openai", "http://127.0.0.1:1")
	options.Clients, options.Retry.Attempts = sdk.Clients{Transport: live.Replay{Store: store, Dialect: dialectNamed(t, "openai/chat")}}, 1
	client, dialect := clientFor(t, options, "openai/chat"), dialectNamed(t, "openai/chat")
	changed := recorded.Request.Declarations[0].Clone()
	changed.Set("description", schema.NewString("another"))
	_, err = client.Send(t.Context(), dialect.Request([]*schema.Node{changed}))
	if _, ok := errors.AsType[*live.NoVerdictError](err); !ok {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"not recorded", recorded.Name(), `+    "description": "another"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
}
