// Command generate writes the tables of messages by which the models of Google parse requests. It
// is a module of its own, because the packages that have the descriptors are 17 MB large and the
// models need some kilobytes of them.
//
//	cd harness/provider/google/descriptor/generate && go run .
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"cloud.google.com/go/aiplatform/apiv1beta1/aiplatformpb"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A source is a request message with the module that its descriptor comes from.
type source struct {
	file    string // the table to write, beside the manifest
	module  string
	date    string // on which the module was generated from the protos
	message protoreflect.MessageDescriptor
}

var sources = []source{{
	file:    "gemini.txt",
	module:  "cloud.google.com/go/ai",
	date:    "2026-05-07",
	message: (&generativelanguagepb.GenerateContentRequest{}).ProtoReflect().Descriptor(),
}, {
	file:    "vertex.txt",
	module:  "cloud.google.com/go/aiplatform",
	date:    "2026-10-19",
	message: (&aiplatformpb.GenerateContentRequest{}).ProtoReflect().Descriptor(),
}}

// entry is the entry of the manifest for one file.
type entry struct {
	File    string `json:"file"`
	Message string `json:"message"`
	Module  string `json:"module"`
	Version string `json:"version"`
	Date    string `json:"date"`
	SHA256  string `json:"sha256"`
}

func main() {
	if err := run(".."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(directory string) error {
	var manifest []entry
	for _, source := range sources {
		data := []byte(table(source.message))
		if err := os.WriteFile(filepath.Join(directory, source.file), data, 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		manifest = append(manifest, entry{
			File: source.file, Message: string(source.message.FullName()), Module: source.module,
			Version: version(source.module), Date: source.date, SHA256: hex.EncodeToString(sum[:]),
		})
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, "manifest.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return writeFurther(directory)
}

func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return ""
}

// table returns the text of all messages and enums that a message reaches, sorted by name. Each
// line of a message is a field: its name, its JSON name, its number, whether it is one value,
// repeated or a map, its type, the name of its message or enum, and the name of the message that
// the entries of a map are encoded as. Each line of an enum is a value and its number.
func table(message protoreflect.MessageDescriptor) string {
	reached := map[string]string{}
	reach(message, reached)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(reached)) {
		text.WriteString(reached[name])
	}
	return text.String()
}

// reach adds the text of a message and of all that it reaches.
func reach(message protoreflect.MessageDescriptor, reached map[string]string) {
	name := string(message.FullName())
	if reached[name] != "" {
		return
	}
	reached[name] = "message " + name + "\n"
	text := "message " + name + "\n"
	fields := message.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		label, typeName, entry := "one", "", ""
		value := field
		switch {
		case field.IsMap():
			label, entry, value = "map", string(field.Message().FullName()), field.MapValue()
		case field.IsList():
			label = "repeated"
		}
		if enum := value.Enum(); enum != nil {
			typeName = string(enum.FullName())
			reached[typeName] = enumeration(enum)
		}
		if below := value.Message(); below != nil {
			typeName = string(below.FullName())
			reach(below, reached)
		}
		line := fmt.Sprintf("%s %s %d %s TYPE_%s %s %s", field.Name(), field.JSONName(), field.Number(), label, strings.ToUpper(value.Kind().String()), typeName, entry)
		text += "\t" + strings.TrimSpace(line) + "\n"
	}
	reached[name] = text
}

func enumeration(enum protoreflect.EnumDescriptor) string {
	text := "enum " + string(enum.FullName()) + "\n"
	for i := range enum.Values().Len() {
		value := enum.Values().Get(i)
		text += fmt.Sprintf("\t%s %d\n", value.Name(), value.Number())
	}
	return text
}
