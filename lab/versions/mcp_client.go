package versions

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed mcp-client.mjs
var mcpClientProgram []byte

// mcpClient measures a client of MCP: whether it takes each list and result of mcp-client.mjs, or in what words it
// refuses.
func (r *Run) mcpClient(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	if err := subject.install(ctx, folder); err != nil {
		return nil, err
	}
	const program, own = "mcp-client.mjs", 0o600
	if err := os.WriteFile(filepath.Join(folder, program), mcpClientProgram, own); err != nil {
		return nil, fmt.Errorf("writing %s: %w", program, err)
	}
	command := exec.CommandContext(ctx, "node", program, subject.Package) //nolint:gosec // a package of subjects.json
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
