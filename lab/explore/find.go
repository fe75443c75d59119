package explore

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
)

// Find is one difference between a surface and its model.
type Find struct {
	// Rule is the rule of the model that predicts another answer; nil if no current rule
	// explains a refusal.
	Rule *provider.Rule
	// Words are the provider's message for the first cell; "" if it accepts.
	Words string
	// Cells are those that show the difference, the smallest declaration first.
	Cells []*Cell
	// Elsewhere is the rule, as DIALECT/RULE, of another day or another surface that has the
	// same words; "" if there is none.
	Elsewhere string
}

// Name returns a name for a rule about the find: that of the rule concerned, or one made of the
// keyword.
func (f Find) Name() string {
	switch {
	case f.Rule != nil:
		return f.Rule.Name
	case f.Elsewhere != "":
		return f.Elsewhere[strings.LastIndex(f.Elsewhere, "/")+1:]
	}
	about := f.Cells[0].Construct
	name := snake(about.Keyword)
	switch about.Keyword {
	case construct.Other:
		name = "unknown_name"
	case construct.Depth:
		name = "too_deep"
	case "":
		name = "unnamed"
	}
	if about.Form != "" {
		name += "_" + snake(about.Form)
	}
	return strings.Trim(name, "_") + "_refused"
}

// snake returns a keyword in the form of rules' names: minLength becomes min_length.
func snake(keyword string) string {
	var text strings.Builder
	for _, letter := range keyword {
		switch {
		case letter >= 'A' && letter <= 'Z':
			text.WriteByte('_')
			text.WriteRune(letter + 'a' - 'A')
		case letter >= 'a' && letter <= 'z', letter >= '0' && letter <= '9':
			text.WriteRune(letter)
		case text.Len() > 0:
			text.WriteByte('_')
		}
	}
	return text.String()
}

// Finds returns the differences between answers and model, the most valuable first. Refusals in
// the same words are one find, and so are wrong predictions of one rule. The rules of others
// are searched for the words, too.
func (s *Survey) Finds(ctx context.Context, others []*provider.Dialect) []Find {
	groups := map[string]*Find{}
	var order []string
	add := func(key string, rule *provider.Rule, cell *Cell) {
		if groups[key] == nil {
			groups[key] = &Find{Rule: rule}
			order = append(order, key)
		}
		groups[key].Cells = append(groups[key].Cells, cell)
	}
	for _, cell := range s.Cells {
		if cell.Err == nil && cell.Answer.Verdict == provider.Rejected && cell.Predicted.Verdict == provider.Accepted {
			add("words "+words(cell.Answer.Message), nil, cell)
		}
	}
	for _, cell := range s.Cells {
		if cell.Err != nil || cell.Predicted.Verdict == provider.Accepted || cell.agrees() {
			continue
		}
		if key := "words " + words(cell.Answer.Message); cell.Answer.Verdict == provider.Rejected && groups[key] != nil {
			add(key, nil, cell) // the provider reports another violation first
			continue
		}
		rule := cell.wrong()
		add("rule "+rule.Name, rule, cell)
	}
	finds := make([]Find, len(order))
	for i, key := range order {
		find := groups[key]
		slices.SortStableFunc(find.Cells, func(a, b *Cell) int { return sizeOf(a.Declarations) - sizeOf(b.Declarations) })
		find.Words = strings.TrimSpace(find.Cells[0].Answer.Message)
		if find.Words != "" {
			find.Elsewhere = s.elsewhere(ctx, find, others)
		}
		finds[i] = *find
	}
	return finds
}

// agrees reports whether the provider answers as the model predicts.
func (c *Cell) agrees() bool {
	return c.Answer.Verdict == c.Predicted.Verdict &&
		(c.Recorded && c.Answer.Message == "" || strings.TrimSpace(c.Answer.Message) == strings.TrimSpace(c.Predicted.Message))
}

// wrong returns the rule that predicts something the provider does not say.
func (c *Cell) wrong() *provider.Rule {
	for _, finding := range c.Predicted.Findings {
		if finding.Rule != nil && !strings.Contains(c.Answer.Message, strings.TrimSpace(finding.Message)) {
			return finding.Rule
		}
	}
	return c.predictedRule()
}

// elsewhere returns the rule that has the words of a find, of the surface on another day or of
// another surface, or "".
func (s *Survey) elsewhere(ctx context.Context, find *Find, others []*provider.Dialect) string {
	cell := find.Cells[0]
	for _, rule := range s.options.Dialect.Rules {
		if rule.Until == "" {
			continue
		}
		model := s.model()
		model.AsOf = dayBefore(rule.Until)
		if says(ctx, model, cell, find.Words) == rule {
			return s.options.Dialect.Name + "/" + rule.Name
		}
	}
	for _, other := range others {
		if other.Name == s.options.Dialect.Name || other.Schema != s.options.Dialect.Schema {
			continue
		}
		if rule := says(ctx, provider.Model{Dialect: other, ModelName: s.options.Model}, cell, find.Words); rule != nil {
			return other.Name + "/" + rule.Name
		}
	}
	return ""
}

// says returns the rule because of which a model answers a cell in the words, or nil.
func says(ctx context.Context, model provider.Model, cell *Cell, said string) *provider.Rule {
	answer, err := model.Send(ctx, model.Dialect.Request(cell.Declarations))
	if err != nil {
		return nil
	}
	for _, finding := range answer.Findings {
		if text := words(finding.Message); text != "" && strings.Contains(words(said), text) {
			return finding.Rule
		}
	}
	return nil
}
