package engine

import (
	"slices"

	"toolproof/schema"
)

// Target is what a surface takes. Rules read it, so that a new provider or a changed limit is
// data.
type Target struct {
	Name string
	// Keywords are those that the surface takes; nil means all.
	Keywords []string
	// Without are keywords that the surface does not take, also if Keywords is nil.
	Without []string
	// NotAtRoot are keywords that the surface takes only below the root, and OnlyAtRoot those
	// that it takes only at the root.
	NotAtRoot, OnlyAtRoot []string
	// Whole are keywords whose values the surface takes as they are, whatever schemas they hold.
	Whole []string
	// BesideAnyOf are the keywords that the surface takes beside anyOf; nil means all.
	BesideAnyOf []string
	// RefusedIf are keywords that the surface refuses for what is beside them in a schema.
	// under is the keyword that the schema is the value of.
	RefusedIf map[string]func(node *schema.Node, under string) bool
	// Judged are the keywords under which the surface judges schemas; nil means all.
	Judged []string
	// Spilled are the keywords that go into the description when they are removed. nil means
	// all that a model can act on.
	Spilled []string
	// Formats are those that the surface takes; nil means any.
	Formats []string
	// TypeLists are the types that may stand in a list of types.
	TypeLists []string
	// NameGrammar says how a tool may be called.
	NameGrammar NameGrammar

	// AnyRoot is set if the root need not be an object, as in response schemas.
	AnyRoot bool
	// RootRequired is set if a tool needs parameters, and the parameters a type.
	RootRequired bool
	// RootUnread is set if the description of the parameters may reach no model: what it
	// would say goes into the description of the tool.
	RootUnread bool
	// Typeless is set if a schema below the root needs no type.
	Typeless bool
	// Strict is set if every object is closed, every property required, and every schema has
	// a type.
	Strict bool
	// Disjoint is set if no keyword is both beside anyOf or $ref and in what these lead to,
	// type is beside neither, and only texts and enum are beside several types.
	Disjoint bool
	// DefinitionRefs is set if a reference leads to the root or to one of its definitions,
	// and has no escapes.
	DefinitionRefs bool
	// TypeDecides is set if an engine reads the bounds, counts and pattern of a type in a
	// schema that has this type and nothing that it reads first: a reference, values or a
	// union. It refuses those that leave no value.
	TypeDecides bool

	// Limits are what single rules read: values of types that package rules declares beside
	// the rule, each at most once. LimitsOf and Has find them.
	Limits []any
	// Earlier are the limits that the surface has dropped, the latest first.
	Earlier []Earlier
}

// LimitsOf returns the limits of type T that a target has, or the zero value, which bounds
// nothing.
func LimitsOf[T any](t *Target) (limits T) {
	for _, known := range t.Limits {
		if limits, ok := known.(T); ok {
			return limits
		}
	}
	return limits
}

// Has reports whether a target has limits of type T.
func Has[T any](t *Target) bool {
	for _, known := range t.Limits {
		if _, ok := known.(T); ok {
			return true
		}
	}
	return false
}

// Limit changes the limits of type T that a target has, from the zero value if there are none.
// Targets that share the list of limits keep theirs.
func Limit[T any](t *Target, change func(limits *T)) {
	limits := LimitsOf[T](t)
	change(&limits)
	t.Limits = slices.DeleteFunc(slices.Clone(t.Limits), func(known any) bool {
		_, ok := known.(T)
		return ok
	})
	t.Limits = append(t.Limits, limits)
}

// NameGrammar bounds a name.
type NameGrammar struct {
	Marks     string // characters allowed besides letters, digits and _
	MaxLength int
	// LetterFirst is set if a name begins with a letter or _.
	LetterFirst bool
}

// Earlier is a limit that a surface had until a day.
type Earlier struct {
	// Until is the first day without the limit, such as 2025-10-15.
	Until string
	// Had gives the limit to the target of the time after.
	Had func(*Target)
}

// Judges reports whether the surface judges the schemas under a keyword.
func (t *Target) Judges(keyword string) bool {
	return t.Judged == nil || slices.Contains(t.Judged, keyword)
}

// TakesWhole reports whether the surface takes the value of a keyword as it is.
func (t *Target) TakesWhole(keyword string) bool { return slices.Contains(t.Whole, keyword) }

// Takes reports whether the surface takes a keyword at the root, or else below it.
func (t *Target) Takes(keyword string, atRoot bool) bool {
	if atRoot && slices.Contains(t.NotAtRoot, keyword) || !atRoot && slices.Contains(t.OnlyAtRoot, keyword) {
		return false
	}
	return (t.Keywords == nil || slices.Contains(t.Keywords, keyword)) && !slices.Contains(t.Without, keyword)
}
