package main

import (
	"math/big"
	"strconv"

	"toolproof/harness/meaning"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// recorder is a validator of the harness that records what it is asked.
type recorder struct {
	schemas map[string]*recorded // by their text
	order   []*recorded
}

type recorded struct {
	node      *schema.Node
	validator *instance.Schema
	err       error
	instances []*schema.Node
	accepted  []bool
	seen      map[string]bool
}

// compile is a meaning.Compile. It compiles a repeated schema once.
func (r *recorder) compile(node *schema.Node) (meaning.Validator, error) { //nolint:ireturn // a meaning.Compile
	if node == nil {
		node = schema.NewObject()
	}
	text := node.String()
	if known := r.schemas[text]; known != nil {
		return known, known.err
	}
	if r.schemas == nil {
		r.schemas = map[string]*recorded{}
	}
	added := &recorded{node: node, seen: map[string]bool{}}
	added.validator, added.err = instance.Compile(node)
	r.schemas[text] = added
	r.order = append(r.order, added)
	return added, added.err
}

// Accepts returns the verdict of the harness's validator.
func (r *recorded) Accepts(instance *schema.Node) bool {
	accepted := r.validator.Accepts(instance)
	if text := instance.String(); !r.seen[text] {
		r.seen[text] = true
		r.instances = append(r.instances, instance)
		r.accepted = append(r.accepted, accepted)
	}
	return accepted
}

// Refusals returns the places that the harness's validator refuses.
func (r *recorded) Refusals(instance *schema.Node) []schema.Pointer {
	return r.validator.Refusals(instance)
}

// isOfDoubles reports whether JavaScript represents every number of a value exactly.
func isOfDoubles(value *schema.Node) bool {
	if value.Kind == schema.Number {
		return isDouble(value)
	}
	for _, member := range value.Members {
		if !isOfDoubles(member.Value) {
			return false
		}
	}
	for _, element := range value.Elements {
		if !isOfDoubles(element) {
			return false
		}
	}
	return true
}

// isDouble reports whether a number is the shortest decimal that represents its float64.
func isDouble(number *schema.Node) bool {
	read, err := strconv.ParseFloat(number.Text, 64)
	exact := number.Rat()
	if err != nil || exact == nil {
		return false
	}
	shortest, ok := new(big.Rat).SetString(strconv.FormatFloat(read, 'g', -1, 64))
	return ok && shortest.Cmp(exact) == 0
}
