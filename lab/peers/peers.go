// Package peers judges normalizers, of this project and of others, on the same tools by
// the same judge. Each tool has one outcome: the model of the surface accepts the
// declaration or not, and instances show in both directions what an accepted one has lost.
// Members that a tool neither declares nor forbids are not asked about: most normalizers
// close objects, and few tools mean to take more than they say.
package peers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"toolproof/harness"
	"toolproof/harness/meaning"
	"toolproof/harness/provider"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Case is a tool that normalizers are judged on. It keeps what is known of the tool as
// given, and is not to be copied.
type Case struct {
	ID   string
	Tool schema.Tool
	// Instances are known ones, valid or not, to ask about besides those that are made.
	Instances []*schema.Node

	reading  sync.Mutex // of the original, which one judges at a time
	original *meaning.Original
	unread   error
}

// Outcome is what became of a tool.
type Outcome uint8

// The outcomes, best first.
const (
	// Kept is accepted, and no instance shows a loss.
	Kept Outcome = iota
	// Said is accepted with a loss that a change reports, or that a description says.
	Said
	// Unjudged is accepted, and the meaning of the tool as given is not known.
	Unjudged
	// Declined is a tool that the normalizer itself refuses.
	Declined
	// Silent is accepted with a loss that nothing says.
	Silent
	// Refused is a declaration that the surface refuses.
	Refused
	// Crashed is a normalizer that ended, hung, or failed in itself.
	Crashed
)

var outcomes = [...]string{"kept", "lost and said", "not judged", "refused by the normalizer", "lost in silence", "refused by the provider", "crashed"}

// String returns the outcome in words.
func (o Outcome) String() string { return outcomes[o] }

// Judgement is what became of one tool.
type Judgement struct {
	Case    *Case
	Outcome Outcome
	// Text says why, in a line; empty where the tool is kept.
	Text string
	// FellBack is set where a strict surface was asked for and the tool is not strict.
	FellBack bool
	Took     time.Duration
	// Made is the tool as the normalizer makes it; nil where there is none.
	Made *schema.Node
	// Ignored is how many parts the surface ignores of an accepted declaration.
	Ignored int
}

// Surface is where the tools of a normalizer go.
type Surface struct {
	Dialect *provider.Dialect
	// Fallback takes the tools that are not strict; nil where nothing does.
	Fallback *provider.Dialect
}

// SurfaceNamed returns the surface of a dialect. A function that is not strict, where
// strict ones go, is one of the same API.
func SurfaceNamed(name string) (Surface, error) {
	dialect, err := harness.DialectNamed(name)
	if err != nil {
		return Surface{}, err
	}
	surface := Surface{Dialect: dialect}
	if !dialect.Strict || dialect.Subject != provider.Arguments {
		return surface, nil
	}
	for _, other := range harness.Dialects {
		if !other.Strict && other.API == dialect.API && other.Service() == dialect.Service() && other.Subject == provider.Arguments {
			surface.Fallback = other
			break
		}
	}
	return surface, nil
}

// Judge judges a normalizer on one tool.
func Judge(ctx context.Context, normalizer normalizers.Normalizer, surface Surface, given *Case) (Judgement, error) {
	judged := Judgement{Case: given}
	made, err := judged.make(ctx, normalizer)
	if ctx.Err() != nil {
		return judged, ctx.Err()
	}
	if err != nil {
		judged.Outcome, judged.Text = Crashed, firstLine(err)
		if errors.Is(err, normalizers.ErrUnsupported) {
			judged.Outcome = Declined
		}
		return judged, nil
	}
	judged.Made = made.Tool.Whole()
	dialect := surface.Dialect
	judged.FellBack = made.Fallback != "" || surface.Fallback != nil && !made.Strict
	switch {
	case judged.FellBack && surface.Fallback == nil:
		judged.Outcome, judged.Text = Declined, made.Fallback
		return judged, nil
	case judged.FellBack:
		dialect = surface.Fallback
	}
	model := provider.Model{Dialect: dialect}
	answer, err := model.Send(ctx, dialect.Encode([]schema.Tool{made.Tool}))
	if err != nil {
		return judged, fmt.Errorf("asking about %s: %w", given.ID, err)
	}
	judged.Ignored = len(answer.Ignored)
	if answer.Verdict != provider.Accepted {
		judged.Outcome, judged.Text = Refused, strings.TrimSpace(answer.Message)
		return judged, nil
	}
	return judged, judged.weigh(ctx, made)
}

