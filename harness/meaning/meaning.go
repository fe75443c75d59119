// Package meaning checks on instances, in both directions, that a normalized tool means what
// the original means, up to the losses that the normalizer's changes report. Every instance of
// the normalized tool has to restore to an instance of the original, or a change has to report
// Widens. Every instance of the original needs an instance of the normalized tool that restores
// to it, or a change has to report Narrows.
package meaning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Validator tells which instances a schema accepts.
type Validator interface {
	Accepts(instance *schema.Node) bool
}

// Compile compiles a schema, which may be in the form of Google's proto surfaces, as
// instance.Standard reads it. It returns an error if the schema is not valid JSON Schema.
type Compile func(node *schema.Node) (Validator, error)

// Semantics is the project's own Compile.
func Semantics(node *schema.Node) (Validator, error) { return instance.Compile(node) } //nolint:ireturn // a Compile

// Checker checks the meaning of normalized tools. The zero value is usable.
type Checker struct {
	// Compile compiles schemas; nil means Semantics.
	Compile Compile
	// Seed determines the instances.
	Seed uint64
	// Most is the largest number of instances made of one schema; 0 means 60.
	Most int
	// Declared leaves out instances with members that the tool neither declares nor mentions,
	// so that nothing is found about tools that accept more than they declare.
	Declared bool
}

// MaxValues is the largest number of JSON values in a normalized schema that is checked.
// Compiling a larger one takes minutes.
const MaxValues = 20_000

// ErrTooLarge means that a normalized schema has more than MaxValues.
var ErrTooLarge = errors.New("the normalized schema is too large to be judged")

// Original is a tool before normalization with instances of it. Only one goroutine may use it
// at a time.
type Original struct {
	checker    Checker
	parameters *schema.Node // repaired, if IsRepaired
	validator  Validator
	// IsRepaired is set if the schema is not valid JSON Schema and normalizers.Repair repaired
	// it.
	IsRepaired bool
	// drawn are values that are instances or nearly so; accepted are those that the tool
	// accepts.
	drawn, accepted []*schema.Node
	// known caches normalized schemas, because several targets often make the same one of a
	// tool.
	known []normalized
}

// maxKnown is the largest number of cached schemas.
const maxKnown = 16

// normalized is a normalized schema with instances of it.
type normalized struct {
	schema    *schema.Node
	validator Validator
	drawn     []*schema.Node
}

// Original prepares a tool for checks. It repairs a schema that is not valid JSON Schema with
// normalizers.Repair, and returns an error if it still is not. The values in more are used as
// instances, too.
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
	o := &Original{checker: c, parameters: parameters, validator: validator, IsRepaired: parameters != tool.Parameters}
	o.known = []normalized{{tool.Parameters, validator, nil}}
	o.drawn = o.selected(slices.Concat(more, Instances(parameters, c.Seed, c.Most)))
	for _, instance := range o.drawn {
		if validator.Accepts(instance) {
			o.accepted = append(o.accepted, instance)
		}
	}
	return o, nil
}

// selected returns the instances that the checker uses.
func (o *Original) selected(drawn []*schema.Node) []*schema.Node {
	if !o.checker.Declared {
		return drawn
	}
	return slices.DeleteFunc(drawn, func(instance *schema.Node) bool { return hasMore(o.parameters, instance) })
}

// hasMore reports whether a value has a member that a schema of objects neither declares nor
// mentions. A schema that refers to others may declare anything.
func hasMore(node, value *schema.Node) bool {
	if node == nil || node.Kind != schema.Object {
		return false
	}
	speaks := slices.ContainsFunc([]string{
		"additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties",
		"allOf", "anyOf", "oneOf", "not", "if", "$ref", "$dynamicRef", "dependentSchemas", "dependentRequired", "dependencies",
	}, node.Has)
	properties := node.Get("properties")
	for _, member := range value.Members {
		declared := properties.Get(member.Key)
		if declared == nil && properties != nil && !speaks && !slices.Contains(node.Get("required").Strings(), member.Key) || hasMore(declared, member.Value) {
			return true
		}
	}
	for _, element := range value.Elements {
		if hasMore(node.Get("items"), element) {
			return true
		}
	}
	return false
}

