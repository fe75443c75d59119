package hostile_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"toolproof/lab/hostile"
	"toolproof/schema"
)

var write = flag.String("write", "", "a folder to write the cases into, each as a file of one tool at its large size")

// TestCasesCanBeRead checks that each case is within the limits of Parse, so that it reaches
// the stages. With -write it writes the large ones to files.
func TestCasesCanBeRead(t *testing.T) {
	for _, of := range hostile.Cases {
		text := of.Make(of.Small).JSON()
		if _, err := schema.Parse(text); err != nil {
			t.Errorf("%s: %v", of.Name, err)
		}
		if *write == "" {
			continue
		}
		text = schema.Tool{Name: of.Name, Parameters: of.Make(of.Large)}.Node().JSON()
		if _, err := schema.Parse(text); err != nil {
			t.Errorf("%s: %v", of.Name, err)
		}
		const mode = 0o600
		if err := os.WriteFile(filepath.Join(*write, of.Name+".json"), text, mode); err != nil {
			t.Fatal(err)
		}
	}
}
