// Command verify-live runs the providers' official clients for verify live, which starts it. It
// is a separate program because the clients are larger than everything else.
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
	// An interrupt reaches both programs; verify ends this one when it no longer needs it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, sdk.Clients{}); err != nil {
		fmt.Fprintln(os.Stderr, "verify-live: "+err.Error())
		os.Exit(1)
	}
}
