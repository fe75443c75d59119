package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/api/aiplatform/v1"
	"google.golang.org/genai"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The descriptors lag behind the services. The fields that they lack are read from types that
// are generated from newer sources: those of the official client, which serve both services, and
// those of the REST discovery of Vertex AI. Only the names of such fields are used.

// judged are the messages that get no further fields, because a request is refused for any field
// of theirs that evidence does not show.
var judged = []string{"Schema", "FunctionDeclaration"}

// fields are the JSON names of further fields by the last name of their message.
type fields map[string][]string

// writeFurther writes the further fields of each service, with the modules that name them.
func writeFurther(directory string) error {
	var services []fields
	for _, source := range sources {
		found := fields{}
		seen := map[protoreflect.FullName]bool{}
		generation := source.message.Fields().ByJSONName("generationConfig").Message()
		found.below(generation, namesOf(reflect.TypeFor[genai.GenerationConfig]()), seen)
		// One type of the client has the members of the request and those of generationConfig.
		ofRequest := slices.DeleteFunc(namesOf(reflect.TypeFor[genai.GenerateContentConfig]()), func(member member) bool {
			return generation.Fields().ByJSONName(member.json) != nil || slices.Contains(found[string(generation.Name())], member.json)
		})
		found.below(source.message, ofRequest, seen)
		found.below(source.message.Fields().ByJSONName("contents").Message(), namesOf(reflect.TypeFor[genai.Content]()), seen)
		services = append(services, found)
	}
	vertex := reflect.TypeFor[aiplatform.GoogleCloudAiplatformV1GenerateContentRequest]()
	services[1].below(sources[1].message, namesOf(vertex), map[protoreflect.FullName]bool{})
	text, err := json.MarshalIndent(map[string]any{
		"from":   []string{"google.golang.org/genai " + version("google.golang.org/genai"), "google.golang.org/api/aiplatform/v1 " + version("google.golang.org/api")},
		"gemini": services[0].sorted(), "vertex": services[1].sorted(),
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, "further.json"), append(text, '\n'), 0o644)
}

// below adds the members that a message lacks, and those that the messages of its fields lack.
func (f fields) below(message protoreflect.MessageDescriptor, members []member, seen map[protoreflect.FullName]bool) {
	if seen[message.FullName()] || slices.Contains(judged, string(message.Name())) {
		return
	}
	seen[message.FullName()] = true
	for _, member := range members {
		field := message.Fields().ByJSONName(member.json)
		switch {
		case field == nil:
			f[string(message.Name())] = append(f[string(message.Name())], member.json)
		case field.Message() != nil && !field.IsMap() && member.below != nil:
			f.below(field.Message(), namesOf(member.below), seen)
		}
	}
}

// member is a field of a type.
type member struct {
	json  string
	below reflect.Type // nil unless a struct
}

// namesOf returns the fields of a struct, except those that the client does not send.
func namesOf(structure reflect.Type) []member {
	var members []member
	for n := range structure.NumField() {
		name, _, _ := strings.Cut(structure.Field(n).Tag.Get("json"), ",")
		if name == "" || name == "-" || name == "httpOptions" {
			continue
		}
		below := structure.Field(n).Type
		for below.Kind() == reflect.Pointer || below.Kind() == reflect.Slice {
			below = below.Elem()
		}
		if below.Kind() != reflect.Struct {
			below = nil
		}
		members = append(members, member{name, below})
	}
	return members
}

func (f fields) sorted() fields {
	for name := range f {
		slices.Sort(f[name])
		f[name] = slices.Compact(f[name])
	}
	return f
}
