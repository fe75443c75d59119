package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Question is a set of declarations to ask a provider about.
type Question struct {
	// Declarations are sent in one request. If there is only one, as in most cases, Judge
	// may send it together with other questions.
	Declarations []*schema.Node
	// Known is the recorded verdict; empty if there is none. Judge asks again if the
	// answer differs.
	Known provider.Verdict
	// Alone sends the question in a request of its own, since a refusal is expected.
	Alone bool
}

// Outcome is the answer to a question, or the reason why nothing was learnt. The places
// in an answer are in the question's own declarations.
type Outcome struct {
	Response provider.Response
	// Changed is set if the answer differed from the known one both times.
	Changed bool
	Err     error
}

// Limits of a request with many declarations.
const (
	// maxTools is the number of non-strict tools that every provider accepts.
	maxTools = 128
	// MaxBytes keeps requests within the context of every provider's models.
	MaxBytes = 400_000
)

// Judge asks about each question, with as few requests as it can: n accepted declarations
// cost n/128 requests. When a refusal names declarations, it takes these out and sends
// the others again. When a refusal names none, it finds the culprits by halving, and
// takes only the refusal of a single declaration as proof. It sends controls before and
// after each batch, and discards the batch if one of them misbehaves.
//
// It calls settled with each outcome, one at a time and in any order. It returns an error
// only if Record does: it then settles the questions already begun and begins no more.
func (c *Client) Judge(ctx context.Context, questions []Question, settled func(question int, outcome Outcome)) error {
	var mutex sync.Mutex
	var unrecorded error
	failed := func() error {
		mutex.Lock()
		defer mutex.Unlock()
		return unrecorded
	}
	var group errgroup.Group
	group.SetLimit(c.service.options.Concurrency)
	for _, part := range c.batches(questions) {
		group.Go(func() error {
			if failed() == nil {
				part.run(ctx)
			} else {
				part.giveUp(errUnrecorded)
			}
			mutex.Lock()
			defer mutex.Unlock()
			for _, item := range part.items {
				settled(item.question, item.outcome)
			}
			for _, kept := range part.kept {
				if c.service.options.Record != nil {
					unrecorded = errors.Join(unrecorded, c.service.options.Record(kept))
				}
			}
			return nil
		})
	}
	return errors.Join(group.Wait(), unrecorded)
}

// errUnrecorded means that a question was not asked because its answer could not be
// recorded, and would have been paid for in vain.
var errUnrecorded = errors.New("not asked, because answers cannot be recorded")

// Plan is what Judge needs for some questions if no request has to be repeated.
type Plan struct {
	Declarations int
	Requests     int     // if all are accepted
	Controls     int     // in addition to Requests
	Dollars      float64 // upper bound if all are accepted
	MostRequests int     // upper bound with controls, whatever is refused
	MostDollars  float64
}

// Plan returns what Judge needs for the questions.
func (c *Client) Plan(questions []Question) Plan {
	var plan Plan
	control := 2 * c.service.cost(len(c.controls().good.Body.JSON())) // refusals are not billed
	for _, part := range c.batches(questions) {
		size := 0
		for _, item := range part.items {
			size += item.size()
		}
		n := len(part.items)
		plan.Declarations += n
		plan.Requests += len(part.items)
		if together := n - countAlone(part.items); together > 0 {
			plan.Requests -= together - 1
		}
		plan.Controls += 4
		plan.Dollars += c.service.cost(size) + control
		// Finding an unnamed culprit among 128 takes up to 8 requests, and the rest takes
		// one more. Each may also be asked about again, because a recording disagrees.
		plan.MostRequests += 1 + 4 + 10*n
		plan.MostDollars += 2*c.service.cost(size) + float64(2*n)*c.service.cost(0) + control
	}
	return plan
}

// countAlone counts the items that are sent in requests of their own.
func countAlone(items []*entry) int {
	count := 0
	for _, item := range items {
		if item.alone {
			count++
		}
	}
	return count
}

// entry is a question in a batch.
type entry struct {
	question     int
	declarations []*schema.Node // declarations of the question, which are sent if it is asked alone
	named        []*schema.Node // the same, with names that are unique in the batch
	known        provider.Verdict
	alone        bool
	settled      bool
	outcome      Outcome
}

func (i *entry) settle(response provider.Response, err error) {
	i.settled, i.outcome = true, Outcome{Response: response, Err: err}
}

