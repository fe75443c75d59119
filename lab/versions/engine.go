package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/harness/agent/arrival"
	"toolproof/schema"
)

// question is a line that a referee reads.
type question struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Description *schema.Node `json:"description,omitempty"`
	Schema      *schema.Node `json:"schema"` // the last one, whose text referees cut out
}

// engine measures an engine's own code: whether it makes a grammar of the parameters of each tool, or what it keeps of
// them.
func (r *Run) engine(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	installed := r.npmReferee
	if subject.Language == goLanguage {
		installed = r.goReferee
	}
	program, err := installed(ctx, folder, subject)
	if err != nil {
		return nil, err
	}
	tools, err := r.tools()
	if err != nil {
		return nil, err
	}
	var questions bytes.Buffer
	asked := json.NewEncoder(&questions)
	asked.SetEscapeHTML(false)
	for _, tool := range tools {
		if err := asked.Encode(question{tool.Name, tool.Name, tool.Description, tool.Parameters}); err != nil {
			return nil, fmt.Errorf("writing %s: %w", tool.Name, err)
		}
	}
	command := exec.CommandContext(ctx, program[0], program[1:]...) //nolint:gosec // a referee of the project
	var complaint strings.Builder
	command.Dir, command.Stdin, command.Stderr = folder, &questions, &complaint
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("asking the engine: %w\n%s", err, thrown(complaint.String()))
	}
	facts, err := factsOf(tools, text)
	return []measured{{facts: facts}}, err
}

// factsOf says in words what an engine answered for each tool: its verdict, and how what it keeps differs from the tool.
func factsOf(tools []schema.Tool, answers []byte) (map[string]string, error) {
	facts := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(answers)); ; {
		var said struct {
			ID      string `json:"id"`
			Verdict string `json:"verdict"`
			Message string `json:"message"`
			Kept    struct {
				Function *schema.Node `json:"function"`
			} `json:"kept"`
		}
		if err := decoder.Decode(&said); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what the engine says: %w", err)
		}
		at := slices.IndexFunc(tools, func(tool schema.Tool) bool { return tool.Name == said.ID })
		if at < 0 {
			return nil, fmt.Errorf("the engine answers for %q, which was not asked", said.ID)
		}
		if strings.HasPrefix(said.Message, "no answer within") {
			return nil, fmt.Errorf("%s: %w", said.ID, errSlow)
		}
		fact := said.Verdict
		if said.Message != "" {
			fact += ": " + oneLine(said.Message)
		}
		if kept := said.Kept.Function; kept != nil {
			if differs := inWords(arrival.Changes(tools[at], schema.ToolOf(kept))); differs != "" {
				fact += "; " + differs
			}
		}
		facts[said.ID] = fact
	}
	if len(facts) != len(tools) {
		return nil, fmt.Errorf("the engine answered %d of %d questions", len(facts), len(tools))
	}
	return facts, nil
}

// npmReferee installs a referee in JavaScript with its package. The folder of the referee has what it reads besides.
func (r *Run) npmReferee(ctx context.Context, folder string, subject subjectVersion) ([]string, error) {
	referee := filepath.Join(r.Engines, filepath.FromSlash(subject.Adapter))
	names, err := filepath.Glob(filepath.Join(filepath.Dir(referee), "*"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("there is no referee %q", subject.Adapter)
	}
	for _, name := range names {
		if base := filepath.Base(name); strings.HasSuffix(base, ".js") || strings.HasSuffix(base, ".jinja") {
			if err := copyFile(name, filepath.Join(folder, base)); err != nil {
				return nil, err
			}
		}
	}
	return []string{"node", filepath.Base(referee) + ".js"}, subject.install(ctx, folder)
}

// goReferee builds a referee in Go with its module.
func (r *Run) goReferee(ctx context.Context, folder string, subject subjectVersion) ([]string, error) {
	if err := subject.copyGo(filepath.Join(r.Engines, subject.Adapter), folder); err != nil {
		return nil, err
	}
	program, err := subject.build(ctx, folder, "")
	return []string{program}, err
}
