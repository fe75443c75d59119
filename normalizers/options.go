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
	// Language is the preferred language, such as de-AT, of a text in several languages, or a list of
	// them with commas between, the most preferred first.
	// DefaultLanguage comes next, then en, and then the first language of the text.
	Language, DefaultLanguage string
	// MaxValues bounds the JSON values of a result; 0 means 100,000.
	MaxValues int
	// MaxDepth bounds how deep the schemas of a result nest; 0 means 100.
	MaxDepth int
	// MaxSteps bounds the work on a tool, and with it the bytes of text that are copied, of which
	// each takes a step of its own count. A small schema that expands to a large one ends with a
	// *rewrite.BudgetError, after the same number of steps on any machine. 0 means 10,000,000,
	// and 100 more for each value of the tool.
	MaxSteps int
	// AsOf is the day as of which the provider accepts the tool, such as that of an older
	// gateway; the zero value means today. It adds the limits on names, formats and sizes
	// that the provider has dropped since, but removes no limit that is newer.
	AsOf time.Time
	// KeepTitles keeps title where the provider takes it. Without it strict mode leaves
	// title out, because a title seldom tells a model anything.
	KeepTitles bool
	// PropertyOrdering adds the keyword of that name, with the order of properties, to
	// every object that lacks it, if the surface has the keyword. Without it Google sorts
	// properties by name.
	PropertyOrdering bool
	// SayConstraints repeats in the descriptions the constraints that stay in the schema,
	// such as pattern, for tools that pass through programs that remove keywords. Portable
	// repeats some of them in any case.
	SayConstraints bool
	// NeverStrict makes a strict target fall back to the one that is not strict.
	NeverStrict bool
}

// engine returns the options that the engine reads.
func (o *Options) engine() engine.Options {
	return engine.Options{
		Language: o.Language, DefaultLanguage: o.DefaultLanguage, MaxValues: o.MaxValues, MaxDepth: o.MaxDepth, MaxSteps: o.MaxSteps,
	}
}

// variant is a target with what the options change of it.
type variant struct {
	base        *engine.Target
	titles      bool // the target takes title
	constraints bool // the descriptions repeat constraints
	earlier     int  // how many limits of base.Earlier hold
}

// variants holds targets by their variants. Equal options must give the same target, because
// rules remember what they know about a target.
var variants sync.Map

// of returns the target as the options change it: base itself if they change nothing.
func (o *Options) of(base *engine.Target) *engine.Target {
	key := variant{
		base: base, titles: o.KeepTitles && base.Keywords != nil && !slices.Contains(base.Keywords, "title"),
		constraints: o.SayConstraints && !engine.Has[rules.Repeated](base),
	}
	if !o.AsOf.IsZero() {
		day := o.AsOf.Format(time.DateOnly)
		for key.earlier < len(base.Earlier) && day < base.Earlier[key.earlier].Until {
			key.earlier++
		}
	}
	if key == (variant{base: base}) {
		return base
	}
	target := *base
	if key.titles {
		target.Keywords = slices.Concat(base.Keywords, []string{"title"})
	}
	if key.constraints {
		target.Limits = append(slices.Clip(target.Limits), constraints)
	}
	for _, earlier := range base.Earlier[:key.earlier] {
		earlier.Had(&target)
	}
	known, _ := variants.LoadOrStore(key, &target)
	return known.(*engine.Target) //nolint:forcetypeassert // nothing else is stored
}

// constraints are the keywords that SayConstraints repeats in a description.
var constraints = rules.Repeated{
	"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
	"uniqueItems", "minProperties", "maxProperties", "default",
}