// make runs the normalizer and takes its time.
func (j *Judgement) make(ctx context.Context, normalizer normalizers.Normalizer) (result normalizers.Result, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	started := time.Now()
	result, err = normalizer.Normalize(ctx, j.Case.Tool)
	j.Took = time.Since(started)
	if command, isForeign := normalizer.(*normalizers.Command); isForeign {
		j.Took = command.Took()
	}
	return result, err
}

// weigh says what an accepted tool has lost.
func (j *Judgement) weigh(ctx context.Context, made normalizers.Result) error {
	given := j.Case
	given.reading.Lock()
	defer given.reading.Unlock()
	if given.original == nil && given.unread == nil {
		given.original, given.unread = meaning.Checker{Declared: true}.Original(ctx, given.Tool, given.Instances...)
	}
	if given.unread != nil || given.original.IsRepaired {
		j.Outcome, j.Text = Unjudged, "the tool as given is no JSON Schema"
		return ctx.Err()
	}
	losses, _, err := given.original.Losses(ctx, made)
	if err != nil {
		if ctx.Err() == nil {
			j.Outcome, j.Text = Silent, firstLine(err)
		}
		if errors.Is(err, meaning.ErrTooLarge) {
			j.Outcome = Unjudged
		}
		return ctx.Err()
	}
	if len(losses) == 0 {
		j.Outcome = Kept
		return nil
	}
	j.Outcome, j.Text = Said, inWords(losses[0])
	for _, loss := range losses {
		if !loss.IsReported && !describes(given.Tool, made.Tool, loss.At) {
			j.Outcome, j.Text = Silent, inWords(loss)
			break
		}
	}
	return nil
}

// inWords describes a loss in a line.
func inWords(loss meaning.Finding) string {
	if loss.Needs == rewrite.Widens {
		return fmt.Sprintf("accepts %s, which the tool refuses", loss.Restored)
	}
	return fmt.Sprintf("refuses %s, which the tool accepts", loss.Instance)
}

// describes reports whether a description says more than the tool as given did, at each of
// the places of an instance or above it: what a schema cannot say a text can.
func describes(given, made schema.Tool, places []schema.Pointer) bool {
	known := map[string]bool{}
	if given.Description != nil {
		known[given.Description.Text] = true
	}
	given.Parameters.Each(func(subschema *schema.Node) bool {
		known[subschema.GetString("description")] = true
		return true
	})
	if text := made.Description; text != nil && text.Kind == schema.String && !known[text.Text] {
		return true
	}
	isNew := func(node *schema.Node) bool {
		text := node.Get("description")
		return text != nil && text.Kind == schema.String && !known[text.Text]
	}
	return len(places) > 0 && !slices.ContainsFunc(places, func(at schema.Pointer) bool { return !onWay(made.Parameters, at.Tokens(), isNew) })
}

// onWay reports whether a test holds for a schema that speaks of the value at a place, or
// of one that contains it.
func onWay(node *schema.Node, way []string, test func(*schema.Node) bool) bool {
	if node == nil || node.Kind != schema.Object {
		return false
	}
	if test(node) {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "any_of"} {
		if branches := node.Get(keyword); branches != nil {
			for _, branch := range branches.Elements {
				if onWay(branch, way, test) {
					return true
				}
			}
		}
	}
	if len(way) == 0 {
		return false
	}
	return onWay(node.Get("properties").Get(way[0]), way[1:], test) || onWay(node.Get("items"), way[1:], test) || onWay(node.Get("additionalProperties"), way[1:], test)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
