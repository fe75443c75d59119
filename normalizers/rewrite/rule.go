// Package rewrite is the vocabulary of schema rewriting. A Rule is data and one small
// function, and a Pass is one subschema as a rule sees it. Each thing that a rule does
// becomes a Change with its place and its Loss. Work applies rules to one tool.
package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"toolproof/schema"
)

// Rule is one kind of rewrite.
type Rule struct {
	Name string // snake_case; the file and the variable have the same name
	// Doc is a title, a blank line, text, and the sources.
	Doc string
	// Before and After are a schema and what the rule alone makes of it:
	// documentation and test in one.
	Before, After string
	// Loss is the worst case; each Change carries the actual one.
	Loss Loss
	// On names keywords: the rule is asked about schemas that have one of
	// them. Without On and OnTypes it is asked about every schema.
	On []string
	// OnTypes are the forms of type that the rule is asked about besides On.
	OnTypes TypeForm
	// Idle reports whether the rule has nothing to do with a keyword of any value for this
	// target. The rule is asked about schemas that have other names. Nil means that it has
	// to do with every keyword.
	Idle func(target *Target, keyword string) bool
	// Root is set when the rule is asked about the root alone.
	Root bool
	// Moves is set when the rule gives schemas another place: references
	// follow them.
	Moves bool
	// Everywhere is set when the rule is asked also about schemas in what the target takes
	// whole.
	Everywhere bool
	// Rewrite is called once for each subschema, children before their parent.
	Rewrite func(*Pass)
	// Tool is called once with the tool as an object of name, description, parameters and
	// what else is published with them.
	// It is nil when the rule is about schemas alone.
	Tool func(*Pass)

	once sync.Once
	on   schema.NameSet // On
	idle sync.Map       // by *Target, the keywords that Idle is true of
}

// names returns On as a set.
func (r *Rule) names() schema.NameSet {
	r.once.Do(func() { r.on = schema.NamesOf(r.On...) })
	return r.on
}

// idleFor returns the keywords that the rule has nothing to do with.
func (r *Rule) idleFor(target *Target) schema.NameSet {
	if r.Idle == nil {
		return schema.NameSet{}
	}
	known, _ := r.idle.Load(target)
	idle, ok := known.(schema.NameSet)
	if ok {
		return idle
	}
	for keyword := range schema.Keywords() {
		if r.Idle(target, keyword) {
			idle, _ = idle.With(keyword)
		}
	}
	r.idle.Store(target, idle)
	return idle
}

// Title returns the first line of Doc.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// Loss says how the instances that a schema accepts change.
type Loss uint8

// The losses are a set of two.
const (
	Exact   Loss = 0                // the same instances
	Widens  Loss = 1                // more instances
	Narrows Loss = 2                // fewer instances
	Both         = Widens | Narrows // some more, some fewer
)

var losses = [...]string{"exact", "widens", "narrows", "both"}

// String returns the name of the loss as it is written in files.
func (l Loss) String() string { return losses[l] }

// MarshalText writes the name of the loss.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a loss.
func (l *Loss) UnmarshalText(text []byte) error {
	at := slices.Index(losses[:], string(text))
	if at < 0 {
		return fmt.Errorf("unknown loss %q", text)
	}
	*l = Loss(at) //nolint:gosec // there are four
	return nil
}

// Change is one rewrite that took place.
type Change struct {
	Rule string
	// At leads to the schema in the result, and From to the rewritten one in the input.
	// Both begin at the tool, whose schema is at /parameters.
	At, From schema.Pointer
	// Position is where what was rewritten stands in the source.
	Position schema.Position
	Loss     Loss
	// Restored is set when the way back undoes the change, such as a null for an optional
	// property. Its loss is no loss of the tool.
	Restored bool
	// Remains is what a change loses in spite of the way back, such as a text that is not
	// JSON. It is Exact where Restored is not set.
	Remains Loss
	// Schema is what was rewritten, as the result has it; nil where it is gone.
	Schema *schema.Node
	// Property is the property that the way back gives null again; empty where it
	// gives none.
	Property string
	// Before are the members that the change replaced, as the input has them. After are
	// the new ones, as the result has them. Either is zero where there was nothing.
	Before, After Part
}

// Part is what a change shows of a schema: some of its members, or all of one that is
// no object. The zero Part is nothing. A tool may have as many changes as values, so
// that a Part has no node of its own.
type Part struct {
	members []schema.Member
	whole   *schema.Node
}

