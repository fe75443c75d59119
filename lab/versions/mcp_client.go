package versions

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mcpClients are programs that ask a client of MCP, in Go and in JavaScript, and what they ask.
//
//go:embed mcpclient
var mcpClients embed.FS

// mcpClient measures a client of MCP: whether it takes the list and the result of each case, or in what words it refuses.
func (r *Run) mcpClient(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	const sources = "mcpclient"
	if err := os.CopyFS(folder, mcpClients); err != nil {
		return nil, fmt.Errorf("writing the programs: %w", err)
	}
	program := []string{"node", "client.mjs", subject.Package}
	folder = filepath.Join(folder, sources)
	if subject.Language == goLanguage {
		built, err := subject.build(ctx, folder, "")
		if err != nil {
			return nil, err
		}
		program = []string{built}
	} else if err := subject.install(ctx, folder); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, program[0], program[1:]...) //nolint:gosec // a program of the project
	var complaint strings.Builder
	command.Dir, command.Stderr = folder, &complaint
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("asking the client: %w: %s", err, thrown(complaint.String()))
	}
	facts := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var said struct {
			Name string  `json:"name"`
			Said *string `json:"said"`
		}
		if err := decoder.Decode(&said); errors.Is(err, io.EOF) {
			return []measured{{facts: facts}}, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading what the client says: %w", err)
		}
		facts[said.Name] = "taken"
		if said.Said != nil {
			facts[said.Name] = "refused: " + oneLine(*said.Said)
		}
	}
}
