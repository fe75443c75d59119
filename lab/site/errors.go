package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/evidence"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// message is one shape of the messages with which providers refuse tools.
type message struct {
	Shape string
	// Rules are the rules that produce it, on their surfaces.
	Rules []*ruleView
	// Words are examples of the message, those from recordings first.
	Words []string
	// Examples are tools that are refused with it, at most one for each keyword, and Further the
	// other keywords that are.
	Examples []*example
	Further  []string
	// Wider are the members of a declaration in which the service takes what it refuses here.
	Wider []wider

	// IsLocated means that check --error finds the place that the message is about.
	IsLocated bool

	slug  string
	shown []shownRule
	keys  []ruleKey
}

// File returns the path of the page of the message, relative to the root of the site.
func (m *message) File() string { return "errors/" + m.slug + ".html" }

// Surfaces returns the names of the surfaces that use the message.
func (m *message) Surfaces() []string {
	var names []string
	for _, key := range m.keys {
		if !slices.Contains(names, key.dialect.Name) {
			names = append(names, key.dialect.Name)
		}
	}
	return names
}

// Services returns the services of those surfaces.
func (m *message) Services() []string {
	var names []string
	for _, key := range m.keys {
		if !slices.Contains(names, key.dialect.Service()) {
			names = append(names, key.dialect.Service())
		}
	}
	return names
}

// Title returns the title of the first rule.
func (m *message) Title() string { return m.keys[0].rule.Title() }

// Keywords returns the keywords that have an example.
func (m *message) Keywords() []string {
	var names []string
	for _, example := range m.Examples {
		if example.Keyword != "" {
			names = append(names, example.Keyword)
		}
	}
	return names
}

// summary describes the page of the message once its rules are known.
func (m *message) summary() string {
	text := sentence(m.Title()) + " " + strings.Join(m.Surfaces(), ", ")
	if period := m.Rules[0].Period; period != "" {
		text += " (" + period + ")"
	}
	return text + ": " + shortened(m.Words[0])
}

// mostWords is the largest number of examples of a message on its page.
const mostWords = 6

// messages collects the shapes of the rules' messages. Similar messages of one rule are one
// message, and so are equal shapes of several rules.
func (k *known) messages() {
	type ruleText struct{ name, doc string }
	byRule := map[ruleText][]*message{}
	shapes := map[string]string{} // by message, because surfaces that share a rule use the same messages
	var order []ruleText
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if rule.Effect != provider.Rejects {
				continue
			}
			text := ruleText{rule.Name, rule.Doc}
			if !slices.Contains(order, text) {
				order = append(order, text)
			}
			for _, shown := range k.shown[ruleKey{dialect, rule}] {
				shape, isKnown := shapes[shown.Message]
				if !isKnown {
					shape = refusal.Shape(shown.Message, nil)
					shapes[shown.Message] = shape
				}
				byRule[text] = note(byRule[text], shape, shown, ruleKey{dialect, rule})
			}
		}
	}
	byShape := map[string]*message{}
	for _, text := range order {
		for _, merged := range alike(byRule[text]) {
			if first := byShape[merged.Shape]; first != nil {
				first.join(merged)
				continue
			}
			byShape[merged.Shape] = merged
			k.errors = append(k.errors, merged)
		}
	}
	slugs := map[string]bool{}
	for _, merged := range k.errors {
		merged.finish(slugs)
		for _, key := range merged.keys {
			k.errorsOf[key] = append(k.errorsOf[key], merged)
		}
	}
}

// note adds a finding to the message of its shape.
func note(messages []*message, shape string, shown shownRule, key ruleKey) []*message {
	at := slices.IndexFunc(messages, func(known *message) bool { return known.Shape == shape })
	if at < 0 {
		at = len(messages)
		messages = append(messages, &message{Shape: shape})
	}
	messages[at].shown = append(messages[at].shown, shown)
	if !slices.Contains(messages[at].keys, key) {
		messages[at].keys = append(messages[at].keys, key)
	}
	return messages
}

// alike merges the similar messages of a rule, after restoring in their shapes the quoted parts
// that are the provider's own.
func alike(messages []*message) []*message {
	for _, candidate := range messages {
		candidate.Shape = refusal.Shape(candidate.shown[0].Message, candidate.isConstant)
	}
	var merged []*message
	for _, candidate := range messages {
		isMerged := false
		for _, other := range merged {
			if shape, ok := refusal.Merge(other.Shape, candidate.Shape); ok {
				other.Shape, isMerged = shape, true
				other.join(candidate)
				break
			}
		}
		if !isMerged {
			merged = append(merged, candidate)
		}
	}
	return merged
}

