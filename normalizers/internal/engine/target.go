package engine

import (
	"slices"

	"toolproof/schema"
)

// Target describes what a surface takes. Rules read it, so that a new provider or a changed limit
// needs no code.
type Target struct {
	Name string
	// Keywords are the keywords that the surface takes; nil means all.
	Keywords []string
	// Without are keywords that the surface does not take, even if Keywords is nil.
	Without []string
	// NotAtRoot are keywords that the surface takes only below the root, and OnlyAtRoot are
	// keywords that it takes only at the root.
	NotAtRoot, OnlyAtRoot []string
	// Whole are the keywords whose values the surface keeps unread, so that rules leave the
	// schemas in them alone.
	Whole []string
	// BesideAnyOf are the keywords that the surface takes beside anyOf; nil means all.
	BesideAnyOf []string
	// RefusedIf has, by keyword, functions that report whether the surface refuses the keyword
	// in a schema because of the other members there. under is the keyword whose value the
	// schema is.
	RefusedIf map[string]func(node *schema.Node, under string) bool
	// Judged are the keywords whose subschemas the surface checks; nil means all.
	Judged []string
	// Spilled are the keywords that go into the description when they are removed; nil means
	// all that a model can act on.
	Spilled []string
	// Formats are the formats that the surface takes; nil means any.
	Formats []string
	// TypeLists are the types that the surface takes in a list of types.
	TypeLists []string
	// NameGrammar bounds the names of tools.
	NameGrammar NameGrammar

	// AnyRoot is set if the root need not be an object, as in response schemas.
	AnyRoot bool
	// RootRequired is set if a tool needs parameters, and the parameters a type.
	RootRequired bool
	// RootUnread is set if the description of the parameters may not reach the model, so that
	// its text goes into the description of the tool.
	RootUnread bool
	// Typeless is set if a schema below the root needs no type.
	Typeless bool
	// Strict is set if every object must be closed, every property required, and every schema
	// typed.
	Strict bool
	// Disjoint is set if the surface refuses a keyword that is both beside anyOf or $ref and in
	// a branch or the target, refuses type beside either, and takes only title, description
	// and enum beside a list of types.
	Disjoint bool
	// DefinitionRefs is set if a reference must lead to the root or to one of its definitions,
	// without escapes.
	DefinitionRefs bool
	// TypeDecides is set if an engine reads the bounds, counts and pattern for a type only in a
	// schema that has the type and no reference, enum, const or union, which it reads instead.
	// The engine refuses bounds that leave no value.
	TypeDecides bool

	// Limits are the limits that single rules read: values of types that package rules declares
	// beside the rule, at most one of each type. LimitsOf and Has find them.
	Limits []any
	// Earlier are the limits that the surface has dropped, the latest first.
	Earlier []Earlier
}

// LimitsOf returns the limits of type T of a target, or the zero value, which bounds nothing.
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

// Limit changes the limits of type T of a target, or the zero value if it has none. Targets that
// share the list of limits are not affected.
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
	// First is what is put before a name that begins with neither a letter nor, if First does,
	// with _. It is empty if a name may begin with any character.
	First string
}

// Earlier is a limit that a surface had until a day.
type Earlier struct {
	// Until is the first day without the limit, such as 2025-10-15.
	Until string
	// Had adds the limit to a target without it.
	Had func(*Target)
}

// Judges reports whether the surface checks the subschemas of a keyword.
func (t *Target) Judges(keyword string) bool {
	return t.Judged == nil || slices.Contains(t.Judged, keyword)
}

// TakesWhole reports whether the surface keeps the value of a keyword unread.
func (t *Target) TakesWhole(keyword string) bool { return slices.Contains(t.Whole, keyword) }

// Takes reports whether the surface takes a keyword at the root if atRoot is set, and below the root
// otherwise.
func (t *Target) Takes(keyword string, atRoot bool) bool {
	if atRoot && slices.Contains(t.NotAtRoot, keyword) || !atRoot && slices.Contains(t.OnlyAtRoot, keyword) {
		return false
	}
	return (t.Keywords == nil || slices.Contains(t.Keywords, keyword)) && !slices.Contains(t.Without, keyword)
}
