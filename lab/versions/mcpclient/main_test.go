package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
)

// TestRun: the client takes what the protocol allows, says what it refuses, and answers each case once.
func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	said := map[string]*string{}
	for decoder := json.NewDecoder(&out); ; {
		var answer struct {
			Name string  `json:"name"`
			Said *string `json:"said"`
		}
		if err := decoder.Decode(&answer); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if _, isTwice := said[answer.Name]; isTwice {
			t.Errorf("%s is answered twice", answer.Name)
		}
		said[answer.Name] = answer.Said
	}
	var all []made
	if err := json.Unmarshal(cases, &all); err != nil || len(said) != len(all) {
		t.Errorf("%d answers to %d cases: %v", len(said), len(all), err)
	}
	if words := said["a text"]; words != nil {
		t.Errorf("a text is refused: %s", *words)
	}
	for _, name := range []string{"content that is a string", "annotation of a wrong type"} {
		if said[name] == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
