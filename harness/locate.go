package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Located is what a provider's refusal says of tools.
type Located struct {
	Dialect *provider.Dialect // whose words they are
	Places  []provider.Place  // those that the tools have
	// Missing are the places that were understood and that the tools do not have.
	Missing []provider.Place
}

// Errors of a refusal that leads to no place.
var (
	// ErrUnknownWords means that the refusal is in the words of no surface.
	ErrUnknownWords = errors.New("the message is in the words of no provider that is known here")
	// ErrNoPlace means that the tools are others than those that were refused.
	ErrNoPlace = errors.New("the tools have no such place")
	// ErrPlaceless means that the words are known, and say of several tools or schemas
	// not which one they mean.
	ErrPlaceless = errors.New("the message names no place")
)

// Locate finds the surface that speaks in a refusal, and the places that it means. Of
// several surfaces with the same words it is the one with the most places that the message
// names, then with the most places, of those the first.
func Locate(refusal provider.Response, tools []toolfile.Tool, dialects []*provider.Dialect) (Located, error) {
	var best, missed Located
	for _, dialect := range dialects {
		if dialect.Locate == nil {
			continue
		}
		found := Located{Dialect: dialect}
		for _, place := range dialect.Locate(refusal, declare(dialect, tools)) {
			if place.Declaration == provider.Nowhere {
				found.Missing = append(found.Missing, place)
			} else {
				found.Places = append(found.Places, place)
			}
		}
		if isBetter(found.Places, best.Places) {
			best = found
		}
		if isBetter(found.Missing, missed.Missing) {
			missed = found
		}
	}
	switch {
	case len(best.Places) > 0 && (named(best.Places) > 0 || named(missed.Missing) == 0):
		return best, nil
	case len(missed.Missing) == 0:
		return Located{}, ErrUnknownWords
	case named(missed.Missing) == 0:
		return missed, fmt.Errorf("%w: understood as %s", ErrPlaceless, missed.Dialect.Name)
	default:
		var understood []string
		for _, place := range missed.Missing {
			understood = append(understood, place.Location)
		}
		return missed, fmt.Errorf("%w: understood as %s, at %s", ErrNoPlace, missed.Dialect.Name, strings.Join(understood, " and "))
	}
}

// isBetter reports whether places say more than others.
func isBetter(places, others []provider.Place) bool {
	if a, b := named(places), named(others); a != b {
		return a > b
	}
	return len(places) > len(others)
}

// named counts the places that the message names.
func named(places []provider.Place) int {
	count := 0
	for _, place := range places {
		if place.Location != "" {
			count++
		}
	}
	return count
}

// declare returns the declarations of all tools; one that could not be read keeps its
// place.
func declare(dialect *provider.Dialect, tools []toolfile.Tool) []*schema.Node {
	declarations := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		declarations[i] = dialect.Declare(tool.Tool)
	}
	return declarations
}

// ruleOf returns the rule of the dialect that explains a place, or nil: the one that
// the model finds broken there, in the same words but for numbers, which are those of
// another request.
func (c Checker) ruleOf(ctx context.Context, dialect *provider.Dialect, tool toolfile.Tool, place provider.Place) (*provider.Rule, error) {
	var asked []*provider.Stage
	for _, rule := range dialect.Rules {
		if slices.Contains(asked, rule.Stage) {
			continue
		}
		asked = append(asked, rule.Stage)
		stage := *dialect // alone: what an earlier stage finds in the tool is another refusal
		stage.Rules = slices.DeleteFunc(slices.Clone(dialect.Rules), func(other *provider.Rule) bool { return other.Stage != rule.Stage })
		checker := c
		checker.Store = nil
		answer, err := checker.ask(ctx, &stage, tool.Tool)
		if err != nil {
			return nil, err
		}
		for _, finding := range answer.Findings {
			if finding.Rule != nil && provider.Alike(place.Message, finding.Message) {
				return finding.Rule, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // no rule explains it
}

// Refused returns the result of each tool that a refusal has places in, in the order
// in which it names them: raw has the provider's words, and normalized is the tool as
// the given target makes it. Where nothing normalizes for the surface there is no normalized
// tool.
func (c Checker) Refused(
	ctx context.Context, located Located, target Target, tools []toolfile.Tool, source func(tool int) string,
) ([]verdict.Result, error) {
	var order []int
	for _, place := range located.Places {
		if !slices.Contains(order, place.Declaration) {
			order = append(order, place.Declaration)
		}
	}
	results := make([]verdict.Result, 0, len(order))
	for _, index := range order {
		tool := tools[index]
		result := verdict.Result{
			Version: verdict.Version, ID: tool.ID, Tool: tool.Name, Source: source(index), Line: tool.Line,
			Target: target.Name(), Dialect: target.Dialect.Name, Given: tool.Node(), Status: verdict.NotApplicable,
		}
		if target.Normalizer != nil {
			checker := c
			checker.Raw = false
			result = checker.Check(ctx, tool, source(index), target)
		}
		result.RawDialect = located.Dialect.Name
		result.Raw = &verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported}
		for _, place := range located.Places {
			if place.Declaration != index {
				continue
			}
			rule, err := c.ruleOf(ctx, located.Dialect, tool, place)
			if err != nil {
				return nil, err
			}
			result.Raw.Findings = append(result.Raw.Findings, findingAt(tool, place, rule))
		}
		results = append(results, result)
	}
	return results, nil
}

// findingAt returns what is said of a place, with its line.
func findingAt(tool toolfile.Tool, place provider.Place, rule *provider.Rule) verdict.Finding {
	found := provider.Finding{Rule: rule, Message: place.Message, At: place.At}
	finding := verdict.Findings(provider.Response{Verdict: provider.Rejected, Findings: []provider.Finding{found}})[0]
	finding.At = tool.Pointer(finding.At)
	position := positionOf(tool.Given, finding.At)
	finding.Line, finding.Column = int(position.Line), int(position.Column)
	return finding
}

// positionOf returns the position of an object, and of anything else that of its name;
// of what is not there that of what it is missed in.
func positionOf(node *schema.Node, at schema.Pointer) schema.Position {
	if node == nil { // the tool could not be read
		return schema.Position{}
	}
	position := node.Position
	for _, token := range at.Tokens() {
		below := node.Step(token)
		if below == nil {
			break
		}
		position = below.Position
		if i := node.Index(token); i >= 0 && below.Kind != schema.Object {
			position = node.Members[i].Position
		}
		node = below
	}
	return position
}

// Serving returns the target whose rewrites answer the refusals of a surface: that of
// the surface or a relative. Where there is none its Normalizer is nil.
func Serving(dialect *provider.Dialect) Target {
	for served := dialect; served != nil; served = served.Relative {
		for _, target := range Targets {
			if target.Dialect == served {
				return target
			}
		}
	}
	return Target{Dialect: dialect}
}
