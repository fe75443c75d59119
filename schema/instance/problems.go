package instance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolproof/schema"
)

// Problem is one reason why a schema does not accept an instance.
type Problem struct {
	At      schema.Pointer // in the instance
	Message string
}

// MaxSteps limits the work of Problems and AcceptsWithin. Applying a schema to a value at depth
// d of the instance costs 1+d steps. With a recursive union the cost multiplies with each level
// of the instance, so that even a small one could take for ever.
const MaxSteps = 1_000_000

// ErrTooManySteps means that MaxSteps did not suffice to judge an instance.
var ErrTooManySteps = errors.New("the arguments are too complex to be validated")

// Problems returns the reasons why the schema does not accept the instance, sorted by place,
// and none if it does. For a union they are those of the branch that the instance is evidently
// meant for, if there is one. The only error is ErrTooManySteps.
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

// Refusals returns the places in the instance that the schema refuses; a value refused by a
// union counts as one place. It returns none if the schema accepts the instance.
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
			// The type names reports it, with its place.
		default:
			places = append(places, pointerTo(err.InstanceLocation))
		}
	}
	collect(invalid)
	return places
}

// Keywords returns the places of the keywords that refuse the instance, as pointers into the schema in
// the form of Standard, and none if the schema accepts the instance. For a union they are those of
// all branches. The name of a property that additionalProperties forbids is the last token. The only
// error is ErrTooManySteps.
func (s *Schema) Keywords(instance *schema.Node) ([]schema.Pointer, error) {
	err := s.meter.validate(s.compiled, instance.Value(), MaxSteps)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var places []schema.Pointer
	var collect func(err *jsonschema.ValidationError)
	collect = func(err *jsonschema.ValidationError) {
		for _, cause := range err.Causes {
			collect(cause)
		}
		if len(err.Causes) > 0 {
			return
		}
		_, fragment, _ := strings.Cut(err.SchemaURL, "#")
		if unescaped, wrong := url.PathUnescape(fragment); wrong == nil {
			fragment = unescaped
		}
		at := schema.Pointer(fragment)
		for _, token := range err.ErrorKind.KeywordPath() {
			at = at.Child(token)
		}
		switch about := err.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, name := range about.Properties {
				places = append(places, at.Child(name))
			}
		case *kind.Not:
			places = append(places, at.Child("not"))
		default:
			places = append(places, at)
		}
	}
	collect(invalid)
	slices.Sort(places)
	return slices.Compact(places), nil
}

// flatten appends the problems that make up an error of the validator.
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
		if len(err.Causes) > 0 { // none if several branches of a oneOf accept the value
			return append(problems, Problem{pointerTo(err.InstanceLocation), fmt.Sprintf("none of the %d forms that are allowed here", len(err.Causes))})
		}
	case *kind.AdditionalProperties:
		slices.Sort(about.Properties)
	case *kind.PropertyNames:
		return problems // the type names reports it, with its place
	case *kind.ExclusiveMinimum:
		return append(problems, Problem{pointerTo(err.InstanceLocation), exceeded("exclusiveMinimum: got %v, want more than %v", about.Got, about.Want)})
	case *kind.ExclusiveMaximum:
		return append(problems, Problem{pointerTo(err.InstanceLocation), exceeded("exclusiveMaximum: got %v, want less than %v", about.Got, about.Want)})
	}
	return append(problems, Problem{pointerTo(err.InstanceLocation), err.ErrorKind.LocalizedString(message.NewPrinter(language.English))})
}

// exceeded returns a sentence about a number and its bound, which it may be equal to.
func exceeded(sentence string, number, bound *big.Rat) string {
	got, _ := number.Float64()
	want, _ := bound.Float64()
	return fmt.Sprintf(sentence, got, want)
}

// branchMeant returns the error of the only branch of a union for values of the instance's type
// and constants, or nil if there is not exactly one such branch.
func branchMeant(err *jsonschema.ValidationError) *jsonschema.ValidationError {
	var meant *jsonschema.ValidationError
	for _, branch := range err.Causes {
		if isOther(branch, len(err.InstanceLocation)) {
			continue
		}
		if meant != nil {
			return nil //nolint:nilerr // two branches may be meant
		}
		meant = branch
	}
	return meant
}

// isOther reports whether a branch is for values of another type, or for another constant in
// the value itself or in one of its members.
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

// meter counts the steps of a validation. It belongs to a compiled schema, which therefore runs
// one validation at a time.
type meter struct {
	mutex    sync.Mutex
	left     int
	matching time.Duration // what is left for patterns that need backtracking
}

// vocabulary returns a vocabulary that applies to every schema and counts the steps. dialect is
// the $schema of the root.
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

// names reports the member names that propertyNames refuses. The validator reports them too,
// but overwrites their place while it goes on with other members.
type names struct {
	*meter

	allowed *jsonschema.Schema
}

// refusedName is the error kind that names reports, so that it differs from the validator's.
type refusedName struct{ *kind.PropertyNames }

// Validate counts and reports each refused name.
func (n *names) Validate(at *jsonschema.ValidatorContext, value any) {
	n.meter.Validate(at, value)
	const lastWithout = 4 // the last draft without propertyNames
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

// Validate counts one step, and one more for each level of the value because the validator keeps
// the whole path of each error. Beyond the limit it panics, which is the only way to stop the
// validator; validate recovers.
func (m *meter) Validate(at *jsonschema.ValidatorContext, _ any) {
	m.left -= 1 + len(at.ValueLocation())
	if m.left < 0 {
		panic(ErrTooManySteps)
	}
}

// validate validates a value within the given number of steps.
func (m *meter) validate(compiled *jsonschema.Schema, value any, steps int) (err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			if cause != ErrTooManySteps { //nolint:errorlint // Validate panics with this very error
				panic(cause)
			}
			err = ErrTooManySteps
		}
	}()
	m.left, m.matching = steps, maxMatching
	return compiled.Validate(value) //nolint:wrapcheck // Problems takes the error apart
}
