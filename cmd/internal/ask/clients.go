package ask

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/live"
	"toolproof/harness/live/remote"
)

// clients are the official clients, which run in the program verify-live. Opening the first account
// starts it.
type clients struct {
	errs    io.Writer
	mutex   sync.Mutex
	started *remote.Clients
}

// Open opens an account.
func (c *clients) Open(ctx context.Context, account live.Account) (live.Caller, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.started == nil {
		started, err := StartLive(c.errs)
		if err != nil {
			return nil, err
		}
		c.started = started
	}
	return c.started.Open(ctx, account)
}

// close ends the program.
func (c *clients) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.started != nil {
		_ = c.started.Close() // all answers have arrived
	}
}

// StartLive starts the official clients. Tests replace it to have them in their own process.
var StartLive = StartProgram

// StartProgram starts verify-live.
func StartProgram(errs io.Writer) (*remote.Clients, error) {
	words, err := findLive()
	if err != nil {
		return nil, err
	}
	return remote.Start(errs, words[0], words[1:]...)
}

// findLive returns the command line of verify-live, which it looks for beside this program, in the
// PATH, and as source below the working folder.
func findLive() ([]string, error) {
	name := strings.TrimSuffix(cli.ShortName(), "-lab") + "-live"
	if self, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return []string{beside}, nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return []string{found}, nil
	}
	if isSourceHere() {
		return []string{"go", "run", modulePath() + "/cmd/verify-live"}, nil
	}
	install := "install it beside " + cli.Name
	if from, isPackage := strings.CutPrefix(cli.Name, cli.Npx); isPackage {
		install = cli.Npx + "-p " + from + " -p " + from + "-live " + cli.ShortName() + " live"
	}
	return nil, cli.Hint(errors.New("the program "+name+" with the official clients is missing"), install)
}

// isSourceHere reports whether the working folder lies in the module of this program.
func isSourceHere() bool {
	here, err := os.Getwd()
	for err == nil {
		text, failed := os.ReadFile(filepath.Join(here, "go.mod")) //nolint:gosec // a file of the user's own
		if failed == nil {
			return bytes.HasPrefix(text, []byte("module "+modulePath()+"\n"))
		}
		above := filepath.Dir(here)
		if above == here {
			return false
		}
		here = above
	}
	return false
}

// modulePath returns the path of the module of this program.
func modulePath() string {
	return strings.TrimSuffix(reflect.TypeFor[live.Account]().PkgPath(), "/harness/live")
}
