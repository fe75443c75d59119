package normalizers

import (
	"slices"
	"sync"
	"time"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
)

// Options are the choices of a caller. The zero value is usable.
type Options struct {
	// Language is preferred where a text is given in several languages, such as de-AT.
	// DefaultLanguage comes next, then en, then the first that is given.
	Language, DefaultLanguage string
	// MaxValues is how many JSON values a result may have; 0 means 100,000.
	MaxValues int
	// MaxDepth is how deep the schemas of a result may nest; 0 means 100.
	MaxDepth int
	// MaxSteps bounds the work on a tool, so that a small schema that expands to a large
	// one ends with a *rewrite.BudgetError, after the same steps on any machine. 0 means
	// 10,000,000, and 100 more for each value of the tool.
	MaxSteps int
	// AsOf is the day of the provider that the tool is for, such as the day of an older
	// model or gateway. The zero value means today. It adds the limits on names, formats
	// and sizes that the provider has dropped since, and removes no limit that came later.
	AsOf time.Time
	// KeepTitles keeps title where the provider takes it. Otherwise strict mode leaves it
	// out, because it says nothing to a model.
	KeepTitles bool
	// PropertyOrdering adds the keyword of that name, with the order of properties, to
	// every object that lacks it, if the surface has the keyword. Without it Google sorts
	// properties by name.
	PropertyOrdering bool
	// SayConstraints repeats in the descriptions the constraints that stay, such as
	// pattern, for callers whose tools pass through programs that remove keywords.
	// Portable repeats some of them in any case.
	SayConstraints bool
	// NeverStrict makes a strict target give the tool as one that is not strict.
	NeverStrict bool
}

// engine returns the options that the engine reads.
func (o *Options) engine() engine.Options {
	return engine.Options{
		Language: o.Language, DefaultLanguage: o.DefaultLanguage, MaxValues: o.MaxValues, MaxDepth: o.MaxDepth, MaxSteps: o.MaxSteps,
	}
}

// variant names what the options change of a target.
type variant struct {
	of      *engine.Target
	titles  bool
	says    bool // the constraints
	earlier int  // how many of target.Earlier hold
}

// variants holds the targets by their variants: equal options give the same target, because
// rules remember what they know of a target.
var variants sync.Map

// of returns the target as the options change it: t itself if they change nothing.
func (o *Options) of(t *engine.Target) *engine.Target {
	wanted := variant{
		of: t, titles: o.KeepTitles && t.Keywords != nil && !slices.Contains(t.Keywords, "title"),
		says: o.SayConstraints && !engine.Has[rules.Repeated](t),
	}
	if !o.AsOf.IsZero() {
		day := o.AsOf.Format(time.DateOnly)
		for wanted.earlier < len(t.Earlier) && day < t.Earlier[wanted.earlier].Until {
			wanted.earlier++
		}
	}
	if !wanted.titles && !wanted.says && wanted.earlier == 0 {
		return t
	}
	if known, ok := variants.Load(wanted); ok {
		return known.(*engine.Target) //nolint:forcetypeassert // nothing else is stored
	}
	target := *t
	if wanted.titles {
		target.Keywords = slices.Concat(t.Keywords, []string{"title"})
	}
	if wanted.says {
		target.Limits = append(slices.Clip(target.Limits), constraints)
	}
	for _, earlier := range t.Earlier[:wanted.earlier] {
		earlier.Had(&target)
	}
	known, _ := variants.LoadOrStore(wanted, &target)
	return known.(*engine.Target) //nolint:forcetypeassert // nothing else is stored
}

// constraints are what SayConstraints repeats in a description.
var constraints = rules.Repeated{
	"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
	"uniqueItems", "minProperties", "maxProperties", "default",
}
