package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"toolproof/harness/toolfile"
)

// Content returns the bytes of a file as they are, or those of standard input for "-". It refuses what is
// larger than a document of tools may be.
func (s *Session) Content(name string) ([]byte, error) {
	in, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // opened for reading
	text, err := io.ReadAll(io.LimitReader(in, toolfile.MaxSize+1))
	if err != nil {
		return nil, WithoutPath(err)
	}
	if len(text) > toolfile.MaxSize {
		return nil, fmt.Errorf("there is more than %d MB: split it", toolfile.MaxSize>>20)
	}
	return text, nil
}

// Replace gives a file another content, all of it or nothing: it writes a file beside it, which takes its
// place. The mode stays, and a symbolic link still leads to the file. A file that is read-only, or whose
// content is no longer the one before, is left alone.
func Replace(name string, before, after []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return WithoutPath(err)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return WithoutPath(err)
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case !isWritable(target, info):
		return errors.New("it is read-only")
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*") //nolint:forbidigo // its close is reported
	if err != nil {
		return fmt.Errorf("writing a file beside it: %w", WithoutPath(err))
	}
	defer os.Remove(temporary.Name()) //nolint:errcheck // it is gone if it took the place
	_, err = temporary.Write(after)
	if err = errors.Join(err, temporary.Chmod(info.Mode().Perm()), temporary.Sync(), temporary.Close()); err != nil {
		return fmt.Errorf("writing a file beside it: %w", WithoutPath(err))
	}
	now, err := os.ReadFile(target)
	if err != nil {
		return WithoutPath(err)
	}
	if !bytes.Equal(now, before) {
		return errors.New("it was changed in the meantime: try again")
	}
	return WithoutPath(os.Rename(temporary.Name(), target))
}

// isWritable reports whether a file may be written: by its mode, which does not bind an administrator, and
// by this user.
func isWritable(name string, info os.FileInfo) bool {
	const byOwner = 0o200
	if info.Mode().Perm()&byOwner == 0 {
		return false
	}
	file, err := os.OpenFile(name, os.O_WRONLY, 0) //nolint:forbidigo,gosec // nothing is written
	return err == nil && file.Close() == nil
}
