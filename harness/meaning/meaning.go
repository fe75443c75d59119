// Package meaning holds normalized tools to the loss that their changes report, by
// instances in both directions: each instance of the normalized tool restores to an
// instance of the tool as it was given, and each instance of that one can be said to
// the normalized tool so that it restores to the same value. What breaks the first
// has to be reported as Widens, what breaks the second as Narrows.
package meaning

import (
	"context"
	"fmt"
	"slices"

	"toolproof/harness/semantics"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Validator says which instances a schema accepts.
type Validator interface {
	Accepts(instance *schema.Node) bool
}

// Compile makes a Validator of a schema, which may be in the form of Google's proto
// surfaces: semantics.Standard reads it. An error says that it is no JSON Schema.
type Compile func(node *schema.Node) (Validator, error)

// Semantics is the validator of the project.
func Semantics(node *schema.Node) (Validator, error) { return semantics.Compile(node) } //nolint:ireturn // a Compile

// Checker holds tools to their meaning. The zero value is usable.
type Checker struct {
	// Compile is the validator that judges; nil means Semantics.
	Compile Compile
	// Seed chooses the instances.
	Seed uint64
	// Most is how many instances are made of one schema; 0 means 60.
	Most int
}

// Original is a tool as it was given, with instances of it. It is used by one goroutine
// at a time.
type Original struct {
	checker   Checker
	validator Validator
	// IsRepaired is set where the schema was no JSON Schema, and is read as
	// normalizers.Repair reads it.
	IsRepaired bool
	// drawn are instances, or nearly; accepted are those of them that the tool accepts.
	drawn, accepted []*schema.Node
}

// Original prepares a tool. One whose schema is no JSON Schema is read as
// normalizers.Repair reads it; an error says that it is none after that.
func (c Checker) Original(ctx context.Context, tool schema.Tool, more ...*schema.Node) (*Original, error) {
	if c.Compile == nil {
		c.Compile = Semantics
	}
	const usual = 60
	if c.Most == 0 {
		c.Most = usual
	}
	parameters, validator, err := c.read(ctx, tool)
	if err != nil {
		return nil, err
	}
	o := &Original{checker: c, validator: validator, IsRepaired: parameters != tool.Parameters, drawn: slices.Concat(more, Instances(parameters, c.Seed, c.Most))}
	for _, instance := range o.drawn {
		if validator.Accepts(instance) {
			o.accepted = append(o.accepted, instance)
		}
	}
	return o, nil
}

// read compiles the schema of a tool as it stands, or as normalizers.Repair reads it
// where it is no JSON Schema, such as with a reference to nothing.
func (c Checker) read(ctx context.Context, tool schema.Tool) (*schema.Node, Validator, error) { //nolint:ireturn // a Compile made it
	if validator, err := c.Compile(tool.Parameters); err == nil {
		return tool.Parameters, validator, nil
	}
	repaired, err := normalizers.Repair(ctx, tool)
	if err != nil {
		return nil, nil, err
	}
	validator, err := c.Compile(repaired.Tool.Parameters)
	if err != nil {
		return nil, nil, fmt.Errorf("compiling the repaired schema: %w", err)
	}
	return repaired.Tool.Parameters, validator, nil
}

// Finding is a loss that no change reports.
type Finding struct {
	// Needs is Widens where arguments of the normalized tool restore to no instance of
	// the given one, and Narrows where an instance of that one cannot be said.
	Needs rewrite.Loss
	// Instance are the arguments, or the instance that cannot be said.
	Instance *schema.Node
	// Restored is what the arguments restore to; nil where Needs is Narrows.
	Restored *schema.Node
}

// String describes the finding in one line.
func (f Finding) String() string {
	if f.Needs == rewrite.Widens {
		return fmt.Sprintf("%s restores to %s, which is no instance of the tool as given, and no change widens", f.Instance, f.Restored)
	}
	return fmt.Sprintf("%s cannot be said, and no change narrows", f.Instance)
}

// Check holds a normalized tool to the original that it was made of. It returns the
// losses that are not reported, and how many pairs of an instance and what it becomes
// it has judged. An error says that the normalized schema is no JSON Schema.
func (o *Original) Check(ctx context.Context, result normalizers.Result) (findings []Finding, pairs int, err error) {
	_, after, err := o.checker.read(ctx, result.Tool)
	if err != nil {
		return nil, 0, err
	}
	loss := result.Loss()
	drawn := o.drawn
	if len(result.Changes) > 0 {
		drawn = append(slices.Clip(drawn), Instances(result.Tool.Parameters, o.checker.Seed+1, o.checker.Most)...)
	}
	for _, arguments := range drawn {
		if !after.Accepts(arguments) {
			continue
		}
		pairs++
		restored := result.Restore(arguments)
		if loss&rewrite.Widens == 0 && !o.validator.Accepts(restored) {
			findings = append(findings, Finding{Needs: rewrite.Widens, Instance: arguments, Restored: restored})
		}
	}
	sayer := newSayer(result)
	for _, instance := range o.accepted {
		pairs++
		if loss&rewrite.Narrows == 0 && !canBeSaid(instance, sayer, after, result) {
			findings = append(findings, Finding{Needs: rewrite.Narrows, Instance: instance})
		}
	}
	return findings, pairs, nil
}

// canBeSaid reports whether there are arguments that restore to the instance.
func canBeSaid(instance *schema.Node, s *sayer, after Validator, result normalizers.Result) bool {
	says := func(arguments *schema.Node) bool {
		return after.Accepts(arguments) && schema.Equal(result.Restore(arguments), instance)
	}
	return says(instance) || slices.ContainsFunc(s.candidates(instance), says)
}
