package judge

import (
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// placeFindings turns the pointers of findings into pointers into the tool's source, and adds the
// line to each finding that has none.
func placeFindings(findings []verdict.Finding, tool toolfile.Tool) {
	for i := range findings {
		finding := &findings[i]
		finding.At = tool.Pointer(finding.At)
		if finding.Line > 0 {
			continue
		}
		if node := tool.Declaration.Find(finding.At); node != nil {
			finding.Line, finding.Column = int(node.Position.Line), int(node.Position.Column)
		}
	}
}

// placeChanges turns the pointers From of changes into pointers into the tool's source.
func placeChanges(changes []verdict.Change, tool toolfile.Tool) {
	for i := range changes {
		changes[i].From = tool.Pointer(changes[i].From)
	}
}

// positionOf returns the position of the value at a pointer: the position of an object itself, and
// of any other value that of its name. If there is no such value it returns the position of the
// innermost value on the way to it.
func positionOf(node *schema.Node, at schema.Pointer) schema.Position {
	if node == nil { // the tool could not be read
		return schema.Position{}
	}
	position := node.Position
	for _, token := range at.Tokens() {
		below := node.Step(token)
		if below == nil {
			break
		}
		position = below.Position
		if i := node.Index(token); i >= 0 && below.Kind != schema.Object {
			position = node.Members[i].Position
		}
		node = below
	}
	return position
}