// join adds the findings and rules of another message.
func (m *message) join(other *message) {
	m.shown = append(m.shown, other.shown...)
	for _, key := range other.keys {
		if !slices.Contains(m.keys, key) {
			m.keys = append(m.keys, key)
		}
	}
}

// finish sets the words and the file name of a message once all its findings are known.
func (m *message) finish(slugs map[string]bool) {
	slices.SortStableFunc(m.shown, func(a, b shownRule) int { return cmp.Compare(len(a.Message), len(b.Message)) })
	for _, ofRecording := range []bool{true, false} {
		for _, shown := range m.shown {
			text := strings.TrimSpace(shown.Message)
			if (shown.Recording != nil) == ofRecording && len(m.Words) < mostWords && !slices.Contains(m.Words, text) {
				m.Words = append(m.Words, text)
			}
		}
	}
	if slugOf(m.Shape) == "" { // the message has no words of its own
		m.Shape = shortened(m.Words[0])
	}
	m.slug = slugOf(m.Shape)
	if slugs[m.slug] {
		digest := sha256.Sum256([]byte(m.Shape))
		m.slug += "-" + hex.EncodeToString(digest[:3])
	}
	slugs[m.slug] = true
}

// isConstant reports whether a quoted part of the first message is the provider's own: either
// all messages have it, or, if there is only one, it is a word that the tool lacks.
func (m *message) isConstant(index int) bool {
	first := m.shown[0]
	part := refusal.Quoted(first.Message)[index]
	isOneOfSeveral := false
	for _, shown := range m.shown {
		parts := refusal.Quoted(shown.Message)
		if index >= len(parts) || parts[index] != part {
			return false
		}
		isOneOfSeveral = isOneOfSeveral || shown.Message != first.Message
	}
	if strings.ContainsAny(part, "[.") {
		return false // the part is a place
	}
	bare := strings.Trim(part, "'\"`")
	return isOneOfSeveral || !slices.ContainsFunc(first.Request.Declarations, func(declaration *schema.Node) bool {
		return strings.Contains(string(declaration.JSON()), `"`+bare+`"`)
	})
}

// shortened returns the beginning of a text as one line.
func shortened(text string) string {
	const most = 160
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > most {
		return string(letters[:most]) + refusal.Hole
	}
	return string(letters)
}

// errNoExample means that no fixture gets the message.
var errNoExample = errors.New("no fixture gets the message")

// located returns nil if check --error understands the message: it finds the place in a fixture
// that gets the message, or recognizes that the message names none.
func (m *message) located(ctx context.Context) error {
	for _, shown := range m.shown {
		if shown.Fixture == nil || shown.Fixture.WireOnly {
			continue
		}
		_, err := refusal.Locator{Dialects: harness.Dialects}.Locate(ctx, shown.Message, shown.Fixture.Tools)
		if errors.Is(err, refusal.ErrPlaceless) || errors.Is(err, refusal.ErrRequest) {
			return nil
		}
		return err
	}
	return errNoExample
}

// nearest returns the changes that cure a finding: those that removed the keyword at its place,
// or else those of the smallest schema around it. Changes of spelling cure nothing.
func nearest(changes []rewrite.Change, at schema.Pointer, keyword string) []rewrite.Change {
	var found []rewrite.Change
	for _, change := range changes {
		before, after := change.Before.Node(), change.After.Node()
		isSpelling := before != nil && after != nil && bytes.EqualFold(before.JSON(), after.JSON())
		switch {
		case !at.Under(change.From) || isSpelling, keyword != "" && before.Get(keyword) == nil && at != change.From:
		case len(found) == 0 || len(change.From) > len(found[0].From):
			found = []rewrite.Change{change}
		case len(change.From) == len(found[0].From):
			found = append(found, change)
		}
	}
	return found
}

// slugOf returns a file name made of the words of a shape.
func slugOf(shape string) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(shape), func(letter rune) bool {
		return letter > 'z' || letter < '0' || letter > '9' && letter < 'a'
	})
	slug := ""
	for _, word := range words {
		if len(slug)+len(word) >= most {
			break
		}
		slug += "-" + word
	}
	return strings.TrimPrefix(slug, "-")
}

// indexed is an entry of the search index: the words of a message, and its page.
type indexed struct {
	Shape    string   `json:"shape"`
	Page     string   `json:"page"`
	Title    string   `json:"title"`
	Services []string `json:"services"`
	Words    []string `json:"words"`
	// Keywords have an example at an anchor of the page.
	Keywords []string `json:"keywords,omitempty"`
}

