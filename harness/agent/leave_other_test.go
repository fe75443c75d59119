//go:build !unix

package client

import "os/exec"

func leave(*exec.Cmd) {}
