package engines

import (
	"strconv"
	"strings"
)

// script is the text of a grammar that xgrammar writes of a schema, with who wrote each
// line. What a number's bounds come to is left out: it never fails.
type script struct {
	text   strings.Builder
	places []string       // of the schema that each line was written of
	taken  map[string]int // names of rules; the number that the next of a name ends in
	bodies map[string]string
	charge func(steps int)
}

// firstRules are those that begin every grammar.
const firstRules = `basic_escape ::= ["\\/bfnrt] | "u" [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9]
basic_string_sub ::= ("\"" | [^\0-\x1f\"\\\r\n] basic_string_sub | "\\" basic_escape basic_string_sub) (= [ \n\t]* [,}\]:])
basic_any ::= basic_number | basic_string | basic_boolean | basic_null | basic_array | basic_object
basic_integer ::= ("0" | "-"? [1-9] [0-9]*)
basic_number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
basic_string ::= ["] basic_string_sub
basic_boolean ::= "true" | "false"
basic_null ::= "null"
basic_array ::= (("[" [ \n\t]* basic_any ([ \n\t]* "," [ \n\t]* basic_any)* [ \n\t]* "]") | ("[" [ \n\t]* "]"))
basic_object ::= ("{" [ \n\t]* basic_string [ \n\t]* ":" [ \n\t]* basic_any ([ \n\t]* "," [ \n\t]* basic_string [ \n\t]* ":" [ \n\t]* basic_any)* [ \n\t]* "}") | "{" [ \n\t]* "}"
`

// The parts of a grammar for white space and what separates members and elements.
const (
	space = `[ \n\t]*`
	comma = space + ` "," ` + space
	colon = space + ` ":" ` + space
)

func newScript(charge func(steps int)) *script {
	s := &script{taken: map[string]int{}, bodies: map[string]string{}, charge: charge}
	s.text.WriteString(firstRules)
	for line := range strings.Lines(firstRules) {
		name, _, _ := strings.Cut(line, " ")
		s.taken[name] = 0
		s.places = append(s.places, string(root))
	}
	return s
}

// allocate returns the name of a rule: the one that is wanted, or one that is free.
func (s *script) allocate(wanted string) string {
	if s == nil {
		return ""
	}
	s.charge(written(len(wanted)))
	number, isTaken := s.taken[wanted]
	name := wanted
	for ; isTaken; number++ {
		name = wanted + "_" + strconv.Itoa(number)
		if _, isTaken = s.taken[name]; !isTaken {
			s.taken[wanted] = number + 1
			break
		}
	}
	s.taken[name] = 0
	return name
}

// add writes a rule of a schema at a place.
func (s *script) add(name, body, place string) string {
	if s != nil {
		s.charge(written(len(name) + len(body) + len(place)))
		s.text.WriteString(name + " ::= " + body + "\n")
		s.places = append(s.places, place)
		for range strings.Count(body, "\n") + strings.Count(body, "\r") { // names of properties have them
			s.places = append(s.places, place)
		}
	}
	return name
}

// shared returns the name of a rule for strings; those of one body share it.
func (s *script) shared(body, place string) string {
	if s == nil {
		return ""
	}
	s.charge(written(len(body)))
	name, ok := s.bodies[body]
	if !ok {
		name = s.add(s.allocate("string"), body, place)
		s.bodies[body] = name
	}
	return name
}

// repeated is a part of a grammar that comes so often, as arrays have it; most is -1 for
// any number.
func repeated(part string, least, most int64) string {
	switch {
	case least == 0 && most == 1:
		return part + "?"
	case least == 0 && most == -1:
		return part + "*"
	case least == 1 && most == -1:
		return part + "+"
	case least == 0 && most == 0:
		return ""
	case least == most:
		return part + "{" + strconv.FormatInt(least, 10) + "}"
	case most == -1:
		return part + "{" + strconv.FormatInt(least, 10) + ",}"
	default:
		return part + "{" + strconv.FormatInt(least, 10) + "," + strconv.FormatInt(most, 10) + "}"
	}
}

// properties is what is written of an object's properties.
type properties struct {
	names      []string
	values     []string // the rules of their values
	isRequired func(name string) bool
	required   int    // how many names are required, also such without a property
	additional string // the pattern of any other property; empty where there is none
}

// pattern is the part of a grammar for a property.
func (p *properties) pattern(i int) string {
	return `"\"` + p.names[i] + `\"" ` + colon + " " + p.values[i]
}

// members writes the rules for the properties of an object, and returns the part for what
// is between its braces. Bounds of how many there are change no more than how often a part
// comes, which never fails: they are left out.
func (s *script) members(p *properties, rule, place string) string {
	last := len(p.names) - 1
	rests := make([]string, len(p.names)) // what may follow each
	rests[last] = `""`
	if p.additional != "" {
		rests[last] = s.add(s.allocate(rule+"_part_"+strconv.Itoa(last)), "("+comma+" "+p.additional+")*", place)
	}
	for i := last - 1; i >= 0; i-- {
		body := comma + " " + p.pattern(i+1) + " " + rests[i+1]
		if !p.isRequired(p.names[i+1]) {
			body = rests[i+1] + " | " + body
		}
		rests[i] = s.add(s.allocate(rule+"_part_"+strconv.Itoa(i)), body, place)
	}
	var starts []string
	for i := range p.names {
		starts = append(starts, "("+p.pattern(i)+" "+rests[i]+")")
		if p.isRequired(p.names[i]) {
			break
		}
	}
	if p.additional != "" && p.required == 0 {
		starts = append(starts, p.additional+" "+rests[last])
	}
	return space + " (" + strings.Join(starts, " | ") + ") " + space
}
