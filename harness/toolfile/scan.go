package toolfile

import "toolproof/schema"

// The scanner finds where JSON values begin and end without parsing them: it counts brackets
// outside of strings.

// span is the place of a value, with its name if it is a member.
type span struct {
	key        string // with its escapes; no known name needs any
	value, end int
}

// fault is text between values that is not JSON.
type fault struct {
	offset int
	err    error
	detail string
}

// scanned holds the parts of an object or a list.
type scanned struct {
	parts []span
	// faults are the errors between the parts. The parts can be used all the same, so that a
	// missing comma does not lose a tool.
	faults []fault
	// cut is set if the document ends within the last part.
	cut bool
	// hasTooMany is set if there are more than MaxTools parts. The others are not found.
	hasTooMany bool
}

func (s *scanned) fault(offset int, detail string) {
	s.faults = append(s.faults, fault{offset, schema.ErrNotJSON, detail})
}

func skipSpace(data []byte, at int) int {
	for at < len(data) {
		switch data[at] {
		case ' ', '\t', '\r', '\n':
			at++
		default:
			return at
		}
	}
	return at
}

// scanString returns the offset after the string that begins at start.
func scanString(data []byte, start int) (end int, complete bool) {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		}
	}
	return len(data), false
}

// scanValue returns the offset after the value that begins at start.
func scanValue(data []byte, start int) (end int, complete bool) {
	depth := 0
	for i := start; i < len(data); i++ {
		switch data[i] {
		case '"':
			next, ok := scanString(data, i)
			if !ok {
				return next, false
			}
			i = next - 1
			if depth == 0 {
				return next, true
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1, true
			}
			if depth < 0 {
				return i, true
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i, true
			}
		}
	}
	return len(data), depth == 0
}

// scanList finds the elements of the list that begins at start.
func scanList(data []byte, start int) scanned {
	return scan(data, start, ']', func(s *scanned, at int) (next int, ok bool) {
		end, complete := scanValue(data, at)
		if end == at {
			s.fault(at, "the list of tools should go on or end here")
			return at, false
		}
		s.parts = append(s.parts, span{value: at, end: end})
		s.cut = !complete
		return end, complete
	})
}

// scanObject finds the members of the object that begins at start.
func scanObject(data []byte, start int) scanned {
	seen := map[string]bool{}
	return scan(data, start, '}', func(s *scanned, at int) (next int, ok bool) {
		if data[at] != '"' {
			s.fault(at, "a member should begin here")
			return at, false
		}
		nameEnd, ok := scanString(data, at)
		if !ok {
			s.fault(at, "the document ends in the name of a member")
			return at, false
		}
		colon := skipSpace(data, nameEnd)
		value := skipSpace(data, colon+1)
		if value >= len(data) || data[colon] != ':' {
			s.fault(at, "the member has no value")
			return at, false
		}
		member := span{key: string(data[at+1 : nameEnd-1]), value: value}
		if seen[member.key] {
			s.faults = append(s.faults, fault{at, schema.ErrDuplicateName, member.key})
		}
		seen[member.key] = true
		member.end, ok = scanValue(data, value)
		s.parts = append(s.parts, member)
		s.cut = !ok
		return member.end, ok
	})
}

// scan finds the parts between the opening bracket at start and the closing one. The function
// part reads one part and returns where it ends; it reports false if the scan cannot go on.
func scan(data []byte, start int, closing byte, part func(s *scanned, at int) (next int, ok bool)) scanned {
	var found scanned
	wantsComma, wantsPart := false, false
	for at := skipSpace(data, start+1); at < len(data); at = skipSpace(data, at) {
		switch {
		case data[at] == closing:
			if wantsPart {
				found.fault(at, "a comma stands before the end")
			}
			return found
		case data[at] == ',':
			if !wantsComma {
				found.fault(at, "a comma stands where a value should")
			}
			wantsComma, wantsPart = false, true
			at++
			continue
		case wantsComma && data[at] != '}' && data[at] != ']':
			found.fault(at, "a comma is missing before this")
		}
		if found.hasTooMany = len(found.parts) == MaxTools; found.hasTooMany {
			return found
		}
		next, ok := part(&found, at)
		if !ok {
			return found
		}
		at, wantsComma, wantsPart = next, true, false
	}
	found.fault(len(data), "the document ends too early")
	return found
}