// errorsPages makes the page with the search, a page for each message, and the search index.
func errorsPages(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	var groups []*errorGroup
	var index []indexed
	for _, entry := range k.errors {
		if err := k.exemplify(ctx, entry); err != nil {
			return nil, err
		}
	}
	add := func(entry indexed) {
		at := slices.IndexFunc(groups, func(group *errorGroup) bool { return group.Service == entry.Services[0] })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &errorGroup{Service: entry.Services[0]})
		}
		groups[at].Messages = append(groups[at].Messages, entry)
		index = append(index, entry)
	}
	for _, entry := range k.errors {
		add(indexed{entry.Shape, entry.File(), entry.Title(), entry.Services(), entry.Words, entry.Keywords()})
	}
	others := conversations(k.errors)
	for _, entry := range others {
		add(indexed{entry.Shape, entry.File(), entry.Doc, entry.Rule.Services, []string{entry.Shape}, nil})
	}
	text, err := json.Marshal(index)
	if err != nil {
		return nil, fmt.Errorf("writing the index of messages: %w", err)
	}
	data.files["errors.json"] = text
	pages := []Page{{
		Path: "errors.html", Section: "Errors", Title: "I got this 400", Template: "errors", Scripts: []string{"errors.js"},
		Summary: "What an error message of an LLM provider means for a tool, and what to write instead: all known messages, with a search.",
		Data: struct {
			Groups []*errorGroup
			Count  int
		}{groups, len(index)},
	}}
	for _, entry := range k.errors {
		for _, key := range entry.keys {
			view, err := k.rule(ctx, key.dialect, key.rule)
			if err != nil {
				return nil, err
			}
			entry.Rules = append(entry.Rules, view)
		}
		entry.IsLocated = entry.located(ctx) == nil
		pages = append(pages, Page{
			Path: entry.File(), Section: "Errors", Title: entry.Shape, Template: "error",
			Summary: entry.summary(),
			Data:    entry,
		})
	}
	for _, entry := range others {
		pages = append(pages, Page{
			Path: entry.File(), Section: "Errors", Title: entry.Shape, Template: "conversation",
			Summary: sentence(entry.Doc) + " " + strings.Join(entry.Rule.Services, ", ") + ": " + entry.Shape,
			Data:    entry,
		})
	}
	return pages, nil
}

// errorGroup holds the messages of a service.
type errorGroup struct {
	Service  string
	Messages []indexed
}

// conversationError is a refusal of a request for something other than its tools.
type conversationError struct {
	*conversation.Rule

	Shape string
	slug  string
}

// File returns the path of the page of the message, relative to the root of the site.
func (c *conversationError) File() string { return "errors/" + c.slug + ".html" }

// Request returns a request that is refused with the message, or "".
func (c *conversationError) Request() string { return indentedJSON(c.Refused) }

// NearMiss returns a similar request that is accepted, or "".
func (c *conversationError) NearMiss() string { return indentedJSON(c.Accepted) }

// indentedJSON returns a JSON text indented.
func indentedJSON(text string) string {
	node, err := schema.Parse([]byte(text))
	if err != nil {
		return text
	}
	return string(node.Indented())
}

// conversations returns the messages about conversations, each with a file name of its own.
func conversations(known []*message) []*conversationError {
	slugs := map[string]bool{}
	for _, entry := range known {
		slugs[entry.slug] = true
	}
	var all []*conversationError
	for _, rule := range conversation.Rules {
		entry := &conversationError{Rule: rule, Shape: shortened(verbs.ReplaceAllString(rule.Words, refusal.Hole))}
		entry.slug = slugOf(entry.Shape)
		if slugs[entry.slug] {
			entry.slug += "-" + strings.ReplaceAll(rule.Name, "_", "-")
		}
		slugs[entry.slug] = true
		all = append(all, entry)
	}
	return all
}

// verbs matches the verbs of fmt in the words of a rule.
var verbs = regexp.MustCompile(`%(\[\d+\])?[sdqv]`)

// example is a refused tool with its cure.
type example struct {
	Keyword string // refused keyword; "" if it is not about one
	Surface *provider.Dialect
	Said    string
	Title   string // title of the fixture
	Place   string
	Sides   sides
	// Advice says what to write instead, an edit a line; it is empty if no edit of the source helps.
	Advice []string
	// IsWhole is set if the surface accepts the tool with these edits.
	IsWhole bool
	// Rewrites are the rewrites that cure the refusal where no edit does; empty if none does.
	Rewrites []string
	Target   string // of the rewrites
	Loss     string // of the edit, or of the rewritten tool
}

