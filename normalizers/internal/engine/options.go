package engine

// Options are those choices of a caller that the rules and their engine read. 0 means the
// default, as normalizers.Options has it.
type Options struct {
	Language, DefaultLanguage     string
	MaxValues, MaxDepth, MaxSteps int
}

const (
	defaultMaxValues = 100_000
	defaultMaxDepth  = 100
)

// withDefaults fills in what the caller left open.
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
