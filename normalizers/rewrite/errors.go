package rewrite

import (
	"fmt"

	"toolproof/schema"
)

// UnrepresentableError says why a target cannot express a tool.
type UnrepresentableError struct {
	// At leads from the tool to the schema that cannot be expressed; empty for the tool itself.
	At     schema.Pointer
	Reason string
}

// Error returns the reason with its place.
func (e *UnrepresentableError) Error() string {
	if e.At == "" {
		return e.Reason
	}
	return string(e.At) + ": " + e.Reason
}

// BudgetError says that a tool takes more work than allowed.
type BudgetError struct {
	Tool   string // the given name of the tool
	Target string
	Steps  int // the number allowed
}

// Error names the tool, the target and the budget, and says what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the tool %q takes more than %d steps for %s\n"+
		"its schema grows where references or unions are resolved: make it refer less, or raise Options.MaxSteps", e.Tool, e.Steps, e.Target)
}

// TooDeepError says that the values of a tool are nested too deep.
type TooDeepError struct {
	Tool   string
	Levels int // the number allowed
}

// Error names the tool and the limit.
func (e *TooDeepError) Error() string {
	return fmt.Sprintf("the schema of the tool %q has more than %d levels, or holds itself\nmake it flat, or refer to what repeats", e.Tool, e.Levels)
}
