package peers

import (
	"slices"
	"time"
)

// Count counts the outcomes of a set of tools. Tools is the sum of Kept, Said, Unjudged,
// Silent, Refused, Declined and Crashed.
type Count struct {
	Tools int `json:"tools"`
	// Accepted counts the declarations that the surface accepts.
	Accepted int `json:"accepted"`
	Kept     int `json:"kept"`
	Said     int `json:"lost_and_said"`
	Silent   int `json:"lost_in_silence"`
	Unjudged int `json:"not_judged"`
	Refused  int `json:"refused_by_provider"`
	Declined int `json:"refused_by_normalizer"`
	Crashed  int `json:"crashed"`
	// FellBack counts the tools that are not strict although strict was asked for.
	FellBack int `json:"not_strict"`
}

// Add counts a judgement.
func (c *Count) Add(judged Judgement) {
	c.Tools++
	if judged.Outcome <= Unjudged || judged.Outcome == Silent {
		c.Accepted++
	}
	if judged.FellBack {
		c.FellBack++
	}
	*[...]*int{&c.Kept, &c.Said, &c.Unjudged, &c.Declined, &c.Silent, &c.Refused, &c.Crashed}[judged.Outcome]++
}

// Median returns the median time of judgements, or 0 if there are none.
func Median(judged []Judgement) time.Duration {
	if len(judged) == 0 {
		return 0
	}
	times := make([]time.Duration, len(judged))
	for i := range judged {
		times[i] = judged[i].Took
	}
	slices.Sort(times)
	return times[len(times)/2]
}