// PartOf returns the part that is the whole node, or nothing for nil.
func PartOf(node *schema.Node) Part { return Part{whole: node} }

// IsZero reports whether there is nothing.
func (p Part) IsZero() bool { return p.whole == nil && p.members == nil }

// Node returns the part as a node, or nil where it is nothing.
func (p Part) Node() *schema.Node {
	if p.whole != nil || p.members == nil {
		return p.whole
	}
	return schema.NewObject(p.members...)
}

// Size returns how many values the part has.
func (p Part) Size() int { return p.Node().Size() }

// MarshalJSON returns the compact JSON text of the part, or null where it is nothing.
func (p Part) MarshalJSON() ([]byte, error) {
	if p.IsZero() {
		return []byte("null"), nil
	}
	return p.Node().JSON(), nil
}

// UnmarshalJSON reads a part as a Node is read.
func (p *Part) UnmarshalJSON(data []byte) error {
	node := new(schema.Node)
	if err := node.UnmarshalJSON(data); err != nil {
		return err
	}
	*p = PartOf(node)
	return nil
}

// Lost returns what the change loses to the tool: its Loss, or what Remains of it after
// the way back.
func (c *Change) Lost() Loss {
	if c.Restored {
		return c.Remains
	}
	return c.Loss
}

// Target is what a surface can say. Rules ask it, so that a new provider or a
// changed limit is data.
type Target struct {
	Name string
	// Keywords are those that the surface takes; nil means all.
	Keywords []string
	// Without are keywords that the surface does not take, also where Keywords is nil.
	Without []string
	// NotAtRoot are keywords that the surface takes below the root alone.
	NotAtRoot []string
	// OnlyAtRoot are keywords that the surface takes at the root alone.
	OnlyAtRoot []string
	// Whole are keywords whose values the surface takes as they are, with whatever schemas
	// they hold.
	Whole []string
	// BesideAnyOf are keywords that are allowed beside anyOf; nil means all.
	BesideAnyOf []string
	// Anything is the schema of any value in the surface's own words; nil
	// where {} says so.
	Anything func() *schema.Node
	// NameGrammar says how a tool may be called.
	NameGrammar NameGrammar
	// PropertyNames says how a property may be called; the zero value leaves any
	// name as it is.
	PropertyNames NameGrammar
	// ReservedNames are those that no property may have.
	ReservedNames []string
	// NotInValues are names that no object in a value may have, nor an object that gives
	// names to schemas: the surface takes them for keywords.
	NotInValues []string
	// TakesName reports whether a property may have a name; isDefined is set within a
	// definition. nil means any name that is not reserved.
	TakesName func(name string, property *schema.Node, isDefined bool) bool
	// PythonPatterns is set where patterns are regular expressions of Python.
	PythonPatterns bool
	// TakesPattern reports whether an engine has a grammar for a pattern; nil where the
	// surface takes any.
	TakesPattern func(pattern string) bool
	// Anchored is set where a pattern begins with ^ and ends with $.
	Anchored bool
	// TakesReference reports whether an engine takes a reference in a schema; nil where it
	// takes any that has no escapes, but that to the root.
	TakesReference func(step func(node *schema.Node, token string) *schema.Node, root *schema.Node, reference string) bool
	// RefusedIf are keywords that the surface refuses for what is beside them in a schema.
	// under is the keyword that the schema is the value of.
	RefusedIf map[string]func(node *schema.Node, under string) bool
	// RefusedInValues is set where RefusedIf holds of objects in values too.
	RefusedInValues bool
	// TypeDecides is set where an engine reads the bounds, counts and pattern of a type if
	// a schema has this type and nothing that it reads first: a reference, values or a union.
	// It refuses those that leave no value.
	TypeDecides bool
	// FirstDecides is set where an engine reads of a schema what decides first: a reference, a
	// union, values, what an object or an array holds, a pattern, and lengths at last. It
	// passes over what lies beside that, and below it.
	FirstDecides bool
	// FloatNumbers is set where no number may be beyond a float of 64 bits.
	FloatNumbers bool
	// NoFalse is set where a schema is not false, but those of further members and elements.
	NoFalse bool
	// NotInNames are characters that no property's name may have.
	NotInNames string
	// OldDrafts is set where the surface reads the forms of drafts before
	// 2020-12 that a newer metaschema does not refuse.
	OldDrafts bool
	// AnyRoot is set where the root need not be an object, as in response schemas.
	AnyRoot bool
	// RootRequired is set where a tool has parameters, and they a type.
	RootRequired bool
	// NullParameters is set where the parameters of a tool may be null.
	NullParameters bool
	// Typeless is set where a schema below the root needs no type.
	Typeless bool
	// TypedBy are keywords that stand for a type where none is given; nil means that a
	// schema needs no type.
	TypedBy []string
	// Judged are the keywords under which the surface judges schemas; nil means all.
	Judged []string
	// Disjoint is set where a keyword is not both beside anyOf, or $ref, and in what they
	// hold, type is beside neither, and nothing but text and enum is beside several types.
	Disjoint bool
	// DescribedOnce is set where a description is not both beside $ref and in what it
	// leads to.
	DescribedOnce bool
	// DefinitionRefs is set where a reference leads to the root or one of its definitions,
	// and nothing in it is escaped.
	DefinitionRefs bool
	// TypedEnums is set where an enum has a type beside it, and only values of that type.
	TypedEnums bool
	// Objects is set where a schema is an object, and neither true nor false.
	Objects bool
	// TypeLists are the types that may stand in a list of types.
	TypeLists []string
	// Repeated are the keywords that stay and that the description says as well: some who
	// pass a tool on take them away.
	Repeated []string
	// RootUnread is set where the description of the parameters may reach no model: what it
	// would say goes into that of the tool.
	RootUnread bool
	// Described is set where a tool needs a description.
	Described bool
	// FillProperties is set where every object has properties, if none are declared.
	FillProperties bool
	// Texts are the keywords whose text may be given in several languages; nil means
	// description and title.
	Texts []string
	// Spilled are the keywords that go into the description when they are removed. nil
	// means all that a model can act on.
	Spilled []string
	// Unenforced is set where nothing checks the arguments of a call, so that a constraint
	// counts only where a model reads it: titles and closed objects are spilled too.
	Unenforced bool
	// Strips removes each keyword that the surface does not take, also where another rule
	// could say it otherwise. Only const stays.
	Strips bool
	// FirstPlace is set where a tuple becomes an array of what its first place takes.
	FirstPlace bool
	// GrammarLoops is set where properties and elements end a loop of references, even
	// required ones; combinations do not.
	GrammarLoops bool
	// PropertyOrdering is set where the surface has the keyword of that name.
	PropertyOrdering bool
	// Earlier are what the surface was before, the longest ago last.
	Earlier []Earlier
	// Strict is set where every object is closed, every property required and
	// every schema of a type.
	Strict bool
	// OwnKeywords is set where a keyword needs a schema of one of its types, and an enum
	// has only values of its type.
	OwnKeywords bool
	// Formats are those that the surface takes; nil means any. AnyOfNumbers is set where it
	// takes any format of a number.
	Formats      []string
	AnyOfNumbers bool
	// MaxDescription is how many characters the description of a tool may have; 0
	// means any number.
	MaxDescription int
	// MaxDepth is how many objects and lists of a schema's JSON may lie in each
	// other; 0 means any number.
	MaxDepth int
	// MaxBytes bounds the JSON of a schema, MaxBranches a union, MaxListed the values of one
	// enum, and MaxProperLevels how many properties lie in each other. 0 means no bound.
	MaxBytes, MaxBranches, MaxListed, MaxProperLevels int
	// MaxRepetitions bounds minItems, maxItems, minLength and maxLength; 0 means no bound.
	MaxRepetitions int
	// MaxMinItems bounds minItems, and MaxTotalItems the sum of all maxItems. MaxLevels
	// bounds nested objects and arrays, and MaxNesting nested objects. The others bound a
	// schema. 0 means no bound.
	MaxMinItems, MaxTotalItems, MaxLevels, MaxNesting, MaxProperties, MaxOptional, MaxUnions int
	// MaxEnumValues bounds the values of all enums, and MaxEnumText the characters in one
	// enum of more than LongEnum values. MaxText bounds the characters of all names of
	// properties and definitions, and of all values of enums. 0 means no bound.
	MaxEnumValues, LongEnum, MaxEnumText, MaxText int
	// Request bounds what the strict tools of a request have together.
	Request RequestLimits
}

