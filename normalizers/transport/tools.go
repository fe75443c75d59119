package transport

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/schema"
)

// set is what became of the functions of a request.
type set struct {
	results  []normalizers.Result // by the index of the function; one without a name has none
	declared map[string]int       // the index of a function by its given name
	given    map[string]string    // the given names by those in the request
	calls    *calls.Tools
}

// tools are the tools of a request: the normalized ones, and the names of those that passed.
type tools struct {
	set

	others []string
}

// normalize changes a request, and returns its tools and whether it changed.
func (t *Transport) normalize(ctx context.Context, api *api, request *schema.Node) (*tools, bool, error) {
	declared := api.declarations(request)
	given := make([]schema.Tool, len(declared))
	for i, function := range declared {
		given[i] = function.tool()
	}
	if len(given) > 0 {
		if err := (normalizers.Result{Tool: given[0], Target: t.Pipeline.Name()}).CheckTarget(api.targets...); err != nil {
			return nil, false, err
		}
	}
	known, err := t.setOf(ctx, given)
	if err != nil {
		return nil, false, err
	}
	found := &tools{*known, api.others(request)}
	for i, function := range declared {
		if result := known.results[i]; result.Tool.Name != "" {
			function.become(result, api)
		} else {
			found.others = append(found.others, given[i].Name)
		}
	}
	isChanged := len(declared) > 0
	for _, name := range api.names(request) {
		if other := t.nameFor(ctx, found, name.Text); other != name.Text {
			name.Text, isChanged = other, true
		}
	}
	for _, said := range api.said(request) {
		name, arguments := said.GetString("name"), said.text()
		if i, isKnown := known.declared[name]; isKnown {
			arguments = known.expressed(i, arguments)
		}
		isChanged = said.set(t.nameFor(ctx, found, name), arguments) || isChanged
	}
	return found, isChanged, nil
}

// nameFor returns the name of a tool in the request. A tool that is no longer declared gets the name that
// it had when it was.
func (t *Transport) nameFor(ctx context.Context, found *tools, name string) string {
	if i, isKnown := found.declared[name]; isKnown {
		return found.results[i].Tool.Name
	}
	if name == "" || slices.Contains(found.others, name) {
		return name
	}
	result, err := t.Pipeline.Normalize(ctx, schema.Tool{Name: name})
	if err != nil {
		return name
	}
	return result.Tool.Name
}

// expressed returns the text of arguments of a given tool as the model knows them.
func (s *set) expressed(index int, text string) string {
	arguments, err := schema.Parse([]byte(text))
	if err != nil {
		return text
	}
	if expressed := s.calls.Express(s.results[index].Tool.Name, arguments); !schema.Identical(expressed, arguments) {
		return expressed.String()
	}
	return text
}

// tool returns the tool that is declared.
func (d declaration) tool() schema.Tool {
	return schema.Tool{Name: d.GetString("name"), Description: d.Get("description"), Parameters: d.Get(d.key), Members: schema.MembersOf(d.Node)}
}

// become declares the tool of a result.
func (d declaration) become(result normalizers.Result, api *api) {
	put := func(key string, value *schema.Node) {
		if value == nil {
			d.Delete(key)
		} else {
			d.Set(key, value)
		}
	}
	d.Set("name", schema.NewString(result.Tool.Name))
	put("description", result.Tool.Description)
	if key := api.keys[result.Target]; key != "" && key != d.key {
		d.Delete(d.key)
		d.key = key
	}
	put(d.key, result.Tool.Parameters)
	for _, key := range schema.ProviderMembers {
		put(key, result.Tool.Members.Get(key))
	}
	put("strict", nil)
	if result.Strict || api.alwaysStrict {
		d.Set("strict", schema.NewBool(result.Strict))
	}
}

// cache keeps the sets of the last requests.
type cache struct {
	lock sync.Mutex
	sets []cached // the last used comes first
}

type cached struct {
	key [sha256.Size]byte
	set *set
}

// mostKept is how many sets are kept. A program seldom has more agents with tools of their own at a time.
const mostKept = 16

// get returns the set for a key, or nil.
func (c *cache) get(key [sha256.Size]byte) *set {
	c.lock.Lock()
	defer c.lock.Unlock()
	i := slices.IndexFunc(c.sets, func(known cached) bool { return known.key == key })
	if i < 0 {
		return nil
	}
	found := c.sets[i]
	copy(c.sets[1:], c.sets[:i])
	c.sets[0] = found
	return found.set
}

func (c *cache) put(key [sha256.Size]byte, added *set) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.sets = slices.Insert(c.sets, 0, cached{key, added})
	c.sets = c.sets[:min(len(c.sets), mostKept)]
}

// setOf normalizes tools, unless they are known.
func (t *Transport) setOf(ctx context.Context, given []schema.Tool) (*set, error) {
	var text []byte
	for _, tool := range given {
		text = append(tool.Whole().AppendJSON(text), '\n')
	}
	key := sha256.Sum256(text)
	if known := t.known.get(key); known != nil {
		return known, nil
	}
	results, err := t.Pipeline.NormalizeAll(ctx, given...)
	var failed normalizers.RequestError
	if err != nil && !errors.As(err, &failed) {
		return nil, fmt.Errorf("normalizing the tools of the request: %w", err)
	}
	for _, i := range slices.Sorted(maps.Keys(failed)) {
		t.report(fmt.Errorf("tool %d of the request passes as it is: %w", i, failed[i]))
	}
	added := &set{results: results, declared: map[string]int{}, given: map[string]string{}}
	var normalized []normalizers.Result
	for i, result := range results {
		if result.Tool.Name != "" {
			added.declared[result.Given.Name], added.given[result.Tool.Name] = i, result.Given.Name
			normalized = append(normalized, result)
		}
	}
	if added.calls, err = calls.Of(ctx, normalized...); err != nil {
		return nil, fmt.Errorf("reading the tools of the request: %w", err)
	}
	if t.Normalized != nil && len(normalized) > 0 {
		t.Normalized(normalized)
	}
	t.known.put(key, added)
	return added, nil
}
