// Package verdict compares what was expected of a tool with what came back, and defines the results
// in which the command and the suite report it. It does no I/O.
package verdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// Status is the outcome of a judgement. The outcomes are ordered: that of a group is its worst.
type Status uint8

// The outcomes, best first.
const (
	NotApplicable Status = iota
	Pass
	KnownFailure // failed as a fixture, the project or a baseline says
	Inconclusive // no verdict
	Fail
	Error // the harness, the fixture or the normalizer is broken
)

var statuses = [...]string{"not_applicable", "pass", "known", "inconclusive", "fail", "error"}

// String returns the name of the status as it is written in results.
func (s Status) String() string { return statuses[s] }

// MarshalText writes the name of the status.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a status.
func (s *Status) UnmarshalText(text []byte) error {
	at := slices.Index(statuses[:], string(text))
	if at < 0 {
		return fmt.Errorf("unknown status %q", text)
	}
	*s = Status(at) //nolint:gosec // there are six
	return nil
}

// ExpectedAccepted begins the text of Judge if a surface refuses what a fixture expects it to accept. The
// words of the refusal follow.
const ExpectedAccepted = "expected accepted, got rejected: "

// Judge compares a surface's answer, or the error that came instead, with what one side of a
// fixture expects. If the status is not Pass, the text says why.
func Judge(dialect *provider.Dialect, expected fixture.Side, response provider.Response, err error) (Status, string) {
	_, isUnknown := errors.AsType[*provider.UnknownError](err)
	switch {
	case isUnknown && expected.Verdict == string(provider.Unknown):
		return Pass, ""
	case err != nil:
		return Inconclusive, fmt.Sprintf("no verdict: %v", err)
	case string(response.Verdict) != expected.Verdict && response.Verdict == provider.Rejected:
		return Fail, ExpectedAccepted + strings.TrimSpace(response.Message)
	case string(response.Verdict) != expected.Verdict:
		return Fail, fmt.Sprintf("expected %s, got %s", expected.Verdict, response.Verdict)
	case expected.Message != "" && !dialect.Says(response, expected.Message, false):
		return Fail, fmt.Sprintf("expected the message\n  %s\ngot\n  %s", strings.TrimSpace(expected.Message), strings.TrimSpace(response.Message))
	case expected.MessageHas != "" && !dialect.Says(response, expected.MessageHas, true):
		return Fail, fmt.Sprintf("expected a message with\n  %s\ngot\n  %s", expected.MessageHas, strings.TrimSpace(response.Message))
	case expected.Ignored != nil:
		return judgeIgnored(expected.Ignored, response.Ignored)
	default:
		return Pass, ""
	}
}

// judgeIgnored compares the places that are ignored with the expected ones, in any order. A place
// counts once even if several surfaces ignore it.
func judgeIgnored(expected []schema.Pointer, ignored []provider.Finding) (Status, string) {
	places := make([]schema.Pointer, len(ignored))
	for i, finding := range ignored {
		places[i] = finding.At
	}
	slices.Sort(places)
	places = slices.Compact(places)
	if expected = slices.Sorted(slices.Values(expected)); !slices.Equal(expected, places) {
		return Fail, fmt.Sprintf("expected %q to be ignored, got %q", expected, places)
	}
	return Pass, ""
}

// JudgeRequired is Judge, except that an answer on weaker evidence than required is inconclusive.
func JudgeRequired(dialect *provider.Dialect, expected fixture.Side, response provider.Response, err error, required provider.Grade) (Status, string) {
	if err == nil && response.Evidence < required {
		return Inconclusive, fmt.Sprintf("the answer is only %s, and %s is required", response.Evidence, required)
	}
	return Judge(dialect, expected, response, err)
}

// Agree compares a model's answer with a recorded one of the same surface. fragment means that the
// recording has only a part of the provider's words; the model's words then have to contain that
// part.
func Agree(dialect *provider.Dialect, model, recorded provider.Response, fragment bool) (Status, string) {
	expected := fixture.Side{Verdict: string(recorded.Verdict)}
	if recorded.Verdict == provider.Rejected {
		if fragment {
			expected.MessageHas = recorded.Message
		} else {
			expected.Message = recorded.Message
		}
	}
	return Judge(dialect, expected, model, nil)
}
