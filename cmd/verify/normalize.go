package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

func newNormalize(s *session) *cobra.Command {
	var target, language string
	command := &cobra.Command{
		Use:   "normalize --target TARGET FILE...",
		Short: "Print the tools in the form that a target takes",
		Long: `normalize prints the normalized tools as the provider's wire form: the list that
stands under tools, or under functionDeclarations, in a request. What was changed is
told on standard error.`,
		Example: `  verify normalize --target gemini tools.json > gemini.json`,
		RunE: func(command *cobra.Command, files []string) error {
			chosen, documents, err := s.oneTarget(target, language, files)
			if err != nil {
				return err
			}
			var declarations []*schema.Node
			broken := false
			for _, document := range documents {
				for _, tool := range document.tools {
					if tool.Err != nil {
						broken = true
						fmt.Fprintf(s.errs, "verify: %s:%v\n", document.source, tool.Err)
						continue
					}
					result, err := chosen.Normalizer.Normalize(command.Context(), tool.Tool)
					if err != nil {
						return exitError{exitBroken, err}
					}
					declarations = append(declarations, wireForm(chosen, result))
					fmt.Fprintf(s.errs, "%s:%d: %s: %s\n", document.source, tool.Line, tool.Name, told(result))
				}
				if document.err != nil {
					broken = true
					fmt.Fprintf(s.errs, "verify: %s: %v\n", document.source, document.err)
				}
			}
			fmt.Fprintf(s.out, "%s\n", schema.NewArray(declarations...).Indented())
			switch {
			case broken:
				return exitError{code: exitBroken}
			case len(declarations) == 0:
				return usage("there is no tool in %s", strings.Join(files, ", "))
			default:
				return nil
			}
		},
	}
	addTarget(command, &target, &language)
	return command
}

// addTarget adds the flags of a command that is about one target.
func addTarget(command *cobra.Command, target, language *string) {
	command.Flags().StringVar(target, "target", "", "the target to normalize for")
	command.Flags().StringVar(language, "language", "", "prefer this language in texts of several, such as de-AT")
	_ = command.RegisterFlagCompletionFunc("target", completeTargets(false))
}

// oneTarget reads the files for a command that is about one target.
func (s *session) oneTarget(name, language string, files []string) (harness.Target, []document, error) {
	if name == "" {
		return harness.Target{}, nil, exitError{exitBroken, hint(errors.New("no target"), "--target names one; verify list targets lists them")}
	}
	targets, err := targetsNamed([]string{name}, language)
	if err != nil {
		return harness.Target{}, nil, err
	}
	if len(targets) != 1 {
		return harness.Target{}, nil, usage("one target is needed, not %q", name)
	}
	documents, err := s.read(files)
	return targets[0], documents, err
}

// wireForm returns the entry for a tool in the list of tools of a request.
func wireForm(target harness.Target, result normalizers.Result) *schema.Node {
	dialect := target.Dialect
	if target.Fallback != nil && !result.Strict {
		dialect = target.Fallback
	}
	declaration := dialect.Declare(result.Tool)
	if entries := dialect.Request([]*schema.Node{declaration}).Body.Get("tools"); entries != nil && !entries.Elements[0].Has("functionDeclarations") {
		return entries.Elements[0]
	}
	return declaration
}

// told says in a line what was changed.
func told(result normalizers.Result) string {
	if len(result.Changes) == 0 && result.Fallback == "" {
		return "unchanged"
	}
	text := fmt.Sprintf("%d changes, loss %s", len(result.Changes), result.Loss())
	if result.Fallback != "" {
		text += "; sent with strict false: " + result.Fallback
	}
	return text
}

func newDiff(s *session) *cobra.Command {
	var target, language string
	var width int
	command := &cobra.Command{
		Use:   "diff --target TARGET FILE...",
		Short: "Show original and normalized tools side by side",
		Example: `  verify diff --target gemini tools.json
  verify diff --target openai-strict --width 160 tools.json`,
		RunE: func(command *cobra.Command, files []string) error {
			chosen, documents, err := s.oneTarget(target, language, files)
			if err != nil {
				return err
			}
			sides := &report.Sides{Out: s.out, Color: s.color, Width: width}
			checker := harness.Checker{}
			worst, tools := verdict.NotApplicable, 0
			for _, document := range documents {
				for _, tool := range document.tools {
					result := checker.Check(command.Context(), tool, document.source, chosen)
					worst = verdict.Worst(worst, result.Status)
					tools++
					sides.Result(result)
				}
				if document.err != nil {
					worst = verdict.Error
					fmt.Fprintf(s.errs, "verify: %s: %v\n", document.source, document.err)
				}
			}
			if tools == 0 {
				return usage("there is no tool in %s", strings.Join(files, ", "))
			}
			if sides.Err() != nil {
				return sides.Err()
			}
			return exitFor(worst)
		},
	}
	addTarget(command, &target, &language)
	command.Flags().IntVar(&width, "width", 120, "width of both sides together, in characters") //nolint:mnd // a common terminal
	return command
}
