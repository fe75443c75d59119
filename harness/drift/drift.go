// Package drift compares two runs over the same tools: which verdicts and losses differ, and
// whose change it is.
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

// Version is the format version of a Flip in JSON.
const Version = 1

// Kind tells what has changed about a tool for a target.
type Kind string

// The kinds of changes.
const (
	Raw          Kind = "raw"          // answer to the original tool
	Normalized   Kind = "normalized"   // answer to the normalized tool
	Loss         Kind = "loss"         // loss of the rewrite
	Gone         Kind = "gone"         // only the first run has the tool
	New          Kind = "new"          // only the second run has the tool
	Inconclusive Kind = "inconclusive" // one of the runs learnt nothing
)

// Guilty tells who has changed, or was wrong before.
type Guilty string

// The values of Guilty.
const (
	Rule      Guilty = "rule"      // rule of the model: wrong, missing or changed
	Rewrite   Guilty = "rewrite"   // normalizer of this project
	Provider  Guilty = "provider"  // provider, which answers the same declaration differently
	Recording Guilty = "recording" // recording, which is stale
	Tools     Guilty = "tools"     // the runs have different tools
	Nobody    Guilty = "nobody"    // one of the runs learnt nothing
)

// Flip is one difference between the runs.
type Flip struct {
	Version int    `json:"version"`
	Kind    Kind   `json:"what"`
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Source  string `json:"source"`
	Target  string `json:"target"`
	Dialect string `json:"dialect"`
	// Fixture is the fixture's ID; set only for results of fixtures.
	Fixture string `json:"fixture,omitempty"`
	// Before and After are the two states; nil for kinds without states.
	Before *State `json:"before,omitempty"`
	After  *State `json:"after,omitempty"`
	Guilty Guilty `json:"guilty"`
	// Error tells why nothing was learnt.
	Error string `json:"error,omitempty"`
}

