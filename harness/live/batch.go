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

// Question is what a provider is asked about.
type Question struct {
	// Declarations belong into one request. There is mostly one, and then it may be
	// asked about together with others.
	Declarations []*schema.Node
	// Known is what is known of the answer, from a recording; empty where nothing is. An
	// answer that differs is asked for twice.
	Known provider.Verdict
	// Alone asks about the question in a request of its own: a refusal is expected.
	Alone bool
}

// Outcome is the answer to a question, or why nothing was learnt. The places in an
// answer are those of the declarations of the question.
type Outcome struct {
	Response provider.Response
	// Changed is set where the answer is not the one that was known, both times.
	Changed bool
	Err     error
}

// Limits of a request that holds many declarations.
const (
	// maxTools is what every provider takes of tools that are not strict.
	maxTools = 128
	// MaxBytes keeps a request within what the models of all providers can read.
	MaxBytes = 400_000
)

// Judge asks about each question, with as few requests as it can: n declarations that
// are accepted cost n/128 requests. The declarations that a refusal names are taken
// out and the others sent again; where it names none, they are found by halving, and
// the refusal of a single one is the proof. Controls stand around each batch, and
// where one misbehaves nothing was learnt from the batch.
//
// settled is called with each outcome, one at a time, in any order. Judge returns an
// error only where Record does: what was begun is settled then, and no more is begun.
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
	for _, one := range c.batches(questions) {
		group.Go(func() error {
			if failed() == nil {
				one.run(ctx)
			} else {
				one.giveUp(errUnrecorded)
			}
			mutex.Lock()
			defer mutex.Unlock()
			for _, item := range one.items {
				settled(item.question, item.outcome)
			}
			for _, kept := range one.kept {
				if c.service.options.Record != nil {
					unrecorded = errors.Join(unrecorded, c.service.options.Record(kept))
				}
			}
			return nil
		})
	}
	return errors.Join(group.Wait(), unrecorded)
}

// errUnrecorded means that a question was not asked, so that no answer is paid for that
// cannot be kept.
var errUnrecorded = errors.New("not asked, because answers cannot be recorded")

// Plan is what Judge needs for questions, where no request has to be repeated.
type Plan struct {
	Declarations int
	Requests     int     // when all are accepted
	Controls     int     // beside them
	Dollars      float64 // at most, when all are accepted
	MostRequests int     // with the controls, whatever is refused
	MostDollars  float64
}

// Plan says what Judge needs.
func (c *Client) Plan(questions []Question) Plan {
	var plan Plan
	control := 2 * c.service.cost(len(c.controls().good.Body.JSON())) // the bad ones are not billed
	for _, one := range c.batches(questions) {
		size := 0
		for _, item := range one.items {
			size += item.size()
		}
		n := len(one.items)
		plan.Declarations += n
		plan.Requests += len(one.items)
		if together := n - countAlone(one.items); together > 0 {
			plan.Requests -= together - 1
		}
		plan.Controls += 4
		plan.Dollars += c.service.cost(size) + control
		// To find one that is not named takes up to 8 requests among 128, and one for the
		// rest; and each may be asked about once more, because a recording says otherwise.
		plan.MostRequests += 1 + 4 + 10*n
		plan.MostDollars += 2*c.service.cost(size) + float64(2*n)*c.service.cost(0) + control
	}
	return plan
}

// countAlone counts the items that are asked about in requests of their own.
func countAlone(items []*item) int {
	count := 0
	for _, one := range items {
		if one.alone {
			count++
		}
	}
	return count
}

// item is a question in a batch.
type item struct {
	question     int
	declarations []*schema.Node // of the question, which are sent alone
	named        []*schema.Node // the same with names that are unique in the batch
	known        provider.Verdict
	alone        bool
	settled      bool
	outcome      Outcome
}

func (i *item) settle(response provider.Response, err error) {
	i.settled, i.outcome = true, Outcome{Response: response, Err: err}
}

func (i *item) size() int {
	size := 0
	for _, declaration := range i.declarations {
		size += len(declaration.JSON())
	}
	return size
}

// batch is a number of questions that are asked about together.
type batch struct {
	*Client
	items []*item
	kept  []Exchange
	names map[string]bool
	bytes int
}