// RequestLimits bound the strict tools of a request: how many they are, how many optional
// properties they have, and how many unions. 0 means no bound.
type RequestLimits struct{ Tools, Optional, Unions int }

// NameGrammar bounds the name of a tool.
type NameGrammar struct {
	Marks     string // characters allowed besides letters, digits and _
	MaxLength int
	// LetterFirst is set when a name begins with a letter or _.
	LetterFirst bool
}

// Earlier is what a surface was until a day.
type Earlier struct {
	// Until is the first day on which it was no longer so, such as 2025-10-15.
	Until string
	// Had puts what was so into a target of today.
	Had func(*Target)
}

// With returns the target with the options. Without options it is the target itself.
// Equal options give the same target, because rules keep what they know of one.
func (t *Target) With(options Options) *Target {
	wanted := variant{
		of: t, titles: options.KeepTitles && t.Keywords != nil && !slices.Contains(t.Keywords, "title"),
		says: options.SayConstraints && t.Repeated == nil,
	}
	if !options.AsOf.IsZero() {
		day := options.AsOf.Format(time.DateOnly)
		for wanted.earlier < len(t.Earlier) && day < t.Earlier[wanted.earlier].Until {
			wanted.earlier++
		}
	}
	if !wanted.titles && !wanted.says && wanted.earlier == 0 {
		return t
	}
	if known, ok := variants.Load(wanted); ok {
		return known.(*Target) //nolint:forcetypeassert // nothing else is stored
	}
	target := *t
	if wanted.titles {
		target.Keywords = slices.Concat(t.Keywords, []string{"title"})
	}
	if wanted.says {
		target.Repeated = constraints
	}
	for _, earlier := range t.Earlier[:wanted.earlier] {
		earlier.Had(&target)
	}
	known, _ := variants.LoadOrStore(wanted, &target)
	return known.(*Target) //nolint:forcetypeassert // nothing else is stored
}

