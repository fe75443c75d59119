// Package drift compares two runs over the same tools: which verdicts and losses differ,
// and who changed.
package drift

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
)

// Version is the version of the lines that a comparison is written as.
const Version = 1

// What is what has changed of a tool for a target.
type What string

// What can change.
const (
	Raw          What = "raw"          // the answer to the tool as given
	Normalized   What = "normalized"   // the answer to the normalized tool
	Loss         What = "loss"         // what the rewrite loses
	Gone         What = "gone"         // the tool is not there any longer
	New          What = "new"          // the tool was not there
	Inconclusive What = "inconclusive" // one of the runs has learnt nothing
)

// Guilty is who has changed, or was wrong before.
type Guilty string

// Who can be guilty.
const (
	Rule      Guilty = "rule"      // a rule of our model: wrong, missing, or changed
	Rewrite   Guilty = "rewrite"   // our normalizer
	Provider  Guilty = "provider"  // it answers the same declaration in another way
	Recording Guilty = "recording" // it is stale
	Tools     Guilty = "tools"     // others were given
	Nobody    Guilty = "nobody"    // nothing was learnt
)

// Flip is one change.
type Flip struct {
	Version int    `json:"version"`
	What    What   `json:"what"`
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Source  string `json:"source"`
	Target  string `json:"target"`
	Dialect string `json:"dialect"`
	// Fixture is set for the results of fixtures alone.
	Fixture string `json:"fixture,omitempty"`
	// Before and After are the two states; nil where there is none.
	Before *State `json:"before,omitempty"`
	After  *State `json:"after,omitempty"`
	Guilty Guilty `json:"guilty"`
	// Error says why nothing was learnt.
	Error string `json:"error,omitempty"`
}

