// Package minimize shrinks a tool to the part for which a provider refuses it.
package minimize

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Options bound the search. The zero value is usable.
type Options struct {
	// MaxAsks is the largest number of requests to the provider; 0 means 5,000.
	MaxAsks int
	// MaxValues is the largest number of JSON values in all requests together; 0 means 50
	// million.
	MaxValues int
}

const (
	defaultMaxAsks   = 5_000
	defaultMaxValues = 50_000_000
)

// Result is a tool that is refused for the same reason as the larger one.
type Result struct {
	Tool schema.Tool
	// Answer is the provider's refusal of Tool.
	Answer provider.Response
	Reason Reason
	// Asks is the number of requests made.
	Asks int
	// Minimal is set if no single member or element of the tool, except its name, can be left
	// out. It is not set if a bound ended the search.
	Minimal bool
}

// Errors of a search without a refusal to preserve.
var (
	ErrAccepted   = errors.New("the tool is accepted, so that there is no refusal to hold on to")
	ErrOtherWords = errors.New("the tool is refused in other words than the message has")
)

// errBound ends a search at a bound of Options.
var errBound = errors.New("a bound was reached")

// Tool leaves out everything of a tool that does not matter to why the provider refuses it on a
// surface. message selects a violation if there are several; empty selects the first. The
// remaining parts keep their order, and the same tool and answers give the same result. If an
// error occurs after the first answer, Tool also returns the result so far.
func Tool(
	ctx context.Context, sender provider.Provider, dialect *provider.Dialect, tool schema.Tool, message string, options Options,
) (Result, error) {
	search := &search{sender: sender, dialect: dialect, name: tool.Name, options: options.withDefaults(), known: map[string]bool{}}
	search.root = tool.Whole().Clone()
	search.root.Delete("name")
	first, err := search.ask(ctx)
	if err != nil {
		return Result{}, err
	}
	if first.Verdict == provider.Accepted {
		return Result{}, ErrAccepted
	}
	reason, ok := ReasonOf(first, message)
	if !ok {
		return Result{}, fmt.Errorf("%w: %s", ErrOtherWords, first.Message)
	}
	search.reason, search.answer = reason, first
	err = search.run(ctx)
	result := Result{Tool: search.tool(), Answer: search.answer, Reason: reason, Asks: search.asks, Minimal: err == nil}
	if errors.Is(err, errBound) {
		err = nil
	}
	return result, err
}

func (o Options) withDefaults() Options {
	if o.MaxAsks <= 0 {
		o.MaxAsks = defaultMaxAsks
	}
	if o.MaxValues <= 0 {
		o.MaxValues = defaultMaxValues
	}
	return o
}

// search is one run. It changes its own copy of the tool, leaving out children and restoring
// those that are needed.
type search struct {
	sender  provider.Provider
	dialect *provider.Dialect
	options Options
	reason  Reason
	name    string

	root   *schema.Node // the tool without its name
	answer provider.Response
	known  map[string]bool // by digest: whether the reason holds
	asks   int
	values int
}

func (s *search) tool() schema.Tool {
	tool := schema.ToolOf(s.root)
	tool.Name = s.name
	return tool
}

// ask sends the tool in its current form.
func (s *search) ask(ctx context.Context) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	s.asks++
	s.values += s.root.Size()
	if s.asks > 1 && (s.asks > s.options.MaxAsks || s.values > s.options.MaxValues) {
		s.asks--
		return provider.Response{}, errBound
	}
	answer, err := s.sender.Send(ctx, s.dialect.Encode([]schema.Tool{s.tool()}))
	if err != nil {
		return provider.Response{}, fmt.Errorf("asking %s: %w", s.dialect.Name, err)
	}
	return answer, nil
}

// holds reports whether the tool in its current form is refused for the reason.
func (s *search) holds(ctx context.Context) (bool, error) {
	digest := s.root.Digest()
	if holds, ok := s.known[digest]; ok {
		return holds, nil
	}
	answer, err := s.ask(ctx)
	if err != nil {
		return false, err
	}
	holds := s.reason.Explains(answer)
	s.known[digest] = holds
	if holds {
		s.answer = answer
	}
	return holds, nil
}

// run leaves out runs of children, the longest first, and then single ones until none can be
// left out any more.
func (s *search) run(ctx context.Context) error {
	if _, err := s.shrink(ctx, s.root, func(children int) int { return children }); err != nil {
		return err
	}
	for {
		changed, err := s.shrink(ctx, s.root, func(children int) int { return min(1, children) })
		if err != nil || !changed {
			return err
		}
	}
}

// shrink leaves out children of a node and then, recursively, of its remaining children. It
// starts with runs of the length that longest returns, and reports whether it left out
// anything.
func (s *search) shrink(ctx context.Context, node *schema.Node, longest func(children int) int) (changed bool, err error) {
	for length := longest(len(node.Members) + len(node.Elements)); length > 0; length /= 2 {
		for start := 0; start < len(node.Members)+len(node.Elements); {
			left, err := s.without(ctx, node, start, start+length)
			if err != nil {
				return changed, err
			}
			if changed = changed || left; !left {
				start += length
			}
		}
	}
	below := func(child *schema.Node) error {
		left, err := s.shrink(ctx, child, longest)
		changed = changed || left
		return err
	}
	for _, member := range node.Members {
		if err := below(member.Value); err != nil {
			return changed, err
		}
	}
	for _, element := range node.Elements {
		if err := below(element); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// without leaves out the children from start to end, and reports false if the reason needs
// them.
func (s *search) without(ctx context.Context, node *schema.Node, start, end int) (left bool, err error) {
	members, elements := node.Members, node.Elements
	node.Members, node.Elements = without(members, start, end), without(elements, start, end)
	left, err = s.holds(ctx)
	if err != nil || !left {
		node.Members, node.Elements = members, elements
	}
	return left, err
}

// without returns a copy of a list without the entries from start to end. A node has members or
// elements, never both.
func without[T any](list []T, start, end int) []T {
	if len(list) == 0 {
		return list
	}
	return slices.Delete(slices.Clone(list), start, min(end, len(list)))
}
