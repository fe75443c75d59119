package calibrate

// The classes of rows that are set aside because they ask nothing. Other rows are set aside with a
// class of refusal.Aside, because their failure is not about a declaration. They are part of the
// format of reports.
const (
	NoModelOfSurface  = "no_model_of_surface"
	NoModelOfProvider = "no_model_of_provider"
	NoSchema          = "no_schema"  // nothing declared
	Unreadable        = "unreadable" // request cannot be read
)

// messageOf returns the message of a recorded error: a text, an object with a message, or
// either inside another object.
func (r *Row) messageOf() string {
	node := parse(r.ResponseError)
	for _, key := range []string{"error", "message"} {
		if inner := node.First(key); inner != nil {
			node = inner
		}
	}
	if node == nil {
		return ""
	}
	return node.Text
}
