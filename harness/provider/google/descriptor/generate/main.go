// Command generate writes the protobuf descriptors that the Google models parse
// requests with. It is a module of its own, because the packages that carry the
// descriptors weigh 17 MB and the models need some kilobytes of them.
//
//	cd harness/provider/google/descriptor/generate && go run .
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"cloud.google.com/go/aiplatform/apiv1beta1/aiplatformpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A source is a request message, with where its descriptor comes from.
type source struct {
	file    string // to be written, beside the manifest
	module  string
	date    string // on which the protos behind the module were current
	message protoreflect.MessageDescriptor
}

var sources = []source{{
	file:    "gemini.binpb",
	module:  "cloud.google.com/go/ai",
	date:    "2026-05-07",
	message: (&generativelanguagepb.GenerateContentRequest{}).ProtoReflect().Descriptor(),
}, {
	file:    "vertex.binpb",
	module:  "cloud.google.com/go/aiplatform",
	date:    "2026-10-19",
	message: (&aiplatformpb.GenerateContentRequest{}).ProtoReflect().Descriptor(),
}}

// entry is what the manifest says of one file.
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
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(prune(source.message))
		if err != nil {
			return err
		}
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

// prune returns the files that declare what the message reaches, without the
// declarations that it does not reach, without options, services and comments.
func prune(message protoreflect.MessageDescriptor) *descriptorpb.FileDescriptorSet {
	reached := map[protoreflect.FullName]bool{}
	files := map[string]protoreflect.FileDescriptor{}
	reach(message, reached, files)

	set := &descriptorpb.FileDescriptorSet{}
	for _, path := range inOrder(files) {
		full := protodesc.ToFileDescriptorProto(files[path])
		file := &descriptorpb.FileDescriptorProto{Name: full.Name, Package: full.Package, Syntax: full.Syntax, Edition: full.Edition}
		for _, dependency := range full.Dependency {
			if files[dependency] != nil {
				file.Dependency = append(file.Dependency, dependency)
			}
		}
		prefix := protoreflect.FullName(full.GetPackage())
		file.MessageType = pruneMessages(full.MessageType, prefix, reached)
		file.EnumType = pruneEnums(full.EnumType, prefix, reached)
		set.File = append(set.File, file)
	}
	return set
}

func reach(message protoreflect.MessageDescriptor, reached map[protoreflect.FullName]bool, files map[string]protoreflect.FileDescriptor) {
	if reached[message.FullName()] {
		return
	}
	reached[message.FullName()] = true
	files[message.ParentFile().Path()] = message.ParentFile()
	fields := message.Fields()
	for i := range fields.Len() {
		if enum := fields.Get(i).Enum(); enum != nil {
			reached[enum.FullName()] = true
			files[enum.ParentFile().Path()] = enum.ParentFile()
		}
		if below := fields.Get(i).Message(); below != nil {
			reach(below, reached, files)
		}
	}
}

// inOrder returns the paths so that each file comes after those it depends on.
func inOrder(files map[string]protoreflect.FileDescriptor) []string {
	var order []string
	var add func(path string)
	add = func(path string) {
		if files[path] == nil || slices.Contains(order, path) {
			return
		}
		imports := files[path].Imports()
		for i := range imports.Len() {
			add(imports.Get(i).Path())
		}
		order = append(order, path)
	}
	paths := make([]string, 0, len(files))
	for path := range files {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, strings.Compare)
	for _, path := range paths {
		add(path)
	}
	return order
}

// pruneMessages keeps the reached messages, and those around a reached one.
func pruneMessages(messages []*descriptorpb.DescriptorProto, prefix protoreflect.FullName, reached map[protoreflect.FullName]bool) []*descriptorpb.DescriptorProto {
	var kept []*descriptorpb.DescriptorProto
	for _, message := range messages {
		name := prefix.Append(protoreflect.Name(message.GetName()))
		nested := pruneMessages(message.NestedType, name, reached)
		enums := pruneEnums(message.EnumType, name, reached)
		if !reached[name] && len(nested) == 0 && len(enums) == 0 {
			continue
		}
		clean := &descriptorpb.DescriptorProto{Name: message.Name, NestedType: nested, EnumType: enums}
		if message.GetOptions().GetMapEntry() {
			clean.Options = &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}
		}
		if reached[name] {
			clean.OneofDecl = message.OneofDecl
			for _, field := range message.Field {
				field = proto.CloneOf(field)
				field.Options = nil
				clean.Field = append(clean.Field, field)
			}
			for _, oneof := range clean.OneofDecl {
				oneof.Options = nil
			}
		}
		kept = append(kept, clean)
	}
	return kept
}

func pruneEnums(enums []*descriptorpb.EnumDescriptorProto, prefix protoreflect.FullName, reached map[protoreflect.FullName]bool) []*descriptorpb.EnumDescriptorProto {
	var kept []*descriptorpb.EnumDescriptorProto
	for _, enum := range enums {
		if !reached[prefix.Append(protoreflect.Name(enum.GetName()))] {
			continue
		}
		clean := &descriptorpb.EnumDescriptorProto{Name: enum.Name}
		if enum.GetOptions().GetAllowAlias() {
			clean.Options = &descriptorpb.EnumOptions{AllowAlias: proto.Bool(true)}
		}
		for _, value := range enum.Value {
			clean.Value = append(clean.Value, &descriptorpb.EnumValueDescriptorProto{Name: value.Name, Number: value.Number})
		}
		kept = append(kept, clean)
	}
	return kept
}
