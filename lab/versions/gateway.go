package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"toolproof/lab/gateway"
)

// gateway measures a gateway: what becomes of each tool on each way through it.
func (r *Run) gateway(ctx context.Context, folder string, subject subjectVersion) ([]measured, error) {
	if err := subject.install(ctx, folder); err != nil {
		return nil, err
	}
	if gateway.Named(subject.Adapter) == nil {
		return nil, fmt.Errorf("there is no gateway %q", subject.Adapter)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program itself: %w", err)
	}
	command := exec.CommandContext(ctx, self, "gateway", subject.Adapter, "--json", "--start-timeout", "2m", r.Tools) //nolint:gosec // the program of this project
	command.Env = append(slices.Clone(r.Environ), "PATH="+filepath.Join(folder, "node_modules", ".bin")+string(os.PathListSeparator)+r.Path)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	records, readErr := ofReports(bytes.NewReader(out), "")
	if readErr != nil || len(records) == 0 {
		return nil, fmt.Errorf("verify-lab gateway: %w\n%s", errors.Join(err, readErr), &complaint)
	}
	var all []measured
	for _, record := range records {
		all = append(all, measured{record.Place, record.Facts, record.Unmeasured})
	}
	return all, nil
}
