//go:build !unix

package agent

import "os/exec"

func leave(*exec.Cmd) {}