// variant is a target as some options want it.
type variant struct {
	of      *Target
	titles  bool
	says    bool // the constraints
	earlier int  // how many of those that were earlier
}

// constraints are what a description says that is to say the constraints.
var constraints = []string{
	"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
	"uniqueItems", "minProperties", "maxProperties", "default",
}

var variants sync.Map // the targets by their variants

// Options are the choices of a caller. The zero value is usable.
type Options struct {
	// Language is preferred where a text is given in several, such as de-AT.
	// DefaultLanguage comes next, then en, then the first there is.
	Language, DefaultLanguage string
	// MaxValues is how many JSON values a result may have; 0 means 100,000.
	MaxValues int
	// MaxDepth is how deep the schemas of a result may nest; 0 means 100.
	MaxDepth int
	// MaxSteps bounds the steps of the work on a tool. So a small schema that expands to a
	// large one ends with a *BudgetError, on any machine. 0 means 10,000,000 and 100 for
	// each value of the tool.
	MaxSteps int
	// AsOf is the day of the provider that the tool is for, such as that of an older model
	// or gateway. Zero means today. It adds the limits on names, formats and sizes that
	// the provider dropped since. It removes no later rule.
	AsOf time.Time
	// KeepTitles keeps title where the provider takes it. Otherwise strict mode leaves it
	// out, because it says nothing to a model.
	KeepTitles bool
	// PropertyOrdering adds the keyword of that name, with the order of properties, to
	// every object where the surface has it. Without it Google sorts properties by name.
	// One that is there already stays.
	PropertyOrdering bool
	// SayConstraints makes the descriptions say constraints that stay, such as pattern, for
	// those who pass tools on and take keywords away. Portable tools say some in any case.
	SayConstraints bool
	// NeverStrict makes a strict target give the tool as one that is not strict.
	NeverStrict bool
}

const (
	defaultMaxValues = 100_000
	defaultMaxDepth  = 100
)

// withDefaults fills in what the caller left open.
func (o Options) withDefaults() Options {
	if o.MaxValues <= 0 {
		o.MaxValues = defaultMaxValues
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = defaultSteps
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	return o
}

// Judges reports whether the surface judges the schemas under a keyword.
func (t *Target) Judges(keyword string) bool {
	return t.Judged == nil || slices.Contains(t.Judged, keyword)
}

// TakesWhole reports whether the surface takes the value of a keyword as it is.
func (t *Target) TakesWhole(keyword string) bool { return slices.Contains(t.Whole, keyword) }

// Takes reports whether the surface takes a keyword, at the root or below.
func (t *Target) Takes(keyword string, atRoot bool) bool {
	if atRoot && slices.Contains(t.NotAtRoot, keyword) || !atRoot && slices.Contains(t.OnlyAtRoot, keyword) {
		return false
	}
	return (t.Keywords == nil || slices.Contains(t.Keywords, keyword)) && !slices.Contains(t.Without, keyword)
}