// batches distributes the questions.
func (c *Client) batches(questions []Question) []*batch {
	most := min(maxTools, cmp.Or(c.dialect.MostTools, maxTools))
	if c.service.options.Single {
		most = 1
	}
	var batches []*batch
	open := 0 // the first batch that is not full
	for i, question := range questions {
		one := &item{question: i, declarations: question.Declarations, named: question.Declarations, known: question.Known, alone: question.Alone}
		if len(question.Declarations) != 1 {
			batches = append(batches, &batch{Client: c, items: []*item{one}, bytes: MaxBytes})
			continue
		}
		placed := false
		for _, candidate := range batches[open:] {
			if placed = candidate.place(one, most); placed {
				break
			}
		}
		if !placed {
			fresh := &batch{Client: c, names: map[string]bool{}}
			fresh.add(one)
			batches = append(batches, fresh)
		}
		for open < len(batches) && (len(batches[open].items) >= most || batches[open].bytes >= MaxBytes) {
			open++
		}
	}
	return batches
}

// place adds an item to the batch where there is room for it. It gets another name
// where its own is taken.
func (b *batch) place(one *item, most int) bool {
	if len(b.items) >= most || b.bytes+one.size() > MaxBytes {
		return false
	}
	if name := provider.NameOf(one.declarations[0]); b.names[name] {
		free := b.freeName(name)
		if free == "" {
			return false
		}
		one.named = []*schema.Node{provider.WithName(one.declarations[0], free)}
	}
	b.add(one)
	return true
}

func (b *batch) add(one *item) {
	b.items = append(b.items, one)
	b.bytes += one.size()
	b.names[provider.NameOf(one.named[0])] = true
}

// plainName is a name that every provider takes, also with a number behind it: where
// the name itself may be at fault the tool keeps it.
var plainName = lazy.Compile(`^[A-Za-z][A-Za-z0-9_]{0,58}$`)

// freeName returns a name like the given one that no tool of the batch has, or "".
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
		// What is refused to a control is refused to all; and an outage that lasts over
		// several batches, each with all its attempts, is waited for no longer.
		const outages = 3
		if failure, ok := errors.AsType[*NoVerdictError](err); ok && (failure.kind != passing || b.service.outages.Add(1) == outages) {
			b.service.ended.end(failure) // which says alone what it was about
		}
		return
	}
	b.service.outages.Store(0)
	b.judge(ctx, b.items)
	b.reconsider(ctx)
	if err := b.check(ctx, controls); err != nil {
		for _, one := range b.items {
			if one.outcome.Err == nil {
				one.settle(provider.Response{}, err)
			}
		}
		b.kept = nil
	}
}

// giveUp settles what is not settled yet.
func (b *batch) giveUp(err error) {
	for _, one := range b.items {
		if !one.settled {
			one.settle(provider.Response{}, err)
		}
	}
}

// request makes the request of items.
func (b *batch) request(items []*item) provider.Request {
	if len(items) == 1 {
		return b.dialect.Request(items[0].declarations)
	}
	var declarations []*schema.Node
	for _, one := range items {
		declarations = append(declarations, one.named...)
	}
	return b.dialect.Request(declarations)
}

// renamed returns the own names of the items by those that they are sent under, where
// these differ, and where another item has the own name.
func renamed(items []*item) map[string]string {
	if len(items) == 1 {
		return nil
	}
	sent := map[string]bool{}
	for _, one := range items {
		sent[provider.NameOf(one.named[0])] = true
	}
	own := map[string]string{}
	for _, one := range items {
		if name := provider.NameOf(one.declarations[0]); name != provider.NameOf(one.named[0]) && sent[name] {
			own[provider.NameOf(one.named[0])] = name
		}
	}
	return own
}

// unsettled returns the items that are not settled.
func unsettled(items []*item) []*item {
	return slices.DeleteFunc(slices.Clone(items), func(one *item) bool { return one.settled })
}