// The bounds of the examples of a message.
const (
	longest      = 60 // lines of one side
	mostExamples = 12
	mostEdits    = 4 // of an example that the surface then accepts
)

// asked are the keywords that people ask about most, by the threads about them.
var asked = []string{"const", "$schema", "$ref", "exclusiveMinimum"}

// exemplify finds the best example for each refused keyword: first for those that people ask about,
// and then the best. It does not complete examples that cannot become the best.
func (k *known) exemplify(ctx context.Context, about *message) error {
	type uncured struct {
		*example

		shown shownRule
	}
	var candidates []uncured
	for _, shown := range about.shown {
		if shown.Fixture == nil || shown.Fixture.WireOnly || shown.Declaration < 0 || shown.Declaration >= len(shown.Fixture.Tools) {
			continue
		}
		if candidate := exampleOf(shown, about.keys); candidate.Sides.lines() <= longest {
			candidates = append(candidates, uncured{candidate, shown})
		}
	}
	place := func(of uncured) int {
		return slices.IndexFunc(about.keys, func(key ruleKey) bool { return key.dialect == of.Surface })
	}
	slices.SortStableFunc(candidates, func(a, b uncured) int {
		return cmp.Or(cmp.Compare(b.mostWorth(), a.mostWorth()), cmp.Compare(place(a), place(b)))
	})
	best := map[string]*example{}
	for _, candidate := range candidates {
		known := best[candidate.Keyword]
		if known != nil && candidate.mostWorth() <= known.worth() {
			continue
		}
		if err := candidate.cure(ctx, candidate.shown); err != nil {
			return err
		}
		if candidate.Sides.lines() <= longest && (known == nil || candidate.worth() > known.worth()) {
			best[candidate.Keyword] = candidate.example
		}
	}
	all := slices.Collect(maps.Values(best))
	rank := func(of *example) int {
		if of.IsAsked() {
			return slices.Index(asked, of.Keyword)
		}
		return len(asked)
	}
	slices.SortFunc(all, func(a, b *example) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.worth(), a.worth()), cmp.Compare(a.Keyword, b.Keyword))
	})
	about.Examples = all[:min(len(all), mostExamples)]
	for _, other := range all[len(about.Examples):] {
		if evidence.Knows(other.Keyword) {
			about.Further = append(about.Further, other.Keyword)
		}
	}
	slices.Sort(about.Further)
	about.Wider = k.wider(about, slices.Collect(maps.Keys(best)))
	return nil
}

// wider is a member of a declaration that takes what another one refuses.
type wider struct {
	Member, Beside string // such as parametersJsonSchema and parameters
	Surfaces       []*surface
	Takes, Of      int // keywords
}

// wider returns the wider members beside those that refuse some keywords.
func (k *known) wider(about *message, refused []string) []wider {
	var all []wider
	for _, key := range about.keys {
		isWider := func(view *surface) bool { return view.Dialect == key.dialect.Wider }
		at := slices.IndexFunc(k.surfaces, isWider)
		if at < 0 {
			continue
		}
		_, member, _ := strings.Cut(k.surfaces[at].Name, "/")
		_, beside, _ := strings.Cut(key.dialect.Name, "/")
		same := slices.IndexFunc(all, func(other wider) bool { return other.Member == member })
		if same < 0 {
			same, all = len(all), append(all, wider{Member: member, Beside: beside})
		}
		if !slices.ContainsFunc(all[same].Surfaces, isWider) {
			all[same].Surfaces = append(all[same].Surfaces, k.surfaces[at])
		}
	}
	for i := range all {
		for at, cell := range k.surfaces[0].Cells {
			if !slices.Contains(refused, cell.Construct) {
				continue
			}
			all[i].Of++
			if !slices.ContainsFunc(all[i].Surfaces, func(view *surface) bool { return !view.Cells[at].IsTaken() }) {
				all[i].Takes++
			}
		}
	}
	return slices.DeleteFunc(all, func(found wider) bool { return found.Takes == 0 })
}

// IsAsked reports whether people ask about the keyword.
func (e *example) IsAsked() bool { return slices.Contains(asked, e.Keyword) }

