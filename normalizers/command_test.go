package normalizers_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestMain makes the test binary a normalizer when the environment says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "normalizer" {
		beNormalizer(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// beNormalizer answers lines in the given manner.
func beNormalizer(manner string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked struct {
			ID     int             `json:"id"`
			Target string          `json:"target"`
			Tool   json.RawMessage `json:"tool"`
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch manner {
		case "identity":
			fmt.Printf("{\"id\":%d,\"tool\":%s,\"strict\":%t}\n", asked.ID, asked.Tool, asked.Target == "openai-strict")
		case "unsupported":
			fmt.Printf("{\"id\":%d,\"unsupported\":\"too large\"}\n", asked.ID)
		case "error":
			fmt.Printf("{\"id\":%d,\"error\":\"no idea\"}\n", asked.ID)
		case "rubbish":
			fmt.Println("rubbish")
		case "another":
			fmt.Printf("{\"id\":%d,\"tool\":%s}\n", asked.ID+1, asked.Tool)
		case "nothing":
			fmt.Printf("{\"id\":%d}\n", asked.ID)
		case "duplicate":
			fmt.Printf("{\"id\":%d,\"tool\":{\"name\":\"a\",\"name\":\"b\"}}\n", asked.ID)
		case "hang":
			time.Sleep(time.Hour)
		case "die":
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		}
	}
}

func command(t *testing.T, manner string) *normalizers.Command {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	made := &normalizers.Command{Args: []string{program, "normalizer", manner}, Target: "openai-strict", Timeout: time.Minute}
	t.Cleanup(made.Close)
	return made
}

func TestCommand(t *testing.T) {
	t.Parallel()
	made := command(t, "identity")
	if made.Name() != "openai-strict" {
		t.Errorf("called %s", made.Name())
	}
	for _, name := range []string{"a", "b", "c"} {
		tool := schema.Tool{Name: name, Description: schema.NewString("d"), Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})}
		result, err := made.Normalize(t.Context(), tool)
		if err != nil {
			t.Fatal(err)
		}
		if !schema.Identical(result.Tool.Node(), tool.Node()) || !result.Strict || !result.Unreported {
			t.Errorf("got %+v", result)
		}
	}
}

func TestCommandErrors(t *testing.T) {
	t.Parallel()
	for manner, want := range map[string]string{
		"unsupported": "does not support the tool: too large",
		"error":       "no idea",
		"rubbish":     "not a line of the protocol",
		"another":     "the answer is to 2, and 1 was asked",
		"nothing":     "none of tool, unsupported and error",
		"duplicate":   "reading the tool of the answer",
	} {
		t.Run(manner, func(t *testing.T) {
			t.Parallel()
			_, err := command(t, manner).Normalize(t.Context(), schema.Tool{Name: "f"})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q in it", err, want)
			}
			if errors.Is(err, normalizers.ErrUnsupported) != (manner == "unsupported") {
				t.Errorf("%v is or is not ErrUnsupported", err)
			}
		})
	}
}

// TestCommandDies starts the process twice and not for ever.
func TestCommandDies(t *testing.T) {
	t.Parallel()
	made := command(t, "die")
	for range 2 {
		if _, err := made.Normalize(t.Context(), schema.Tool{Name: "f"}); err == nil || !strings.Contains(err.Error(), "out of luck") {
			t.Errorf("got %v, want what stands on standard error", err)
		}
	}
	if _, err := made.Normalize(t.Context(), schema.Tool{Name: "f"}); err == nil || !strings.Contains(err.Error(), "not started again") {
		t.Errorf("got %v", err)
	}
}

func TestCommandHangs(t *testing.T) {
	t.Parallel()
	made := command(t, "hang")
	made.Timeout = time.Millisecond
	if _, err := made.Normalize(t.Context(), schema.Tool{Name: "f"}); err == nil || !strings.Contains(err.Error(), "did not answer within") {
		t.Errorf("got %v", err)
	}
}

func TestCommandThatIsNone(t *testing.T) {
	t.Parallel()
	made := &normalizers.Command{Args: []string{"no-such-program-anywhere"}, Target: "gemini"}
	if _, err := made.Normalize(t.Context(), schema.Tool{Name: "f"}); err == nil || !strings.Contains(err.Error(), "starting no-such-program-anywhere") {
		t.Errorf("got %v", err)
	}
}
