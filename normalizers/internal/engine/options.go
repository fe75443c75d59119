package engine

// Options are the choices of a caller that the rules and the engine read. They mean the same as
// those of normalizers.Options, with the same defaults for 0.
type Options struct {
	Language, DefaultLanguage     string
	MaxValues, MaxDepth, MaxSteps int
}

const (
	defaultMaxValues = 100_000
	defaultMaxDepth  = 100
)

// withDefaults returns the options with defaults in the place of 0.
func (o Options) withDefaults() Options {
	if o.MaxValues <= 0 {
		o.MaxValues = defaultMaxValues
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = defaultSteps
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	return o
}
