package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/minimize"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/recordings"
	"toolproof/schema"
)

// minimizeFlags are the choices of verify minimize.
type minimizeFlags struct {
	dialect   string
	errorFile string
	tool      string
	when      when
	maxAsks   int
	asJSON    bool
}

func newMinimize(s *session) *cobra.Command {
	var flags minimizeFlags
	command := &cobra.Command{
		Use:   "minimize FILE",
		Short: "Shrink a tool to what a provider refuses it for",
		Long: `minimize leaves out of a tool every member and every element that does not matter to
why a provider refuses it, until none can be left out any more, and prints what stays.
The order is kept. What explains the refusal is told on standard error.

Recordings answer where they have the tool, or else the model of the provider. With
--error the refusal is the one that the message speaks of, which also says whose it is
where --dialect does not.

It exits 1 when the tool is not refused, or not in such words; 2 when something cannot
be read; 3 when it had to stop before nothing more could be left out.`,
		Example: `  verify minimize --dialect gemini/parameters tool.json
  verify minimize --error answer.json tools.json
  verify minimize --dialect openai/chat-strict --tool get_weather tools.json | verify check -`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 1 {
				return nil
			}
			return exitError{exitBroken, hint(errors.New("minimize takes one file"), "name it, or - for standard input")}
		},
		RunE: func(command *cobra.Command, files []string) error {
			return s.minimize(command.Context(), flags, files[0])
		},
	}
	command.Flags().StringVar(&flags.dialect, "dialect", "", "the surface that refuses the tool, such as openai/chat-strict")
	command.Flags().StringVar(&flags.errorFile, "error", "", "what the provider answered, the body or the message; - reads it from standard input")
	command.Flags().StringVar(&flags.tool, "tool", "", "the tool that is meant, where the file has several")
	flags.when.add(command)
	command.Flags().IntVar(&flags.maxAsks, "max-asks", 0, "how many times to ask at most (default 5000)")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write one JSON object, with the rule and the message")
	return command
}

func (s *session) minimize(ctx context.Context, flags minimizeFlags, file string) error {
	day, err := flags.when.day()
	if err != nil {
		return err
	}
	message := ""
	if flags.errorFile != "" {
		text, err := s.readError(ctx, flags.errorFile, []string{file})
		if err != nil {
			return err
		}
		message = provider.ParsePasted(text).Message
	}
	tools, err := s.toolsIn(ctx, file)
	if err != nil {
		return err
	}
	dialect, err := surfaceOf(ctx, flags.dialect, message, tools)
	if err != nil {
		return err
	}
	store, err := recording.Load(recordings.Files)
	if err != nil {
		return exitError{exitBroken, err}
	}
	tool, err := toolMeant(flags.tool, message, dialect, tools)
	if err != nil {
		return err
	}
	asked := harness.Offline{Dialect: dialect, Store: store, AsOf: day, ModelName: flags.when.model}
	result, err := minimize.Tool(ctx, asked, dialect, tool.Tool, message, minimize.Options{MaxAsks: flags.maxAsks})
	switch {
	case errors.Is(err, minimize.ErrAccepted), errors.Is(err, minimize.ErrOtherWords):
		return exitError{exitFails, fmt.Errorf("%s on %s: %w", tool.Name, dialect.Name, err)}
	case ctx.Err() != nil:
		return interrupted(ctx)
	case err != nil:
		return exitError{exitInconclusive, err}
	}
	return s.writeMinimized(flags, dialect, tool, result)
}

// surfaceOf returns the surface of the given name, or the one whose words a message is
// in.
func surfaceOf(ctx context.Context, name, message string, tools []toolfile.Tool) (*provider.Dialect, error) {
	switch {
	case name != "":
		return dialectNamed(name)
	case message == "":
		return nil, exitError{exitBroken, hint(errors.New("no surface"), "--dialect names it, or --error has its words; verify list dialects lists them")}
	}
	declared := make([]schema.Tool, len(tools))
	for i, tool := range tools {
		declared[i] = tool.Tool
	}
	refusal := provider.Response{Verdict: provider.Rejected, Message: message}
	dialect, err := harness.Recognize(ctx, refusal, declared, harness.Dialects)
	if err == nil && dialect == nil {
		err = exitError{exitBroken, hint(harness.ErrUnknownWords, "--dialect names the surface")}
	}
	return dialect, err
}

// toolMeant returns the tool of the given name, the only one, or the one that a message
// points at.
func toolMeant(name, message string, dialect *provider.Dialect, tools []toolfile.Tool) (toolfile.Tool, error) {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	if name != "" {
		if at := slices.Index(names, name); at >= 0 {
			return tools[at], nil
		}
		return toolfile.Tool{}, exitError{exitBroken, suggest(fmt.Errorf("there is no tool %q", name), name, names, "the tools are "+strings.Join(names, ", "))}
	}
	if len(tools) == 1 {
		return tools[0], nil
	}
	if message != "" {
		refusal := provider.Response{Verdict: provider.Rejected, Message: message}
		if located, err := harness.Locate(refusal, tools, []*provider.Dialect{dialect}); err == nil {
			return tools[located.Places[0].Declaration], nil
		}
	}
	return toolfile.Tool{}, exitError{exitBroken, hint(fmt.Errorf("there are %d tools, and one is minimized", len(tools)), "--tool names it")}
}

func (s *session) writeMinimized(flags minimizeFlags, dialect *provider.Dialect, tool toolfile.Tool, result minimize.Result) error {
	rule := dialect.Name
	if name := result.Reason.Name(); name != "" {
		rule += "/" + name
	}
	shown := result.Tool.Node()
	if tool.Tool.Parameters == tool.Given && result.Tool.Parameters != nil {
		shown = result.Tool.Parameters // a bare schema stays one
	}
	if flags.asJSON {
		encoder := json.NewEncoder(s.out)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(struct {
			Version int          `json:"version"`
			Dialect string       `json:"dialect"`
			Rule    string       `json:"rule"`
			Message string       `json:"message"`
			Asks    int          `json:"asks"`
			Minimal bool         `json:"minimal"`
			Tool    *schema.Node `json:"tool"`
		}{1, dialect.Name, result.Reason.Name(), strings.TrimSpace(result.Answer.Message), result.Asks, result.Minimal, result.Tool.Node()})
		if err != nil {
			return fmt.Errorf("writing the tool: %w", err)
		}
	} else {
		fmt.Fprintf(s.out, "%s\n", shown.Indented())
		s.warnf("%s: %s (%s)", tool.Name, strings.TrimSpace(result.Answer.Message), rule)
		s.warnf("%s became %d, in %s", report.Count(tool.Node().Size(), "value"), result.Tool.Node().Size(), report.Count(result.Asks, "ask"))
	}
	if !result.Minimal {
		return exitError{exitInconclusive, hint(errors.New("more could perhaps be left out"), "--max-asks lets it ask more often")}
	}
	return nil
}