// State is one run's answer about a tool.
type State struct {
	Verdict  provider.Verdict `json:"verdict,omitempty"`
	Evidence provider.Grade   `json:"evidence,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Message  string           `json:"message,omitempty"`
	// Loss is the loss of the rewrite; set only in a Flip of kind Loss.
	Loss string `json:"loss,omitempty"`
}

// Summary counts the flips of a comparison.
type Summary struct {
	// Compared is the number of results that both runs have.
	Compared     int            `json:"compared"`
	Flips        int            `json:"flips"`
	Inconclusive int            `json:"inconclusive"`
	Guilty       map[Guilty]int `json:"guilty"`
}

// Results returns the next result of a run, or io.EOF after the last.
type Results func() (verdict.Result, error)

// Options control a comparison. The zero value is usable.
type Options struct {
	// Model returns the verdict of today's model on a side of a result, Raw or Normalized, or
	// "" if it cannot tell. If Model is nil, the verdict is inferred from the results: the
	// model did not predict a refusal without a rule.
	Model func(result verdict.Result, side Kind) provider.Verdict
	// Common leaves out results that only one run has.
	Common bool
	// MaxPending is how many results of one run may wait for their counterparts in the other,
	// which depends on how far apart the orders of the runs are; 0 means a million.
	MaxPending int
}

const defaultMaxPending = 1_000_000

// Compare compares two runs and calls tell with each flip, in the order of the second run. An
// error is one of before or after, or says that more than MaxPending results wait.
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
				return comparison.summary, fmt.Errorf("the runs are too far apart: %d results wait for their counterparts", side.own.count)
			}
		}
	}
	comparison.rest(&comparison.before, Gone)
	comparison.rest(&comparison.after, New)
	return comparison.summary, nil
}

// key identifies the results of the two runs about the same tool.
type key struct{ source, id, tool, target, fixture, side, normalizer string }

// seen is the part of a result that a comparison keeps.
type seen struct {
	flip            Flip // with the members that identify the tool
	met             bool // its counterpart has come
	raw, normalized *State
	// tool is the digest of the normalized tool, which tells whether two are the same.
	tool           [sha256.Size]byte
	loss           rewrite.Loss
	problem        string
	modelRaw       provider.Verdict
	modelRewritten provider.Verdict
}

// waiting holds the results of one run whose counterparts have not come yet.
type waiting struct {
	byKey map[key][]*seen
	order []*seen
	count int
}

// leave removes a result whose counterpart has come. It compacts order when most of it has
// left.
func (w *waiting) leave(met *seen) {
	met.met = true
	w.count--
	const few = 64
	if len(w.order) > 2*w.count+few || w.count == 0 {
		w.order = slices.DeleteFunc(w.order, func(result *seen) bool { return result.met })
	}
}

type comparison struct {
	options       Options
	tell          func(Flip)
	summary       Summary
	before, after waiting
}

// meet compares a result with its counterpart, or lets it wait.
func (c *comparison) meet(result verdict.Result, own, others *waiting, isAfter bool) {
	line := verdict.LineOf(result)
	at := key{line.Source, line.ID, line.Tool, line.Target, line.Fixture, line.Side, line.Normalizer}
	found := c.see(line, result)
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

// see returns the part of a result that the comparison keeps, given also its line.
func (c *comparison) see(line verdict.Line, result verdict.Result) *seen {
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

func (c *comparison) model(result verdict.Result, side Kind) provider.Verdict {
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

// clip shortens a message to at most 500 bytes.
func clip(text string) string {
	const longest = 500
	if len(text) <= longest {
		return text
	}
	end := longest
	for end > 0 && text[end]&0xC0 == 0x80 { // inside a character
		end--
	}
	return text[:end] + "…"
}

// rest reports the results that only one run has.
func (c *comparison) rest(waiting *waiting, kind Kind) {
	for _, left := range waiting.order {
		if left.met || c.options.Common {
			continue
		}
		flip := left.flip
		flip.Kind, flip.Guilty = kind, Tools
		c.flip(flip)
	}
}

func (c *comparison) flip(flip Flip) {
	c.summary.Guilty[flip.Guilty]++
	if flip.Kind == Inconclusive {
		c.summary.Inconclusive++
	} else {
		c.summary.Flips++
	}
	c.tell(flip)
}

// compare reports the differences between two results of one tool.
func (c *comparison) compare(before, after *seen) {
	flip := after.flip
	if isLost(before, after) || isLost(after, before) {
		flip.Kind, flip.Guilty, flip.Error = Inconclusive, Nobody, cmp.Or(after.problem, before.problem)
		c.flip(flip)
		return
	}
	if before.raw != nil && after.raw != nil && before.raw.Verdict != after.raw.Verdict {
		flip.Kind, flip.Before, flip.After = Raw, before.raw, after.raw
		flip.Guilty = Blame(*before.raw, *after.raw, after.modelRaw)
		c.flip(flip)
	}
	if before.normalized == nil || after.normalized == nil {
		return
	}
	if before.normalized.Verdict != after.normalized.Verdict {
		flip.Kind, flip.Before, flip.After = Normalized, before.normalized, after.normalized
		if flip.Guilty = Rewrite; before.tool == after.tool {
			flip.Guilty = Blame(*before.normalized, *after.normalized, after.modelRewritten)
		}
		c.flip(flip)
	}
	if before.loss != after.loss {
		flip.Kind, flip.Before, flip.After = Loss, &State{Loss: before.loss.String()}, &State{Loss: after.loss.String()}
		flip.Guilty = Rewrite
		c.flip(flip)
	}
}

// isLost reports whether a run learnt nothing about something that the other run has. A side
// that the run did not ask about is not lost.
func isLost(other, run *seen) bool {
	return run.problem != "" && (run.raw == nil && other.raw != nil || run.normalized == nil && other.normalized != nil)
}

// Blame tells who is guilty of two different answers to one declaration. model is the verdict
// of today's model on the declaration; if empty, it is inferred from the answers.
func Blame(before, after State, model provider.Verdict) Guilty {
	if model == "" {
		model = foreseen(before, after)
	}
	wasAsked, isAsked := before.Evidence > provider.Predicted, after.Evidence > provider.Predicted
	switch {
	case !wasAsked || !isAsked:
		return Rule // a model disagrees with an answer or with another model
	case after.Evidence < provider.Live && before.Evidence == provider.Live:
		return Recording // the live answer is newer
	case after.Evidence == provider.Live && before.Evidence < provider.Live && model == after.Verdict:
		return Recording
	default:
		return Provider
	}
}

// foreseen returns the model's verdict as far as the answers show it: the rule of a refusal
// predicted it, and without a rule the model accepts.
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
