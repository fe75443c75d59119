// Package meaning compares normalized tools with the loss that their changes report, by
// instances in both directions. Each instance of the normalized tool restores to an
// instance of the tool as given. Each instance of the given tool has an instance of the
// normalized one that restores to the same value. What breaks the first has to be
// reported as Widens, what breaks the second as Narrows.
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

// Validator says which instances a schema accepts.
type Validator interface {
	Accepts(instance *schema.Node) bool
}

// Compile makes a Validator of a schema, which may be in the form of Google's proto
// surfaces: instance.Standard reads it. An error says that it is no JSON Schema.
type Compile func(node *schema.Node) (Validator, error)

// Semantics is the validator of the project.
func Semantics(node *schema.Node) (Validator, error) { return instance.Compile(node) } //nolint:ireturn // a Compile

// Checker holds tools to their meaning. The zero value is usable.
type Checker struct {
	// Compile is the validator that judges; nil means Semantics.
	Compile Compile
	// Seed chooses the instances.
	Seed uint64
	// Most is how many instances are made of one schema; 0 means 60.
	Most int
	// With Declared no instance has a member that the tool neither declares nor speaks of:
	// whether the tool takes more than it says is not asked then.
	Declared bool
}

// MaxValues is how many JSON values a normalized schema may have to be judged: to compile
// more takes minutes.
const MaxValues = 20_000

// ErrTooLarge says that a normalized schema has more than MaxValues.
var ErrTooLarge = errors.New("the normalized schema is too large to be judged")

// Original is a tool as it was given, with instances of it. It is used by one goroutine
// at a time.
type Original struct {
	checker    Checker
	parameters *schema.Node // as they are read
	validator  Validator
	// IsRepaired is set where the schema was no JSON Schema, and is read as
	// normalizers.Repair reads it.
	IsRepaired bool
	// drawn are instances, or nearly; accepted are those of them that the tool accepts.
	drawn, accepted []*schema.Node
	// known are the normalized schemas so far: several targets make one of a tool.
	known []normalized
}

// maxKnown is how many normalized schemas of a tool are kept.
const maxKnown = 16

// normalized is a schema that a target has made, with instances of it.
type normalized struct {
	schema    *schema.Node
	validator Validator
	drawn     []*schema.Node
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
	o := &Original{checker: c, parameters: parameters, validator: validator, IsRepaired: parameters != tool.Parameters}
	o.known = []normalized{{tool.Parameters, validator, nil}}
	o.drawn = o.asked(slices.Concat(more, Instances(parameters, c.Seed, c.Most)))
	for _, instance := range o.drawn {
		if validator.Accepts(instance) {
			o.accepted = append(o.accepted, instance)
		}
	}
	return o, nil
}

// asked returns the instances that the checker asks about.
func (o *Original) asked(drawn []*schema.Node) []*schema.Node {
	if !o.checker.Declared {
		return drawn
	}
	return slices.DeleteFunc(drawn, func(instance *schema.Node) bool { return hasMore(o.parameters, instance) })
}

// hasMore reports whether a value has a member that a schema of objects neither declares
// nor speaks of. A schema that leads elsewhere may declare anything.
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

// Finding is a loss that no change reports, or none at its place.
type Finding struct {
	// Needs is Widens where arguments of the normalized tool restore to no instance of
	// the given one, and Narrows where an instance of that one cannot be said.
	Needs rewrite.Loss
	// Instance are the arguments, or the instance that cannot be said.
	Instance *schema.Node
	// Restored is what the arguments restore to; nil where Needs is Narrows.
	Restored *schema.Node
	// IsReported is set where a change reports the loss at its place. Check leaves such
	// findings out.
	IsReported bool
	// At are the places of the instance that one of the two schemas refuses; nil where that
	// is not known.
	At []schema.Pointer
}

// String describes the finding in one line.
func (f Finding) String() string {
	if f.Needs == rewrite.Widens {
		return fmt.Sprintf("%s restores to %s, which is no instance of the tool as given, and no change there widens", f.Instance, f.Restored)
	}
	return fmt.Sprintf("%s cannot be said, and no change there narrows", f.Instance)
}

// Check holds a normalized tool to the original that it was made of. It returns the
// losses that are not reported, and how many pairs of an instance and what it becomes
// it has judged. An error says that the normalized schema is no JSON Schema, or is ErrTooLarge.
func (o *Original) Check(ctx context.Context, result normalizers.Result) (findings []Finding, pairs int, err error) {
	all, pairs, err := o.Losses(ctx, result)
	for _, finding := range all {
		if !finding.IsReported {
			findings = append(findings, finding)
		}
	}
	return findings, pairs, err
}

// Losses is Check with the losses that are reported too. Of a normalizer that reports
// nothing, a null in place of an optional property counts as its absence.
func (o *Original) Losses(ctx context.Context, result normalizers.Result) (findings []Finding, pairs int, err error) {
	made, err := o.made(ctx, result.Tool)
	if err != nil {
		return nil, 0, err
	}
	after := made.validator
	restore := result.Restore
	if result.Unreported {
		restore = o.withoutNulls
	}
	refers := refers(result.Given.Parameters)
	widened := placesOf(result.Changes, rewrite.Widens, refers, func(change *rewrite.Change) schema.Pointer { return change.From })
	for _, arguments := range slices.Concat(o.drawn, made.drawn) {
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
	narrowed := placesOf(result.Changes, rewrite.Narrows, refers, func(change *rewrite.Change) schema.Pointer { return change.At })
	for _, instance := range o.accepted {
		pairs++
		if isSaid, isReported := s.says(instance, after, restore, narrowed); !isSaid {
			findings = append(findings, Finding{Needs: rewrite.Narrows, Instance: instance, IsReported: isReported, At: refusals(after, instance)})
		}
	}
	return findings, pairs, nil
}

// withoutNulls returns arguments without the nulls that stand for optional properties,
// where the tool as given refuses them with those.
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

// refusals returns where a validator refuses a value, or nil where it does not say.
func refusals(validator Validator, refused *schema.Node) []schema.Pointer {
	if locator, locates := validator.(locator); locates {
		return locator.Refusals(refused)
	}
	return nil
}

// made returns what is known of a normalized schema.
func (o *Original) made(ctx context.Context, tool schema.Tool) (normalized, error) {
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
	made := normalized{tool.Parameters, validator, o.asked(Instances(tool.Parameters, o.checker.Seed+1, o.checker.Most))}
	if len(o.known) == maxKnown {
		o.known = slices.Delete(o.known, 1, 2) // the first is the tool as given
	}
	o.known = append(o.known, made)
	return made, nil
}

// says reports whether there are arguments that restore to the instance, or else whether
// the changes explain for some arguments why they do not.
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

// explain reports whether something is lost at each place where a schema refuses a value;
// anywhere, where the validator does not say where.
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
