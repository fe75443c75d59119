package judge

import (
	"sync"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Memory caches the answers of surfaces to single tools, compiled schemas, and the constructs of
// schemas: several targets ask the same surface about the same tool, and a request asks about each
// of its tools again. It is safe for concurrent use. A nil Memory caches nothing.
type Memory struct {
	answers    cache[question, provider.Response]
	compiled   cache[string, *instance.Schema] // by the text of the schema
	constructs cache[*schema.Node, []*construct.Known]
}

// question is what an answer depends on. Tools differ by their nodes, which nobody changes.
type question struct {
	of   Offline // the surface, the store, the day, the model and its parameters
	tool schema.Tool
}

// maxCompiled is the size of the largest schema that is cached, in values.
const maxCompiled = 20_000

// ask returns the answer to a question, which it gets from send the first time.
func (m *Memory) ask(question question, send func() (provider.Response, error)) (provider.Response, error) {
	if m == nil {
		return send()
	}
	return m.answers.get(question, send)
}

// compile is instance.Compile with a cache.
func (m *Memory) compile(root *schema.Node) (*instance.Schema, error) {
	if m == nil || root.Size() > maxCompiled {
		return instance.Compile(root)
	}
	return m.compiled.get(root.String(), func() (*instance.Schema, error) { return instance.Compile(root) })
}

// constructsOf returns the constructs of schemas, as a table has them.
func (m *Memory) constructsOf(table *construct.Table, roots []*schema.Node) []*construct.Known {
	if m == nil || len(roots) != 1 {
		return table.Of(roots...)
	}
	found, _ := m.constructs.get(roots[0], func() ([]*construct.Known, error) { return table.Of(roots[0]), nil })
	return found
}

// cache keeps values, or the errors that came instead, by key. Its zero value is empty.
type cache[K comparable, V any] struct {
	mutex  sync.Mutex
	values map[K]cached[V]
}

// cached is a value of a cache, or the error that came instead.
type cached[V any] struct {
	value V
	err   error
}

// get returns the value of a key, which it gets from find the first time. Concurrent callers may
// find the same value more than once.
func (c *cache[K, V]) get(key K, find func() (V, error)) (V, error) {
	c.mutex.Lock()
	known, ok := c.values[key]
	c.mutex.Unlock()
	if ok {
		return known.value, known.err
	}
	value, err := find()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.values == nil {
		c.values = map[K]cached[V]{}
	}
	c.values[key] = cached[V]{value, err}
	return value, err
}
