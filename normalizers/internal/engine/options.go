package engine

// Options are the fields of normalizers.Options that the rules and the engine read, with the same
// meaning and the same defaults.
type Options struct {
	Language, DefaultLanguage     string
	MaxValues, MaxDepth, MaxSteps int
}

const (
	defaultMaxValues = 100_000
	defaultMaxDepth  = 100
)

// withDefaults returns the options with the default of each bound that is 0.
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
