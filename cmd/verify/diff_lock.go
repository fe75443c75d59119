package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/breaking"
	"toolproof/harness/project"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/internal/escape"
)

// diffProject compares the tools of all sources of toolproof.json with its lock, or writes the lock.
func (s *session) diffProject(ctx context.Context, flags diffFlags) error {
	name, err := flags.project.find()
	if err != nil {
		return err
	}
	if name == "" {
		err := fmt.Errorf("two versions are required, or a %s with its lock", project.Name)
		return cli.Broken(cli.Hint(err, "verify diff OLD NEW compares two versions, verify init writes a "+project.Name))
	}
	file, err := s.readProject(ctx, name)
	if err != nil {
		return err
	}
	lock := file.From(file.Lock)
	if flags.writeLock {
		return s.writeLock(ctx, flags, file, lock)
	}
	before, err := s.readLock(lock)
	if err != nil {
		return err
	}
	after, err := s.toolsOfProject(ctx, file)
	if err != nil {
		return err
	}
	flags.failOn = cmp.Or(flags.failOn, string(breaking.Dangerous))
	kept := flags.only.Kept()
	isLeftOut := func(tool breaking.Tool) bool { return !kept.Has(tool.Of, tool.Name) }
	before, after = slices.DeleteFunc(before, isLeftOut), slices.DeleteFunc(after, isLeftOut)
	if err := kept.Err(); err != nil {
		return err
	}
	changes := &report.Changes{Old: lock, New: name, Verbose: flags.verbose}
	err = s.compareVersions(ctx, flags, changes, before, after)
	if len(changes.Findings) > 0 {
		s.Warnf("verify diff --write-lock approves what changed since %s was written", escape.Line(lock))
	}
	return err
}

func (s *session) readLock(name string) ([]breaking.Tool, error) {
	text, err := s.Content(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Broken(cli.Hint(fmt.Errorf("%s: %w", escape.Line(name), err), "verify diff --write-lock writes it"))
	}
	var tools []breaking.Tool
	if err == nil {
		tools, err = breaking.ReadLock(text, name)
	}
	if err != nil {
		return nil, cli.Broken(fmt.Errorf("%s: %w", escape.Line(name), err))
	}
	return tools, nil
}

func (s *session) writeLock(ctx context.Context, flags diffFlags, file *project.File, name string) error {
	if err := flags.only.Alone("with --write-lock"); err != nil {
		return err
	}
	tools, err := s.toolsOfProject(ctx, file)
	if err != nil {
		return err
	}
	text, err := breaking.Lock(tools)
	if err != nil {
		return cli.Broken(err)
	}
	err = cli.WriteFile("the lock", name, func(out io.Writer) error {
		_, err := out.Write(text)
		return err //nolint:wrapcheck // WriteFile says what failed
	})
	if err != nil {
		return err
	}
	s.Warnf("%s of %s written to %s", report.Count(len(tools), "tool"), report.Count(len(file.Sources), "source"), escape.Line(name))
	return nil
}

// toolsOfProject returns the tools of all sources of a project. A source that gives none is an error, because
// nothing is known of what it has changed.
func (s *session) toolsOfProject(ctx context.Context, file *project.File) ([]breaking.Tool, error) {
	reader := &checkRun{session: s}
	nameOf := inProject(file)
	var tools []breaking.Tool
	add := func(of string, document engine.Document) error {
		read, err := toolsOfVersion([]engine.Document{document})
		for _, tool := range read {
			tool.Of = of
			tools = append(tools, tool)
		}
		return err
	}
	for _, source := range file.Sources {
		documents, servers, err := reader.source(ctx, file, source)
		if err != nil {
			return nil, ofSource(ctx, file, source, err)
		}
		for _, document := range documents {
			of := document.Source
			if nameOf != nil {
				of = nameOf(of)
			}
			if err := add(of, document); err != nil {
				return nil, err
			}
		}
		listed, err := s.allListed(ctx, servers)
		if err != nil {
			return nil, err
		}
		for _, document := range listed {
			of := strings.Join(withoutVersions(source.Server), " ")
			if source.Config != "" {
				of = source.Config + ": " + document.Source
			}
			if err := add(of, document); err != nil {
				return nil, err
			}
		}
	}
	return tools, nil
}

// withoutVersions returns the words of a command with the names of packages alone, which stay when another version is
// started: name for name@1.2.3 and name==1.2.3.
func withoutVersions(words []string) []string {
	names := make([]string, len(words))
	for i, word := range words {
		names[i] = word
		for _, separator := range []string{"==", "@"} {
			if at := strings.LastIndex(word, separator); at > 0 && !strings.ContainsAny(word[at:], `/\`) {
				names[i] = word[:at]
				break
			}
		}
	}
	return names
}

// allListed asks servers for their tools, and fails if one that is not disabled does not answer.
func (s *session) allListed(ctx context.Context, servers []configured) ([]engine.Document, error) {
	questions := make([]engine.Server, len(servers))
	for i, entry := range servers {
		questions[i] = s.asked(entry)
	}
	var documents []engine.Document
	asked, silent := 0, 0
	for i, answer := range engine.Ask(ctx, questions, cli.NewProgress(s.Session, 0)) {
		asked++
		switch {
		case questions[i].List == nil:
		case answer.Err != nil:
			questions[i].Failed(answer.Err)
			silent++
		default:
			questions[i].Answered(answer)
			documents = append(documents, answer.Document(questions[i]))
		}
	}
	switch {
	case asked < len(servers):
		return nil, cli.Interrupted(ctx)
	case silent > 0:
		return nil, cli.Fail(cli.CodeInconclusive, fmt.Errorf("%s listed no tools: nothing is known of what changed there", report.Count(silent, "server")))
	default:
		return documents, nil
	}
}
