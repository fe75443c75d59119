package toolfile

// The scanner finds where JSON values begin and end without looking at what they
// hold: it counts brackets outside of strings.

// span is a value, with its name when it is a member.
type span struct {
	key        string // as it is spelt; names with escapes are of no interest
	value, end int
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

// scanString returns the offset behind a string that begins at start.
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

// scanValue returns the offset behind a value that begins at start.
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

// scanArray returns the elements of an array; complete is false when it is cut
// short, and the last element may be too.
func scanArray(data []byte, start int) (elements []span, complete bool) {
	for at := skipSpace(data, start+1); at < len(data); at = skipSpace(data, at) {
		switch data[at] {
		case ']':
			return elements, true
		case ',':
			at++
			continue
		}
		end, ok := scanValue(data, at)
		if end == at {
			return elements, false
		}
		elements = append(elements, span{value: at, end: end})
		if !ok {
			return elements, false
		}
		at = end
	}
	return elements, false
}

// scanObject returns the members of an object, likewise.
func scanObject(data []byte, start int) (members []span, complete bool) {
	for at := skipSpace(data, start+1); at < len(data); at = skipSpace(data, at) {
		switch data[at] {
		case '}':
			return members, true
		case ',':
			at++
			continue
		case '"':
		default:
			return members, false
		}
		nameEnd, ok := scanString(data, at)
		if !ok {
			return members, false
		}
		colon := skipSpace(data, nameEnd)
		if colon >= len(data) || data[colon] != ':' {
			return members, false
		}
		value := skipSpace(data, colon+1)
		end, ok := scanValue(data, value)
		members = append(members, span{key: string(data[at+1 : nameEnd-1]), value: value, end: end})
		if !ok {
			return members, false
		}
		at = end
	}
	return members, false
}