// read compiles the schema of a tool, repaired if it is not valid JSON Schema, for example
// because a reference leads nowhere.
func (c Checker) read(ctx context.Context, tool schema.Tool) (*schema.Node, Validator, error) { //nolint:ireturn // the validator of Compile
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

// Finding is a loss of meaning that an instance shows.
type Finding struct {
	// Needs is the loss that a change has to report: Widens if arguments of the normalized tool
	// restore to a value that the original refuses, and Narrows if no arguments restore to an
	// instance of the original.
	Needs rewrite.Loss
	// Instance is, for Widens, the arguments, and for Narrows, the instance of the original.
	Instance *schema.Node
	// Restored is the value that the arguments restore to; nil for Narrows.
	Restored *schema.Node
	// IsReported is set if a change reports the loss at its place. Check leaves out such
	// findings.
	IsReported bool
	// At holds the places of the instance that one of the two schemas refuses; nil if they are
	// not known.
	At []schema.Pointer
}

// String describes the finding in one line.
func (f Finding) String() string {
	if f.Needs == rewrite.Widens {
		return fmt.Sprintf("%s restores to %s, which is no instance of the tool as given, and no change there widens", f.Instance, f.Restored)
	}
	return fmt.Sprintf("%s cannot be said, and no change there narrows", f.Instance)
}

// Check checks a normalized tool made of the original. It returns the losses that no change
// reports and the number of pairs of an instance and its counterpart that it judged. The error
// is ErrTooLarge, or says that the normalized schema is not valid JSON Schema.
func (o *Original) Check(ctx context.Context, result normalizers.Result) (findings []Finding, pairs int, err error) {
	all, pairs, err := o.Losses(ctx, result)
	for _, finding := range all {
		if !finding.IsReported {
			findings = append(findings, finding)
		}
	}
	return findings, pairs, err
}

// Losses is like Check but also returns the losses that are reported. If the normalizer reports
// no changes, a null in the place of an optional property counts as its absence.
func (o *Original) Losses(ctx context.Context, result normalizers.Result) (findings []Finding, pairs int, err error) {
	normalized, err := o.normalized(ctx, result.Tool)
	if err != nil {
		return nil, 0, err
	}
	after := normalized.validator
	restore := result.Restore
	if result.Unreported {
		restore = o.withoutNulls
	}
	refers := refers(result.Given.Parameters)
	widened := placesOf(result.Changes, rewrite.Widens, refers, func(change *rewrite.Change) schema.Pointer { return change.From })
	for _, arguments := range slices.Concat(o.drawn, normalized.drawn) {
		if !after.Accepts(arguments) {
			continue
		}
		pairs++
		if restored := restore(arguments); !o.validator.Accepts(restored) {
			findings = append(findings, Finding{
				Needs: rewrite.Widens, Instance: arguments, Restored: restored,
				IsReported: widened.explain(o.validator, restored), At: refusals(o.validator, restored),
			})
		}
	}
	s := newSayer(result)
	inResult := func(change *rewrite.Change) schema.Pointer { return change.At }
	narrowed, closed := placesOf(result.Changes, rewrite.Narrows, refers, inResult), placesOf(result.Changes, rewrite.Closes, refers, inResult)
	for _, instance := range o.accepted {
		pairs++
		if isSaid, isReported := s.says(instance, after, restore, closed); !isSaid {
			if isReported && len(closed.list) > len(narrowed.list) {
				isReported = o.isLostByClosing(instance, func(listed *schema.Node) bool {
					isSaid, isExplained := s.says(listed, after, restore, narrowed)
					return isSaid || isExplained
				})
			}
			findings = append(findings, Finding{Needs: rewrite.Narrows, Instance: instance, IsReported: isReported, At: refusals(after, instance)})
		}
	}
	return findings, pairs, nil
}

// isLostByClosing reports whether an instance has members that the original neither lists nor
// mentions, and the isReported of the instance without them, if the original accepts that.
func (o *Original) isLostByClosing(instance *schema.Node, isReported func(*schema.Node) bool) bool {
	g := &generator{root: o.parameters, resources: schema.NewResources(o.parameters)}
	listed := g.listed(instance, g.applied(nil, o.parameters))
	return !o.validator.Accepts(listed) || isReported(listed)
}

// withoutNulls returns the arguments without the nulls of optional properties if the original
// accepts them only so.
func (o *Original) withoutNulls(arguments *schema.Node) *schema.Node {
	if o.validator.Accepts(arguments) {
		return arguments
	}
	if without := absent(o.parameters, arguments); o.validator.Accepts(without) {
		return without
	}
	return arguments
}

// absent returns a value without the members that are null and not required.
func absent(node, value *schema.Node) *schema.Node {
	switch value.Kind {
	case schema.Object:
		required := node.Get("required").Strings()
		without := schema.NewObject()
		for _, member := range value.Members {
			if member.Value.Kind == schema.Null && !slices.Contains(required, member.Key) {
				continue
			}
			without.Set(member.Key, absent(node.Get("properties").Get(member.Key), member.Value))
		}
		return without
	case schema.Array:
		elements := make([]*schema.Node, len(value.Elements))
		for i, element := range value.Elements {
			elements[i] = absent(node.Get("items"), element)
		}
		return &schema.Node{Kind: schema.Array, Elements: elements}
	default:
		return value
	}
}

// refusals returns the places where a validator refuses a value, or nil if it does not tell.
func refusals(validator Validator, refused *schema.Node) []schema.Pointer {
	if locator, locates := validator.(locator); locates {
		return locator.Refusals(refused)
	}
	return nil
}

// normalized returns the normalized schema of a tool with its validator and instances.
func (o *Original) normalized(ctx context.Context, tool schema.Tool) (normalized, error) {
	for _, known := range o.known {
		if schema.Identical(known.schema, tool.Parameters) {
			return known, nil
		}
	}
	if tool.Parameters.Size() > MaxValues {
		return normalized{}, ErrTooLarge
	}
	_, validator, err := o.checker.read(ctx, tool)
	if err != nil {
		return normalized{}, err
	}
	added := normalized{tool.Parameters, validator, o.selected(Instances(tool.Parameters, o.checker.Seed+1, o.checker.Most))}
	if len(o.known) == maxKnown {
		o.known = slices.Delete(o.known, 1, 2) // the first is the original
	}
	o.known = append(o.known, added)
	return added, nil
}

// says reports whether some arguments restore to the instance, and if not, whether the changes
// explain why.
func (s *sayer) says(instance *schema.Node, after Validator, restore func(*schema.Node) *schema.Node, narrowed places) (isSaid, isExplained bool) {
	for _, arguments := range slices.Concat([]*schema.Node{instance}, s.candidates(instance)) {
		if !after.Accepts(arguments) {
			isExplained = isExplained || narrowed.explain(after, arguments)
			continue
		}
		restored := restore(arguments)
		if schema.Equal(restored, instance) {
			return true, false
		}
		isExplained = isExplained || len(narrowed.list) > 0 && narrowed.cover([]schema.Pointer{difference(restored, instance, "")})
	}
	return false, isExplained
}

// explain reports whether something is lost at each place where the validator refuses the
// value, or, if it does not tell where, anywhere.
func (p places) explain(validator Validator, refused *schema.Node) bool {
	if len(p.list) == 0 {
		return false
	}
	locator, locates := validator.(locator)
	if !locates || p.isEverywhere {
		return true
	}
	return p.cover(locator.Refusals(refused))
}
