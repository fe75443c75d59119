package escape

import "strings"

// The commands of a workflow that show a message beside a line of a file.
const (
	Error   = "error"
	Warning = "warning"
	Notice  = "notice"
)

// Property is what an annotation says besides its message: a file, a line, a title.
type Property struct{ Name, Value string }

// Annotation returns a command of a workflow that shows a message, as GitHub reads it: one
// line without its end. A line break in the message is shown as one; other letters that act
// are spelt. Properties without a value are left out.
func Annotation(kind, message string, properties ...Property) string {
	var command strings.Builder
	command.WriteString("::" + kind)
	separator := " "
	for _, property := range properties {
		if property.Value == "" {
			continue
		}
		command.WriteString(separator + property.Name + "=" + inProperty.Replace(Line(property.Value)))
		separator = ","
	}
	return command.String() + "::" + inMessage.Replace(Lines(message, ""))
}

// What GitHub's runner reads as an escape, and puts back.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
