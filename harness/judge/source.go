package judge

import (
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// EditedSource returns the declaration of a tool after an edit of Cures.Of, whose From leads into it.
// Values that stay are shared.
func EditedSource(declaration *schema.Node, edit verdict.Change) *schema.Node {
	return replaced(declaration, edit.From.Tokens(), written(declaration.Find(edit.From), edit))
}
