// Command verify-live holds the providers' official clients for verify live, which
// starts it. It is a program of its own because the clients link more than all the rest.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"toolproof/harness/live/remote"
	"toolproof/harness/live/sdk"
)

func main() {
	// An interrupt reaches both programs. verify ends this one, once it has what it wants.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, sdk.Clients{}); err != nil {
		fmt.Fprintln(os.Stderr, "verify-live: "+err.Error())
		os.Exit(1)
	}
}
