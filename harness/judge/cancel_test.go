package judge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolproof/lab/hostile"
	"toolproof/normalizers"
	"toolproof/schema"
)

// observed is a normalizer whose beginning and end a test can wait for.
type observed struct {
	normalizers.Normalizer

	began, ended chan struct{}
}

func (o observed) Normalize(ctx context.Context, tool schema.Tool) (normalizers.Result, error) {
	defer close(o.ended)
	close(o.began)
	return o.Normalizer.Normalize(ctx, tool)
}

// TestNormalizersEndWithTheirCheck gives a normalizer work without end, whatever its
// budget, and cancels the check: the goroutine has to end, or the test never does.
func TestNormalizersEndWithTheirCheck(t *testing.T) {
	t.Parallel()
	const boundless = 1 << 60
	tool := schema.Tool{Name: "f", Parameters: hostile.Named("all_of_doubles").Make(60)}
	for _, pipeline := range []*normalizers.Pipeline{normalizers.Gemini, normalizers.CodeAssistClaude, normalizers.Portable} {
		watched := observed{pipeline.With(normalizers.Options{MaxSteps: boundless}), make(chan struct{}), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-watched.began
			cancel()
		}()
		if _, err := (Judge{}).normalize(ctx, watched, tool); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", pipeline.Name(), err)
		}
		<-watched.ended
	}
}

// panics is a normalizer of somebody else's.
type panics struct{ normalizers.Normalizer }

func (panics) Normalize(context.Context, schema.Tool) (normalizers.Result, error) { panic("foreign") }

func TestForeignPanicIsCaught(t *testing.T) {
	t.Parallel()
	_, err := (Judge{}).normalize(t.Context(), panics{normalizers.Gemini}, schema.Tool{Name: "f"})
	if err == nil || !strings.Contains(err.Error(), "panic: foreign") {
		t.Errorf("the error is %v", err)
	}
}
