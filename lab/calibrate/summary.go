package calibrate

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/bounded"
)

// Summary is a report in its published form. docs/schema/calibration.schema.json describes its
// JSON.
type Summary struct {
	Dialects []Agreement    `json:"dialects"`
	SetAside map[string]int `json:"set_aside"` // number of rows by class
	// Unmodelled counts those rows that no model can answer, by surface or host.
	Unmodelled map[string]int `json:"unmodelled,omitempty"`
}

// Agreement tells how far the model of one dialect agrees with the evidence.
type Agreement struct {
	Dialect  string `json:"dialect"`
	Accepted Agreed `json:"accepted"`
	Refused  Agreed `json:"refused"`
	Messages Exact  `json:"messages"`
	// Disagreements are those on verdicts, and those on words where the verdicts agree.
	Disagreements []Disagreement `json:"disagreements"`
}

// Agreed counts verdicts.
type Agreed struct {
	Of     int `json:"of"`
	Agreed int `json:"agreed"`
}

// Exact counts messages whose words are completely known.
type Exact struct {
	Of    int `json:"of"`
	Exact int `json:"exact"`
}

// Disagreement is a row on which provider and model differ: in their verdicts or, if these
// agree, in their words.
type Disagreement struct {
	ID        string `json:"id"`
	Expected  string `json:"expected"`
	Predicted string `json:"predicted"`
}

// Summary returns the report in its published form, without dialects that have no case.
func (r *Report) Summary() Summary {
	summary := Summary{Dialects: []Agreement{}, SetAside: r.Aside, Unmodelled: r.Unmodelled}
	for _, count := range r.Counts {
		if cases, _ := count.Cases(); cases == 0 {
			continue
		}
		summary.Dialects = append(summary.Dialects, Agreement{
			Dialect:       count.Dialect,
			Accepted:      Agreed{count.Accepted, count.Accepted - count.FalseRefusals - count.EchoesOtherwise},
			Refused:       Agreed{count.Refused, count.Refused - count.FalseAcceptances},
			Messages:      Exact{count.Messages, count.Messages - count.MessagesOtherwise},
			Disagreements: r.disagreements(count.Dialect),
		})
	}
	return summary
}

func (r *Report) disagreements(dialect string) []Disagreement {
	found := []Disagreement{}
	for _, difference := range r.Differences {
		if difference.Dialect != dialect {
			continue
		}
		switch {
		case difference.Kind == "verdict":
			found = append(found, Disagreement{difference.Name, string(difference.Verdict), string(difference.Model.Verdict)})
		case difference.Kind == "echo":
			found = append(found, Disagreement{difference.Name, difference.Case.Echo.String(), difference.Echo.String()})
		case difference.Kind == "message" && difference.Model.Verdict == provider.Rejected:
			found = append(found, Disagreement{difference.Name, strings.TrimSpace(difference.Message), strings.TrimSpace(difference.Model.Message)})
		}
	}
	return found
}

// Asked returns the number of cases.
func (s Summary) Asked() int {
	cases := 0
	for _, agreement := range s.Dialects {
		cases += agreement.Accepted.Of + agreement.Refused.Of
	}
	return cases
}

// ReadSummary reads a summary.
func ReadSummary(reader io.Reader) (*Summary, error) {
	const most = 16 << 20
	limited, err := bounded.Reader(reader, most)
	if err != nil {
		return nil, fmt.Errorf("reading a calibration: %w", err)
	}
	var summary Summary
	decoder := json.NewDecoder(limited)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&summary); err != nil {
		return nil, fmt.Errorf("reading a calibration: %w", err)
	}
	return &summary, nil
}

// Falls tells where the agreement is worse than before, in number or in share, and which rows
// disagree now and did not before.
func (s Summary) Falls(before Summary) []string {
	var falls []string
	for _, old := range before.Dialects {
		i := slices.IndexFunc(s.Dialects, func(agreement Agreement) bool { return agreement.Dialect == old.Dialect })
		if i < 0 {
			falls = append(falls, old.Dialect+": was asked before and is not any longer")
			continue
		}
		now := s.Dialects[i]
		var fallen []string
		for _, count := range []struct {
			what                         string
			wasGood, wasOf, isGood, isOf int
		}{
			{"accepted", old.Accepted.Agreed, old.Accepted.Of, now.Accepted.Agreed, now.Accepted.Of},
			{"refused", old.Refused.Agreed, old.Refused.Of, now.Refused.Agreed, now.Refused.Of},
			{"messages", old.Messages.Exact, old.Messages.Of, now.Messages.Exact, now.Messages.Of},
		} {
			if count.isGood < count.wasGood || count.isGood*count.wasOf < count.wasGood*count.isOf {
				fallen = append(fallen, fmt.Sprintf("%s: %s %d of %d, was %d of %d", old.Dialect, count.what, count.isGood, count.isOf, count.wasGood, count.wasOf))
			}
		}
		if len(fallen) == 0 {
			continue
		}
		falls = append(falls, fallen...)
		for _, disagreement := range now.Disagreements {
			isOld := func(known Disagreement) bool { return known.ID == disagreement.ID }
			if !slices.ContainsFunc(old.Disagreements, isOld) {
				falls = append(falls, old.Dialect+": new disagreement: "+disagreement.ID)
			}
		}
	}
	return falls
}
