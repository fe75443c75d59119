package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolproof/harness"
	"toolproof/harness/peers"
	"toolproof/normalizers"
	"toolproof/schema"
)

// bugs writes a page for each minimal case in docs/peers/cases.json, with the package's result
// and the loss. For a case that is kept now it says that it is fixed.
func (r *Run) bugs(ctx context.Context, adapters []adapter, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "cases.json")) //nolint:gosec // a document of the project
	if err != nil {
		return fmt.Errorf("reading the minimal cases: %w", err)
	}
	cases, err := schema.Parse(text)
	if err != nil {
		return fmt.Errorf("reading the minimal cases: %w", err)
	}
	for _, minimal := range cases.Elements {
		for _, peer := range adapters {
			if peer.Name != minimal.GetString("peer") {
				continue
			}
			page, err := page(ctx, peer, minimal)
			if err != nil {
				return fmt.Errorf("%s: %w", minimal.GetString("file"), err)
			}
			if err := writeFile(filepath.Join(folder, minimal.GetString("file")+".md"), page); err != nil {
				return err
			}
		}
	}
	return nil
}

// page judges a case and describes the result in Markdown.
func page(ctx context.Context, peer adapter, minimal *schema.Node) (string, error) {
	surface, err := peers.SurfaceNamed(minimal.GetString("surface"))
	if err != nil {
		return "", err
	}
	target := harness.Serving(surface.Dialect).Name()
	command := &normalizers.Command{Args: peer.command, Target: target, Surface: surface.Dialect.Name, Timeout: time.Minute}
	defer command.Close()
	judged, err := peers.Judge(ctx, command, surface, &peers.Case{ID: minimal.GetString("file"), Tool: schema.ToolOf(minimal.Get("tool"))})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s: %s\n\n%s %s, for %s. `make peers` wrote this page.\n", peer.Name, minimal.GetString("title"), peer.Name, peer.Version, surface.Dialect.Name)
	fmt.Fprintf(&text, "\nGiven:\n\n```json\n%s\n```\n", minimal.Get("tool").Indented())
	if judged.Normalized != nil {
		fmt.Fprintf(&text, "\nMade of it:\n\n```json\n%s\n```\n", judged.Normalized.Indented())
	}
	if judged.Outcome <= peers.Said {
		text.WriteString("\nNothing is lost in silence any more.\n")
	} else {
		fmt.Fprintf(&text, "\nOutcome: %s.\n\n```\n%s\n```\n", judged.Outcome, judged.Text)
	}
	fmt.Fprintf(&text, "\nWanted: %s.\n", minimal.GetString("wanted"))
	return text.String(), nil
}
