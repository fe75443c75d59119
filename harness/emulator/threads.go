package emulator

import (
	"net/http"
	"slices"
	"sync"

	"toolproof/harness/conversation"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// threads are the conversations of Messages that the emulator holds, so that a request may continue one by
// the identifier of its last message. The oldest are forgotten beyond a bound.
type threads struct {
	lock  sync.Mutex
	kept  map[string]thread
	order []string // the oldest first
	bytes int
}

// thread is a conversation up to a message of the model. Its nodes are not changed.
type thread struct {
	fixed    []schema.Member // what the thread was created with, and a later request may not say again
	messages []*schema.Node
	size     int // of the requests, in bytes
}

// mostOfThreads is the number of bytes of the requests of all threads that are held.
const mostOfThreads = 8 << 20

// add holds a thread under an identifier. One that is longer than a request may be is not held: the
// client replays it, and is told so then.
func (t *threads) add(id string, added thread) {
	if added.size > MaxBody {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.kept == nil {
		t.kept = map[string]thread{}
	}
	if old, isKept := t.kept[id]; isKept { // the same request came before
		t.bytes -= old.size
	} else {
		t.order = append(t.order, id)
	}
	t.kept[id], t.bytes = added, t.bytes+added.size
	for t.bytes > mostOfThreads {
		t.bytes -= t.kept[t.order[0]].size
		delete(t.kept, t.order[0])
		t.order = t.order[1:]
	}
}

func (t *threads) get(id string) (held thread, isHeld bool) {
	t.lock.Lock()
	defer t.lock.Unlock()
	held, isHeld = t.kept[id]
	return held, isHeld
}

// createOnly are the members that belong to a thread.
var createOnly = []string{"system", "tools"}

// resume puts the conversation before a request that continues a thread into its body. It returns an error
// reply if the thread is not held.
func (x *exchange) resume() *reply {
	choice := x.body.Get("thread")
	if !choice.Get("type").Is("continue") {
		return nil
	}
	for _, name := range createOnly {
		if x.body.First(name) != nil {
			repeated := x.service.failed(http.StatusBadRequest, "%s: a request that continues a thread does not repeat it", name)
			return &repeated
		}
	}
	held, isHeld := x.threads.get(choice.GetString("previous_message_id"))
	if !isHeld {
		missing := conversation.ThreadNotFound
		return &reply{status: http.StatusNotFound, contentType: typeJSON, chunks: [][]byte{encode(object{
			"type": "error", "error": object{"type": "not_found_error", "message": missing.Words, "details": object{"error_code": missing.Code}},
			"request_id": anthropic.RequestID,
		})}}
	}
	whole := schema.NewObject(slices.Concat(x.body.Members, held.fixed)...)
	whole.Set("messages", schema.NewArray(slices.Concat(held.messages, wire.List(x.body.Get("messages")))...))
	x.body, x.size = whole, x.size+held.size
	return nil
}

// hold keeps the conversation if the request asks for it, with the content of the answer.
func (x *exchange) hold(id string, content []any) {
	if x.body.First("thread") == nil {
		return
	}
	said, err := schema.Parse(encode(object{"role": "assistant", "content": content}))
	if err != nil {
		return // what is encoded is JSON
	}
	held := thread{messages: slices.Concat(wire.List(x.body.Get("messages")), []*schema.Node{said}), size: x.size}
	for _, name := range createOnly {
		if member := x.body.First(name); member != nil {
			held.fixed = append(held.fixed, schema.Member{Key: name, Value: member})
		}
	}
	x.threads.add(id, held)
}