// worth rates an example: it is better with an edit, or else with a rewrite, without a loss, with a tool
// that the surface then accepts, for a function, of a surface to which clients pass tools on as they are,
// and in few lines.
func (e *example) worth() int {
	worth := -e.Sides.lines()
	switch {
	case len(e.Advice) > 0:
		worth += 6 * longest
	case len(e.Rewrites) > 0:
		worth += 4*longest - longest/10*len(e.Rewrites)
	}
	if e.Loss == rewrite.Exact.String() {
		worth += longest
	}
	if e.IsWhole {
		worth += 2 * longest
	}
	if e.Surface.Subject == provider.Arguments {
		worth += 2 * longest
	}
	if isDirect(e.Surface) {
		worth += longest
	}
	return worth
}

// mostWorth returns an upper bound of the worth that an example can have once it is completed.
func (e *example) mostWorth() int {
	answered := *e
	answered.Advice, answered.Loss, answered.IsWhole = []string{"an edit"}, rewrite.Exact.String(), true
	return answered.worth()
}

// isDirect reports whether clients pass tools on to a surface as they are.
func isDirect(surface *provider.Dialect) bool {
	return slices.ContainsFunc(harness.Direct, func(direct judge.Target) bool { return direct.Dialect == surface })
}

// exampleOf returns a refused fixture as an example without a cure.
func exampleOf(shown shownRule, keys []ruleKey) *example {
	refused := &example{Said: strings.TrimSpace(shown.Message), Title: shown.Fixture.Title, Place: string(shown.At)}
	if tokens := shown.At.Tokens(); len(tokens) > 0 && schema.ClassOf(tokens[len(tokens)-1]) != 0 {
		refused.Keyword = tokens[len(tokens)-1]
	}
	for _, key := range keys {
		if key.rule == shown.Rule && key.dialect.Name == shown.Request.Dialect {
			refused.Surface = key.dialect
		}
	}
	refused.Sides = sidesOf(shown.Fixture.Tools[shown.Declaration].Node(), nil)
	return refused
}

// cure adds what the author can write instead, or else what the normalizer of the surface makes of the
// tool, if the surface then accepts it.
func (e *example) cure(ctx context.Context, shown shownRule) error {
	if err := e.edit(ctx, shown); err != nil || len(e.Advice) > 0 {
		return err
	}
	target := harness.Serving(e.Surface)
	if target.Normalizer == nil {
		return nil
	}
	tool := shown.Fixture.Tools[shown.Declaration]
	normalized, err := target.Normalizer.Normalize(ctx, tool)
	if err != nil {
		return err
	}
	still, err := shown.Model.Send(ctx, e.Surface.Encode([]schema.Tool{normalized.Tool}))
	if err != nil {
		return err
	}
	if still.Verdict != provider.Accepted { // for example by a rule of another day
		return nil
	}
	for _, change := range nearest(normalized.Changes, shown.At, e.Keyword) {
		if !slices.Contains(e.Rewrites, change.Rule) {
			e.Rewrites = append(e.Rewrites, change.Rule)
		}
	}
	e.Loss = normalized.Loss().String()
	e.Target = target.Name()
	e.Sides = sidesOf(tool.Node(), normalized.Tool.Node())
	return nil
}

// edit adds the edit that cures the refusal, and those that cure what else the tool is refused for, if the
// surface accepts it after a few of them.
func (e *example) edit(ctx context.Context, shown shownRule) error {
	targets := harness.Direct
	if !isDirect(e.Surface) {
		targets = []judge.Target{harness.TargetOf(e.Surface)}
	}
	judging := judge.Judge{AsOf: shown.Model.AsOf, ModelName: shown.Model.ModelName}
	given := shown.Fixture.Tools[shown.Declaration]
	edited, loss := given, rewrite.Exact
	var advice []string
	for finding := shown.Finding; len(advice) < mostEdits; {
		cure := judging.Cures(ctx, toolfile.Of(edited), targets).Of(verdict.Finding{Rule: finding.Rule.Name, At: finding.At, Message: finding.Message})
		if len(cure.Edits) == 0 {
			return nil
		}
		edited, loss = judge.Edited(edited, cure.Edits[0]), loss|cure.Edits[0].Loss
		advice = append(advice, report.Proposal(cure))
		answer, err := shown.Model.Send(ctx, e.Surface.Encode([]schema.Tool{edited}))
		if err != nil {
			return err
		}
		e.IsWhole = answer.Verdict == provider.Accepted
		if e.IsWhole || len(advice) == 1 {
			e.Advice, e.Loss, e.Sides = slices.Clone(advice), loss.String(), sidesOf(given.Node(), edited.Node())
		}
		if e.IsWhole {
			return nil
		}
		finding = answer.Findings[0]
	}
	return nil
}
