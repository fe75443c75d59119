package escape

import "strings"

// The workflow commands that show a message beside a line of a file.
const (
	Error   = "error"
	Warning = "warning"
	Notice  = "notice"
)

// Property is a property of an annotation, such as file, line or title.
type Property struct{ Name, Value string }

// Annotation returns GitHub's workflow command that shows a message, as one line without a
// newline. It keeps line breaks in the message, escapes the other control characters, and leaves
// out properties without a value.
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

// The escapes that GitHub's runner decodes.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