func (i *entry) size() int {
	size := 0
	for _, declaration := range i.declarations {
		size += len(declaration.JSON())
	}
	return size
}

// batch is a number of questions that are asked together.
type batch struct {
	*Client
	items []*entry
	kept  []Exchange
	names map[string]bool
	bytes int
}

// batches distributes the questions over batches.
func (c *Client) batches(questions []Question) []*batch {
	most := min(maxTools, cmp.Or(c.dialect.MostTools, maxTools))
	if c.service.options.Single {
		most = 1
	}
	var batches []*batch
	open := 0 // index of the first batch that has room
	for i, question := range questions {
		item := &entry{question: i, declarations: question.Declarations, named: question.Declarations, known: question.Known, alone: question.Alone}
		if len(question.Declarations) != 1 {
			batches = append(batches, &batch{Client: c, items: []*entry{item}, bytes: MaxBytes})
			continue
		}
		placed := false
		for _, candidate := range batches[open:] {
			if placed = candidate.place(item, most); placed {
				break
			}
		}
		if !placed {
			fresh := &batch{Client: c, names: map[string]bool{}}
			fresh.add(item)
			batches = append(batches, fresh)
		}
		for open < len(batches) && (len(batches[open].items) >= most || batches[open].bytes >= MaxBytes) {
			open++
		}
	}
	return batches
}

// place adds an item to the batch if there is room for it, under another name if its own
// is taken. It reports whether it did.
func (b *batch) place(item *entry, most int) bool {
	if len(b.items) >= most || b.bytes+item.size() > MaxBytes {
		return false
	}
	if name := provider.NameOf(item.declarations[0]); b.names[name] {
		free := b.freeName(name)
		if free == "" {
			return false
		}
		item.named = []*schema.Node{provider.WithName(item.declarations[0], free)}
	}
	b.add(item)
	return true
}

func (b *batch) add(item *entry) {
	b.items = append(b.items, item)
	b.bytes += item.size()
	b.names[provider.NameOf(item.named[0])] = true
}

// plainName matches a name that every provider accepts, even with a number appended.
// Other names are never replaced, since the name itself may be why the tool is refused.
var plainName = lazy.Compile(`^[A-Za-z][A-Za-z0-9_]{0,58}$`)

// freeName returns a name similar to the given one that no tool of the batch has, or "".
func (b *batch) freeName(name string) string {
	if !plainName.MatchString(name) {
		return ""
	}
	for number := 2; ; number++ {
		if free := name + "_" + strconv.Itoa(number); !b.names[free] {
			return free
		}
	}
}

func (c *Client) controls() controls { return controlsOf(c.dialect) }

// run settles every item of the batch.
func (b *batch) run(ctx context.Context) {
	controls := b.controls()
	if err := b.check(ctx, controls); err != nil {
		b.giveUp(err)
		// If controls are refused so is everything else. After an outage that lasts for
		// several batches, each with all its attempts, nothing more is waited for.
		const outages = 3
		if failure, ok := errors.AsType[*NoVerdictError](err); ok && (failure.kind != passing || b.service.outages.Add(1) == outages) {
			b.service.ended.end(failure)
		}
		return
	}
	b.service.outages.Store(0)
	b.judge(ctx, b.items)
	b.reconsider(ctx)
	if err := b.check(ctx, controls); err != nil {
		for _, item := range b.items {
			if item.outcome.Err == nil {
				item.settle(provider.Response{}, err)
			}
		}
		b.kept = nil
	}
}

// giveUp settles the remaining items with an error.
func (b *batch) giveUp(err error) {
	for _, item := range b.items {
		if !item.settled {
			item.settle(provider.Response{}, err)
		}
	}
}

// request makes the request with the items' declarations.
func (b *batch) request(items []*entry) provider.Request {
	if len(items) == 1 {
		return b.dialect.Request(items[0].declarations)
	}
	var declarations []*schema.Node
	for _, item := range items {
		declarations = append(declarations, item.named...)
	}
	return b.dialect.Request(declarations)
}

// renamed returns the original names of items by the names that they were sent under, for
// those whose original name another item in the request has.
func renamed(items []*entry) map[string]string {
	if len(items) == 1 {
		return nil
	}
	sent := map[string]bool{}
	for _, item := range items {
		sent[provider.NameOf(item.named[0])] = true
	}
	own := map[string]string{}
	for _, item := range items {
		if name := provider.NameOf(item.declarations[0]); name != provider.NameOf(item.named[0]) && sent[name] {
			own[provider.NameOf(item.named[0])] = name
		}
	}
	return own
}

