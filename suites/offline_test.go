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
	"toolproof/harness/provider/openai"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
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
		Expect(verdict.Result{Status: verdict.Fail}).NotTo(suites.Conform())
	})
	It("takes nothing for an error", func() {
		for _, nothing := range []any{[]verdict.Result{}, []verdict.Result(nil), nil, "results"} {
			matches, err := suites.Conform().Match(nothing)
			Expect(matches).To(BeFalse())
			Expect(err).To(HaveOccurred())
		}
	})
	It("says the tool, the words and the place", func(ctx SpecContext) {
		tools, err := toolfile.Read(strings.NewReader("{\"name\": \"list\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\n\"all\": {\"type\": \"array\"}}}}"))
		Expect(err).NotTo(HaveOccurred())
		result := judge.Judge{Raw: true}.Tool(ctx, judge.Subject{Tool: tools[0], Source: "tools.json"}, harness.TargetOf(openai.Chat))
		Expect(suites.Conform().FailureMessage(result)).To(Equal("these do not conform:\nlist on openai/chat: fail\n" +
			"    /inputSchema/properties/all (tools.json:2:8): Invalid schema for function 'list': In context=('properties', 'all'), array schema missing items."))
	})
})
