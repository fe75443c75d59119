package instance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolproof/schema"
)

// Problem is one thing for which a schema does not accept an instance.
type Problem struct {
	At      schema.Pointer // in the instance
	Message string
}

// MaxSteps is how often Problems and AcceptsWithin apply a schema to a value. One at a
// depth of ten counts ten times more. The cost of a recursive union multiplies with
// each level of an instance, so that a small instance could take for ever.
const MaxSteps = 1_000_000

// ErrTooManySteps says that an instance was not judged within MaxSteps.
var ErrTooManySteps = errors.New("the arguments are too complex to be validated")

// Problems returns why the schema does not accept the instance, in the order of places;
// none when it does. Of a union it says what is wrong with the branch that is meant,
// where that is known. The error is ErrTooManySteps.
func (s *Schema) Problems(instance *schema.Node) ([]Problem, error) {
	err := s.meter.validate(s.compiled, instance.Value(), MaxSteps)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &invalid):
		return nil, err
	}
	problems := flatten(nil, invalid)
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(problems), nil
}

// Refusals returns the places in the instance that the schema refuses. Where a union
// refuses it, that is the union's own place. None means that it is accepted.
func (s *Schema) Refusals(instance *schema.Node) []schema.Pointer {
	var invalid *jsonschema.ValidationError
	if !errors.As(s.meter.validate(s.compiled, instance.Value(), math.MaxInt), &invalid) {
		return nil
	}
	var places []schema.Pointer
	var collect func(err *jsonschema.ValidationError)
	collect = func(err *jsonschema.ValidationError) {
		switch err.ErrorKind.(type) {
		case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
			for _, cause := range err.Causes {
				collect(cause)
			}
		case *kind.PropertyNames:
			// names says it with its place.
		default:
			places = append(places, pointerTo(err.InstanceLocation))
		}
	}
	collect(invalid)
	return places
}

// flatten appends the problems that an error of the validator is made of.
func flatten(problems []Problem, err *jsonschema.ValidationError) []Problem {
	switch about := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range err.Causes {
			problems = flatten(problems, cause)
		}
		return problems
	case *kind.AnyOf, *kind.OneOf:
		if meant := branchMeant(err); meant != nil {
			return flatten(problems, meant)
		}
		if len(err.Causes) > 0 { // none where several branches of a oneOf take it
			return append(problems, Problem{pointerTo(err.InstanceLocation), fmt.Sprintf("none of the %d forms that are allowed here", len(err.Causes))})
		}
	case *kind.AdditionalProperties:
		slices.Sort(about.Properties)
	case *kind.PropertyNames:
		return problems // names says it with its place
	}
	return append(problems, Problem{pointerTo(err.InstanceLocation), err.ErrorKind.LocalizedString(message.NewPrinter(language.English))})
}

// branchMeant returns what is wrong with the only branch of a union that takes values of
// the type and of the constants that the instance has, or nil.
func branchMeant(err *jsonschema.ValidationError) *jsonschema.ValidationError {
	var meant *jsonschema.ValidationError
	for _, branch := range err.Causes {
		if isOther(branch, len(err.InstanceLocation)) {
			continue
		}
		if meant != nil {
			return nil //nolint:nilerr // two may be meant, and nothing distinguishes them
		}
		meant = branch
	}
	return meant
}

// isOther reports whether a branch is for values of another type, or with another
// constant, in the value itself or in one of its members.
func isOther(branch *jsonschema.ValidationError, depth int) bool {
	switch branch.ErrorKind.(type) {
	case *kind.Type, *kind.FalseSchema:
		return len(branch.InstanceLocation) == depth
	case *kind.Const, *kind.Enum:
		return len(branch.InstanceLocation) <= depth+1
	case *kind.Group, *kind.Reference, *kind.AllOf:
		return slices.ContainsFunc(branch.Causes, func(cause *jsonschema.ValidationError) bool { return isOther(cause, depth) })
	default:
		return false
	}
}

func pointerTo(tokens []string) schema.Pointer {
	var at schema.Pointer
	for _, token := range tokens {
		at = at.Child(token)
	}
	return at
}

// meter counts how often a schema is applied to a value. It is part of the compiled
// schema, so that one validation runs at a time.
type meter struct {
	mutex sync.Mutex
	left  int
}

// vocabulary returns one that every schema has, and that counts. The dialect is that of
// the root.
func (m *meter) vocabulary(dialect string) *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:    "mem:///meter",
		Schema: besideVocabularies(dialect),
		Compile: func(compiler *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
			if _, has := object["propertyNames"]; has {
				return &names{m, compiler.Enqueue([]string{"propertyNames"})}, nil
			}
			return m, nil
		},
	}
}

// names finds the names that propertyNames refuses. The validator finds them too, but the
// place that it gives is overwritten while it goes on with the members beside.
type names struct {
	*meter

	allowed *jsonschema.Schema
}

// refusedName is what names adds to the problems, in the place of kind.PropertyNames.
type refusedName struct{ *kind.PropertyNames }

// Validate counts, and adds a problem for each name that is refused.
func (n *names) Validate(at *jsonschema.ValidatorContext, value any) {
	n.meter.Validate(at, value)
	const lastWithout = 4 // the draft that does not have propertyNames
	object, isObject := value.(map[string]any)
	if !isObject || n.allowed.DraftVersion == lastWithout {
		return
	}
	for name := range object {
		if n.allowed.Validate(name) != nil {
			at.AddError(&refusedName{&kind.PropertyNames{Property: name}})
		}
	}
}

// Validate counts one step, and one for each level of the value, since the validator
// keeps the whole place of what it finds. It leaves the validator, which knows no other way out, by a
// panic that validate catches.
func (m *meter) Validate(at *jsonschema.ValidatorContext, _ any) {
	m.left -= 1 + len(at.ValueLocation())
	if m.left < 0 {
		panic(ErrTooManySteps)
	}
}

// validate validates a value within a number of steps.
func (m *meter) validate(compiled *jsonschema.Schema, value any, steps int) (err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			if cause != ErrTooManySteps { //nolint:errorlint // it is this very value, or a panic of something else
				panic(cause)
			}
			err = ErrTooManySteps
		}
	}()
	m.left = steps
	return compiled.Validate(value) //nolint:wrapcheck // Problems takes it apart
}