// unsettled returns the items that are not settled.
func unsettled(items []*entry) []*entry {
	return slices.DeleteFunc(slices.Clone(items), func(item *entry) bool { return item.settled })
}

// judge settles the items. After it has had to search for a culprit, it asks about the
// rest in groups as large as the mean distance between culprits, which takes the fewest
// requests if there are more.
func (b *batch) judge(ctx context.Context, items []*entry) {
	searched, passed := 0, 0
	for {
		rest := unsettled(items)
		if len(rest) == 0 {
			return
		}
		group := slices.DeleteFunc(slices.Clone(rest), func(item *entry) bool { return item.alone })
		if len(group) == 0 {
			group = rest[:1]
		} else if searched > 0 {
			const before = 64 // counted as passed in advance, because a single culprit says little about the rest
			group = group[:min(len(group), max(1, (passed+before)/searched))]
		}
		found, ok := b.askGroup(ctx, group)
		if !ok {
			return
		}
		switch found {
		case refusedAsSet:
			b.judge(ctx, group[:len(group)/2])
			b.judge(ctx, group[len(group)/2:])
		case refusedUnnamed:
			if !b.search(ctx, group) {
				return
			}
			searched++
		case settledAll, settledNamed:
		}
		passed += len(rest) - len(unsettled(rest))
	}
}

// reaction is the result of asking about a group.
type reaction uint8

const (
	settledAll     reaction = iota // accepted, or refused if there was only one
	settledNamed                   // the items that the refusal names are settled
	refusedAsSet                   // the refusal is about their number or total size
	refusedUnnamed                 // the refusal does not say which of them it is about
)

// ofSet matches refusals that are about all declarations together.
var ofSet = lazy.Compile(`(?i)too many (?:strict )?tools|array too long|Schemas contains too many|too complex|grammar is too large|` +
	`schema properties|too many states|function declarations? .*(?:exceed|maximum)|maximum (?:context|number of tokens)|context length`)

// askGroup sends one request for the group, and settles what the answer decides. If no
// more may be asked, it settles the whole batch and returns false.
func (b *batch) askGroup(ctx context.Context, group []*entry) (reaction, bool) {
	request := b.request(group)
	answer, err := b.ask(ctx, request)
	if err != nil {
		return b.failed(ctx, group, err)
	}
	if answer.Response.Verdict == provider.Accepted {
		for _, item := range group {
			item.settle(answer.Response, nil)
		}
		answer.Renamed = renamed(group)
		b.kept = append(b.kept, answer)
		return settledAll, true
	}
	places := b.places(answer.Response, request.Declarations)
	if len(group) == 1 {
		group[0].settle(about(answer.Response, places, 0, len(request.Declarations)), nil)
		b.kept = append(b.kept, answer)
		return settledAll, true
	}
	guilty := named(places, request.Declarations)
	for _, index := range guilty {
		if !b.convict(ctx, group[index], about(answer.Response, places, index, 1)) {
			return settledAll, false
		}
	}
	switch {
	case len(guilty) > 0:
		return settledNamed, true
	case ofSet.MatchString(answer.Response.Message):
		return refusedAsSet, true
	default:
		return refusedUnnamed, true
	}
}

// convict settles an item that a refusal of several items names. If answers are recorded
// it asks about the item alone, because a recording has exactly the declarations that its
// answer is about.
func (b *batch) convict(ctx context.Context, item *entry, refusal provider.Response) bool {
	if b.service.options.Record == nil {
		item.settle(refusal, nil)
		return true
	}
	_, ok := b.askGroup(ctx, []*entry{item})
	return ok
}

// failed decides what follows from a request that taught nothing.
func (b *batch) failed(ctx context.Context, group []*entry, err error) (reaction, bool) {
	failure, ok := errors.AsType[*NoVerdictError](err)
	if !ok { // the budget is spent, or the run is over
		b.giveUp(err)
		return settledAll, false
	}
	if failure.kind != unclear {
		// The declarations may be the cause nevertheless: a refusal may have any words,
		// and some schemas make a server fail.
		if _, again := b.ask(ctx, b.controls().good); again != nil {
			if failure.kind == lasting {
				b.service.ended.end(err)
			}
			b.giveUp(err)
			return settledAll, false
		}
	}
	switch {
	case len(group) == 1:
		group[0].settle(b.experiment(ctx, group[0], failure))
		return settledAll, true
	case failure.Status == http.StatusRequestEntityTooLarge || ofSet.MatchString(failure.words):
		return refusedAsSet, true
	default:
		return refusedUnnamed, true
	}
}

