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
	"strings"
)

// engine measures an engine's own code: whether it makes a grammar of the parameters of each tool. The folder of its
// referee has what the referee reads besides the package.
func (r *Run) engine(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	names, err := filepath.Glob(filepath.Join(r.Engines, subject.Adapter, "*"))
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
	if err := subject.install(ctx, folder); err != nil {
		return nil, err
	}
	tools, err := r.tools()
	if err != nil {
		return nil, err
	}
	var questions bytes.Buffer
	for _, tool := range tools {
		fmt.Fprintf(&questions, "{\"id\":%q,\"schema\":%s}\n", tool.Name, tool.Parameters)
	}
	command := exec.CommandContext(ctx, "node", "referee.js")
	var complaint strings.Builder
	command.Dir, command.Stdin, command.Stderr = folder, &questions, &complaint
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("asking the engine: %w\n%s", err, thrown(complaint.String()))
	}
	facts := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var said struct {
			ID      string `json:"id"`
			Verdict string `json:"verdict"`
			Message string `json:"message"`
		}
		if err := decoder.Decode(&said); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what the engine says: %w", err)
		}
		if strings.HasPrefix(said.Message, "no answer within") {
			return nil, fmt.Errorf("%s: %w", said.ID, errSlow)
		}
		facts[said.ID] = said.Verdict
		if said.Message != "" {
			facts[said.ID] += ": " + oneLine(said.Message)
		}
	}
	if len(facts) != len(tools) {
		return nil, fmt.Errorf("the engine answered %d of %d questions", len(facts), len(tools))
	}
	return []measured{{facts: facts}}, nil
}
