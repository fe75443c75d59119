package engine

import (
	"slices"

	"toolproof/schema"
)

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
