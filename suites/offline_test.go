package suites_test

import (
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
	"toolproof/recordings"
	"toolproof/suites"
)

func TestSuites(t *testing.T) {
	t.Parallel()
	RegisterFailHandler(Fail)
	RunSpecs(t, "Toolproof")
}

var _ = Describe("fixtures", Label("offline"), func() {
	given, err := fixture.Load(fixtures.Files)
	if err != nil {
		It("load", func() { Expect(err).NotTo(HaveOccurred()) })
		return
	}
	store, err := recording.Load(recordings.Files)
	if err != nil {
		It("have recordings", func() { Expect(err).NotTo(HaveOccurred()) })
		return
	}
	for number, given := range given {
		Describe(given.ID+": "+given.Title, Label(given.Source.Kind), func() {
			judging := judge.Judge{Store: store, Memory: &judge.Memory{}}
			for i, target := range harness.Surfaces {
				if testing.Short() && (number+i)%4 != 0 {
					continue // a short test takes one in four; make whole takes all, and ./harness replays all in both
				}
				if given.Expect[target.Dialect.Name].Raw == nil && (given.WireOnly || target.Normalizer == nil) {
					continue // the fixture expects nothing here
				}
				It("conforms on "+target.Dialect.Name, Label(strings.ReplaceAll(target.Dialect.Name, "/", "-"), strings.ReplaceAll(target.Name(), "/", "-")), func(ctx SpecContext) {
					results := judging.Fixture(ctx, given, target)
					Expect(results).NotTo(BeEmpty())
					Expect(results).To(suites.Conform())
				})
			}
		})
	}
})

var _ = Describe("Conform", Label("offline"), func() {
	It("fails for a result that does not conform", func() {
		Expect([]verdict.Result{{Status: verdict.Fail}}).NotTo(suites.Conform())
		Expect([]verdict.Result{{Status: verdict.Error}}).NotTo(suites.Conform())
		Expect([]verdict.Result{{Status: verdict.Inconclusive}}).NotTo(suites.Conform())
		Expect([]verdict.Result{{Status: verdict.Pass}, {Status: verdict.KnownFailure}}).To(suites.Conform())
	})
})
