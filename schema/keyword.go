package schema

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Class tells what the value of a keyword consists of.
type Class uint8

const (
	// Unknown is the class of a name that is not a keyword.
	Unknown Class = iota
	// Data keywords, such as type, enum and default, hold no subschema.
	Data
	// OneSchema keywords, such as not and contains, hold a subschema.
	OneSchema
	// SchemaList keywords, such as anyOf, hold a list of subschemas.
	SchemaList
	// SchemaOrList keywords, such as items in draft 7, hold a subschema or a list of them.
	SchemaOrList
	// SchemaMap keywords, such as properties and $defs, hold an object of subschemas.
	SchemaMap
	// SchemaOrNamesMap keywords, such as dependencies in draft 7, hold an object of
	// subschemas and lists of names.
	SchemaOrNamesMap
)

// ClassOf returns the class of a keyword. It knows the keywords of JSON Schema drafts 4 to
// 2020-12 and those that OpenAPI 3.0 adds.
func ClassOf(keyword string) Class { return lookup(keyword).class }

// TypeOf returns the type that the 2020-12 metaschema or OpenAPI 3.0 demands of the keyword's
// value, such as "array". It returns "" if they allow any value or a schema, and for names that
// are not keywords.
func TypeOf(keyword string) string { return lookup(keyword).valueType }

// Keywords yields all keywords in no particular order.
func Keywords() iter.Seq[string] { return maps.Keys(keywords) }

type keyword struct {
	class     Class
	valueType string
}

// entry is a keyword with its bit in a NameSet.
type entry struct {
	keyword
	name string
	bit  uint8
}

// entries holds the keywords and other words that schemas often contain; entries[0] stands for
// every other name. table is a hash table of indices into entries with linear probing, which is
// worth its lines because walks look up every member of every schema.
var entries, table = func() ([]entry, *[tableSize]uint8) {
	entries := []entry{{}}
	var table [tableSize]uint8
	words := []string{"true", "false", "string", "number", "integer", "boolean", "array", "object", "null", "name", "parameters"}
	for _, name := range append(slices.Sorted(maps.Keys(keywords)), words...) {
		at := hash(name)
		for table[at%tableSize] != 0 {
			at++
		}
		number := uint8(len(entries))
		table[at%tableSize] = number
		entries = append(entries, entry{keywords[name], name, number})
	}
	return entries, &table
}()

const (
	tableSize = 512
	// longestKeyword is the length of unevaluatedProperties.
	longestKeyword = 21
)

func hash(name string) uint {
	n := len(name)
	return uint(n) + 7*uint(name[0]) + 31*uint(name[n/2]) + 67*uint(name[n-1])
}

func lookup(name string) *entry {
	if name == "" || len(name) > longestKeyword {
		return &entries[0]
	}
	for at := hash(name); ; at++ {
		if found := &entries[table[at%tableSize]]; found.name == name || found.name == "" {
			return found
		}
	}
}

// NameSet is a set of member names. It is exact for keywords. All other names share 16 bits, so
// that the set may report a name that was not added, but never misses one that was.
type NameSet [2]uint64

// otherBits are the bits, in the second word, shared by names that are not keywords.
const otherBits = 0xffff << 48

// NamesOf returns the set of the names.
func NamesOf(names ...string) NameSet {
	var set NameSet
	for _, name := range names {
		set, _ = set.With(name)
	}
	return set
}

// With returns the set with the name added. It also returns the class of the name, because walks
// that collect names need both.
func (s NameSet) With(name string) (NameSet, Class) {
	found := lookup(name)
	bit := found.bit
	if bit == 0 {
		// The highest 16 bits are reserved for names that are not keywords.
		bit = 64 + 48 + uint8(len(name))%16 //nolint:gosec // the sum may wrap
		if name != "" {
			bit = 64 + 48 + (uint8(len(name))+name[0]+3*name[len(name)-1])%16 //nolint:gosec // the sum may wrap
		}
	}
	s[bit/64] |= 1 << (bit % 64)
	return s, found.class
}

// Overlaps reports whether the sets have a name in common.
func (s NameSet) Overlaps(other NameSet) bool { return s[0]&other[0]|s[1]&other[1] != 0 }

// SurelyOverlaps reports whether the sets have a keyword in common.
func (s NameSet) SurelyOverlaps(other NameSet) bool {
	return s[0]&other[0]|s[1]&other[1]&^otherBits != 0
}