// judge settles the items. Once a culprit had to be searched for, what is left is
// asked about in groups as long as the mean way from one to the next, which takes the
// fewest requests where more are to come.
func (b *batch) judge(ctx context.Context, items []*item) {
	searched, passed := 0, 0
	for {
		rest := unsettled(items)
		if len(rest) == 0 {
			return
		}
		group := slices.DeleteFunc(slices.Clone(rest), func(one *item) bool { return one.alone })
		if len(group) == 0 {
			group = rest[:1]
		} else if searched > 0 {
			const before = 64 // as if a stretch of so many had been seen: one culprit alone says little
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

// reaction is what became of a group that was asked about.
type reaction uint8

const (
	settledAll     reaction = iota // all are settled: accepted, or the only one refused
	settledNamed                   // those that the refusal names are settled
	refusedAsSet                   // the refusal is about how many or how large they are together
	refusedUnnamed                 // some are guilty, and it is not said which
)

// ofSet are the words of refusals that are about all declarations together.
var ofSet = lazy.Compile(`(?i)too many (?:strict )?tools|array too long|Schemas contains too many|too complex|grammar is too large|` +
	`schema properties|too many states|function declarations? .*(?:exceed|maximum)|maximum (?:context|number of tokens)|context length`)

// askGroup sends one request of the group, and settles what the answer decides. It
// returns false where nothing more is to be asked, and all of the batch is settled.
func (b *batch) askGroup(ctx context.Context, group []*item) (reaction, bool) {
	request := b.request(group)
	answer, err := b.ask(ctx, request)
	if err != nil {
		return b.failed(ctx, group, err)
	}
	if answer.Response.Verdict == provider.Accepted {
		for _, one := range group {
			one.settle(answer.Response, nil)
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

// convict settles an item that a refusal of several names. Where answers are recorded
// it is asked about alone, because a recording is of exactly what it is about.
func (b *batch) convict(ctx context.Context, one *item, refusal provider.Response) bool {
	if b.service.options.Record == nil {
		one.settle(refusal, nil)
		return true
	}
	_, ok := b.askGroup(ctx, []*item{one})
	return ok
}

// failed says what follows from a request that taught nothing.
func (b *batch) failed(ctx context.Context, group []*item, err error) (reaction, bool) {
	failure, ok := errors.AsType[*NoVerdictError](err)
	if !ok { // the budget is spent, or the run is over
		b.giveUp(err)
		return settledAll, false
	}
	if failure.kind != unclear {
		// It may be about the declarations all the same: words can be anything, and there
		// are schemas that a server breaks at.
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

// experiment returns what a refusal of one declaration in unknown words is worth.
// Nothing, where the words of the provider are known. A server of the user's own may
// have words of its own: a control in place of the declaration was accepted and will
// be, so that it is the declaration that is refused, if it is again.
func (b *batch) experiment(ctx context.Context, one *item, failure *NoVerdictError) (provider.Response, error) {
	if !b.service.Loose || failure.kind != unclear || ofSet.MatchString(failure.words) {
		return provider.Response{}, failure
	}
	_, err := b.ask(ctx, b.request([]*item{one}))
	again, ok := errors.AsType[*NoVerdictError](err)
	if !ok || again.Status != failure.Status || again.words != failure.words {
		return provider.Response{}, failure
	}
	return provider.Response{
		Verdict: provider.Rejected, Status: failure.Status, Message: failure.words, Evidence: provider.Live, Date: provider.Today(), Source: b.service.Name,
	}, nil
}

// search finds one culprit in a group that was refused without naming it, and settles
// all before it. It returns false where nothing more is to be asked.
func (b *batch) search(ctx context.Context, group []*item) bool {
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
		default: // found, or more is known than that one of them is guilty
			return true
		}
	}
	_, ok := b.askGroup(ctx, group) // the refusal of one alone is the proof
	return ok
}

// reconsider asks again about answers that are not the known ones: once more is no
// accident any more.
func (b *batch) reconsider(ctx context.Context) {
	for _, one := range b.items {
		first := one.outcome
		if first.Err != nil || one.known == "" || first.Response.Verdict == one.known {
			continue
		}
		if _, ok := b.askGroup(ctx, []*item{one}); !ok {
			return
		}
		if one.outcome.Err == nil && one.outcome.Response.Verdict != first.Response.Verdict {
			one.settle(provider.Response{}, fmt.Errorf("%w: first %s, then %s", errBoth, first.Response.Verdict, one.outcome.Response.Verdict))
		}
		one.outcome.Changed = one.outcome.Err == nil
	}
}

// errBoth means that a provider does not answer the same request the same way.
var errBoth = errors.New("the provider gave two answers")

// places returns where a refusal points at.
func (c *Client) places(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	if c.dialect.Locate == nil {
		return nil
	}
	return c.dialect.Locate(refusal, declarations)
}

// named returns the indices of the declarations that a refusal names, by their index
// or by their name. A place that some declaration has, and others may have too, names
// none.
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

// about returns what a refusal says of so many declarations from an index on.
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
	if len(words) > 0 && len(places) > len(words) { // of a place that is not found, all is known to be said
		refusal.Message = strings.Join(words, "\n")
	}
	return refusal
}
