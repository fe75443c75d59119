package wrap

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/schema"
)

// catalogue holds the tools that a server has listed. A tool keeps the name that the client knows as
// long as the server lists it.
type catalogue struct {
	tools  map[key]*tool
	byName map[string]*tool   // by the names that the client knows
	pages  map[string][]*tool // those of the last list, by the cursors that asked for them
	counts map[string]int     // of the tools in pages, by name
	size   int                // of tools, and of the cursors of pages, in bytes
}

// key tells tools apart, of which several may have one name.
type key struct {
	name string
	nth  int // among the tools of this name
}

// tool is a tool as the server lists it, and as the client sees it.
type tool struct {
	key

	result    normalizers.Result
	size      int  // of what the server lists, in bytes
	isChanged bool // from what the server lists
	isRenamed bool
	compiled  *calls.Tools
}

// calls returns what restores and judges the calls of the tool.
func (t *tool) calls(ctx context.Context) (*calls.Tools, error) {
	if t.compiled == nil {
		compiled, err := calls.Of(ctx, t.result)
		if err != nil {
			return nil, err
		}
		t.compiled = compiled
	}
	return t.compiled, nil
}

// declaration is a tool in the text of a list, with the places of its members.
type declaration struct {
	tool  schema.Tool
	whole span
	at    map[string]span
}

// size returns the size of the text, in bytes.
func (d declaration) size() int { return d.whole.end - d.whole.start }

// list takes the result of a tools/list, and returns the edits that normalize its tools.
func (s *Session) list(ctx context.Context, text []byte, result map[string]span, cursor string) ([]edit, error) {
	switch {
	case cursor == "" && s.Observe:
		s.listed = catalogue{}
	case cursor == "":
		s.listed.pages, s.listed.counts = nil, nil
	}
	page := s.read(text, elements(text, result["tools"]))
	if err := s.listed.bound(page, cursor); err != nil {
		return nil, err
	}
	pipeline := s.Target(s.client)
	normalized, err := s.normalize(ctx, pipeline, page)
	if err != nil {
		return nil, err
	}
	tools := s.listed.add(pipeline, page, normalized, cursor)
	var edits []edit
	for i, tool := range tools {
		changes := rewriting(page[i], tool.result)
		tool.isChanged, tool.isRenamed = len(changes) > 0, tool.result.Tool.Name != tool.name
		if s.Observe {
			s.listed.stays(tool)
			continue
		}
		edits = append(edits, changes...)
	}
	if textOf(result["nextCursor"].of(text)) == "" {
		s.listed.prune()
	}
	return edits, nil
}

// read reads the tools of a list. It leaves out what is no tool.
func (s *Session) read(text []byte, places []span) []declaration {
	page := make([]declaration, 0, len(places))
	for i, whole := range places {
		node, err := schema.Parse(whole.of(text))
		switch {
		case err != nil:
			s.warn(fmt.Sprintf("tool %d of the list passes as it is: %v", i+1, err))
		case node.GetString("name") == "":
			s.warn(fmt.Sprintf("tool %d of the list passes as it is: it has no name", i+1))
		default:
			tool := schema.Tool{Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("inputSchema"), Further: schema.FurtherOf(node)}
			page = append(page, declaration{tool, whole, members(text, whole)})
		}
	}
	return page
}

// normalize normalizes the tools of a page. One that has no result stays as it is, and one that clients
// cannot read is made portable.
func (s *Session) normalize(ctx context.Context, pipeline *normalizers.Pipeline, page []declaration) ([]normalizers.Result, error) {
	tools := make([]schema.Tool, len(page))
	for i, declared := range page {
		tools[i] = declared.tool
	}
	results, err := pipeline.NormalizeAll(ctx, tools...)
	var failed normalizers.RequestError
	if err != nil && !errors.As(err, &failed) {
		return nil, fmt.Errorf("a list passes as it is: %w", err)
	}
	for i, tool := range tools {
		reason := failed[i]
		if reason == nil && !isForClients(ctx, results[i].Tool) {
			results[i], reason = normalizers.Portable.Normalize(ctx, tool)
		}
		if reason != nil {
			s.warn(fmt.Sprintf("%q passes as it is: %v", tool.Name, reason))
			results[i] = normalizers.Result{Tool: tool, Given: tool}
		}
	}
	return results, nil
}

// isForClients reports whether clients read the parameters of a tool. A provider may take more, such as
// a property whose schema is true, for which a client refuses the whole list.
func isForClients(ctx context.Context, tool schema.Tool) bool {
	readable, err := normalizers.MCP.Normalize(ctx, tool)
	return err == nil && schema.Identical(readable.Tool.Parameters, tool.Parameters)
}

