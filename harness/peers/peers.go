// Package peers judges normalizers, this project's and others', on the same tools by the same
// judge. Each tool has one outcome: the surface's model accepts the declaration or not, and
// instances in both directions show what an accepted one has lost. Members that a tool neither
// declares nor forbids do not count, because most normalizers close objects and few tools mean
// to accept more than they declare.
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

// Case is a tool on which normalizers are judged. It caches what is known about the original and
// must not be copied.
type Case struct {
	ID   string
	Tool schema.Tool
	// Instances are known instances, valid or not, to use besides generated ones.
	Instances []*schema.Node

	reading  sync.Mutex // guards the original, which one goroutine may use at a time
	original *meaning.Original
	unread   error
}

// Outcome is the outcome of normalizing a tool.
type Outcome uint8

// The outcomes, best first.
const (
	// Kept means accepted, and no instance shows a loss.
	Kept Outcome = iota
	// Said means accepted, with a loss that a change reports or a description mentions.
	Said
	// Unjudged means accepted, but the meaning of the original is not known.
	Unjudged
	// Declined means that the normalizer itself refuses the tool.
	Declined
	// Silent means accepted, with a loss that nothing mentions.
	Silent
	// Refused means that the surface refuses the declaration.
	Refused
	// Crashed means that the normalizer ended, hung or failed.
	Crashed
)

var outcomes = [...]string{"kept", "lost and said", "not judged", "refused by the normalizer", "lost in silence", "refused by the provider", "crashed"}

// String returns the outcome in words.
func (o Outcome) String() string { return outcomes[o] }

// Judgement is the outcome for one tool.
type Judgement struct {
	Case    *Case
	Outcome Outcome
	// Text tells why, in one line; "" if the tool is kept.
	Text string
	// FellBack is set if a strict surface was asked for and the tool is not strict.
	FellBack bool
	Took     time.Duration
	// Normalized is the normalized tool; nil if there is none.
	Normalized *schema.Node
	// Answer is what the surface answers to the normalized tool; the zero Response if it was not asked.
	Answer provider.Response
	// Ignored is the number of parts of an accepted declaration that the surface ignores.
	Ignored int
}

// Surface is the surface to which a normalizer's tools are sent.
type Surface struct {
	Dialect *provider.Dialect
	// Fallback accepts the tools that are not strict; nil if no surface does.
	Fallback *provider.Dialect
}

// SurfaceNamed returns the surface of a dialect. The fallback of a strict one is of the same
// API and service.
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
func Judge(ctx context.Context, normalizer normalizers.Normalizer, surface Surface, tested *Case) (Judgement, error) {
	judged := Judgement{Case: tested}
	normalized, err := judged.make(ctx, normalizer)
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
	judged.Normalized = normalized.Tool.Whole()
	dialect := surface.Dialect
	judged.FellBack = normalized.Fallback != "" || surface.Fallback != nil && !normalized.Strict
	switch {
	case judged.FellBack && surface.Fallback == nil:
		judged.Outcome, judged.Text = Declined, normalized.Fallback
		return judged, nil
	case judged.FellBack:
		dialect = surface.Fallback
	}
	model := provider.Model{Dialect: dialect}
	answer, err := model.Send(ctx, dialect.Encode([]schema.Tool{normalized.Tool}))
	if err != nil {
		return judged, fmt.Errorf("asking about %s: %w", tested.ID, err)
	}
	judged.Answer, judged.Ignored = answer, len(answer.Ignored)
	if answer.Verdict != provider.Accepted {
		judged.Outcome, judged.Text = Refused, strings.TrimSpace(answer.Message)
		return judged, nil
	}
	return judged, judged.weigh(ctx, normalized)
}

// make runs the normalizer and measures its time.
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

// weigh sets the outcome of an accepted tool.
func (j *Judgement) weigh(ctx context.Context, normalized normalizers.Result) error {
	tested := j.Case
	tested.reading.Lock()
	defer tested.reading.Unlock()
	if tested.original == nil && tested.unread == nil {
		tested.original, tested.unread = meaning.Checker{Declared: true}.Original(ctx, tested.Tool, tested.Instances...)
	}
	if tested.unread != nil || tested.original.IsRepaired {
		j.Outcome, j.Text = Unjudged, "the tool as given is no JSON Schema"
		return ctx.Err()
	}
	losses, _, err := tested.original.Losses(ctx, normalized)
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
		if !loss.IsReported && !describes(tested.Tool, normalized.Tool, loss.At) {
			j.Outcome, j.Text = Silent, inWords(loss)
			break
		}
	}
	return nil
}

// inWords describes a loss in one line.
func inWords(loss meaning.Finding) string {
	if loss.Needs == rewrite.Widens {
		return fmt.Sprintf("accepts %s, which the tool refuses", loss.Restored)
	}
	return fmt.Sprintf("refuses %s, which the tool accepts", loss.Instance)
}

// describes reports whether the normalized tool has a new description at or above each of the
// places of an instance, since a text can say what a schema cannot.
func describes(original, normalized schema.Tool, places []schema.Pointer) bool {
	known := map[string]bool{}
	if original.Description != nil {
		known[original.Description.Text] = true
	}
	original.Parameters.Each(func(subschema *schema.Node) bool {
		known[subschema.GetString("description")] = true
		return true
	})
	if text := normalized.Description; text != nil && text.Kind == schema.String && !known[text.Text] {
		return true
	}
	isNew := func(node *schema.Node) bool {
		text := node.Get("description")
		return text != nil && text.Kind == schema.String && !known[text.Text]
	}
	return len(places) > 0 && !slices.ContainsFunc(places, func(at schema.Pointer) bool { return !onPath(normalized.Parameters, at.Tokens(), isNew) })
}

// onPath reports whether a test holds for a schema that applies to the value at a path or to
// one that contains it.
func onPath(node *schema.Node, path []string, test func(*schema.Node) bool) bool {
	if node == nil || node.Kind != schema.Object {
		return false
	}
	if test(node) {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "any_of"} {
		if branches := node.Get(keyword); branches != nil {
			for _, branch := range branches.Elements {
				if onPath(branch, path, test) {
					return true
				}
			}
		}
	}
	if len(path) == 0 {
		return false
	}
	return onPath(node.Get("properties").Get(path[0]), path[1:], test) || onPath(node.Get("items"), path[1:], test) || onPath(node.Get("additionalProperties"), path[1:], test)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
