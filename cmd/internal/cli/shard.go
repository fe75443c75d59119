package cli

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"toolproof/harness/run"
	"toolproof/harness/toolfile"
)

// Shard is the value of --shard: the part of a run that this process does. What is in a part depends on its name
// and not on its place in a list. The zero value is the whole run.
type Shard struct {
	text string

	part, parts int
}

// Add adds the flag to those of a command. What says of what the parts are.
func (s *Shard) Add(set *pflag.FlagSet, what string) {
	const usage = "do only part `i/n` of n parts of the %s (default: the part that Bazel, a Slurm array or an indexed Job of Kubernetes names)"
	set.StringVar(&s.text, "shard", "", fmt.Sprintf(usage, what))
}

// engines are the variables by which programs that start many processes tell each its part.
var engines = []struct {
	// index is the variable with the part, total the one with the number of parts, and first the one with the
	// smallest index, which is 0 without it.
	index, total, first string
	step                string // the variable with what is between two indices; 1 without it
}{
	{index: "TEST_SHARD_INDEX", total: "TEST_TOTAL_SHARDS"},
	{index: "SLURM_ARRAY_TASK_ID", total: "SLURM_ARRAY_TASK_COUNT", first: "SLURM_ARRAY_TASK_MIN", step: "SLURM_ARRAY_TASK_STEP"},
	{index: "JOB_COMPLETION_INDEX", total: "JOB_COMPLETIONS"}, // Kubernetes sets only the first; the Job has to set the other
}

// Choose reads the flag or, without it, the variables, of which it warns.
func (s *Shard) Choose(warn func(format string, arguments ...any)) error {
	if s.text != "" {
		part, parts, ok := parsed(s.text)
		if !ok {
			return Usage("--shard %q is no part i/n, such as 2/4", s.text)
		}
		s.part, s.parts = part, parts
		return nil
	}
	for _, engine := range engines {
		total := os.Getenv(engine.total)
		if total == "" || os.Getenv(engine.index) == "" {
			continue
		}
		index, wrong := number(engine.index)
		first, wrongFirst := number(engine.first)
		step, wrongStep := number(engine.step)
		part, parts, ok := parsed(fmt.Sprintf("%d/%s", (index-first)/max(step, 1)+1, total))
		if wrong || wrongFirst || wrongStep || index < first || !ok {
			return Usage("%s=%s of %s=%s is no part of a run: --shard 1/1 does the whole", engine.index, os.Getenv(engine.index), engine.total, total)
		}
		s.part, s.parts = part, parts
		if s.IsPart() { // which may be a surprise
			warn("part %s of the run, as %s says: --shard 1/1 does the whole", s, engine.index)
		}
		return touchStatus()
	}
	return nil
}

// number returns the number in a variable, 0 if it is not set or has no name.
func number(variable string) (value int, isWrong bool) {
	text := os.Getenv(variable)
	if text == "" {
		return 0, false
	}
	value, err := strconv.Atoi(text)
	return value, err != nil || value < 0
}

// touchStatus makes the file by which Bazel knows that a test supports parts.
func touchStatus() error {
	name := os.Getenv("TEST_SHARD_STATUS_FILE")
	if name == "" {
		return nil
	}
	if err := os.WriteFile(name, nil, 0o666); err != nil { //nolint:gosec,mnd // Bazel names the file, and the umask decides
		return Broken(fmt.Errorf("telling Bazel that there are parts: %w", err))
	}
	return nil
}

// parsed parses i/n.
func parsed(text string) (part, parts int, ok bool) {
	first, second, _ := strings.Cut(text, "/")
	part, wrongPart := strconv.Atoi(first)
	parts, wrongParts := strconv.Atoi(second)
	return part, parts, wrongPart == nil && wrongParts == nil && part >= 1 && part <= parts
}

// IsAsked reports whether the flag is set.
func (s *Shard) IsAsked() bool { return s.text != "" }

// IsPart reports whether this process does only a part of the run.
func (s *Shard) IsPart() bool { return s.parts > 1 }

// String returns the part as i/n, and "" for the whole run.
func (s *Shard) String() string {
	if !s.IsPart() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.parts)
}

// Words returns the command line of the flag.
func (s *Shard) Words() []string {
	if !s.IsPart() {
		return nil
	}
	return []string{"--shard", s.String()}
}

// Has reports whether something of a name is in the part.
func (s *Shard) Has(name ...string) bool {
	if !s.IsPart() {
		return true
	}
	digest := sha256.Sum256([]byte(strings.Join(name, "\x00")))
	return binary.BigEndian.Uint64(digest[:8])%uint64(s.parts) == uint64(s.part-1) //nolint:gosec // both are positive
}

// Keep leaves out of documents what is in other parts. The tools that are sent together are in one part, and so
// is what is said of a document that has none.
func (s *Shard) Keep(documents []run.Document) {
	if !s.IsPart() {
		return
	}
	for i := range documents {
		document := &documents[i]
		var kept []toolfile.Tool
		for _, request := range document.Requests() {
			name := []string{document.Source}
			for _, tool := range request {
				tool = tool.Unfolded()
				name = append(name, tool.ID, tool.Name)
			}
			if s.Has(name...) {
				kept = append(kept, request...)
			}
		}
		document.Tools = kept
		var conversations []run.Conversation
		for _, conversation := range document.Conversations {
			if s.Has(document.Source, string(conversation.API), strconv.Itoa(conversation.Line)) {
				conversations = append(conversations, conversation)
			}
		}
		document.Conversations = conversations
		if !s.Has(document.Source) {
			document.Err, document.Passed = nil, nil
		}
	}
}
