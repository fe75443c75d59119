package judge

import (
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// placeFindings turns pointers into ones into the tool as it was given, and finds
// the lines of what is no part of a schema.
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

// placeChanges turns the places where changes come from into ones of the tool as it was
// given.
func placeChanges(changes []verdict.Change, tool toolfile.Tool) {
	for i := range changes {
		changes[i].From = tool.Pointer(changes[i].From)
	}
}

// positionOf returns the position of an object, and of anything else that of its name;
// of what is not there that of what it is missed in.
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
