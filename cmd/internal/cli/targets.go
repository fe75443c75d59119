package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/normalizers"
)

// TargetsNamed returns the targets of the given names, as the options want them.
func TargetsNamed(names []string, options normalizers.Options) ([]judge.Target, error) {
	var targets []judge.Target
	for _, name := range names {
		named, err := harness.TargetsNamed(name)
		if err != nil {
			if Likely(name, harness.TargetNames) != "" { // which says enough
				err = fmt.Errorf("unknown target %q", name)
			}
			return nil, Broken(Suggest(err, name, harness.TargetNames, "verify list targets describes them"))
		}
		targets = append(targets, named...)
	}
	return WithOptions(targets, options), nil
}

// OneTarget returns the target that a name means, as the options want it, for a command that takes one.
func OneTarget(name string, options normalizers.Options) (judge.Target, error) {
	if name == "" {
		return judge.Target{}, Broken(Hint(errors.New("--target is required"), "verify list targets lists the targets"))
	}
	if first, _, isList := strings.Cut(name, ","); isList {
		return judge.Target{}, Broken(Hint(fmt.Errorf("--target must name one target, not %q", name), "run the command once for each, first with --target "+strings.TrimSpace(first)))
	}
	targets, err := TargetsNamed([]string{name}, options)
	if err == nil && len(targets) != 1 {
		err = Broken(Hint(fmt.Errorf("--target must name one target, not %q", name), "verify list targets lists the targets"))
	}
	if err != nil {
		return judge.Target{}, err
	}
	return targets[0], nil
}

// WithOptions returns the targets, each once, as the options want them.
func WithOptions(targets []judge.Target, options normalizers.Options) []judge.Target {
	seen := map[string]bool{}
	var once []judge.Target
	for _, target := range targets {
		if seen[target.Name()] {
			continue
		}
		seen[target.Name()] = true
		if pipeline, ok := target.Normalizer.(*normalizers.Pipeline); ok {
			target.Normalizer = pipeline.With(options)
		}
		once = append(once, target)
	}
	return once
}

// CompleteTargets completes the names of targets.
func CompleteTargets(all bool) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		names = append(names, harness.TargetNames...)
		if all {
			names = append(names, "all")
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
