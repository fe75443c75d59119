package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// beClient is a client that takes its base URL from the environment. It sends the files that
// its arguments name to OpenAI's Chat Completions, with the key of the environment, and ends
// with the code that its first argument says; "wait" ends the program that has started it, and
// waits for its signal.
func beClient() {
	code := 0
	for _, name := range os.Args[2:] {
		body, err := os.Open(name)
		if err != nil {
			panic(err)
		}
		request, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions?key="+os.Getenv("OPENAI_API_KEY"), body) //nolint:noctx // a program of its own
		if err != nil {
			panic(err)
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			panic(err)
		}
		fmt.Println(answer.StatusCode, strings.Contains(string(text), "choices"))
	}
	if os.Args[1] == "wait" {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		parent, err := os.FindProcess(os.Getppid())
		if err == nil {
			err = parent.Signal(syscall.SIGTERM)
		}
		if err != nil {
			panic(err)
		}
		<-signals
		code = 5
	} else if _, err := fmt.Sscan(os.Args[1], &code); err != nil {
		panic(err)
	}
	os.Exit(code)
}