// bound returns an error if the catalogue would hold too much with a page.
func (c *catalogue) bound(page []declaration, cursor string) error {
	size, fresh, seen := c.size+len(cursor), 0, map[string]int{}
	for _, declared := range page {
		name := declared.tool.Name
		seen[name]++
		known := c.tools[key{name, c.counts[name] + seen[name]}]
		size += declared.size()
		if known == nil {
			fresh++
		} else {
			size -= known.size
		}
	}
	if count := len(c.tools) + fresh; count > maxTools || size > maxBytes {
		return fmt.Errorf("a list passes as it is: the server lists %d tools of %d MB", count, size>>20)
	}
	if len(c.pages) >= maxTools {
		return fmt.Errorf("a list passes as it is: it has more than %d pages", maxTools)
	}
	return nil
}

// add adds the tools of a page, of which those that the client knows keep their names. The others get
// names that no other tool has.
func (c *catalogue) add(pipeline *normalizers.Pipeline, page []declaration, normalized []normalizers.Result, cursor string) []*tool {
	if c.tools == nil {
		c.tools, c.byName = map[key]*tool{}, map[string]*tool{}
	}
	if c.pages == nil {
		c.pages, c.counts = map[string][]*tool{}, map[string]int{}
	}
	if again, isKnown := c.pages[cursor]; !isKnown {
		c.size += len(cursor)
	} else {
		for _, tool := range again {
			c.counts[tool.name]--
		}
	}
	added := make([]*tool, len(page))
	for i, result := range normalized {
		name := result.Given.Name
		c.counts[name]++
		added[i] = &tool{key: key{name, c.counts[name]}, result: result, size: page[i].size()}
		if known := c.tools[added[i].key]; known != nil {
			added[i].result = result.Renamed(known.result.Tool.Name)
		}
	}
	c.tellApart(pipeline, added)
	for _, tool := range added {
		if known := c.tools[tool.key]; known != nil {
			c.size -= known.size
		}
		c.size += tool.size
		c.tools[tool.key], c.byName[tool.result.Tool.Name] = tool, tool
	}
	c.pages[cursor] = added
	return added
}

// tellApart gives names of their own to the tools that the client does not know yet.
func (c *catalogue) tellApart(pipeline *normalizers.Pipeline, added []*tool) {
	var results []normalizers.Result
	fresh := slices.DeleteFunc(slices.Clone(added), func(tool *tool) bool { return c.tools[tool.key] != nil })
	for _, tool := range fresh {
		results = append(results, tool.result)
	}
	apart := pipeline.TellApart(results, func(name string) bool { return c.byName[name] != nil })
	for i, tool := range fresh {
		tool.result = apart[i]
	}
}

// stays makes the client know a tool as the server lists it.
func (c *catalogue) stays(tool *tool) {
	delete(c.byName, tool.result.Tool.Name)
	tool.result = normalizers.Result{Tool: tool.result.Given, Given: tool.result.Given}
	c.byName[tool.name] = tool
}

// prune forgets the tools that the last list does not have.
func (c *catalogue) prune() {
	c.tools, c.byName, c.size = map[key]*tool{}, map[string]*tool{}, 0
	for cursor, tools := range c.pages {
		c.size += len(cursor)
		for _, tool := range tools {
			c.size += tool.size
			c.tools[tool.key], c.byName[tool.result.Tool.Name] = tool, tool
		}
	}
}

// count returns the numbers of tools, of those that were changed, and of those with another name.
func (c *catalogue) count() (tools, changed, renamed int) {
	for _, tool := range c.tools {
		if tool.isChanged {
			changed++
		}
		if tool.isRenamed {
			renamed++
		}
	}
	return len(c.tools), changed, renamed
}

// rewriting returns the edits that replace what a result changes of a tool.
func rewriting(declared declaration, result normalizers.Result) []edit {
	var edits []edit
	replace := func(member string, before, after *schema.Node) {
		switch {
		case after == nil || before != nil && schema.Identical(before, after):
		case before != nil:
			edits = append(edits, edit{declared.at[member], after.JSON()})
		default:
			end := declared.at["name"].end
			text := append(schema.AppendQuoted([]byte{','}, member), ':')
			edits = append(edits, edit{span{end, end}, after.AppendJSON(text)})
		}
	}
	given := result.Given
	replace("name", schema.NewString(given.Name), schema.NewString(result.Tool.Name))
	replace("description", given.Description, result.Tool.Description)
	replace("inputSchema", given.Parameters, result.Tool.Parameters)
	return edits
}