// Includes reports whether the set contains all names of other.
func (s NameSet) Includes(other NameSet) bool { return other[0]&^s[0]|other[1]&^s[1] == 0 }

// Union returns the names of both sets.
func (s NameSet) Union(other NameSet) NameSet { return NameSet{s[0] | other[0], s[1] | other[1]} }

// keywords holds every keyword. Sources: JSON Schema core and validation 2020-12
// (https://json-schema.org/draft/2020-12), draft-07, draft-04, and the Schema Object of OpenAPI
// 3.0.3.
var keywords = map[string]keyword{
	"$anchor":          {Data, "string"},
	"$comment":         {Data, "string"},
	"$dynamicAnchor":   {Data, "string"},
	"$dynamicRef":      {Data, "string"},
	"$id":              {Data, "string"},
	"$recursiveAnchor": {Data, "boolean"},
	"$recursiveRef":    {Data, "string"},
	"$ref":             {Data, "string"},
	"$schema":          {Data, "string"},
	"$vocabulary":      {Data, "object"},
	"id":               {Data, "string"},

	"$defs":             {SchemaMap, "object"},
	"definitions":       {SchemaMap, "object"},
	"dependentSchemas":  {SchemaMap, "object"},
	"patternProperties": {SchemaMap, "object"},
	"properties":        {SchemaMap, "object"},
	"dependencies":      {SchemaOrNamesMap, "object"},

	"additionalItems":       {OneSchema, ""},
	"additionalProperties":  {OneSchema, ""},
	"contains":              {OneSchema, ""},
	"contentSchema":         {OneSchema, ""},
	"else":                  {OneSchema, ""},
	"if":                    {OneSchema, ""},
	"items":                 {SchemaOrList, ""},
	"not":                   {OneSchema, ""},
	"propertyNames":         {OneSchema, ""},
	"then":                  {OneSchema, ""},
	"unevaluatedItems":      {OneSchema, ""},
	"unevaluatedProperties": {OneSchema, ""},

	"allOf":       {SchemaList, "array"},
	"anyOf":       {SchemaList, "array"},
	"oneOf":       {SchemaList, "array"},
	"prefixItems": {SchemaList, "array"},

	"const":             {Data, ""},
	"contentEncoding":   {Data, "string"},
	"contentMediaType":  {Data, "string"},
	"default":           {Data, ""},
	"dependentRequired": {Data, "object"},
	"deprecated":        {Data, "boolean"},
	"description":       {Data, "string"},
	"enum":              {Data, "array"},
	"examples":          {Data, "array"},
	"exclusiveMaximum":  {Data, "number"},
	"exclusiveMinimum":  {Data, "number"},
	"format":            {Data, "string"},
	"maxContains":       {Data, "integer"},
	"maxItems":          {Data, "integer"},
	"maxLength":         {Data, "integer"},
	"maxProperties":     {Data, "integer"},
	"maximum":           {Data, "number"},
	"minContains":       {Data, "integer"},
	"minItems":          {Data, "integer"},
	"minLength":         {Data, "integer"},
	"minProperties":     {Data, "integer"},
	"minimum":           {Data, "number"},
	"multipleOf":        {Data, "number"},
	"pattern":           {Data, "string"},
	"readOnly":          {Data, "boolean"},
	"required":          {Data, "array"},
	"title":             {Data, "string"},
	"type":              {Data, ""},
	"uniqueItems":       {Data, "boolean"},
	"writeOnly":         {Data, "boolean"},

	"discriminator":    {Data, ""},
	"example":          {Data, ""},
	"externalDocs":     {Data, ""},
	"nullable":         {Data, "boolean"},
	"propertyOrdering": {Data, "array"},
	"xml":              {Data, ""},
}

// annotations are the keywords that inform a person or a program and constrain no instance.
var annotations = []string{
	"title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "propertyOrdering",
}

// IsAnnotation reports whether a keyword constrains no instance. That includes every name that
// is not a keyword.
func IsAnnotation(keyword string) bool {
	return ClassOf(keyword) == Unknown || slices.Contains(annotations, keyword)
}

// IsMeta reports whether a member describes the schema itself and not its instances.
func IsMeta(keyword string) bool {
	switch keyword {
	case "$schema", "$id", "id", "$comment", "$vocabulary", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$defs", "definitions",
		"xml", "externalDocs", "discriminator":
		return true
	default:
		return ClassOf(keyword) == Unknown && (strings.HasPrefix(keyword, "x-") || strings.HasPrefix(keyword, "$"))
	}
}
