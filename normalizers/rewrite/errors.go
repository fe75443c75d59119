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

// BudgetError says that a tool takes more work than allowed, or copies more text.
type BudgetError struct {
	Tool   string // the given name of the tool
	Target string
	Steps  int // the number allowed; 0 if it is the bytes that are spent
	Bytes  int // the number of bytes of text that the tool may copy; 0 if it is the steps that are spent
}

// Error names the tool, the target and the budget, and says what to do.
func (e *BudgetError) Error() string {
	spent := fmt.Sprintf("takes more than %d steps", e.Steps)
	if e.Bytes > 0 {
		spent = fmt.Sprintf("copies more than %d bytes of text", e.Bytes)
	}
	return fmt.Sprintf("the tool %q %s for %s\n"+
		"its schema grows where references or unions are resolved: make it refer less, or raise Options.MaxSteps", e.Tool, spent, e.Target)
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