// experiment turns the refusal of a single declaration in unknown words into a verdict,
// if that is possible. A provider's words are known, so it is not possible there. A
// user's own server may have words of its own. It accepts the controls sent before and
// after, so if it refuses the declaration again in the same words, the declaration is the
// cause.
func (b *batch) experiment(ctx context.Context, item *entry, failure *NoVerdictError) (provider.Response, error) {
	if !b.service.Loose || failure.kind != unclear || ofSet.MatchString(failure.words) {
		return provider.Response{}, failure
	}
	_, err := b.ask(ctx, b.request([]*entry{item}))
	again, ok := errors.AsType[*NoVerdictError](err)
	if !ok || again.Status != failure.Status || again.words != failure.words {
		return provider.Response{}, failure
	}
	return provider.Response{
		Verdict: provider.Rejected, Status: failure.Status, Message: failure.words, Evidence: provider.Live, Date: provider.Today(), Source: b.service.Name,
	}, nil
}

// search finds one culprit in a group that was refused without naming it, and settles all
// items before it. It returns false if no more may be asked.
func (b *batch) search(ctx context.Context, group []*entry) bool {
	for len(group) > 1 {
		half := group[:len(group)/2]
		found, ok := b.askGroup(ctx, half)
		switch {
		case !ok:
			return false
		case found == refusedUnnamed:
			group = half
		case found == settledAll && half[0].outcome.Response.Verdict == provider.Accepted:
			group = group[len(half):]
		default: // it is settled, or the refusal says more than that one of them is guilty
			return true
		}
	}
	_, ok := b.askGroup(ctx, group) // only the refusal of a single item proves anything
	return ok
}

// reconsider asks again about items whose answers differ from the known ones, to rule out
// an accident.
func (b *batch) reconsider(ctx context.Context) {
	for _, item := range b.items {
		first := item.outcome
		if first.Err != nil || item.known == "" || first.Response.Verdict == item.known {
			continue
		}
		if _, ok := b.askGroup(ctx, []*entry{item}); !ok {
			return
		}
		if item.outcome.Err == nil && item.outcome.Response.Verdict != first.Response.Verdict {
			item.settle(provider.Response{}, fmt.Errorf("%w: first %s, then %s", errBoth, first.Response.Verdict, item.outcome.Response.Verdict))
		}
		item.outcome.Changed = item.outcome.Err == nil
	}
}

// errBoth means that a provider answered the same request in two ways.
var errBoth = errors.New("the provider gave two answers")

// places returns the places that a refusal points at.
func (c *Client) places(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	if c.dialect.Locate == nil {
		return nil
	}
	return c.dialect.Locate(refusal, declarations)
}

// named returns the indices of the declarations that a refusal identifies by index or
// name. A mere place in a schema identifies none, since several declarations may have it.
func named(places []provider.Place, declarations []*schema.Node) []int {
	var indices []int
	for _, place := range places {
		if place.Declaration == provider.Nowhere || slices.Contains(indices, place.Declaration) {
			continue
		}
		name := provider.NameOf(declarations[place.Declaration])
		if strings.HasPrefix(place.Location, "tools") || place.Location == name || strings.HasPrefix(place.Location, name+" ") {
			indices = append(indices, place.Declaration)
		}
	}
	return indices
}

// about returns the part of a refusal that concerns count declarations from an index on.
func about(refusal provider.Response, places []provider.Place, index, count int) provider.Response {
	var words []string
	for _, place := range places {
		if place.Declaration < index || place.Declaration >= index+count {
			continue
		}
		words = append(words, place.Message)
		refusal.Findings = append(refusal.Findings, provider.Finding{
			Message: place.Message, Declaration: place.Declaration - index, At: place.At, Location: place.Location,
		})
	}
	if len(words) > 0 && len(places) > len(words) { // a place was not found, so every word is kept
		refusal.Message = strings.Join(words, "\n")
	}
	return refusal
}
