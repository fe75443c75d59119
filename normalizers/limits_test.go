package normalizers_test

import (
	"reflect"
	"strings"
	"testing"

	"toolproof/normalizers"
)

// TestLimitsAreThoseOfRules: a rule finds the limits of a target by their type, so that each
// is a type of package rules, and in the list once.
func TestLimitsAreThoseOfRules(t *testing.T) {
	t.Parallel()
	for _, pipeline := range normalizers.All {
		target, _, _ := normalizers.Parts(pipeline)
		seen := map[reflect.Type]bool{}
		for _, limits := range target.Limits {
			of := reflect.TypeOf(limits)
			if !strings.HasSuffix(of.PkgPath(), "/normalizers/internal/rules") {
				t.Errorf("%s: no rule declares the limits %T", pipeline.Name(), limits)
			}
			if seen[of] {
				t.Errorf("%s: the limits %T are listed twice", pipeline.Name(), limits)
			}
			seen[of] = true
		}
	}
}
