package main

import (
	"os"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
)

// TestCalibration checks the committed agreement, and one measured here, against the published
// schema.
func TestCalibration(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/calibration.schema.json")
	kept, err := os.ReadFile("../../docs/calibration.json")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Validate(t, compiled, kept, "docs/calibration.json")
	out, _ := clitest.Output(t, run, `{"id":"a","path":"gemini.parameters","date":"2026-05-01","message":"no","schema":{"type":"object"}}
{"id":"b","path":"gemini.parameters","schema":null}`, cli.CodeConforms, "calibrate", "--json", "-")
	clitest.Validate(t, compiled, []byte(out), "verify-lab calibrate --json")
	if !strings.Contains(out, `{"id":"a","expected":"rejected","predicted":"accepted"}`) || !strings.Contains(out, `"set_aside":{"no_schema":1}`) {
		t.Errorf("the calibration is %s", out)
	}
}