// State is what one run says of a tool.
type State struct {
	Verdict  provider.Verdict `json:"verdict,omitempty"`
	Evidence provider.Grade   `json:"evidence,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Message  string           `json:"message,omitempty"`
	// Loss is what the rewrite loses; of a Flip of losses alone.
	Loss string `json:"loss,omitempty"`
}

// Summary counts a comparison.
type Summary struct {
	// Compared are the results that both runs have.
	Compared     int            `json:"compared"`
	Flips        int            `json:"flips"`
	Inconclusive int            `json:"inconclusive"`
	Guilty       map[Guilty]int `json:"guilty"`
}

// Results yields the results of a run, and io.EOF after the last.
type Results func() (verdict.Result, error)

// Options are the choices of a comparison. The zero value is usable.
type Options struct {
	// Model says what the model of today says to a side of a result, Raw or
	// Normalized; empty where it cannot be asked. Where Model is nil, it is taken
	// from the results: there the model did not foresee a refusal without a rule.
	Model func(result verdict.Result, side What) provider.Verdict
	// Common leaves out what only one of the runs has.
	Common bool
	// MaxPending is how many results may wait for theirs of the other run, which
	// are as many as the order of the runs is apart; 0 means a million.
	MaxPending int
}

const defaultMaxPending = 1_000_000

// Compare compares two runs and tells each change, in the order of the second run. The
// error is that of a run, with its result.
func Compare(before, after Results, options Options, tell func(Flip)) (Summary, error) {
	if options.MaxPending <= 0 {
		options.MaxPending = defaultMaxPending
	}
	comparison := comparison{
		options: options, tell: tell, summary: Summary{Guilty: map[Guilty]int{}},
		before: waiting{byKey: map[key][]*seen{}}, after: waiting{byKey: map[key][]*seen{}},
	}
	for before != nil || after != nil {
		for _, side := range []struct {
			results     *Results
			own, others *waiting
			isAfter     bool
		}{
			{&before, &comparison.before, &comparison.after, false},
			{&after, &comparison.after, &comparison.before, true},
		} {
			if *side.results == nil {
				continue
			}
			result, err := (*side.results)()
			if errors.Is(err, io.EOF) {
				*side.results = nil
				continue
			}
			if err != nil {
				return comparison.summary, err
			}
			comparison.meet(result, side.own, side.others, side.isAfter)
			if side.own.count > options.MaxPending {
				return comparison.summary, fmt.Errorf("the runs are too far apart: %d results wait for theirs", side.own.count)
			}
		}
	}
	comparison.rest(&comparison.before, Gone)
	comparison.rest(&comparison.after, New)
	return comparison.summary, nil
}

// key is what the two results of a tool share.
type key struct{ source, id, tool, target, fixture, side, normalizer string }

// seen is what is kept of a result.
type seen struct {
	flip            Flip // with what names the tool
	met             bool // it waits no longer
	raw, normalized *State
	// tool is the digest of the normalized tool, which shows that two are the same.
	tool           [sha256.Size]byte
	loss           rewrite.Loss
	problem        string
	modelRaw       provider.Verdict
	modelRewritten provider.Verdict
}

// waiting are the results of one run whose others have not come yet.
type waiting struct {
	byKey map[key][]*seen
	order []*seen
	count int
}

// leave ends the waiting of a result. Those that wait no longer are dropped when they
// are most of all.
func (w *waiting) leave(met *seen) {
	met.met = true
	w.count--
	const few = 64
	if len(w.order) > 2*w.count+few || w.count == 0 {
		w.order = slices.DeleteFunc(w.order, func(one *seen) bool { return one.met })
	}
}

type comparison struct {
	options       Options
	tell          func(Flip)
	summary       Summary
	before, after waiting
}

// meet compares a result with its other, or lets it wait.
func (c *comparison) meet(result verdict.Result, own, others *waiting, isAfter bool) {
	line := verdict.LineOf(result)
	at := key{line.Source, line.ID, line.Tool, line.Target, line.Fixture, line.Side, line.Normalizer}
	found := c.see(result)
	queue := others.byKey[at]
	if len(queue) == 0 {
		own.byKey[at] = append(own.byKey[at], found)
		own.order = append(own.order, found)
		own.count++
		return
	}
	other := queue[0]
	if others.byKey[at] = queue[1:]; len(queue) == 1 {
		delete(others.byKey, at)
	}
	others.leave(other)
	c.summary.Compared++
	if isAfter {
		c.compare(other, found)
	} else {
		c.compare(found, other)
	}
}

func (c *comparison) see(result verdict.Result) *seen {
	line := verdict.LineOf(result)
	found := &seen{
		flip: Flip{
			Version: Version, ID: result.ID, Tool: result.Tool, Source: result.Source, Target: result.Target, Dialect: result.Dialect, Fixture: line.Fixture,
		},
	}
	if result.Status == verdict.Inconclusive || result.Status == verdict.Error || result.Status == verdict.NotApplicable {
		found.problem = clip(cmp.Or(result.Error, result.Status.String()))
	}
	if line.Raw != nil {
		found.raw = stateOf(*line.Raw)
		found.modelRaw = c.model(result, Raw)
	}
	if line.Normalized != nil {
		found.normalized = stateOf(line.Normalized.Answer)
		found.modelRewritten = c.model(result, Normalized)
		found.tool = sha256.Sum256(line.Normalized.Tool.JSON())
		found.loss = line.Normalized.Loss
	}
	return found
}

func (c *comparison) model(result verdict.Result, side What) provider.Verdict {
	if c.options.Model == nil {
		return ""
	}
	return c.options.Model(result, side)
}

func stateOf(answer verdict.Answer) *State {
	state := &State{Verdict: answer.Verdict, Evidence: answer.Evidence}
	if len(answer.Findings) > 0 {
		state.Rule, state.Message = answer.Findings[0].Rule, clip(answer.Findings[0].Message)
	}
	return state
}

// clip bounds what is kept of a message.
func clip(text string) string {
	const longest = 500
	if len(text) <= longest {
		return text
	}
	end := longest
	for end > 0 && text[end]&0xC0 == 0x80 { // inside a letter
		end--
	}
	return text[:end] + "…"
}

// rest tells of the results that only one run has.
func (c *comparison) rest(waiting *waiting, what What) {
	for _, left := range waiting.order {
		if left.met || c.options.Common {
			continue
		}
		flip := left.flip
		flip.What, flip.Guilty = what, Tools
		c.flip(flip)
	}
}

func (c *comparison) flip(flip Flip) {
	c.summary.Guilty[flip.Guilty]++
	if flip.What == Inconclusive {
		c.summary.Inconclusive++
	} else {
		c.summary.Flips++
	}
	c.tell(flip)
}

// compare tells what differs between two results of one tool.
func (c *comparison) compare(before, after *seen) {
	flip := after.flip
	if isLost(before, after) || isLost(after, before) {
		flip.What, flip.Guilty, flip.Error = Inconclusive, Nobody, cmp.Or(after.problem, before.problem)
		c.flip(flip)
		return
	}
	if before.raw != nil && after.raw != nil && before.raw.Verdict != after.raw.Verdict {
		flip.What, flip.Before, flip.After = Raw, before.raw, after.raw
		flip.Guilty = Blame(*before.raw, *after.raw, after.modelRaw)
		c.flip(flip)
	}
	if before.normalized == nil || after.normalized == nil {
		return
	}
	if before.normalized.Verdict != after.normalized.Verdict {
		flip.What, flip.Before, flip.After = Normalized, before.normalized, after.normalized
		if flip.Guilty = Rewrite; before.tool == after.tool {
			flip.Guilty = Blame(*before.normalized, *after.normalized, after.modelRewritten)
		}
		c.flip(flip)
	}
	if before.loss != after.loss {
		flip.What, flip.Before, flip.After = Loss, &State{Loss: before.loss.String()}, &State{Loss: after.loss.String()}
		flip.Guilty = Rewrite
		c.flip(flip)
	}
}

// isLost reports whether a run has learnt nothing of what the other has. A side that it
// did not ask about is not lost.
func isLost(other, run *seen) bool {
	return run.problem != "" && (run.raw == nil && other.raw != nil || run.normalized == nil && other.normalized != nil)
}

// Blame says who is guilty of two answers to one declaration that differ. model is what
// the model of today says to it; where it is empty, it is taken from the answers.
func Blame(before, after State, model provider.Verdict) Guilty {
	if model == "" {
		model = foreseen(before, after)
	}
	wasAsked, isAsked := before.Evidence > provider.Predicted, after.Evidence > provider.Predicted
	switch {
	case !wasAsked || !isAsked:
		return Rule // a model says one thing, and an answer, or another model, the other
	case after.Evidence < provider.Live && before.Evidence == provider.Live:
		return Recording // the live answer is the newer one
	case after.Evidence == provider.Live && before.Evidence < provider.Live && model == after.Verdict:
		return Recording
	default:
		return Provider
	}
}

// foreseen returns what the model said, as far as two answers show it: a refusal has
// the rule that foresaw it, or none.
func foreseen(before, after State) provider.Verdict {
	for _, state := range []State{after, before} {
		switch {
		case state.Evidence == provider.Predicted:
			return state.Verdict
		case state.Verdict == provider.Rejected && state.Rule != "":
			return provider.Rejected
		case state.Verdict == provider.Rejected:
			return provider.Accepted
		}
	}
	return ""
}
