//go:build unix

package main

import (
	"os"
	"syscall"
)

// isOfAnotherUser reports whether a file belongs neither to the user nor to the owner of
// the working folder, which in a container may be another one.
func isOfAnotherUser(name string) bool {
	owner := func(name string) int {
		info, err := os.Stat(name)
		if err != nil {
			return -1
		}
		of, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return -1
		}
		return int(of.Uid)
	}
	of := owner(name)
	return of != os.Geteuid() && of != owner(".")
}
